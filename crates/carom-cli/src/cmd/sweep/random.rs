//! Random numbers that are the same on every machine: the generator SplitMix64 of Steele, Lea and Flood (2014), which is
//! a counter and a mixing function, so that every number can be had without those before it.

/// The n-th number, from 0, of the sequence of a seed.
pub fn draw(seed: u64, n: u64) -> u64 {
    /// The odd integer nearest to 2⁶⁴ over the golden ratio.
    const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut z = seed.wrapping_add(n.wrapping_add(1).wrapping_mul(GAMMA));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::draw;

    #[test]
    fn the_sequence_is_that_of_the_reference_program() {
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([0, 1, 2].map(|n| draw(1_234_567, n)), expected);
        assert_eq!(draw(0, 0), 0xe220_a839_7b1d_cdaf);
    }
}
