//! A failed request: its code, a sentence for people, details for programs.
//!
//! **Invariant:** what the engine refuses maps here and nowhere else.

use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tyer_engine::{ItemId, MalformedId};
use tyer_runtime::{Error, Rejection};

use crate::code::Code;

/// Why a request failed.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) details: Value,
}

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into(), details: json!({}) }
    }

    pub(crate) fn with(mut self, details: Value) -> Failure {
        self.details = details;
        self
    }

    /// The body, once the request has its id.
    pub(crate) fn body(&self, request_id: &str) -> Value {
        json!({
            "success": false,
            "error": {
                "code": self.code.name(),
                "type": self.code.kind(),
                "message": self.message,
                "details": self.details,
                "requestId": request_id,
            },
        })
    }
}

/// The body is written by the guard, which knows the id of the request.
impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<MalformedId> for Failure {
    fn from(error: MalformedId) -> Failure {
        Failure::new(Code::IdMalformed, error.to_string())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let message = error.to_string();
        match error {
            Error::Rejected(rejection) => rejection.into(),
            Error::Problems(problems) => {
                let details = json!({ "problems": problems });
                Failure::new(Code::DeploymentRefused, refused(&problems)).with(details)
            }
            Error::ProcessUnknown { key, version } => {
                let details = json!({ "workflowId": key, "version": version });
                Failure::new(Code::WorkflowUnknown, message).with(details)
            }
            Error::Variables(_) | Error::Sink(_) => Failure::new(Code::FieldInvalid, message),
            Error::Conflict(id) => {
                Failure::new(Code::Conflict, message).with(json!({ "instanceId": id.to_string() }))
            }
            Error::Superseded | Error::Gone => Failure::new(Code::Conflict, message),
            Error::Overloaded => Failure::new(Code::Overloaded, message),
            Error::Parked(id, _) => {
                let text = format!("the engine failed on instance {id} and has parked it with an incident");
                Failure::new(Code::InstanceParked, text).with(json!({ "instanceId": id.to_string() }))
            }
            Error::Closed => Failure::new(Code::ShuttingDown, message),
            Error::Store(error) => store(&error),
            Error::Damaged(reason) => hidden(Code::DataDamaged, "stored data cannot be read", &reason),
        }
    }
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Failure {
        let message = rejection.to_string();
        let item = |kind: &str, instance, number| ItemId { instance, number }.to_text(kind);
        let (code, details) = match rejection {
            Rejection::InstanceUnknown { id } => {
                (Code::InstanceUnknown, json!({ "instanceId": id.to_string() }))
            }
            Rejection::InstanceStarted { id } => {
                (Code::InstanceStarted, json!({ "instanceId": id.to_string() }))
            }
            Rejection::InstanceEnded { id, status } => {
                (Code::InstanceEnded, json!({ "instanceId": id.to_string(), "status": status }))
            }
            Rejection::InstancePaused { id } => {
                (Code::InstancePaused, json!({ "instanceId": id.to_string() }))
            }
            Rejection::InstanceNotPaused { id } => {
                (Code::InstanceNotPaused, json!({ "instanceId": id.to_string() }))
            }
            Rejection::JobNotOpen { instance, job } => {
                (Code::JobTakenAway, json!({ "jobId": item("job", instance, job) }))
            }
            Rejection::LeaseLost { instance, job } => {
                (Code::LeaseLost, json!({ "jobId": item("job", instance, job) }))
            }
            Rejection::TaskNotOpen { instance, task } => {
                (Code::TaskCancelled, json!({ "taskId": item("task", instance, task) }))
            }
            Rejection::TimerNotArmed { instance, timer } => {
                (Code::TimerNotArmed, json!({ "timerId": item("timer", instance, timer) }))
            }
            Rejection::TimerNotDue { instance, timer, .. } => {
                (Code::TimerNotDue, json!({ "timerId": item("timer", instance, timer) }))
            }
            Rejection::SubscriptionNotOpen { instance, subscription } => {
                (Code::SubscriptionNotOpen, json!({ "subscriptionId": item("sub", instance, subscription) }))
            }
            Rejection::CallNotOpen { instance, call } => {
                (Code::CallNotOpen, json!({ "callId": item("call", instance, call) }))
            }
            Rejection::TokenUnknown { instance, token } => {
                (Code::TokenUnknown, json!({ "tokenId": item("tok", instance, token) }))
            }
            Rejection::NodeUnknown { node } => (Code::NodeUnknown, json!({ "nodeId": node })),
            Rejection::OnlyEventsBegin { nodes } => (Code::CannotStart, json!({ "nodes": nodes })),
            Rejection::CannotStart { node, .. } => (Code::CannotStart, json!({ "nodeId": node })),
            Rejection::TaskHeld { instance, task, holder } => {
                (Code::TaskHeld, json!({ "taskId": item("task", instance, task), "holder": holder }))
            }
            Rejection::TaskClaimant { instance, task } => {
                (Code::TaskClaimant, json!({ "taskId": item("task", instance, task) }))
            }
            Rejection::PriorityInvalid { priority } => {
                (Code::PriorityInvalid, json!({ "priority": priority }))
            }
            Rejection::ModificationRefused { node, .. } => {
                (Code::ModificationRefused, json!({ "nodeId": node }))
            }
            Rejection::MigrationRefused { node, .. } => (Code::MigrationRefused, json!({ "nodeId": node })),
            Rejection::RollbackRefused { name, .. } => (Code::RollbackRefused, json!({ "snapshot": name })),
            Rejection::EffectsAfterSnapshot { name, steps } => {
                (Code::EffectsAfterSnapshot, json!({ "snapshot": name, "steps": steps }))
            }
            Rejection::Compensating { id } => (Code::Compensating, json!({ "instanceId": id.to_string() })),
            Rejection::NotCompensating { instance, incident } => {
                (Code::NotCompensating, json!({ "incidentId": item("inc", instance, incident) }))
            }
            Rejection::IncidentNotOpen { instance, incident } => {
                (Code::IncidentAlreadyResolved, json!({ "incidentId": item("inc", instance, incident) }))
            }
        };
        Failure::new(code, message).with(details)
    }
}

fn refused(problems: &tyer_model::Problems) -> String {
    let errors = problems.0.iter().filter(|problem| problem.severity == tyer_model::Severity::Error).count();
    match errors {
        1 => "the file cannot be deployed: it has an error".to_owned(),
        many => format!("the file cannot be deployed: it has {many} errors"),
    }
}

fn store(error: &tyer_runtime::StoreError) -> Failure {
    match error.is_transient() {
        true => {
            hidden(Code::StoreUnavailable, "the store does not answer: try again later", &error.to_string())
        }
        false => hidden(Code::StoreRefused, "the store could not do its part", &error.to_string()),
    }
}

/// What went wrong inside is for the log: it may name files and tables.
pub(crate) fn hidden(code: Code, message: &str, reason: &str) -> Failure {
    tracing::error!(code = code.name(), reason, "a request failed");
    Failure::new(code, message)
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;
    use tyer_runtime::{Error, StoreError};

    use super::Failure;

    #[test]
    fn a_failed_disk_is_for_later_and_tells_nobody_outside_of_files() {
        let failed = StoreError::DiskFailed("/data/orders.db: disk I/O error".to_owned());
        let failure = Failure::from(Error::Store(failed));
        assert!(!failure.message.contains("orders.db"), "{}", failure.message);
        assert_eq!(failure.into_response().status(), 503);
        let damaged = Failure::from(Error::Store(StoreError::Damaged("a row".to_owned())));
        assert_eq!(damaged.into_response().status(), 500);
    }
}
