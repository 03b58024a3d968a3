//! `benchdog run`: one turn from prompt to outcome.

use crate::approvals::Approvals;
use crate::args::{ProviderName, RunArgs};
use crate::output::{Output, Plain};
use crate::replies::Reply;
use crate::{EXIT_INTERRUPTED, EXIT_STORE, EXIT_USAGE, fail, tell_notice};
use app::env::{self, Environment};
use app::{Interaction, ProviderOverride, Role, StartError, Startup, Watch, Workbench};
use protocol::command::{
    CreateSession, Decide, ListSessions, OpenWorkspace, Send, SessionOp, SetModel,
};
use protocol::confirmation::{Ask, Decision};
use protocol::error::{ApiError, ErrorCode};
use protocol::event::SessionEvent;
use protocol::ids::{OpId, SessionId};
use protocol::session::{Delivery, Outcome};
use protocol::settings::{ProviderEntry, ProviderKind};
use std::io::{Read, Write};
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;

/// Said to the demo model where no prompt is given.
const DEMO_PROMPT: &str = "Show me what you can do.";
/// Id of the provider made from the command line.
const COMMAND_LINE_PROVIDER: &str = "openai";

/// Runs a turn.
pub(crate) async fn run(args: RunArgs, environment: Environment) -> ExitCode {
    let (startup, mut approvals, prompt) = match prepare(&args, environment) {
        Ok(prepared) => prepared,
        Err(message) => return fail(EXIT_USAGE, &message),
    };
    let provider = startup
        .provider
        .as_ref()
        .map(|given| given.entry.id.clone());
    let workbench = match Workbench::start(startup) {
        Ok(workbench) => workbench,
        Err(StartError::Script(message)) => return fail(EXIT_USAGE, &message),
        Err(StartError::Store(error)) => return fail(EXIT_STORE, &error.message),
    };
    tell_notice(&workbench).await;
    let session_id = match session(&workbench, &args, provider).await {
        Ok(id) => id,
        Err(error) => return fail(code_of(&error), &error.message),
    };
    let mut output = if args.json {
        Output::Json
    } else {
        Output::Plain(Plain::default())
    };
    let outcome = turn(
        &workbench,
        &session_id,
        prompt,
        (&mut approvals, &mut output),
    )
    .await;
    workbench.close().await;
    match outcome {
        Ok(outcome) => finish(&outcome, &mut output),
        Err(error) => fail(code_of(&error), &error.message),
    }
}

fn prepare(
    args: &RunArgs,
    environment: Environment,
) -> Result<(Startup, Approvals, String), String> {
    if args.approve == "ask" && args.prompt.as_deref() == Some("-") {
        return Err(
            "standard input cannot hold both the prompt and the answers; give the prompt as an argument"
                .to_owned(),
        );
    }
    let approvals = Approvals::parse(&args.approve)?;
    let kind = kind(args, &environment);
    let script = match &args.script {
        Some(path) => Some(
            std::fs::read_to_string(path)
                .map_err(|e| format!("cannot read the script {}: {e}", path.display()))?,
        ),
        None => None,
    };
    if script.is_some() && kind != ProviderName::Demo {
        return Err("--script is for --provider demo".to_owned());
    }
    let provider = match kind {
        ProviderName::Demo => None,
        ProviderName::Openai => Some(openai(args, &environment)?),
    };
    let prompt = prompt(args, kind)?;
    // A real model must not be offered a question that nobody can answer; the demo model's script expects one.
    let questions = kind == ProviderName::Demo || approvals.answer_questions();
    let interaction = match (questions, approvals.review_changes()) {
        (true, true) => Interaction::Person,
        (false, true) => Interaction::Reviewer,
        (true, false) => Interaction::Script,
        (false, false) => Interaction::Nobody,
    };
    let host_program =
        std::env::current_exe().map_err(|e| format!("cannot find the program itself: {e}"))?;
    let startup = Startup {
        environment,
        host_program,
        role: Role::Headless,
        interaction,
        script,
        instant: args.instant,
        max_steps: args.max_steps,
        provider,
    };
    Ok((startup, approvals, prompt))
}

fn kind(args: &RunArgs, environment: &Environment) -> ProviderName {
    args.provider.unwrap_or_else(|| {
        let named = args.base_url.is_some() || environment.get(env::OPENAI_BASE_URL).is_some();
        if named {
            ProviderName::Openai
        } else {
            ProviderName::Demo
        }
    })
}

fn openai(args: &RunArgs, environment: &Environment) -> Result<ProviderOverride, String> {
    let given = |flag: &Option<String>, variable: &str| {
        flag.clone()
            .or_else(|| environment.get(variable).map(str::to_owned))
    };
    let base_url = given(&args.base_url, env::OPENAI_BASE_URL).ok_or(
        "--provider openai needs --base-url or OPENAI_BASE_URL, such as http://127.0.0.1:8080/v1",
    )?;
    let model = given(&args.model, env::OPENAI_MODEL)
        .ok_or("--provider openai needs --model or OPENAI_MODEL")?;
    let entry = ProviderEntry {
        id: COMMAND_LINE_PROVIDER.to_owned(),
        kind: ProviderKind::OpenaiChat,
        base_url,
        model,
        key_env: Some(env::OPENAI_API_KEY.to_owned()),
        context_window: None,
        vision: args.vision.then_some(true),
    };
    Ok(ProviderOverride { entry })
}

fn prompt(args: &RunArgs, kind: ProviderName) -> Result<String, String> {
    let text = match args.prompt.as_deref() {
        Some("-") => {
            let mut text = String::new();
            std::io::stdin()
                .read_to_string(&mut text)
                .map_err(|e| format!("cannot read standard input: {e}"))?;
            text
        }
        Some(text) => text.to_owned(),
        None if kind == ProviderName::Demo => DEMO_PROMPT.to_owned(),
        None => return Err("say what to do, as an argument or with - on standard input".to_owned()),
    };
    if text.trim().is_empty() {
        return Err("the prompt is empty; say what to do".to_owned());
    }
    Ok(text)
}

async fn session(
    workbench: &Arc<Workbench>,
    args: &RunArgs,
    provider: Option<String>,
) -> Result<SessionId, ApiError> {
    let folder = match &args.workspace {
        Some(path) => path.clone(),
        None => std::env::current_dir().map_err(|e| {
            ApiError::new(
                ErrorCode::WorkspaceUnusable,
                format!("the current folder is gone: {e}"),
            )
        })?,
    };
    let workspace = workbench
        .open_workspace(OpenWorkspace {
            path: folder.display().to_string(),
        })
        .await?;
    let existing = match (&args.session, args.resume) {
        (Some(id), _) => Some(SessionId::from(id.as_str())),
        (None, true) => {
            let filter = ListSessions {
                workspace: Some(workspace.path.clone()),
                archived: false,
            };
            let newest = workbench
                .list_sessions(filter)
                .await?
                .sessions
                .into_iter()
                .next();
            let none = || {
                ApiError::new(
                    ErrorCode::SessionNotFound,
                    "there is no session in this folder to go on with; leave out --continue",
                )
            };
            Some(newest.ok_or_else(none)?.session_id)
        }
        (None, false) => None,
    };
    let provider_id = provider.unwrap_or_else(|| "demo".to_owned());
    match existing {
        Some(session_id) => {
            workbench
                .set_model(SetModel {
                    op: op(),
                    session_id: session_id.clone(),
                    provider_id,
                })
                .await?;
            Ok(session_id)
        }
        None => {
            let request = CreateSession {
                op: op(),
                workspace: workspace.path,
                provider_id: Some(provider_id),
            };
            Ok(workbench.create_session(request).await?.session_id)
        }
    }
}

type Partners<'a> = (&'a mut Approvals, &'a mut Output);

async fn turn(
    workbench: &Arc<Workbench>,
    session_id: &SessionId,
    text: String,
    with: Partners<'_>,
) -> Result<Outcome, ApiError> {
    let (approvals, output) = with;
    let mut watch: Watch = workbench.watch(session_id);
    let send = Send {
        op: op(),
        session_id: session_id.clone(),
        text,
        delivery: Delivery::Steer,
    };
    workbench.send(send).await?;
    let mut interrupted = false;
    // Kept between rounds: a Ctrl+C while an event is handled must not be lost.
    let mut stop = pin!(tokio::signal::ctrl_c());
    loop {
        tokio::select! {
            event = watch.next() => {
                let Some(envelope) = event else {
                    return Err(ApiError::new(ErrorCode::Internal, "the session ended without an outcome"));
                };
                output.event(&envelope).map_err(|e| ApiError::new(ErrorCode::Internal, format!("cannot print: {e}")))?;
                match &envelope.event {
                    SessionEvent::AskOpened { ask } => {
                        if let Some(decision) = approvals.decide(ask) {
                            decide(workbench, session_id, ask, decision).await?;
                        }
                    }
                    SessionEvent::AskClosed { call_id, .. } => approvals.closed(call_id),
                    SessionEvent::TurnEnded { outcome, .. } => return Ok(outcome.clone()),
                    _ => {}
                }
            }
            replies = approvals.later() => {
                for reply in replies {
                    take(workbench, session_id, reply).await;
                }
            }
            signal = &mut stop => {
                stop.set(tokio::signal::ctrl_c());
                signal.map_err(|e| ApiError::new(ErrorCode::Internal, format!("cannot wait for Ctrl+C: {e}")))?;
                if !interrupted {
                    writeln!(std::io::stderr(), "stopping; press Ctrl+C again to stop at once").ok();
                }
                interrupted = true;
                workbench.cancel(SessionOp { op: op(), session_id: session_id.clone() }).await?;
            }
        }
    }
}

async fn decide(
    workbench: &Arc<Workbench>,
    session_id: &SessionId,
    ask: &Ask,
    decision: Decision,
) -> Result<(), ApiError> {
    let request = |decision| Decide {
        op: op(),
        session_id: session_id.clone(),
        call_id: ask.call_id.clone(),
        proposal_id: ask.proposal_id.clone(),
        decision,
    };
    let answered = workbench.decide(request(decision)).await;
    match answered {
        Ok(_) => Ok(()),
        // The turn was stopped in between: the question is gone, and that is the answer.
        Err(error) if error.code == ErrorCode::NotPending => Ok(()),
        // An answer of the file that does not fit must not leave the turn hanging.
        Err(error) => {
            writeln!(std::io::stderr(), "benchdog: {} — declined", error.message).ok();
            let declined = Decision::Deny {
                words: Some(error.message),
            };
            workbench.decide(request(declined)).await.map(|_| ())
        }
    }
}

/// Takes an answer from outside. One that does not fit is told; the question waits for a better one.
async fn take(workbench: &Arc<Workbench>, session_id: &SessionId, reply: Reply) {
    let Reply {
        call_id,
        proposal_id,
        decision,
    } = reply;
    let request = Decide {
        op: op(),
        session_id: session_id.clone(),
        call_id,
        proposal_id,
        decision,
    };
    if let Err(error) = workbench.decide(request).await {
        writeln!(std::io::stderr(), "benchdog: {}", error.message).ok();
    }
}

fn finish(outcome: &Outcome, output: &mut Output) -> ExitCode {
    if let Err(error) = output.finish() {
        return fail(1, &format!("cannot print: {error}"));
    }
    match outcome {
        Outcome::Completed => ExitCode::SUCCESS,
        Outcome::Cancelled => fail(EXIT_INTERRUPTED, "stopped"),
        other => fail(1, &format!("the turn ended: {other}")),
    }
}

fn code_of(error: &ApiError) -> u8 {
    match error.code {
        ErrorCode::BadRequest
        | ErrorCode::WorkspaceUnusable
        | ErrorCode::SessionNotFound
        | ErrorCode::Script
        | ErrorCode::Settings => EXIT_USAGE,
        ErrorCode::StoreBusy | ErrorCode::StoreUnusable | ErrorCode::ReadOnly => EXIT_STORE,
        _ => 1,
    }
}

fn op() -> OpId {
    OpId(uuid::Uuid::now_v7().to_string())
}
