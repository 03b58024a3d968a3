//! The crate as its users see it.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod demo;
#[cfg(test)]
mod support;
