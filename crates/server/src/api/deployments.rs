//! Files in, files out.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::code::Code;
use crate::error::Failure;
use crate::fields::Raw;
use crate::query::{Name, Query};
use crate::reply;
use crate::router::App;

/// `POST /api/deployments`: the bytes of a BPMN file.
pub(crate) async fn deploy(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Raw(file): Raw,
) -> Result<Response, Failure> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if kind.starts_with("multipart/") {
        let message = "send the bytes of one BPMN file as the body, not a form";
        return Err(Failure::new(Code::MediaTypeUnsupported, message));
    }
    let deployed = app.engine.deploy(&file).await?;
    let processes: Vec<_> = deployed
        .processes
        .iter()
        .map(|process| {
            let at = reply::moment(process.deployed_at);
            json!({ "id": process.key, "version": process.version, "deployedAt": at })
        })
        .collect();
    Ok(reply::created(json!({
        "deployment": { "processes": processes, "warnings": deployed.warnings },
    })))
}

/// `GET /api/workflows/:id/xml?version=`: byte for byte as it came.
pub(crate) async fn xml(
    State(app): State<Arc<App>>,
    Name(process): Name,
    mut query: Query,
) -> Result<Response, Failure> {
    let version = query.number("version", 1, u32::MAX.into())?;
    query.finish()?;
    let version = version.map(|version| u32::try_from(version).expect("bounded above"));
    let file = app.engine.resource(&process, version).await?;
    Ok(([(header::CONTENT_TYPE, "application/xml")], file.to_vec()).into_response())
}
