//! Why a request could not be built. What goes wrong later arrives as a [`Failure`](crate::Failure) event.

/// A request that cannot even be tried; the person must change the settings.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The address of the provider is not usable.
    #[error("the provider address {url:?} is not usable: {reason}")]
    Address {
        /// The address as configured.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A header cannot be sent. Its value may be a secret and is not repeated.
    #[error("the header {name:?} cannot be sent: {reason}")]
    Header {
        /// The header's name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}
