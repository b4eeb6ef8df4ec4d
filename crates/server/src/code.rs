//! Every way a request can fail: one closed list, one table.
//!
//! **Invariant:** a name may be added, never changed: clients compare with it.

use axum::http::StatusCode;
use serde::Serialize;

/// Why a request failed, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the table below says what each means")]
pub enum Code {
    JsonMalformed,
    JsonTooDeep,
    FieldUnknown,
    FieldMissing,
    FieldInvalid,
    IdMalformed,
    IdempotencyKeyInvalid,
    IdempotencyKeyReused,
    BodyTooLarge,
    BodyTimeout,
    BodyBroken,
    MediaTypeUnsupported,
    RouteUnknown,
    MethodNotAllowed,
    OriginRefused,
    HostRefused,
    DeploymentRefused,
    WorkflowUnknown,
    InstanceUnknown,
    /// No such sink.
    SinkUnknown,
    InstanceStarted,
    InstanceEnded,
    InstancePaused,
    InstanceNotPaused,
    TaskUnknown,
    TaskAlreadyCompleted,
    TaskCancelled,
    JobUnknown,
    JobAlreadyCompleted,
    JobAlreadyFailed,
    JobTakenAway,
    LeaseLost,
    TimerNotArmed,
    TimerNotDue,
    IncidentUnknown,
    IncidentAlreadyResolved,
    SubscriptionNotOpen,
    CallNotOpen,
    TokenUnknown,
    NodeUnknown,
    CannotStart,
    TaskHeld,
    TaskClaimant,
    PriorityInvalid,
    ModificationRefused,
    MigrationRefused,
    RollbackRefused,
    EffectsAfterSnapshot,
    Compensating,
    NotCompensating,
    Conflict,
    Overloaded,
    ShuttingDown,
    StoreUnavailable,
    StoreRefused,
    DataDamaged,
    InstanceParked,
    Internal,
    UpgradeRequired,
    FrameMalformed,
    OpUnknown,
    SubscriptionExists,
    SubscriptionUnknown,
    SubscriptionsTooMany,
}

/// Whose affair a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The request is wrong in itself.
    Validation,
    /// The engine failed on an instance.
    Execution,
    /// The server or its store.
    System,
    /// Something took too long.
    Timeout,
    /// The caller may not.
    Auth,
    /// The request comes too late, or meets another.
    Conflict,
    /// There is no such thing.
    NotFound,
}

impl Code {
    /// The table: name on the wire, HTTP status, kind.
    #[rustfmt::skip]
    fn row(self) -> (&'static str, u16, Kind) {
        use Kind::{Auth, Conflict, Execution, NotFound, System, Timeout, Validation};
        match self {
            Code::JsonMalformed           => ("json_malformed", 400, Validation),
            Code::JsonTooDeep             => ("json_too_deep", 400, Validation),
            Code::FieldUnknown            => ("field_unknown", 400, Validation),
            Code::FieldMissing            => ("field_missing", 400, Validation),
            Code::FieldInvalid            => ("field_invalid", 400, Validation),
            Code::IdMalformed             => ("id_malformed", 400, Validation),
            Code::IdempotencyKeyInvalid   => ("idempotency_key_invalid", 400, Validation),
            Code::IdempotencyKeyReused    => ("idempotency_key_reused", 409, Conflict),
            Code::BodyTooLarge            => ("body_too_large", 413, Validation),
            Code::BodyTimeout             => ("body_timeout", 408, Timeout),
            Code::BodyBroken              => ("body_broken", 400, Validation),
            Code::MediaTypeUnsupported    => ("media_type_unsupported", 415, Validation),
            Code::RouteUnknown            => ("route_unknown", 404, NotFound),
            Code::MethodNotAllowed        => ("method_not_allowed", 405, Validation),
            Code::OriginRefused           => ("origin_refused", 403, Auth),
            Code::HostRefused             => ("host_refused", 403, Auth),
            Code::DeploymentRefused       => ("deployment_refused", 422, Validation),
            Code::WorkflowUnknown         => ("workflow_unknown", 404, NotFound),
            Code::InstanceUnknown         => ("instance_unknown", 404, NotFound),
            Code::SinkUnknown             => ("sink_unknown", 404, NotFound),
            Code::InstanceStarted         => ("instance_started", 409, Conflict),
            Code::InstanceEnded           => ("instance_ended", 409, Conflict),
            Code::InstancePaused          => ("instance_paused", 409, Conflict),
            Code::InstanceNotPaused       => ("instance_not_paused", 409, Conflict),
            Code::TaskUnknown             => ("task_unknown", 404, NotFound),
            Code::TaskAlreadyCompleted    => ("task_already_completed", 409, Conflict),
            Code::TaskCancelled           => ("task_cancelled", 409, Conflict),
            Code::JobUnknown              => ("job_unknown", 404, NotFound),
            Code::JobAlreadyCompleted     => ("job_already_completed", 409, Conflict),
            Code::JobAlreadyFailed        => ("job_already_failed", 409, Conflict),
            Code::JobTakenAway            => ("job_taken_away", 409, Conflict),
            Code::LeaseLost               => ("lease_lost", 409, Conflict),
            Code::TimerNotArmed           => ("timer_not_armed", 409, Conflict),
            Code::TimerNotDue             => ("timer_not_due", 409, Conflict),
            Code::IncidentUnknown         => ("incident_unknown", 404, NotFound),
            Code::IncidentAlreadyResolved => ("incident_already_resolved", 409, Conflict),
            Code::SubscriptionNotOpen     => ("subscription_not_open", 409, Conflict),
            Code::CallNotOpen             => ("call_not_open", 409, Conflict),
            Code::TokenUnknown            => ("token_unknown", 404, NotFound),
            Code::NodeUnknown             => ("node_unknown", 404, NotFound),
            Code::CannotStart             => ("cannot_start", 422, Validation),
            Code::TaskHeld                => ("task_held", 409, Conflict),
            Code::TaskClaimant            => ("task_claimant_missing", 400, Validation),
            Code::PriorityInvalid         => ("priority_invalid", 400, Validation),
            Code::ModificationRefused     => ("modification_refused", 422, Validation),
            Code::MigrationRefused        => ("migration_refused", 422, Validation),
            Code::RollbackRefused         => ("rollback_refused", 409, Conflict),
            Code::EffectsAfterSnapshot    => ("effects_after_snapshot", 409, Conflict),
            Code::Compensating            => ("compensating", 409, Conflict),
            Code::NotCompensating         => ("not_compensating", 409, Conflict),
            Code::Conflict                => ("conflict", 409, Conflict),
            Code::Overloaded              => ("overloaded", 503, System),
            Code::ShuttingDown            => ("shutting_down", 503, System),
            Code::StoreUnavailable        => ("store_unavailable", 503, System),
            Code::StoreRefused            => ("store_refused", 500, System),
            Code::DataDamaged             => ("data_damaged", 500, System),
            Code::InstanceParked          => ("instance_parked", 500, Execution),
            Code::Internal                => ("internal", 500, System),
            Code::UpgradeRequired         => ("upgrade_required", 426, Validation),
            Code::FrameMalformed          => ("frame_malformed", 400, Validation),
            Code::OpUnknown               => ("op_unknown", 400, Validation),
            Code::SubscriptionExists      => ("subscription_exists", 409, Conflict),
            Code::SubscriptionUnknown     => ("subscription_unknown", 404, NotFound),
            Code::SubscriptionsTooMany    => ("subscriptions_too_many", 429, Validation),
        }
    }

    /// As clients know it.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The HTTP status that goes with it.
    pub fn status(self) -> StatusCode {
        StatusCode::from_u16(self.row().1).expect("the table has valid statuses")
    }

    /// Whose affair it is.
    pub fn kind(self) -> Kind {
        self.row().2
    }
}
