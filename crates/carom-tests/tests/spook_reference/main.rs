//! The methods of Lacoursière & Linde and those that they are compared with, against numbers of an independent implementation.
//!
//! `cargo test -p carom-tests --test spook_reference -- --nocapture` prints how many agree.

mod ball;
mod chain;
mod crank;
mod impact;
mod knife;
mod oscillator;
mod penalty;
mod pendulum;
mod runs;
mod stability;
