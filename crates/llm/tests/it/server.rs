//! A server on loopback that behaves badly, and how the transport takes it.

use crate::support::{SESSION, collect, config, settings, user};
use llm::{
    ChatConfig, ChatProvider, Chunk, EndKind, FailureKind, ModelRequest, Provider, ProviderEvent,
    Purpose, RequestCache, Timeouts, WireRequest,
};
use protocol::ids::SessionId;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Short enough for a test.
const SHORT: Duration = Duration::from_millis(300);

/// Long enough for a busy machine to send a ping in time.
const PATIENT: Duration = Duration::from_secs(2);

/// Long enough never to be reached.
const LONG: Duration = Duration::from_secs(60);

const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

fn timeouts() -> Timeouts {
    Timeouts {
        connect: LONG,
        first_byte: LONG,
        idle: LONG,
        total: LONG,
    }
}

fn frame(content: &str) -> String {
    format!("data: {{\"id\":\"1\",\"choices\":[{{\"delta\":{{\"content\":\"{content}\"}}}}]}}\n\n")
}

fn finish() -> String {
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n".to_owned()
}

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    (listener, url)
}

/// Reads one request and gives its head.
async fn request(socket: &mut TcpStream) -> String {
    let mut got = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = socket.read(&mut buffer).await.unwrap();
        assert!(count > 0, "the request ended early");
        got.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&got).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .unwrap();
            if body.len() >= length.parse().unwrap() {
                return head.to_owned();
            }
        }
    }
}

/// A server that answers one request with these bytes and closes.
async fn once(answer: String) -> (String, oneshot::Receiver<String>) {
    let (listener, url) = listen().await;
    let (tx, rx) = oneshot::channel();
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let head = request(&mut socket).await;
        socket.write_all(answer.as_bytes()).await.unwrap();
        // A test that does not ask for the head has dropped the other end.
        tx.send(head).ok();
    });
    (url, rx)
}

/// A server that answers one request with these bytes and then is silent; tells when the other side closes.
async fn silent(answer: String) -> (String, oneshot::Receiver<()>) {
    let (listener, url) = listen().await;
    let (tx, rx) = oneshot::channel();
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        request(&mut socket).await;
        socket.write_all(answer.as_bytes()).await.unwrap();
        let mut rest = [0; 16];
        while socket.read(&mut rest).await.is_ok_and(|count| count > 0) {}
        tx.send(()).ok();
    });
    (url, rx)
}

fn provider(url: &str, timeouts: Timeouts) -> ChatProvider {
    ChatProvider::new(ChatConfig {
        timeouts,
        ..config(url)
    })
    .unwrap()
}

fn wire(provider: &ChatProvider) -> WireRequest {
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
    provider
        .build(&request, &mut RequestCache::default())
        .unwrap()
}

async fn ask(url: &str, timeouts: Timeouts) -> Vec<ProviderEvent> {
    let provider = provider(url, timeouts);
    let wire = wire(&provider);
    collect(&provider, wire).await
}

#[track_caller]
fn check_failure(events: &[ProviderEvent], kind: FailureKind, words: &str) {
    let Some(ProviderEvent::Error(failure)) = events.last() else {
        panic!("no failure: {events:?}");
    };
    assert_eq!(failure.kind, kind, "{failure:?}");
    assert!(failure.message.contains(words), "{failure:?}");
}

fn said(events: &[ProviderEvent]) -> String {
    let deltas = events.iter().filter_map(|event| match event {
        ProviderEvent::BlockDelta { delta, .. } => Some(delta.as_str()),
        _ => None,
    });
    deltas.collect()
}

#[tokio::test]
async fn a_good_answer_and_what_is_sent_for_it() {
    let body = chunk(&frame("hel")) + &chunk(&frame("lo")) + &chunk(&finish()) + "0\r\n\r\n";
    let (url, head) = once(HEAD.to_owned() + &body).await;
    let events = ask(&url, timeouts()).await;
    assert_eq!(said(&events), "hello");
    assert!(
        matches!(events.last(), Some(ProviderEvent::Stop { .. })),
        "{events:?}"
    );
    let head = head.await.unwrap().to_lowercase();
    assert!(
        head.starts_with("post /v1/chat/completions http/1.1"),
        "{head}"
    );
    for line in [
        "accept-encoding: identity",
        "user-agent: benchdog/0.0",
        "content-type: application/json",
    ] {
        assert!(head.contains(line), "{line} in {head}");
    }
    assert!(!head.contains("authorization"), "no key, no header: {head}");
}

#[tokio::test]
async fn one_connection_serves_request_after_request() {
    let (listener, url) = listen().await;
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        for _ in 0..3 {
            request(&mut socket).await;
            let answer = HEAD.to_owned() + &chunk(&frame("x")) + &chunk(&finish()) + "0\r\n\r\n";
            socket.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    let provider = provider(&url, timeouts());
    for _ in 0..3 {
        let cancel = CancellationToken::new();
        let mut chunks = provider.open(wire(&provider), cancel.clone());
        let mut decoder = provider.decoder();
        let mut events = Vec::new();
        // Leaves as soon as the message is whole, as the loop does.
        while !events.last().is_some_and(ProviderEvent::is_terminal) {
            match chunks.recv().await.unwrap() {
                Chunk::Head { status, headers } => decoder.head(status, &headers, &mut events),
                Chunk::Bytes(bytes) => decoder.push(&bytes, &mut events),
                Chunk::End(how) => decoder.end(how, &mut events),
            }
        }
        cancel.cancel();
        while chunks.recv().await.is_some() {}
    }
    server.await.unwrap();
}

#[tokio::test]
async fn no_head_in_time() {
    let (url, _closed) = silent(String::new()).await;
    let events = ask(
        &url,
        Timeouts {
            first_byte: SHORT,
            ..timeouts()
        },
    )
    .await;
    check_failure(&events, FailureKind::TimeoutFirstByte, "no answer");
}

#[tokio::test]
async fn no_byte_in_time() {
    let (url, closed) = silent(HEAD.to_owned() + &chunk(&frame("half"))).await;
    let events = ask(
        &url,
        Timeouts {
            idle: SHORT,
            ..timeouts()
        },
    )
    .await;
    check_failure(&events, FailureKind::TimeoutIdle, "no data");
    assert_eq!(said(&events), "half", "what had come is kept");
    closed.await.unwrap();
}

#[tokio::test]
async fn keep_alives_hold_an_answer_open_but_not_for_ever() {
    let (listener, url) = listen().await;
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        request(&mut socket).await;
        socket.write_all(HEAD.as_bytes()).await.unwrap();
        let mut tick = tokio::time::interval(PATIENT / 20);
        loop {
            tick.tick().await;
            if socket
                .write_all(chunk(": ping\n\n").as_bytes())
                .await
                .is_err()
            {
                return;
            }
        }
    });
    let start = Instant::now();
    let events = ask(
        &url,
        Timeouts {
            idle: PATIENT,
            total: PATIENT * 5 / 4,
            ..timeouts()
        },
    )
    .await;
    check_failure(&events, FailureKind::TimeoutTotal, "too long");
    assert!(start.elapsed() >= PATIENT * 5 / 4, "pings count as bytes");
}

/// How long it takes from a cancel to the closed socket. The server has sent `answer`, which makes `chunks` chunks.
async fn cancel_after(answer: String, chunks: usize) -> Duration {
    let (url, closed) = silent(answer).await;
    let provider = provider(&url, timeouts());
    let cancel = CancellationToken::new();
    let mut coming = provider.open(wire(&provider), cancel.clone());
    for _ in 0..chunks {
        coming.recv().await.unwrap();
    }
    let start = Instant::now();
    cancel.cancel();
    assert_eq!(coming.recv().await, Some(Chunk::End(EndKind::Cancelled)));
    if chunks > 0 {
        closed.await.unwrap();
    }
    start.elapsed()
}

#[tokio::test]
async fn cancel_closes_the_socket_at_once() {
    let half = HEAD.to_owned() + &chunk(&frame("half"));
    for (answer, chunks) in [(String::new(), 0), (HEAD.to_owned(), 1), (half, 2)] {
        let mut times = Vec::new();
        for _ in 0..5 {
            times.push(cancel_after(answer.clone(), chunks).await);
        }
        // The best of five, because a busy machine may stop any one of them.
        let best = times.iter().min().unwrap();
        assert!(
            *best < Duration::from_millis(100),
            "after {chunks} chunks: {times:?}"
        );
    }
}

#[tokio::test]
async fn a_receiver_that_is_gone_closes_the_socket() {
    let (url, closed) = silent(HEAD.to_owned() + &chunk(&frame("half"))).await;
    let provider = provider(&url, timeouts());
    let mut chunks = provider.open(wire(&provider), CancellationToken::new());
    chunks.recv().await.unwrap();
    drop(chunks);
    closed.await.unwrap();
}

fn plain(status: &str, header: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n{header}\r\n\r\n{body}")
}

#[tokio::test]
async fn answers_that_are_no_stream() {
    use FailureKind as Kind;
    let page = "<html><title>Sign in</title></html>";
    let html = "content-type: text/html";
    let half = HEAD.to_owned() + &chunk(&frame("half"));
    for (answer, kind, words) in [
        (
            plain(
                "302 Found",
                "location: https://login.example.org/x?key=1",
                "",
            ),
            Kind::Redirect,
            "login.example.org",
        ),
        (
            plain("200 OK", html, page),
            Kind::NonSseResponse,
            "text/html",
        ),
        (
            plain("502 Bad Gateway", html, page),
            Kind::Server,
            "HTTP 502: Sign in",
        ),
        (half.clone(), Kind::Network, ""),
        (half + "0\r\n\r\n", Kind::StreamTruncated, "ended early"),
        (
            HEAD.to_owned() + "0\r\n\r\n",
            Kind::EmptyStream,
            "without data",
        ),
        ("not http at all\r\n\r\n".to_owned(), Kind::Network, ""),
    ] {
        let (url, _head) = once(answer).await;
        check_failure(&ask(&url, timeouts()).await, kind, words);
    }
}

#[tokio::test]
async fn a_busy_server_says_how_long_to_wait() {
    let body = "{\"error\":{\"message\":\"slow down\"}}";
    let (url, _head) = once(plain("429 Too Many Requests", "retry-after: 7", body)).await;
    let events = ask(&url, timeouts()).await;
    check_failure(&events, FailureKind::RateLimit, "slow down");
    let Some(ProviderEvent::Error(failure)) = events.last() else {
        panic!("checked before");
    };
    assert_eq!(
        (failure.retry_after_ms, failure.status),
        (Some(7000), Some(429))
    );
}

#[tokio::test]
async fn nobody_is_there() {
    let (listener, url) = listen().await;
    drop(listener);
    let events = ask(&url, timeouts()).await;
    check_failure(&events, FailureKind::Network, "cannot connect to 127.0.0.1");
}

#[tokio::test]
async fn a_server_without_encryption_behind_https() {
    let (listener, url) = listen().await;
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        socket
            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .await
            .unwrap();
        let mut rest = [0; 16];
        while socket.read(&mut rest).await.is_ok_and(|count| count > 0) {}
    });
    let events = ask(&url.replace("http:", "https:"), timeouts()).await;
    let Some(ProviderEvent::Error(failure)) = events.last() else {
        panic!("no failure: {events:?}");
    };
    // On a machine without any certificate, the client cannot even be made.
    assert!(
        matches!(failure.kind, FailureKind::Tls | FailureKind::Config),
        "{failure:?}"
    );
}

#[tokio::test]
async fn a_flood_of_small_pieces_comes_in_few_batches() {
    const DELTAS: usize = 20_000;
    let pieces: String = (0..DELTAS).map(|_| chunk(&frame("abcd"))).collect();
    let (url, _) = once(HEAD.to_owned() + &pieces + &chunk(&finish()) + "0\r\n\r\n").await;
    let provider = provider(&url, timeouts());
    let mut chunks = provider.open(wire(&provider), CancellationToken::new());
    let mut decoder = provider.decoder();
    let mut events = Vec::new();
    let mut batches = 0;
    while let Some(chunk) = chunks.recv().await {
        batches += 1;
        match chunk {
            Chunk::Head { status, headers } => decoder.head(status, &headers, &mut events),
            Chunk::Bytes(bytes) => decoder.push(&bytes, &mut events),
            Chunk::End(how) => decoder.end(how, &mut events),
        }
    }
    assert_eq!(said(&events).len(), DELTAS * 4);
    assert!(
        batches < DELTAS / 10,
        "{batches} batches for {DELTAS} deltas"
    );
}
