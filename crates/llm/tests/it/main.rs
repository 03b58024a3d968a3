//! The crate as its users see it.

#[cfg(test)]
mod body_check;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod demo;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod requests;
#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod server;
#[cfg(test)]
mod support;
