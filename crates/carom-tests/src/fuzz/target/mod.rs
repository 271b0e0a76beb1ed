//! One function per kind of input: what becomes of it, or which law it breaks.

mod expression;
mod problem;
mod recording;
mod scene;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Fate;

pub use expression::expression;
pub use problem::problem;
pub use recording::{snapshot, table};
pub use scene::{scene, set};

/// What looks at an input, and gives up a run when asked to stop.
pub type Target = fn(&str, &Arc<AtomicBool>) -> Result<Fate, String>;

/// A law: what is broken, said only then.
fn law(holds: bool, broken: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(broken()) }
}

/// Whether a text can be shown on a terminal: no control characters but line ends and tabs, and nothing that turns the direction of writing.
fn is_printable(text: &str) -> bool {
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().all(|c| c == '\n' || c == '\t' || !(c.is_control() || turns(c)))
}

/// Whether numbers are the same to the last bit.
fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}
