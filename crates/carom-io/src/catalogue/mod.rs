//! Pages about single scenes and methods, as data: what `carom scenes NAME` and `carom methods NAME` show.

mod method;
mod scene;

use serde::Serialize;

use crate::references;

pub use method::{Choice, MethodOption, MethodPage};
pub use scene::{Parameter, ScenePage};

/// A work that is cited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Paper {
    /// Its key in `references.bib`.
    pub key: String,
    /// Authors, title, where and when, in one line; the key again if `references.bib` has no entry.
    pub text: String,
}

impl Paper {
    fn of(key: &str) -> Self {
        Self { key: key.to_string(), text: references::line(key).unwrap_or_else(|| key.to_string()) }
    }
}
