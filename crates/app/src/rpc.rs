//! One door for every command: by name, with JSON in and out.
//!
//! The match below is made from the list in `protocol`, so a command without a method does not compile. A command
//! that carries an `op` is done once: the same id again gets the answer of the first.

use crate::workbench::Workbench;
use protocol::error::{ApiError, ErrorCode};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// Answers kept for repeated commands; a page that reloads repeats at most what was in flight.
const MAX_REMEMBERED_OPS: usize = 256;

type Answer = Arc<OnceCell<Result<Value, ApiError>>>;

/// Answers by `op`.
#[derive(Default)]
pub(crate) struct Ops {
    answers: Mutex<VecDeque<(String, Answer)>>,
}

impl Ops {
    fn cell(&self, op: &str) -> Answer {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = answers.iter().find(|(known, _)| known == op) {
            return known.clone();
        }
        if answers.len() >= MAX_REMEMBERED_OPS {
            answers.pop_front();
        }
        let fresh = Answer::default();
        answers.push_back((op.to_owned(), fresh.clone()));
        fresh
    }
}

impl Workbench {
    /// Does a command.
    ///
    /// # Errors
    /// What the command's own method says; `BAD_REQUEST` for an unknown name or a request of another form.
    pub async fn dispatch(self: &Arc<Self>, name: &str, request: Value) -> Result<Value, ApiError> {
        let Some(op) = request.get("op").and_then(Value::as_str) else {
            return dispatch(self, name, request).await;
        };
        let cell = self.ops.cell(&format!("{name} {op}"));
        cell.get_or_init(|| dispatch(self, name, request))
            .await
            .clone()
    }
}

macro_rules! dispatcher {
    ($($(#[$doc:meta])* $name:ident($request:ty) -> $response:ty;)*) => {
        async fn dispatch(workbench: &Arc<Workbench>, name: &str, request: Value) -> Result<Value, ApiError> {
            match name {
                $(stringify!($name) => {
                    let request: $request = read(name, request)?;
                    let response: $response = workbench.$name(request).await?;
                    write(&response)
                })*
                other => Err(ApiError::new(ErrorCode::BadRequest, format!("there is no command named {other:?}"))),
            }
        }
    };
}

protocol::for_each_command!(dispatcher);

fn read<T: serde::de::DeserializeOwned>(name: &str, request: Value) -> Result<T, ApiError> {
    serde_json::from_value(request)
        .map_err(|error| ApiError::new(ErrorCode::BadRequest, format!("{name}: {error}")))
}

fn write<T: serde::Serialize>(response: &T) -> Result<Value, ApiError> {
    serde_json::to_value(response)
        .map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))
}
