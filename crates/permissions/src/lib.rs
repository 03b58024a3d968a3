//! Who may do what: what a command line would do, part by part.
//!
//! [`analyse`] finds every program that a line can start, behind lists, substitutions and programs that run others,
//! and says what each reads, changes and reaches. What is not understood says so. Deliberately absent: I/O. What has
//! to be looked up on disk comes through [`Disk`].

mod analysis;
mod arg;
mod environment;
mod glob;
mod place;
mod program;
mod reason;
mod shell;

pub use analysis::{Analysis, Folders, Operation, Source, Target, Unit, analyse};
pub use arg::{Arg, Dynamic, Value};
pub use environment::Risk;
pub use glob::{Atom, Pattern};
pub use place::{Disk, Place, normalize};
pub use program::{Access, Class};
pub use reason::{Code, Reason};
pub use shell::{MAX_COMMAND_BYTES, is_invisible};
