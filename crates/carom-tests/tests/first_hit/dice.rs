//! Random numbers that are the same on every run.

/// A generator, by its seed (splitmix64).
pub struct Dice(u64);

impl Dice {
    /// Neighbouring seeds give unrelated numbers.
    pub fn new(seed: u64) -> Self {
        let mut new = Self(seed.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(0x2545_F491_4F6C_DD1D));
        new.bits();
        new
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    /// Evenly in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Evenly in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// `10^x`, `x` evenly in `[low, high)`.
    pub fn decades(&mut self, low: f64, high: f64) -> f64 {
        10.0_f64.powf(self.between(low, high))
    }

    /// A whole number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    /// Whether something happens that has this chance.
    pub fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// A unit vector; in some cases along an axis.
    pub fn direction(&mut self, dimension: usize) -> Vec<f64> {
        if self.chance(0.25) {
            let mut axis = vec![0.0; dimension];
            axis[self.below(dimension)] = if self.chance(0.5) { 1.0 } else { -1.0 };
            return axis;
        }
        loop {
            let x: Vec<f64> = (0..dimension).map(|_| self.between(-1.0, 1.0)).collect();
            let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (0.1..1.0).contains(&length) {
                return x.into_iter().map(|x| x / length).collect();
            }
        }
    }

    /// A unit vector across another; zero on a line.
    pub fn across(&mut self, other: &[f64]) -> Vec<f64> {
        if other.len() == 1 {
            return vec![0.0];
        }
        loop {
            let x = self.direction(other.len());
            let along = x.iter().zip(other).map(|(x, o)| x * o).sum::<f64>();
            let rest: Vec<f64> = x.iter().zip(other).map(|(x, o)| x - along * o).collect();
            let length = rest.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.1 {
                return rest.into_iter().map(|x| x / length).collect();
            }
        }
    }
}
