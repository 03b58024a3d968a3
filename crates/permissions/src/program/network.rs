//! Programs that reach other machines.

use super::options::{Given, Opt};
use super::{Access, Class, Effect, parse};
use crate::arg::Arg;
use crate::reason::Code;

/// Sorted.
const NETWORK: &[&str] = &[
    "aria2c",
    "curl",
    "dig",
    "ftp",
    "host",
    "http",
    "https",
    "lynx",
    "mtr",
    "nc",
    "ncat",
    "netcat",
    "nmap",
    "nslookup",
    "ping",
    "ping6",
    "rclone",
    "scp",
    "sftp",
    "socat",
    "ssh",
    "telnet",
    "traceroute",
    "w3m",
    "wget",
    "whois",
    "xh",
    "xhs",
];

/// They fetch from the hosts that their arguments name.
const FETCHES: &[&str] = &[
    "aria2c", "curl", "http", "https", "lynx", "w3m", "wget", "xh", "xhs",
];

pub(super) fn contains(name: &str) -> bool {
    NETWORK.binary_search(&name).is_ok() || name == "rsync"
}

pub(super) fn classify(name: &str, args: &[Arg]) -> Option<Effect> {
    if name == "rsync" {
        return Some(rsync(args));
    }
    if !contains(name) {
        return None;
    }
    let mut effect = Effect::because(Class::Network, Code::Network);
    match name {
        "curl" => curl(args, &mut effect),
        "wget" => wget(args, &mut effect),
        other if FETCHES.contains(&other) => {
            let urls = args.iter().filter(|arg| !arg.text.starts_with('-'));
            effect.add_all(Access::Fetch, urls);
        }
        _ => {}
    }
    Some(effect)
}

/// Options of curl that take a value and neither name a host nor write a file.
const CURL_PLAIN: &[&str] = &[
    "request",
    "header",
    "user-agent",
    "referer",
    "max-time",
    "connect-timeout",
    "retry",
    "user",
    "cookie",
    "write-out",
    "range",
    "limit-rate",
    "get",
];

const CURL_VALUED: (&str, &[&str]) = (
    "oXHAemubwrdTFDcxKCEPQtUyYzh",
    &[
        "output",
        "request",
        "header",
        "user-agent",
        "referer",
        "max-time",
        "user",
        "cookie",
        "connect-timeout",
        "retry",
        "write-out",
        "range",
        "limit-rate",
        "data",
        "data-raw",
        "data-binary",
        "data-urlencode",
        "json",
        "upload-file",
        "form",
        "url",
    ],
);

fn curl(args: &[Arg], effect: &mut Effect) {
    let line = parse(args, CURL_VALUED);
    effect.add_all(Access::Fetch, line.operands.iter().copied());
    for option in &line.options {
        let value = option.value().map(Given::to_arg);
        match option {
            Opt::Short('o', _) | Opt::Long("output", _) => {
                effect.add(Access::Edit, &value.unwrap_or_else(unknown));
            }
            Opt::Short('O' | 'J', _) | Opt::Long("remote-name", _) => {
                effect.add(Access::Edit, &unknown());
            }
            Opt::Short('T', _) | Opt::Long("upload-file", _) => {
                effect.add_all(Access::Read, value.as_ref());
            }
            Opt::Short('d' | 'F', _)
            | Opt::Long("data" | "data-binary" | "data-urlencode" | "json" | "form", _) => {
                let file = value.as_ref().and_then(Arg::as_literal);
                let file = file
                    .and_then(|text| text.split_once('@'))
                    .map(|(_, file)| file);
                effect.add_all(Access::Read, file.map(Arg::literal).as_ref());
            }
            Opt::Long("url", _) => effect.add_all(Access::Fetch, value.as_ref()),
            Opt::Long("data-raw", _) => {}
            Opt::Short(letter, _) if "XHAemubwrsSfLkiIvgGn#0123456N".contains(*letter) => {}
            Opt::Long(name, None) if is_plain_flag(name) => {}
            Opt::Long(name, _) if CURL_PLAIN.contains(name) => {}
            // Proxies, files of settings, logs: the host and the file are not known.
            Opt::Short(..) | Opt::Long(..) => {
                effect.add(Access::Fetch, &unknown());
                effect.add(Access::Edit, &unknown());
            }
        }
    }
}

fn is_plain_flag(name: &str) -> bool {
    [
        "silent",
        "show-error",
        "fail",
        "fail-with-body",
        "location",
        "insecure",
        "include",
        "head",
        "verbose",
        "compressed",
        "no-progress-meter",
        "http1.1",
        "http2",
        "ipv4",
        "ipv6",
        "get",
    ]
    .contains(&name)
}

fn wget(args: &[Arg], effect: &mut Effect) {
    let line = parse(
        args,
        (
            "OoaeTtUwQ",
            &[
                "output-document",
                "output-file",
                "append-output",
                "execute",
                "timeout",
                "tries",
                "user-agent",
                "header",
            ],
        ),
    );
    effect.add_all(Access::Fetch, line.operands.iter().copied());
    let mut names_output = false;
    for option in &line.options {
        let value = option.value().map(Given::to_arg);
        if option.is_short("O") || option.is_long("output-document") {
            names_output = true;
            let value = value.unwrap_or_else(unknown);
            if !value.is("-") {
                effect.add(Access::Edit, &value);
            }
        } else if option.is_short("oa")
            || option.is_long("output-file")
            || option.is_long("append-output")
        {
            effect.add(Access::Edit, &value.unwrap_or_else(unknown));
        } else if option.is_short("e") || option.is_long("execute") || option.is_long("use-askpass")
        {
            effect.raise(Class::Unparseable, Code::OpaqueWrapper);
        } else if !is_plain_wget(option) {
            effect.add(Access::Fetch, &unknown());
            effect.add(Access::Edit, &unknown());
        }
    }
    let is_spider = line.has_long("spider");
    if !names_output && !is_spider {
        effect.add(Access::Edit, &unknown());
    }
}

fn is_plain_wget(option: &Opt<'_>) -> bool {
    match option {
        Opt::Short(letter, _) => "qvncSTtUwQ46Nd".contains(*letter),
        Opt::Long(name, _) => [
            "quiet",
            "no-verbose",
            "verbose",
            "timeout",
            "tries",
            "spider",
            "show-progress",
            "no-check-certificate",
            "server-response",
            "user-agent",
            "header",
            "https-only",
        ]
        .contains(name),
    }
}

fn unknown() -> Arg {
    Arg::unknown("?", true)
}

fn rsync(args: &[Arg]) -> Effect {
    let line = parse(
        args,
        (
            "efTBM",
            &["rsh", "rsync-path", "exclude", "include", "filter"],
        ),
    );
    let deletes = |option: &Opt<'_>| matches!(option, Opt::Long(name, _) if name.starts_with("del") || name.starts_with("remove-source"));
    if line.options.iter().any(deletes) {
        return Effect::because(Class::Destructive, Code::Deletes);
    }
    if line.has("e", &["rsh", "rsync-path"]) {
        return Effect::because(Class::Unparseable, Code::RsyncShell);
    }
    let is_remote = |arg: &&Arg| match arg.as_literal() {
        Some(text) => text.contains(':'),
        None => true,
    };
    let mut effect = match line.operands.iter().any(is_remote) {
        true => Effect::because(Class::Network, Code::Network),
        false => Effect::of(Class::Mutating),
    };
    let (target, sources) = match line.operands.split_last() {
        Some((target, sources)) => (Some(*target), sources),
        None => (None, [].as_slice()),
    };
    effect.add_all(Access::Read, sources.iter().copied());
    effect.add_all(Access::Edit, target);
    effect
}
