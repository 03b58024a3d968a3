//! `benchdog sessions`: what is in the store.

use crate::args::{SessionsArgs, SessionsCommand};
use crate::{EXIT_STORE, EXIT_USAGE, fail, tell_notice};
use app::env::Environment;
use app::{Interaction, Role, Startup, Workbench};
use protocol::changes::SessionQuery;
use protocol::command::{ListSessions, OpenSession, SessionOp};
use protocol::error::{ApiError, ErrorCode};
use protocol::ids::{OpId, SessionId};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

/// Does it.
pub(crate) async fn run(args: SessionsArgs, environment: Environment) -> ExitCode {
    let host_program = match std::env::current_exe() {
        Ok(path) => path,
        Err(error) => return fail(1, &format!("cannot find the program itself: {error}")),
    };
    let startup = Startup {
        environment,
        host_program,
        role: Role::Headless,
        interaction: Interaction::Nobody,
        script: None,
        instant: false,
        max_steps: None,
        provider: None,
    };
    let workbench = match Workbench::start(startup) {
        Ok(workbench) => workbench,
        Err(error) => return fail(EXIT_STORE, &error.to_string()),
    };
    tell_notice(&workbench).await;
    let command = args.command.unwrap_or(SessionsCommand::List {
        workspace: None,
        json: false,
    });
    let done = command_text(&workbench, command).await;
    workbench.close().await;
    match done {
        Ok(text) => match write!(std::io::stdout(), "{text}") {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(1, &format!("cannot print: {error}")),
        },
        Err(error) if error.code == ErrorCode::SessionNotFound => fail(EXIT_USAGE, &error.message),
        Err(error) => fail(1, &error.message),
    }
}

async fn command_text(
    workbench: &Arc<Workbench>,
    command: SessionsCommand,
) -> Result<String, ApiError> {
    match command {
        SessionsCommand::List { workspace, json } => {
            let workspace = workspace.map(|path| {
                std::fs::canonicalize(&path)
                    .unwrap_or(path)
                    .display()
                    .to_string()
            });
            let list = workbench
                .list_sessions(ListSessions {
                    workspace,
                    archived: true,
                })
                .await?;
            if json {
                return json_line(&list.sessions);
            }
            let lines = list.sessions.iter().map(|s| {
                format!(
                    "{}  {:>5}  {}  {}\n",
                    s.session_id, s.item_count, s.workspace, s.title
                )
            });
            Ok(lines.collect())
        }
        SessionsCommand::Show {
            id,
            authorship: true,
        } => {
            let query = SessionQuery {
                session_id: SessionId(id),
            };
            json_line(&workbench.authorship(query).await?)
        }
        SessionsCommand::Show {
            id,
            authorship: false,
        } => {
            let snapshot = workbench
                .open_session(OpenSession {
                    session_id: SessionId(id),
                    around: None,
                })
                .await?;
            json_line(&snapshot)
        }
        SessionsCommand::Delete { id } => {
            let op = OpId(uuid::Uuid::now_v7().to_string());
            workbench
                .delete_session(SessionOp {
                    op,
                    session_id: SessionId(id),
                })
                .await?;
            Ok(String::new())
        }
    }
}

fn json_line<T: serde::Serialize>(value: &T) -> Result<String, ApiError> {
    let text = serde_json::to_string(value)
        .map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))?;
    Ok(text + "\n")
}
