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

/// The numbers of a seed, one after the other.
#[derive(Debug, Clone)]
pub struct Random {
    seed: u64,
    next: u64,
}

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, next: 0 }
    }

    /// A number from 0 up to, not including, 1.
    pub fn unit(&mut self) -> f64 {
        let bits = draw(self.seed, self.next) >> 11;
        self.next += 1;
        bits as f64 / (1_u64 << 53) as f64
    }

    /// A number between two.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A number of the normal distribution of mean 0 and variance 1, by Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let (u, v) = (1.0 - self.unit(), self.unit());
        libm::sqrt(-2.0 * libm::log(u)) * libm::cos(std::f64::consts::TAU * v)
    }
}

#[cfg(test)]
mod tests {
    use super::{Random, draw};

    #[test]
    fn normal_numbers_have_mean_0_and_variance_1() {
        let (mut random, count) = (Random::new(1), 40_000);
        let numbers: Vec<f64> = (0..count).map(|_| random.normal()).collect();
        let mean = numbers.iter().sum::<f64>() / f64::from(count);
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(count);
        // Four standard errors of each: 1/√n and √(2/n).
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.0283, "{mean} {variance}");
    }

    #[test]
    fn the_sequence_is_that_of_the_reference_program() {
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([0, 1, 2].map(|n| draw(1_234_567, n)), expected);
        assert_eq!(draw(0, 0), 0xe220_a839_7b1d_cdaf);
    }
}
