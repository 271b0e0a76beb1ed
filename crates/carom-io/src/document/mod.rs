//! TOML documents as trees of values that know where they were written.
//!
//! A scene is decoded by hand from a tree of values that know where they were written, so that
//! every problem of a file is reported at once, each with its line, column and key, and so that
//! `--set key.path=value` can change the tree before anything is decoded.
//!
//! The way of a scene: [`Source`] → [`parse`] → [`apply`] (`--set`) → [`TableReader`], with every
//! problem collected in [`Diagnostics`]; [`to_toml`] writes a tree back.

mod collector;
mod depth;
mod diagnostic;
mod parse;
mod path;
mod read;
mod set;
mod source;
mod suggest;
mod tree;
mod visible;
mod write;

pub use collector::{Diagnostics, string_position};
pub use diagnostic::{Diagnostic, Position};
pub use parse::parse;
pub use path::{element, join};
pub use read::{Item, TableReader};
pub use set::{Edit, apply, key_and_value, set_value};
pub use source::Source;
pub use suggest::{closest, help, hint, near};
pub use tree::{Entry, Kind, Origin, Table, Value, describe};
pub use visible::{is_control, printable, printable_json, printable_lines};
pub use write::to_toml;

#[cfg(test)]
mod robustness;
