//! Sends requests and reads answers; the only place that touches the network.
//!
//! Redirects are not followed, nothing is tried twice, cookies and compression are off, and a loopback address never
//! goes through a proxy. Bytes are handed over in batches, because a message per delta costs more than the deltas.
//! Building the client is put off until the first request: loading the system's certificates takes longer than the
//! rest of a start.

mod reading;

use crate::error::ProviderError;
use crate::failure::{Failure, FailureKind};
use crate::provider::{Chunk, EndKind, Locality, WireRequest};
use reading::Reading;
use reqwest::{Client, Method, Response, Url};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Batches that may wait for the decoder; then the server is read no further.
const MAX_WAITING_CHUNKS: usize = 16;

/// How long to wait for a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection.
    pub connect: Duration,
    /// For the head of the answer.
    pub first_byte: Duration,
    /// Between two bytes.
    pub idle: Duration,
    /// For the whole answer; catches a drip of keep-alives.
    pub total: Duration,
}

impl Timeouts {
    /// What is patient enough for a provider of this kind. Local servers load the model and read the prompt first.
    #[must_use]
    pub fn of(locality: Locality) -> Self {
        let seconds = |connect, first_byte, idle, total| Self {
            connect: Duration::from_secs(connect),
            first_byte: Duration::from_secs(first_byte),
            idle: Duration::from_secs(idle),
            total: Duration::from_secs(total),
        };
        match locality {
            Locality::Remote => seconds(15, 120, 300, 30 * 60),
            Locality::Local => seconds(5, 600, 600, 60 * 60),
        }
    }
}

/// The way to one server.
#[derive(Debug)]
pub(crate) struct Transport {
    timeouts: Timeouts,
    user_agent: String,
    route: Route,
    client: OnceLock<Result<Client, Failure>>,
}

/// How a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    /// On this machine and without encryption: needs neither a proxy nor certificates.
    PlainLoopback,
    /// On this machine.
    Loopback,
    /// Anywhere.
    Remote,
}

impl Transport {
    /// The way to the server at `url`.
    ///
    /// # Errors
    /// The address is no `http` or `https` address.
    pub(crate) fn new(
        url: &str,
        timeouts: Timeouts,
        app_version: &str,
    ) -> Result<Self, ProviderError> {
        Ok(Self {
            timeouts,
            user_agent: format!("benchdog/{app_version}"),
            route: route(url)?,
            client: OnceLock::new(),
        })
    }

    /// Sends a request and reads the answer in a task of its own.
    pub(crate) fn open(
        self: &Arc<Self>,
        request: WireRequest,
        cancel: CancellationToken,
    ) -> mpsc::Receiver<Chunk> {
        let (tx, rx) = mpsc::channel(MAX_WAITING_CHUNKS);
        let transport = Arc::clone(self);
        tokio::spawn(async move {
            let end = transport.answer(request, &tx, &cancel).await;
            // Nobody is left to tell if the receiver is gone.
            tx.send(Chunk::End(end)).await.ok();
        });
        rx
    }

    async fn answer(
        &self,
        request: WireRequest,
        tx: &mpsc::Sender<Chunk>,
        cancel: &CancellationToken,
    ) -> EndKind {
        let deadline = Instant::now() + self.timeouts.total;
        let response = tokio::select! {
            biased;
            () = cancel.cancelled() => return EndKind::Cancelled,
            () = tx.closed() => return EndKind::Cancelled,
            sent = tokio::time::timeout(self.timeouts.first_byte, self.send(request)) => match sent {
                Ok(Ok(response)) => response,
                Ok(Err(end)) => return end,
                Err(_elapsed) => return EndKind::FirstByteTimeout,
            },
        };
        if tx.send(head(&response)).await.is_err() {
            return EndKind::Cancelled;
        }
        Reading::new(tx, cancel, self.timeouts.idle, deadline)
            .run(response)
            .await
    }

    async fn send(&self, request: WireRequest) -> Result<Response, EndKind> {
        let client = self.client().map_err(EndKind::Failed)?;
        let host = Url::parse(&request.url)
            .ok()
            .and_then(|url| url.host_str().map(str::to_owned))
            .unwrap_or_default();
        let method = Method::from_bytes(request.method.as_bytes()).unwrap_or(Method::POST);
        let mut sending = client
            .request(method, &request.url)
            .header("accept-encoding", "identity");
        for (name, value) in &request.headers {
            sending = sending.header(name, value);
        }
        let sent = sending.body(request.body).send().await;
        sent.map_err(|error| not_sent(&error, &host))
    }

    fn client(&self) -> Result<&Client, Failure> {
        let made = self.client.get_or_init(|| {
            self.make_client().map_err(|error| {
                let words = format!("the connection cannot be set up: {}", root_cause(&error));
                Failure::new(FailureKind::Config, words)
            })
        });
        made.as_ref().map_err(Clone::clone)
    }

    fn make_client(&self) -> reqwest::Result<Client> {
        install_crypto();
        let builder = Client::builder()
            .user_agent(&self.user_agent)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(self.timeouts.connect);
        match self.route {
            Route::PlainLoopback => builder.no_proxy().tls_certs_only([]),
            Route::Loopback => builder.no_proxy(),
            Route::Remote => builder,
        }
        .build()
    }
}

/// Makes `ring` the process's crypto provider, unless the program has chosen one.
fn install_crypto() {
    if rustls::crypto::CryptoProvider::get_default().is_none()
        && rustls::crypto::ring::default_provider()
            .install_default()
            .is_err()
    {
        tracing::debug!("another thread has chosen the crypto provider");
    }
}

fn route(url: &str) -> Result<Route, ProviderError> {
    let bad = |reason: String| ProviderError::Address {
        url: url.to_owned(),
        reason,
    };
    let parsed = Url::parse(url).map_err(|error| bad(error.to_string()))?;
    let is_plain = match parsed.scheme() {
        "http" => true,
        "https" => false,
        other => return Err(bad(format!("{other} is neither http nor https"))),
    };
    let host = parsed
        .host_str()
        .ok_or_else(|| bad("there is no host in it".to_owned()))?;
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    let is_loopback = host == "localhost"
        || host.ends_with(".localhost")
        || address.is_ok_and(|address| address.is_loopback());
    Ok(match (is_loopback, is_plain) {
        (true, true) => Route::PlainLoopback,
        (true, false) => Route::Loopback,
        (false, _) => Route::Remote,
    })
}

fn head(response: &Response) -> Chunk {
    let headers = response
        .headers()
        .iter()
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes());
            (name.as_str().to_owned(), value.into_owned())
        })
        .collect();
    Chunk::Head {
        status: response.status().as_u16(),
        headers,
    }
}

fn not_sent(error: &reqwest::Error, host: &str) -> EndKind {
    if error.is_connect() && error.is_timeout() {
        return EndKind::ConnectTimeout;
    }
    let cause = root_cause(error);
    if is_tls(error) {
        let words = format!("no trusted connection to {host}: {cause}");
        return EndKind::Failed(Failure::new(FailureKind::Tls, words));
    }
    if error.is_builder() {
        let words = format!("the request cannot be sent: {cause}");
        return EndKind::Failed(Failure::new(FailureKind::Config, words));
    }
    if error.is_connect() {
        return EndKind::Reset(format!("cannot connect to {host}: {cause}"));
    }
    EndKind::Reset(cause)
}

/// The innermost words; the outer ones repeat the address, which may hold a key.
fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// Whether the encryption failed. Its error may sit inside several I/O errors, which hide what they hold from `source`.
fn is_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    let hidden = error
        .downcast_ref::<std::io::Error>()
        .and_then(std::io::Error::get_ref);
    error.is::<rustls::Error>()
        || hidden.is_some_and(|inner| is_tls(inner))
        || error.source().is_some_and(is_tls)
}

#[cfg(test)]
mod tests {
    use super::{Route, route};

    #[test]
    fn routes() {
        for (url, expected) in [
            ("http://127.0.0.1:8080/v1", Some(Route::PlainLoopback)),
            ("http://127.8.0.1/v1", Some(Route::PlainLoopback)),
            ("http://[::1]:80/", Some(Route::PlainLoopback)),
            ("https://localhost/", Some(Route::Loopback)),
            ("http://192.168.0.4:11434/v1", Some(Route::Remote)),
            ("https://localhost.example.org/", Some(Route::Remote)),
            ("ftp://localhost/", None),
            ("not an address", None),
        ] {
            assert_eq!(route(url).ok(), expected, "{url}");
        }
    }
}
