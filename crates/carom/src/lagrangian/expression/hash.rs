//! Maps by nodes. A graph asks for a node far more often than it does anything else with it, so hashing is a few multiplications here;
//! the standard hasher took a quarter of the time to load large scenes.
//!
//! Limits: who chooses the numbers of a scene can make its nodes meet in the map, and so slow down the loading of that scene.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map by nodes.
pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;
/// A set of nodes.
pub type Set<K> = HashSet<K, BuildHasherDefault<Mixer>>;

/// Odd, with bits all over: 2⁶⁴ over the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes words into one.
#[derive(Debug, Default, Clone, Copy)]
pub struct Mixer(u64);

impl Mixer {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.add(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.add(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.add(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.add(value as u64);
    }

    /// High bits choose among neighbours in a table, low bits the place: both depend on every bit.
    fn finish(&self) -> u64 {
        let folded = (self.0 ^ (self.0 >> 32)).wrapping_mul(FACTOR);
        folded ^ (folded >> 29)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::{BuildHasher as _, BuildHasherDefault};

    use super::Mixer;

    /// Whole numbers as doubles end in zeros, and neighbours differ in few bits: they must not meet.
    #[test]
    fn numbers_like_those_of_scenes_are_spread() {
        let hash = |bits: u64| BuildHasherDefault::<Mixer>::default().hash_one((3_isize, bits));
        let count = 1 << 16;
        for (what, bits) in [
            ("integers", (0..count).map(|i| f64::from(i).to_bits()).collect::<Vec<_>>()),
            ("counts", (0..count).map(|i| i as u64).collect()),
            ("tenths", (0..count).map(|i| (0.1 * f64::from(i)).to_bits()).collect()),
        ] {
            let low: HashSet<u64> = bits.iter().map(|&bits| hash(bits) % count as u64).collect();
            let high: HashSet<u64> = bits.iter().map(|&bits| hash(bits) >> 48).collect();
            // Of so many balls in as many boxes 63 % of the boxes have one.
            let least = 6 * count as usize / 10;
            assert!(low.len() > least && high.len() > least, "{what}: {} {} of {count}", low.len(), high.len());
        }
    }
}
