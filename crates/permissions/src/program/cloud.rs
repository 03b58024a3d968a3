//! Programs that manage containers, clusters, clouds and databases.

use super::{Class, Effect};
use crate::arg::Arg;
use crate::reason::Code;

/// They do nothing but talk to a server.
const REMOTE: &[&str] = &[
    "aws",
    "az",
    "doctl",
    "eksctl",
    "firebase",
    "flyctl",
    "fly",
    "gcloud",
    "gh",
    "glab",
    "helm",
    "heroku",
    "kubectl",
    "mongosh",
    "mongo",
    "mysql",
    "mariadb",
    "netlify",
    "oc",
    "psql",
    "pulumi",
    "redis-cli",
    "supabase",
    "terraform",
    "tofu",
    "vercel",
    "wrangler",
    "cdk",
    "clickhouse-client",
];

const SQL_CLIENTS: &[&str] = &[
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "mongosh",
    "mongo",
    "clickhouse-client",
    "duckdb",
];

/// Words of SQL that lose data.
const SQL_LOSES: &[&str] = &["drop", "truncate", "delete from"];

const CLOUD_LOSES: &[&str] = &["rm", "rb", "purge"];

pub(super) fn contains(name: &str) -> bool {
    REMOTE.contains(&name) || is_container(name) || SQL_CLIENTS.contains(&name)
}

fn is_container(name: &str) -> bool {
    matches!(
        name,
        "docker" | "podman" | "docker-compose" | "podman-compose" | "nerdctl"
    )
}

pub(super) fn classify(name: &str, args: &[Arg]) -> Option<Effect> {
    if !contains(name) {
        return None;
    }
    let words: Vec<&str> = args.iter().filter_map(Arg::as_literal).collect();
    if loses(name, &words) {
        return Some(Effect::because(Class::Destructive, Code::Deletes));
    }
    let reaches = match name {
        "terraform" | "tofu" => !matches!(words.first(), Some(&("fmt" | "validate" | "show"))),
        container if is_container(container) => container_reaches(name, &words),
        other => REMOTE.contains(&other),
    };
    Some(match reaches {
        true => Effect::because(Class::Network, Code::Network),
        false => Effect::of(Class::Mutating),
    })
}

fn container_reaches(name: &str, words: &[&str]) -> bool {
    let is_compose = name.ends_with("-compose") || words.contains(&"compose");
    let verbs: &[&str] = match is_compose {
        true => &["up", "pull", "build", "run", "push", "create"],
        false => &[
            "pull", "push", "build", "run", "login", "buildx", "create", "search",
        ],
    };
    words.iter().any(|word| verbs.contains(word))
}

fn loses(name: &str, words: &[&str]) -> bool {
    let has = |wanted: &str| words.contains(&wanted);
    let any = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    match name {
        container if is_container(container) => {
            any(&["rm", "rmi", "prune"])
                || (has("down")
                    && words
                        .iter()
                        .any(|word| word.starts_with("-v") || *word == "--volumes"))
        }
        "terraform" | "tofu" | "pulumi" | "cdk" => any(&["destroy", "-destroy"]),
        "kubectl" | "oc" => any(&["delete", "drain"]) || (has("replace") && has("--force")),
        "helm" => any(&["uninstall", "rollback", "delete"]),
        "redis-cli" => words
            .iter()
            .any(|word| word.to_ascii_uppercase().starts_with("FLUSH")),
        sql if SQL_CLIENTS.contains(&sql) => words.iter().any(|word| is_losing_sql(word)),
        _ => words.iter().any(|word| {
            CLOUD_LOSES.contains(word)
                || word.starts_with("delete")
                || word.starts_with("destroy")
                || word.starts_with("terminate")
        }),
    }
}

fn is_losing_sql(text: &str) -> bool {
    let words: Vec<String> = text
        .split_whitespace()
        .map(str::to_ascii_lowercase)
        .collect();
    let joined = words.join(" ");
    SQL_LOSES.iter().any(|word| joined.contains(word))
}
