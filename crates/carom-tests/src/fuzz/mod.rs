//! Inputs that nobody would write: texts of a corpus, mutated by a seed, and the laws that hold for every one of them.
//!
//! [`Mutator`] changes a text by bytes, by tokens, by lines and by the tree of its values. [`target`] has one function per kind of input; it returns
//! what became of the input, or which law it breaks. A panic breaks a law too. The same functions are the targets of the guided fuzzer in `fuzz/`.

pub mod campaign;
pub mod corpus;
mod dice;
mod mutate;
mod numbers;
pub mod target;
mod tree;

pub use dice::Dice;
pub use mutate::Mutator;
pub use numbers::check_finite;

/// What became of an input that breaks no law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was refused, with a message that says what is wrong.
    Refused,
    /// It was taken, and what was made of it ended with an error that has numbers.
    Failed,
    /// It was taken and did what was asked.
    Done,
    /// It was taken, and left before it was done: too large, or too slow for a test.
    Left,
}
