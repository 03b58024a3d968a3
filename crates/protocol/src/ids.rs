//! Identifiers. All are strings on the wire, so that no side has to agree on their inner form.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// The identifier as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }
    };
}

id! {
    /// One conversation; a UUIDv7, so that ids sort by the time of creation.
    SessionId
}
id! {
    /// One tool call, as the provider named it (made unique within its message by us).
    CallId
}
id! {
    /// One proposal to change a file; an answer names the proposal it was given to.
    ProposalId
}
id! {
    /// One shell, in the foreground or in the background. Also a task id.
    ShellId
}
id! {
    /// Made by the client for each command that changes something; the same id is done once.
    OpId
}
