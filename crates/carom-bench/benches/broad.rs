//! The broad phase: nanoseconds an item and question, for items at rest, with lists that are kept, and with lists that
//! are made anew every time; as ratios to 1000 items of the same kind. `cargo bench -p carom-bench --bench broad`.

use std::hint::black_box;
use std::time::Instant;

use carom::broad::Broad;
use carom::random::Random;

/// Numbers of items; the second is what the others are compared with.
const SIZES: [usize; 4] = [100, 1_000, 10_000, 100_000];

/// Rounds; the best counts.
const ROUNDS: usize = 5;

/// Items at density 1 in a box that they do not leave, radii from 1/2 down to that part of it.
struct Items<const D: usize> {
    side: f64,
    centres: Vec<[f64; D]>,
    velocities: Vec<[f64; D]>,
    radii: Vec<f64>,
}

impl<const D: usize> Items<D> {
    fn new(size: usize, speed: f64, least: f64) -> Self {
        let (mut random, side) = (Random::new(1), (size as f64).powf(1.0 / D as f64));
        let centres = (0..size).map(|_| std::array::from_fn(|_| random.between(0.0, side))).collect();
        let velocities = (0..size).map(|_| std::array::from_fn(|_| speed * random.normal())).collect();
        let radii = (0..size).map(|_| 0.5 * least.powf(random.unit())).collect();
        Self { side, centres, velocities, radii }
    }

    fn advance(&mut self) {
        for (x, v) in self.centres.iter_mut().flatten().zip(self.velocities.iter_mut().flatten()) {
            if !(0.0..self.side).contains(&(*x + *v)) {
                *v = -*v;
            }
            *x = (*x + *v).clamp(0.0, self.side);
        }
    }
}

/// Nanoseconds an item and question once the skin has settled.
fn cost<const D: usize>(size: usize, speed: f64, least: f64) -> f64 {
    let (mut items, mut broad) = (Items::<D>::new(size, speed, least), Broad::default());
    let questions = (300_000 / size).clamp(30, 600);
    let mut best = f64::INFINITY;
    for _ in 0..=ROUNDS {
        let mut seconds = 0.0;
        for _ in 0..questions {
            items.advance();
            let begin = Instant::now();
            black_box(broad.pairs(black_box(&items.centres), &items.radii).len());
            seconds += begin.elapsed().as_secs_f64();
        }
        best = best.min(seconds * 1e9 / (questions * size) as f64);
    }
    best
}

fn table(title: &str, cost: impl Fn(usize, f64) -> f64) {
    println!("{title}: nanoseconds an item (ratio to 1000 items) for {SIZES:?}");
    for speed in [0.0, 1e-3, 1e-2, 0.1, 10.0] {
        let costs = SIZES.map(|size| cost(size, speed));
        let ratios = costs.map(|cost| format!("{cost:>8.1} ({:.2}x)", cost / costs[1]));
        println!("  {speed:>6} sizes a question {}", ratios.join(" "));
    }
}

fn main() {
    table("plane, equal", |size, speed| cost::<2>(size, speed, 1.0));
    table("space, equal", |size, speed| cost::<3>(size, speed, 1.0));
    table("space, radii from 1 to 100", |size, speed| cost::<3>(size, speed, 0.01));
}
