//! Where tapes keep their values while they run: on the stack, or in a place that is kept.
//!
//! A program is data that threads may share, so the values of an evaluation belong to the call. Up to [`MOST`] slots are an array on the
//! stack that begins as a copy of the constants; beyond, that copy would cost more than it is worth.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::lagrangian::expression::Tape;

/// The most slots on the stack: 1 KiB.
const MOST: usize = 128;

/// The slots of a tape with its constants in place, by how many there are.
pub enum Room {
    /// All outputs are constants, such as the slopes of a plane: nothing runs.
    Constant(Vec<f64>),
    Of8([f64; 8]),
    Of16([f64; 16]),
    Of32(Box<[f64; 32]>),
    Of64(Box<[f64; 64]>),
    Of128(Box<[f64; MOST]>),
    Kept(Kept<f64>),
}

impl Room {
    pub fn new(tape: &Tape) -> Self {
        let constants: Option<Vec<f64>> = (0..tape.outputs()).map(|k| tape.constant_output(k)).collect();
        if let Some(constants) = constants {
            return Self::Constant(constants);
        }
        let made = tape.scratch();
        match made.len() {
            0..=8 => Self::Of8(padded(&made)),
            9..=16 => Self::Of16(padded(&made)),
            17..=32 => Self::Of32(Box::new(padded(&made))),
            33..=64 => Self::Of64(Box::new(padded(&made))),
            65..=MOST => Self::Of128(Box::new(padded(&made))),
            _ => Self::Kept(Kept::new(made)),
        }
    }
}

fn padded<const N: usize>(made: &[f64]) -> [f64; N] {
    let mut out = [0.0; N];
    out[..made.len()].copy_from_slice(made);
    out
}

/// Something to work on that is kept for the next call. Whoever comes while it is taken works on a copy: it waits for nobody.
pub struct Kept<T>(Mutex<Vec<T>>);

impl<T: Copy> Kept<T> {
    pub fn new(made: Vec<T>) -> Self {
        Self(Mutex::new(made))
    }

    /// Works on what is kept, or on what `fresh` makes. What is found there is what the last call left.
    #[inline]
    pub fn with<R>(&self, fresh: impl FnOnce() -> Vec<T>, work: impl FnOnce(&mut [T]) -> R) -> R {
        match self.0.try_lock() {
            Ok(mut kept) => work(&mut kept),
            Err(_) => work(&mut fresh()),
        }
    }
}

/// What a mutex holds, also after a panic elsewhere: graphs only grow, and caches are checked before they are used.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_made_again_and_what_is_free_is_kept() {
        let kept = Kept::new(vec![1, 2]);
        kept.with(Vec::new, |own| {
            own[0] = 7;
            // Whoever asks in the meantime has something fresh, and it does not stay.
            kept.with(|| vec![3], |other| assert_eq!(other, [3]));
            assert_eq!(own, [7, 2]);
        });
        kept.with(Vec::new, |own| assert_eq!(own, [7, 2]));
    }
}
