//! What a variable of the environment can do to the program that gets it.

/// How much a variable can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// Known to change output or speed only.
    Safe,
    /// Not known.
    Unknown,
    /// Known to make programs run other code, or to change where they look for it.
    Dangerous,
}

/// Names, or beginnings of names before a `*`, or ends after one.
const SAFE: &[&str] = &[
    "CARGO_TERM_COLOR",
    "CGO_ENABLED",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "DEBUG",
    "FORCE_COLOR",
    "GIN_MODE",
    "GOARCH",
    "GOOS",
    "HOST",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "LINES",
    "NODE_ENV",
    "NO_COLOR",
    "PORT",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TZ",
    "VERBOSE",
];

const DANGEROUS: &[&str] = &[
    "*_EDITOR",
    "*_PAGER",
    "*_PROXY",
    "*_proxy",
    "AR",
    "AWS_*",
    "AZURE_*",
    "BASHOPTS",
    "BASH_ENV",
    "BASH_FUNC_*",
    "BROWSER",
    "CARGO_BUILD_*",
    "CARGO_HOME",
    "CARGO_TARGET_*",
    "CC",
    "CDPATH",
    "CLASSPATH",
    "CPP",
    "CURL_CA_BUNDLE",
    "CURL_HOME",
    "CXX",
    "DOCKER_*",
    "DYLD_*",
    "EDITOR",
    "ENV",
    "GCONV_PATH",
    "GIT_*",
    "GLIBC_TUNABLES",
    "GLOBIGNORE",
    "GOOGLE_*",
    "GPG_*",
    "GRADLE_OPTS",
    "HOME",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "KUBECONFIG",
    "LD",
    "LD_*",
    "LESS",
    "LESSCLOSE",
    "LESSOPEN",
    "LOCPATH",
    "MAKEFILES",
    "MAKEFLAGS",
    "MALLOC_*",
    "MANPAGER",
    "MAVEN_OPTS",
    "NLSPATH",
    "NODE_EXTRA_CA_CERTS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NPM_CONFIG_*",
    "PAGER",
    "PATH",
    "PERL*",
    "PROMPT_COMMAND",
    "PS4",
    "PYTHONBREAKPOINT",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONWARNINGS",
    "REQUESTS_CA_BUNDLE",
    "RIPGREP_CONFIG_PATH",
    "RUBY*",
    "RUSTC*",
    "RUSTDOCFLAGS",
    "RUSTFLAGS",
    "RUSTUP_*",
    "SHELLOPTS",
    "SSH_*",
    "SSL_CERT_*",
    "TERMCAP",
    "TERMINFO",
    "TMPDIR",
    "VISUAL",
    "WGETRC",
    "XDG_*",
    "_JAVA_OPTIONS",
    "npm_config_*",
];

/// What setting `name` can do.
pub(crate) fn risk(name: &str) -> Risk {
    if DANGEROUS.iter().any(|pattern| means(pattern, name)) {
        return Risk::Dangerous;
    }
    match SAFE.iter().any(|pattern| means(pattern, name)) {
        true => Risk::Safe,
        false => Risk::Unknown,
    }
}

fn means(pattern: &str, name: &str) -> bool {
    match (pattern.strip_suffix('*'), pattern.strip_prefix('*')) {
        (Some(beginning), _) => name.starts_with(beginning),
        (None, Some(end)) => name.ends_with(end),
        (None, None) => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_families_have_their_risk() {
        for (name, expected) in [
            ("LC_ALL", Risk::Safe),
            ("RUST_BACKTRACE", Risk::Safe),
            ("LD_PRELOAD", Risk::Dangerous),
            ("GIT_SSH_COMMAND", Risk::Dangerous),
            ("MY_PAGER", Risk::Dangerous),
            ("https_proxy", Risk::Dangerous),
            ("RUSTC_WRAPPER", Risk::Dangerous),
            ("RUST_X", Risk::Unknown),
            ("FOO", Risk::Unknown),
            ("ci", Risk::Unknown),
        ] {
            assert_eq!(risk(name), expected, "{name}");
        }
    }
}
