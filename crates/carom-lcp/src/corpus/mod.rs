//! Problems to test and compare solvers on, always the same numbers.

mod chain;

pub use chain::chain;
