//! What is sent.

use crate::body_check::problems;
use crate::support::{SESSION, config, provider, settings, user};
use llm::{
    ChatConfig, ChatProvider, MaxTokensField, ModelRequest, ModelSettings, Provider, Purpose,
    Quirks, RequestCache, Secret, SystemRole, ToolDeclaration,
};
use protocol::ids::{CallId, SessionId};
use protocol::log::SystemPart;
use protocol::message::{Block, ImageRef, Origin, Part, Reminder, StopReason, ViewEntry};
use protocol::tool_call::{ArgsError, CallArgs, CallStatus, ToolCall};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

/// An entry of a view.
pub(crate) fn entry(entry: ViewEntry) -> Arc<ViewEntry> {
    Arc::new(entry)
}

/// The provider and model of these tests.
pub(crate) fn origin() -> Origin {
    Origin {
        provider: "test".to_owned(),
        model: "m".to_owned(),
    }
}

/// A block of text.
pub(crate) fn text(text: &str) -> Block {
    Block::Text {
        text: text.to_owned(),
        meta: None,
    }
}

/// A call with sound arguments.
pub(crate) fn call(id: &str) -> ToolCall {
    let args = CallArgs::Usable {
        value: json!({"pattern": "*"}),
    };
    ToolCall {
        call_id: CallId::from(id),
        name: "glob".to_owned(),
        args,
        meta: None,
    }
}

fn model(blocks: Vec<Block>, calls: Vec<ToolCall>) -> Arc<ViewEntry> {
    entry(ViewEntry::Assistant {
        blocks,
        calls,
        stop: StopReason::ToolUse,
        origin: origin(),
    })
}

/// A good result of a call.
pub(crate) fn result(id: &str, words: &str) -> ViewEntry {
    ViewEntry::Result {
        call_id: CallId::from(id),
        status: CallStatus::Ok,
        content: vec![Part::Text {
            text: words.to_owned(),
        }],
        is_error: false,
        edited: false,
        hint: None,
    }
}

fn looking(images: Vec<ImageRef>) -> Arc<ViewEntry> {
    entry(ViewEntry::User {
        text: "look".to_owned(),
        images,
        reminders: vec![],
        steer: false,
    })
}

/// The picture of these tests as a part of a message.
fn picture() -> Value {
    json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgpyZXN0"}})
}

/// A picture whose name says what its bytes are.
pub(crate) fn image(name: &str) -> ImageRef {
    ImageRef {
        sha256: name.to_owned(),
        mime: "image/jpeg".to_owned(),
        width: 1,
        height: 1,
    }
}

/// A provider and what it is asked with.
pub(crate) struct Asking {
    provider: ChatProvider,
    model: ModelSettings,
    system: Vec<SystemPart>,
    tools: Arc<[ToolDeclaration]>,
}

impl Asking {
    fn new(provider: ChatProvider) -> Self {
        Self {
            provider,
            model: settings("m"),
            system: Vec::new(),
            tools: Arc::from([]),
        }
    }

    /// The bytes of a request.
    pub(crate) fn bytes(&self, view: &[Arc<ViewEntry>], cache: &mut RequestCache) -> Vec<u8> {
        let request = ModelRequest {
            session_id: &SessionId::from(SESSION),
            purpose: Purpose::Turn,
            attempt: 1,
            workspace: Path::new("/"),
            model: &self.model,
            system: &self.system,
            view,
            tools: &self.tools,
            images: &|image| match image.sha256.as_str() {
                "lost" => None,
                "text" => Some(b"no picture".to_vec()),
                "large" => Some([PNG, &[0; 5_000_000]].concat()),
                _ => Some(PNG.to_vec()),
            },
        };
        self.provider.build(&request, cache).unwrap().body.to_vec()
    }

    /// The body of a request without a cache.
    pub(crate) fn body(&self, view: &[Arc<ViewEntry>]) -> Value {
        let bytes = self.bytes(view, &mut RequestCache::default());
        serde_json::from_slice(&bytes).unwrap()
    }
}

/// A usual provider.
pub(crate) fn asking() -> Asking {
    Asking::new(provider(Quirks::default()))
}

#[track_caller]
fn check(view: &[Arc<ViewEntry>], expected: Value, why: &str) {
    let body = asking().body(view);
    assert_eq!(body["messages"], expected, "{why}");
    assert_eq!(problems(&body), Vec::<String>::new(), "{why}");
}

#[test]
fn a_conversation() {
    let glob = json!({"name": "glob", "arguments": "{\"pattern\":\"*\"}"});
    check(
        &[
            user("a"),
            model(vec![text("b")], vec![call("1"), call("2")]),
            entry(result("2", "two")),
            entry(result("1", " ")),
        ],
        json!([
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b", "tool_calls": [
                {"id": "1", "type": "function", "function": glob}, {"id": "2", "type": "function", "function": glob},
            ]},
            {"role": "tool", "tool_call_id": "1", "content": "(no output)"},
            {"role": "tool", "tool_call_id": "2", "content": "two"},
        ]),
        "results in the order of the calls, none of them blank",
    );
    check(
        &[
            user("a"),
            model(vec![text(" \n")], vec![call("1")]),
            user("b"),
            user("c"),
        ],
        json!([
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": glob}]},
            {"role": "tool", "tool_call_id": "1", "content": "Error: Not run: the application stopped first."},
            {"role": "user", "content": "b\n\nc"},
        ]),
        "a missing result is filled in, neighbours are joined, blanks are no content",
    );
    check(
        &[
            entry(ViewEntry::Summary {
                text: "s".to_owned(),
            }),
            user("a"),
            entry(result("9", "stray")),
            user("b"),
        ],
        json!([{"role": "user", "content": "s\n\na\n\nb"}]),
        "a summary is a first word; a stray result is not sent",
    );
}

#[test]
fn both_ends_belong_to_the_person() {
    let body = asking().body(&[model(vec![text("b ")], vec![])]);
    assert_eq!(problems(&body), Vec::<String>::new());
    let roles: Vec<&str> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user"]);

    let paused = ViewEntry::Assistant {
        blocks: vec![text("b")],
        calls: vec![],
        stop: StopReason::Pause,
        origin: origin(),
    };
    let body = asking().body(&[user("a"), entry(paused)]);
    assert_eq!(
        body["messages"][1],
        json!({"role": "assistant", "content": "b"}),
        "after a pause it goes back as it is"
    );
}

#[test]
fn errors_and_notes_of_results() {
    let failed = |words: &str, hint: Option<&str>| ViewEntry::Result {
        call_id: CallId::from("1"),
        status: CallStatus::Error,
        content: vec![Part::Text {
            text: words.to_owned(),
        }],
        is_error: true,
        edited: false,
        hint: hint.map(str::to_owned),
    };
    for (given, expected) in [
        (failed("broken", None), "Error: broken"),
        (failed("Error: broken", None), "Error: broken"),
        (
            failed("", Some("Third time.")),
            "Error: (no output)\n\nThird time.",
        ),
    ] {
        let body = asking().body(&[user("a"), model(vec![], vec![call("1")]), entry(given)]);
        assert_eq!(body["messages"][2]["content"], expected);
    }
}

#[test]
fn reminders_are_framed_and_cannot_leave_their_frame() {
    let reminder = |text: &str| Reminder {
        code: "x".to_owned(),
        text: text.to_owned(),
    };
    let said = ViewEntry::User {
        text: "do it".to_owned(),
        images: vec![],
        reminders: vec![
            reminder("a </System-Reminder> b <system-reminder x> c"),
            reminder(" "),
        ],
        steer: false,
    };
    let framed = "<system-reminder>\na &lt;/System-Reminder> b &lt;system-reminder x> c\n</system-reminder>\n\ndo it";
    check(
        &[entry(said)],
        json!([{"role": "user", "content": framed}]),
        "inner frames are taken apart",
    );
}

#[test]
fn pictures_of_a_person() {
    let omitted = |why: &str| json!({"type": "text", "text": format!("[image omitted: {why}]")});
    check(
        &[looking(vec![
            image("a"),
            image("lost"),
            image("text"),
            image("large"),
        ])],
        json!([{"role": "user", "content": [
            {"type": "text", "text": "look"}, picture(),
            omitted("its content is lost or not of a kind that can be sent"),
            omitted("its content is lost or not of a kind that can be sent"),
            omitted("it is too large"),
        ]}]),
        "the type comes from the bytes; what cannot be sent is named",
    );
}

#[test]
fn pictures_of_a_result_follow_in_the_words_of_the_person() {
    let shown = ViewEntry::Result {
        call_id: CallId::from("1"),
        status: CallStatus::Ok,
        content: vec![Part::Image { image: image("a") }],
        is_error: false,
        edited: false,
        hint: None,
    };
    let body = asking().body(&[
        user("a"),
        model(vec![], vec![call("1")]),
        entry(shown),
        user("b"),
    ]);
    let mark = "[image of the result of 1]";
    assert_eq!(body["messages"][2]["content"], mark);
    let follows = json!([{"type": "text", "text": mark}, picture(), {"type": "text", "text": "b"}]);
    assert_eq!(
        body["messages"][3]["content"], follows,
        "the picture of a result follows in the person's message"
    );

    let blind = Asking::new(
        ChatProvider::new(ChatConfig {
            vision: false,
            ..config("http://127.0.0.1:9")
        })
        .unwrap(),
    );
    let body = blind.body(&[looking(vec![image("a")])]);
    assert_eq!(
        body["messages"][0]["content"],
        "look\n\n[image omitted: this model cannot see images]"
    );

    let many: Vec<Arc<ViewEntry>> = (0..25).map(|_| looking(vec![image("a")])).collect();
    let sent = asking().body(&many).to_string();
    assert_eq!(
        sent.matches("image_url\":{").count(),
        20,
        "the newest twenty"
    );
    assert_eq!(sent.matches("too many images").count(), 5);
}

fn thought(text: &str, meta: Option<Value>) -> Block {
    Block::Thinking {
        text: text.to_owned(),
        signature: None,
        redacted: None,
        meta,
    }
}

/// A message of a provider with everything that only its maker understands.
fn opaque_view(provider: &str, extra: &Value) -> [Arc<ViewEntry>; 3] {
    let details = json!({"reasoning_details": [{"data": "QUJD"}]});
    let blocks = vec![
        thought("think\n", None),
        thought("", Some(details)),
        thought("other field", Some(json!({"field": "reasoning"}))),
        text("b"),
    ];
    let call = ToolCall {
        meta: Some(json!({"extra_content": extra})),
        ..call("1")
    };
    let said = ViewEntry::Assistant {
        blocks,
        calls: vec![call],
        stop: StopReason::ToolUse,
        origin: Origin {
            provider: provider.to_owned(),
            ..origin()
        },
    };
    [user("a"), entry(said), entry(result("1", "r"))]
}

#[test]
fn opaque_data_goes_back_to_its_maker_only() {
    let extra = json!({"google": {"thought_signature": "c2ln"}});
    let view = |provider: &str| opaque_view(provider, &extra);
    let own = &asking().body(&view("test"))["messages"][1];
    assert_eq!(
        own["reasoning_content"], "think\n",
        "as it came, from that field alone"
    );
    assert_eq!(own["reasoning_details"], json!([{"data": "QUJD"}]));
    assert_eq!(own["tool_calls"][0]["extra_content"], extra);
    let other = asking().body(&view("elsewhere"))["messages"][1].to_string();
    assert!(
        !other.contains("reasoning") && !other.contains("extra_content"),
        "{other}"
    );
    let quirks = Quirks {
        send_reasoning_back: false,
        ..Quirks::default()
    };
    let never = Asking::new(provider(quirks)).body(&view("test"))["messages"][1].to_string();
    assert!(!never.contains("reasoning"), "{never}");
}

#[test]
fn names_ids_and_arguments_that_servers_refuse() {
    let odd = ToolCall {
        name: "no such tool!".to_owned(),
        ..call("call:1/ü")
    };
    let broken = ToolCall {
        args: CallArgs::Unusable {
            error: ArgsError::InvalidJson,
            raw: "{".to_owned(),
            detail: None,
        },
        ..call("2")
    };
    let view = [
        user("a"),
        model(vec![], vec![odd, broken]),
        entry(result("call:1/ü", "r")),
        entry(result("2", "s")),
    ];
    let body = asking().body(&view);
    assert_eq!(problems(&body), Vec::<String>::new());
    let calls = &body["messages"][1]["tool_calls"];
    assert_eq!(calls[0]["function"]["name"], "no_such_tool_");
    assert_eq!(calls[1]["function"]["arguments"], "{}");
    assert_eq!(
        calls[0]["id"], body["messages"][2]["tool_call_id"],
        "call and result stay together"
    );
}

#[test]
fn settings_of_the_request() {
    let quirks = Quirks {
        max_tokens_field: MaxTokensField::MaxCompletionTokens,
        system_role: SystemRole::Developer,
        prompt_cache_key: true,
        stream_usage: false,
        ..Quirks::default()
    };
    let mut asking = Asking::new(provider(quirks));
    let part = |text: &str| SystemPart {
        source: "rules".to_owned(),
        text: text.to_owned(),
    };
    asking.system = vec![part("one"), part(" "), part("two")];
    asking.model.extra_body =
        json!({"temperature": 0, "stream": true, "messages": [], "tools": []})
            .as_object()
            .unwrap()
            .clone();
    let tool = ToolDeclaration {
        name: "glob".to_owned(),
        description: "Finds".to_owned(),
        schema: json!({"type": "object"}),
    };
    asking.tools = Arc::from([tool]);
    assert_eq!(
        asking.body(&[user("a")]),
        json!({
            "messages": [{"role": "developer", "content": "one\n\ntwo"}, {"role": "user", "content": "a"}],
            "tools": [{"type": "function", "function": {
                "name": "glob", "description": "Finds", "parameters": {"type": "object"},
            }}],
            "model": "m", "stream": true, "max_completion_tokens": 4096, "prompt_cache_key": SESSION, "temperature": 0,
        }),
    );
    let plain = self::asking().body(&[user("a")]);
    assert_eq!(plain["stream_options"], json!({"include_usage": true}));
    assert_eq!(plain["tools"], Value::Null, "an empty list is left out");
}

#[test]
fn a_key_is_sent_and_never_printed() {
    let keyed = |key: &str| {
        ChatProvider::new(ChatConfig {
            key: Some(Secret::new(key)),
            ..config("http://127.0.0.1:9/v1/")
        })
    };
    let provider = keyed(" sk-test-123456\n").unwrap();
    let request = ModelRequest {
        session_id: &SessionId::from(SESSION),
        purpose: Purpose::Turn,
        attempt: 1,
        workspace: Path::new("/"),
        model: &settings("m"),
        system: &[],
        view: &[user("a")],
        tools: &Arc::from([]),
        images: &|_| None,
    };
    let wire = provider
        .build(&request, &mut RequestCache::default())
        .unwrap();
    assert_eq!(wire.url, "http://127.0.0.1:9/v1/chat/completions");
    assert!(wire.headers.contains(&(
        "authorization".to_owned(),
        "Bearer sk-test-123456".to_owned()
    )));
    assert!(!format!("{wire:?}").contains("sk-test"), "{wire:?}");
    assert!(
        keyed("a b").is_err(),
        "a key that no header can hold is told at once"
    );
    assert!(ChatProvider::new(config("localhost:8080")).is_err());
}
