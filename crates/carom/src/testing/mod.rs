//! Tools that tests and `carom check` share.

pub mod derivatives;
