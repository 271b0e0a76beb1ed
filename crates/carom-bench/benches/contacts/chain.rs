//! The chain of `scenes/kaufman-pai/lennard-jones-chain.toml`: its loop by hand and its particles.

use carom::impact::Nnls;
use carom::particles::{Ball, LennardJones, Link, Particles, Selection, Side, Surface};
use carom::state::State;
use carom_bench::beads::{BEADS, Points, RODS, Rattle, SIGMA, apart, dot};

pub const H: f64 = 0.01;
const RADIUS: f64 = 0.3;
const ENCLOSURE: f64 = 5.0;
const SPHERES: usize = BEADS * (BEADS - 1) / 2;
const GAPS: usize = SPHERES + BEADS;

/// The beads without a scene.
pub fn particles() -> Particles {
    let mut system = Particles::new(3, vec![1.0; BEADS]).expect("right");
    system.set_radii(vec![RADIUS; BEADS]).expect("right");
    let law = LennardJones { epsilon: 1.0, sigma: SIGMA };
    system.add_lennard_jones(law, &Selection::default(), None).expect("right");
    for i in 0..RODS {
        system.add_rod(Link::between(i, i + 1), 1.0).expect("right");
    }
    system.add_sphere_gaps(&Selection::default(), Surface::default()).expect("right");
    let ball =
        Ball { centre: vec![0.0; 3], radius: ENCLOSURE, side: Side::Inside, restitution: 1.0, friction: 0.0 };
    system.add_ball(&ball, &Default::default()).expect("right");
    system
}

/// RATTLE, and reflections at what the step without rods would run into. A gap that is closed to round-off at the end of a step
/// would be a touched contact: they are looked for, but there are none in this run.
pub struct Hand {
    base: Rattle,
    gaps: [f64; GAPS],
    programme: Nnls,
}

fn gaps(q: &Points) -> [f64; GAPS] {
    let (mut out, mut row) = ([0.0; GAPS], 0);
    for i in 0..BEADS {
        for j in i + 1..BEADS {
            let d = apart(&q[i], &q[j]);
            out[row] = dot(&d, &d).sqrt() - 2.0 * RADIUS;
            row += 1;
        }
    }
    for i in 0..BEADS {
        out[row + i] = ENCLOSURE - RADIUS - dot(&q[i], &q[i]).sqrt();
    }
    out
}

fn gap_gradient(q: &Points, row: usize) -> Points {
    let mut out = [[0.0; 3]; BEADS];
    if row >= SPHERES {
        let i = row - SPHERES;
        let inverse = 1.0 / dot(&q[i], &q[i]).sqrt();
        out[i] = q[i].map(|x| -x * inverse);
        return out;
    }
    let (mut i, mut j) = (0, row + 1);
    while j >= BEADS {
        i += 1;
        j = j - BEADS + i + 1;
    }
    let d = apart(&q[i], &q[j]);
    let inverse = 1.0 / dot(&d, &d).sqrt();
    (out[i], out[j]) = (d.map(|d| -d * inverse), d.map(|d| d * inverse));
    out
}

fn product(a: &Points, b: &Points) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + dot(a, b))
}

impl Hand {
    pub fn new(start: &State) -> Self {
        let points = |x: &[f64]| std::array::from_fn(|i| std::array::from_fn(|k| x[3 * i + k]));
        let base = Rattle::new([points(&start.q), points(&start.p)], SIGMA * SIGMA);
        Self { gaps: gaps(&base.q), base, programme: Nnls::default() }
    }

    /// Generalized reflection at the active contacts; the quadratic programme of several is carom's own.
    #[cold]
    fn reflect(&mut self, predicted: &[f64; GAPS]) {
        let (mut rows, mut count) = ([[[0.0; 3]; BEADS]; GAPS], 0);
        for row in (0..GAPS).filter(|&row| predicted[row] <= 0.0) {
            rows[count] = gap_gradient(&self.base.q, row);
            self.base.free(&mut rows[count]);
            count += 1;
        }
        loop {
            let (mut chosen, mut size) = ([0; GAPS], 0);
            for (k, row) in rows[..count].iter().enumerate() {
                if product(row, &self.base.p) < -1e-10 {
                    chosen[size] = k;
                    size += 1;
                }
            }
            if size == 0 {
                return;
            }
            self.programme.resize(size);
            for (a, &i) in chosen[..size].iter().enumerate() {
                for (b, &j) in chosen[..size].iter().enumerate() {
                    self.programme.w[a * size + b] = product(&rows[i], &rows[j]);
                }
                self.programme.c[a] = 2.0 * product(&rows[i], &self.base.p);
            }
            assert!(self.programme.solve());
            for (y, &k) in self.programme.y.iter().zip(&chosen[..size]) {
                for (p, g) in self.base.p.as_flattened_mut().iter_mut().zip(rows[k].as_flattened()) {
                    *p += y * g;
                }
            }
        }
    }
}

impl super::Hand for Hand {
    #[inline]
    fn step(&mut self) {
        let Rattle { q, p, gradient, .. } = &self.base;
        let step = |i: usize, k: usize| q[i][k] + H * (p[i][k] - 0.5 * H * gradient[i][k]);
        let predicted = gaps(&std::array::from_fn(|i| std::array::from_fn(|k| step(i, k))));
        if predicted.iter().any(|gap| *gap <= 0.0) {
            self.reflect(&predicted);
        }
        self.base.step(H);
        self.gaps = gaps(&self.base.q);
        assert!(self.gaps.iter().all(|gap| *gap != 0.0));
    }

    fn state(&self) -> (&[f64], &[f64]) {
        (self.base.q.as_flattened(), self.base.p.as_flattened())
    }
}
