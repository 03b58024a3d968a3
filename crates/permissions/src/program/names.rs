//! Names of programs: which are shells, which are interpreters, which are known at all.

use super::{Class, Effect, cloud, destructive, free, network, package, restricted};
use crate::reason::Code;

/// Shells that take `-c`.
pub(crate) const SHELLS: &[&str] = &[
    "bash", "sh", "zsh", "dash", "ksh", "fish", "ash", "rbash", "mksh",
];

const INTERPRETERS: &[&str] = &[
    "bun",
    "deno",
    "groovy",
    "java",
    "julia",
    "lua",
    "node",
    "nodejs",
    "osascript",
    "perl",
    "php",
    "pwsh",
    "powershell",
    "python",
    "python2",
    "python3",
    "r",
    "rscript",
    "ruby",
    "scala",
    "swift",
    "tclsh",
    "wish",
    "irb",
    "ipython",
    "iex",
    "elixir",
    "erl",
    "ghci",
    "runghc",
    "guile",
    "racket",
    "sbcl",
    "tsx",
    "ts-node",
    "jshell",
    "octave",
];

/// Programs that change files or build, and are known not to run other commands of the line.
const MUTATING: &[&str] = &[
    "ar",
    "as",
    "asciidoctor",
    "black",
    "bzip2",
    "c++",
    "cc",
    "chgrp",
    "chmod",
    "chown",
    "clang",
    "clang-format",
    "cmake",
    "cp",
    "csplit",
    "ctest",
    "cpio",
    "dd",
    "dotnet",
    "eslint",
    "flutter",
    "g++",
    "gcc",
    "git",
    "gofmt",
    "gradle",
    "gradlew",
    "gunzip",
    "gzip",
    "install",
    "javac",
    "jest",
    "just",
    "ld",
    "ln",
    "make",
    "meson",
    "mix",
    "mkdir",
    "mkfifo",
    "mktemp",
    "mocha",
    "mv",
    "mvn",
    "mypy",
    "ninja",
    "nx",
    "openssl",
    "patch",
    "prettier",
    "pytest",
    "rails",
    "rake",
    "rm",
    "rmdir",
    "ruff",
    "rustc",
    "rustfmt",
    "split",
    "strip",
    "swiftc",
    "sync",
    "tee",
    "touch",
    "truncate",
    "tsc",
    "turbo",
    "unlink",
    "vite",
    "vitest",
    "webpack",
    "xcodebuild",
    "xz",
    "zip",
    "zstd",
    "7z",
    "bazel",
    "task",
    "tox",
    "nox",
    "kill",
];

pub(crate) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// A program that runs a language of its own, also with a version in its name.
pub(crate) fn is_interpreter(name: &str) -> bool {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let lower = plain.to_ascii_lowercase();
    INTERPRETERS.contains(&name) || INTERPRETERS.contains(&lower.as_str())
}

/// Listed in some table, so that its `--help` and `--version` are what they seem.
pub(crate) fn is_known_tool(name: &str) -> bool {
    free::contains(name)
        || restricted::contains(name)
        || network::contains(name)
        || package::contains(name)
        || cloud::contains(name)
        || destructive::contains(name)
        || is_interpreter(name)
        || is_shell(name)
        || MUTATING.contains(&name)
}

/// Programs that are known, and no better than changing something.
pub(super) fn classify(name: &str) -> Option<Effect> {
    if is_interpreter(name) {
        return Some(Effect::because(Class::Mutating, Code::Interpreter));
    }
    MUTATING
        .contains(&name)
        .then(|| Effect::of(Class::Mutating))
}
