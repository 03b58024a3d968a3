//! Package managers: what they list, what they fetch, what they take away.

use super::{Class, Effect, parse};
use crate::arg::Arg;
use crate::reason::Code;

/// Managers of a whole system.
const SYSTEM: &[&str] = &[
    "apk", "apt", "apt-get", "aptitude", "brew", "dnf", "emerge", "flatpak", "nix-env", "pacman",
    "pkg", "port", "snap", "winget", "yum", "zypper", "choco", "scoop",
];

/// They fetch a package and run it.
const RUNNERS: &[&str] = &["npx", "bunx", "uvx", "pipx", "pnpx"];

const NODE_NETWORK: &[&str] = &[
    "install",
    "i",
    "ci",
    "add",
    "update",
    "up",
    "upgrade",
    "publish",
    "audit",
    "view",
    "info",
    "search",
    "create",
    "init",
    "exec",
    "dlx",
    "x",
    "outdated",
    "login",
    "fetch",
    "import",
    "link",
    "install-test",
    "it",
];

pub(super) fn contains(name: &str) -> bool {
    SYSTEM.contains(&name)
        || RUNNERS.contains(&name)
        || matches!(
            name,
            "npm"
                | "pnpm"
                | "yarn"
                | "bun"
                | "pip"
                | "pip3"
                | "uv"
                | "poetry"
                | "gem"
                | "bundle"
                | "composer"
                | "go"
                | "cargo"
                | "rustup"
                | "dotnet"
                | "nuget"
                | "conda"
                | "mamba"
        )
}

pub(super) fn classify(name: &str, args: &[Arg]) -> Option<Effect> {
    if !contains(name) {
        return None;
    }
    if RUNNERS.contains(&name) {
        return Some(Effect::because(Class::Network, Code::Network));
    }
    let line = parse(args, ("", &[]));
    let verb = line.operands.first().and_then(|arg| arg.as_literal());
    let begins_with_verb = args.first().and_then(Arg::as_literal) == verb;
    let reads =
        begins_with_verb && !line.may_hide_option && reads(name, verb.unwrap_or_default(), args);
    let class = if loses(name, verb, &line.operands, args) {
        Class::Destructive
    } else if reads {
        Class::ReadOnly
    } else if reaches(name, verb) {
        Class::Network
    } else {
        Class::Mutating
    };
    Some(match class {
        Class::Destructive => Effect::because(class, Code::Deletes),
        Class::Network => Effect::because(class, Code::Network),
        other => Effect::of(other),
    })
}

fn reads(name: &str, verb: &str, args: &[Arg]) -> bool {
    let writes_settings = |arg: &Arg| arg.is_one_of(&["-w", "-u"]) || arg.text.starts_with("-w=");
    match name {
        "npm" | "pnpm" | "yarn" => matches!(verb, "ls" | "list" | "why"),
        "pip" | "pip3" => matches!(verb, "list" | "show" | "freeze" | "check"),
        "go" => matches!(verb, "version" | "env" | "doc") && !args.iter().any(writes_settings),
        "gem" => verb == "list",
        "rustup" => matches!(verb, "show" | "which"),
        _ => false,
    }
}

fn reaches(name: &str, verb: Option<&str>) -> bool {
    let Some(verb) = verb else {
        // `yarn` alone installs.
        return name == "yarn";
    };
    match name {
        "npm" | "pnpm" | "yarn" | "bun" => NODE_NETWORK.contains(&verb),
        "pip" | "pip3" => matches!(verb, "install" | "download" | "index" | "search" | "wheel"),
        "uv" => matches!(verb, "add" | "sync" | "pip" | "lock" | "tool" | "publish"),
        "poetry" => matches!(verb, "add" | "install" | "update" | "lock" | "publish"),
        "gem" | "bundle" | "composer" => {
            matches!(
                verb,
                "install" | "update" | "add" | "require" | "push" | "create-project"
            )
        }
        "go" => matches!(verb, "get" | "install" | "mod"),
        "cargo" => matches!(
            verb,
            "install" | "fetch" | "publish" | "add" | "update" | "search"
        ),
        "rustup" => matches!(
            verb,
            "update" | "toolchain" | "target" | "component" | "default"
        ),
        "dotnet" => matches!(verb, "restore" | "add" | "nuget" | "publish" | "tool"),
        "nuget" | "conda" | "mamba" => true,
        system => SYSTEM.contains(&system),
    }
}

fn loses(name: &str, verb: Option<&str>, operands: &[&Arg], args: &[Arg]) -> bool {
    let has = |wanted: &[&str]| operands.iter().any(|arg| arg.is_one_of(wanted));
    match name {
        "npm" | "pnpm" | "yarn" => has(&["unpublish"]),
        "cargo" => verb == Some("yank"),
        "gem" => verb == Some("yank"),
        "pacman" => args
            .iter()
            .any(|arg| arg.text.starts_with("-R") || arg.is("--remove")),
        system if SYSTEM.contains(&system) => has(&[
            "remove",
            "purge",
            "uninstall",
            "autoremove",
            "erase",
            "del",
            "delete",
        ]),
        _ => false,
    }
}
