//! Impacts with Coulomb friction, at random: energy, the laws, continuity. What is compared is computed here, from the whole mass and all rows.

use carom::impact::{Cone, Law, RoughCone, RoughResolved, RoughResolver, Stuck};
use carom_lcp::Sparse;

/// A small deterministic generator (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    fn row(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.between(-1.0, 1.0)).collect()
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() * count as f64) as usize
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn times(matrix: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, x)).collect()
}

/// Solves a dense system by elimination with pivoting.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs())).expect("rows");
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b
}

/// Contacts between bodies with joints, before an impact.
struct Trial {
    mass: Vec<Vec<f64>>,
    joints: Vec<Vec<f64>>,
    /// Normal and directions of every contact.
    contacts: Vec<Vec<Vec<f64>>>,
    restitution: Vec<f64>,
    mu: Vec<f64>,
    p: Vec<f64>,
}

/// A matrix of so many columns without rows.
fn empty(columns: usize) -> Sparse {
    let mut rows = Sparse::default();
    rows.restart(columns);
    rows
}

/// Adds a row with all of its entries.
fn push(rows: &mut Sparse, row: &[f64]) {
    rows.push_row(row.iter().copied().enumerate());
}

/// What the resolver made of it.
struct Answer {
    resolved: RoughResolved,
    p: Vec<f64>,
    normal: Vec<f64>,
    tangent: Vec<f64>,
}

impl Trial {
    fn new(random: &mut Random, contacts: usize, tangents: usize) -> Self {
        let joints = if random.next() < 0.5 { 0 } else { 1 + random.below(2) };
        let n = (1 + tangents).max(3) + joints + random.below(9);
        let half: Vec<Vec<f64>> = (0..n).map(|_| random.row(n)).collect();
        let mut mass: Vec<Vec<f64>> = half.iter().map(|a| half.iter().map(|b| dot(a, b)).collect()).collect();
        (0..n).for_each(|i| mass[i][i] += 0.1);
        let joints: Vec<Vec<f64>> = (0..joints).map(|_| random.row(n)).collect();
        let rows = |random: &mut Random| (0..=tangents).map(|_| random.row(n)).collect();
        let contacts: Vec<Vec<Vec<f64>>> = (0..contacts).map(|_| rows(random)).collect();
        let own = |random: &mut Random, most: f64| contacts.iter().map(|_| random.between(0.0, most)).collect();
        let (restitution, mu) = (own(random, 1.0), own(random, 1.5));
        let mut trial = Self { mass, joints, contacts, restitution, mu, p: vec![0.0; n] };
        let p = random.row(n);
        // Joints hold before the impact.
        let v = trial.velocity(&p);
        trial.p = times(&trial.mass, &v);
        trial
    }

    /// The velocity with a momentum, joints holding: `M v − Jᵀλ = p, J v = 0`.
    fn velocity(&self, p: &[f64]) -> Vec<f64> {
        let (n, m) = (p.len(), self.joints.len());
        let mut a = vec![vec![0.0; n + m]; n + m];
        for i in 0..n {
            a[i][..n].copy_from_slice(&self.mass[i]);
        }
        for (k, joint) in self.joints.iter().enumerate() {
            for i in 0..n {
                (a[i][n + k], a[n + k][i]) = (-joint[i], joint[i]);
            }
        }
        let mut b = p.to_vec();
        b.resize(n + m, 0.0);
        solve(a, b)[..n].to_vec()
    }

    fn energy(&self, p: &[f64]) -> f64 {
        0.5 * dot(p, &self.velocity(p))
    }

    /// Speeds of all rows.
    fn speeds(&self, p: &[f64]) -> Vec<Vec<f64>> {
        let v = self.velocity(p);
        self.contacts.iter().map(|rows| times(rows, &v)).collect()
    }

    /// A row without what the joints take, and the same times the inverse of the mass.
    fn free(&self, row: &[f64]) -> [Vec<f64>; 2] {
        let v = self.velocity(row);
        [times(&self.mass, &v), v]
    }

    fn resolve(&self, law: Law) -> Result<Answer, Stuck> {
        let count = self.contacts.len();
        let [mut g, mut z, mut t, mut z_t] = [(); 4].map(|()| empty(self.p.len()));
        let mut starts = vec![0];
        for contact in &self.contacts {
            for (k, row) in contact.iter().enumerate() {
                let [own, divided] = self.free(row);
                push(if k == 0 { &mut g } else { &mut t }, &own);
                push(if k == 0 { &mut z } else { &mut z_t }, &divided);
            }
            starts.push(starts[starts.len() - 1] + contact.len() - 1);
        }
        let (offset, tolerance) = (vec![0.0; count], vec![1e-12; count]);
        let (restitution, mu) = (&self.restitution, &self.mu);
        let cone = Cone { g: &g, z: &z, approach: &z, offset: &offset, restitution, tolerance: &tolerance };
        let rough = RoughCone { cone, starts: &starts, t: &t, z_t: &z_t, mu };
        let (mut resolver, mut p) = (RoughResolver::new(law, 1.0), self.p.clone());
        let resolved = resolver.resolve(&rough, &mut p)?;
        Ok(Answer { resolved, p, normal: resolver.normal, tangent: resolver.tangent })
    }

    /// How far impulses and speeds are from the laws, relative to the impulses.
    fn miss(&self, answer: &Answer) -> f64 {
        let (before, after) = (self.speeds(&self.p), self.speeds(&answer.p));
        let (mut worst, mut start) = (0.0_f64, 0);
        let largest = answer.normal.iter().fold(0.0_f64, |most, l| most.max(*l));
        for (k, u) in after.iter().enumerate() {
            let tangents = u.len() - 1;
            let (l, l_t) = (answer.normal[k], &answer.tangent[start..start + tangents]);
            start += tangents;
            // Speeds in terms of impulses.
            let [own, divided] = self.free(&self.contacts[k][0]);
            let rho = dot(&own, &divided).recip();
            let restituted = u[0] + answer.resolved.share * self.restitution[k] * before[k][0].min(0.0);
            let (length, slip) = (dot(l_t, l_t).sqrt(), dot(&u[1..], &u[1..]).sqrt());
            let reach = self.mu[k] * l;
            worst = worst.max(l.min(rho * restituted).abs()).max(length - reach);
            // Friction at its bound or no slip; and the one against the other.
            worst = worst.max((reach - length).min(rho * slip));
            let along = dot(l_t, &u[1..]);
            let across = if tangents == 2 { (l_t[0] * u[2] - l_t[1] * u[1]).abs() } else { 0.0 };
            let turned = if along > 0.0 { length.min(rho * slip) } else { 0.0 };
            worst = worst.max(turned).max((rho * across / length).min(across / slip));
        }
        worst / largest
    }
}

#[test]
fn random_impacts_lose_energy_and_obey_both_laws() {
    let mut random = Random(17);
    let trials = 10_000;
    // By number of contacts: trials, those whose restitution was lowered, those that are one pass.
    let mut counts = [[0_u32; 3]; 5];
    let (mut worst, mut gain, mut lively, mut stuck) = (0.0_f64, 0.0_f64, [0_u32; 2], 0);
    for trial in 0..trials {
        let (contacts, tangents) = (1 + random.below(4), 1 + random.below(2));
        let made = Trial::new(&mut random, contacts, tangents);
        let speeds = made.speeds(&made.p);
        if speeds.iter().all(|u| u[0] >= 0.0) {
            continue;
        }
        let answer = match made.resolve(Law::Generalized) {
            Ok(answer) => answer,
            Err(found) => {
                println!("trial {trial}, {contacts} contacts, {} coordinates: {found:?}", made.p.len());
                stuck += 1;
                continue;
            }
        };
        let (before, after) = (made.energy(&made.p), made.energy(&answer.p));
        let booked = answer.resolved.resolved.work;
        // Round-off is that of what the impulses exchange.
        let size = before + answer.normal.iter().zip(&speeds).map(|(l, u)| (l * u[0]).abs()).sum::<f64>();
        gain = gain.max((after - before) / size);
        assert!((after - before - booked).abs() <= 1e-11 * size, "trial {trial}: {booked} of {}", after - before);
        assert!(made.speeds(&answer.p).iter().all(|u| u[0] >= -1e-11), "trial {trial}: approached");
        let [all, lowered, single] = &mut counts[contacts];
        *all += 1;
        *lowered += u32::from(answer.resolved.lowered > 0);
        if contacts == 1 && made.restitution[0] > 0.8 {
            lively[0] += 1;
            lively[1] += u32::from(answer.resolved.lowered > 0);
        }
        if answer.resolved.resolved.passes == 1 && speeds.iter().all(|u| u[0] < 0.0) {
            *single += 1;
            let miss = made.miss(&answer);
            assert!(miss <= 1e-10, "trial {trial}: off the laws by {miss:.1e}");
            worst = worst.max(miss);
        }
    }
    println!("energy gained at most {gain:.1e}, off the laws at most {worst:.1e}");
    println!(
        "contacts: impacts, lowered, of one pass: {counts:?}; lowered of one contact with e > 0.8: {lively:?}"
    );
    println!("{stuck} not solved");
    assert!(gain <= 1e-13, "energy gained: {gain:.1e}");
    // Four contacts that wedge a body of few coordinates may defeat the solver: an error with its residual, never applied.
    assert!(stuck <= 2, "{stuck} not solved");
    assert!(counts[1..].iter().all(|[all, _, single]| *all > trials as u32 / 10 && *single > 20), "{counts:?}");
    // Control: without the rule some of these would gain energy.
    assert!(counts.iter().map(|count| count[1]).sum::<u32>() > trials as u32 / 200, "{counts:?}");
    // What the manual says: 8 % of the impacts of one contact, a quarter of those with e > 0.8.
    let share = |part: u32, all: u32| f64::from(part) / f64::from(all);
    let shares = [share(counts[1][1], counts[1][0]), share(lively[1], lively[0])];
    println!("lowered: {shares:.3?}");
    assert!((shares[0] - 0.08).abs() < 0.01 && (shares[1] - 0.25).abs() < 0.03, "{shares:?}");
}

#[test]
fn impulses_are_continuous_where_stick_begins() {
    let mut random = Random(4);
    let (mut seen, mut several, mut worst) = (0, 0, 0.0_f64);
    for _ in 0..1000 {
        let tangents = 1 + random.below(2);
        let mut made = Trial::new(&mut random, 1, tangents);
        if made.speeds(&made.p)[0][0] >= -1e-3 || condition(&made) > 1e3 {
            continue;
        }
        let mut at = |mu: f64| {
            made.mu[0] = mu;
            let answer = made.resolve(Law::Generalized).expect("resolved");
            let u = &made.speeds(&answer.p)[0];
            let sticks = dot(&u[1..], &u[1..]).sqrt() < 1e-9;
            let mut impulses = answer.normal.clone();
            impulses.extend(&answer.tangent);
            (sticks, impulses)
        };
        let (mut low, mut high) = (0.0, 4.0);
        if !at(high).0 || at(low).0 {
            continue;
        }
        for _ in 0..60 {
            let half = 0.5 * (low + high);
            if at(half).0 { high = half } else { low = half }
        }
        let [below, above] = [at(high - 1e-10).1, at(high + 1e-10).1];
        if solutions(&made, high + 1e-10) > 1 {
            several += 1;
            continue;
        }
        let off: Vec<f64> = below.iter().zip(&above).map(|(a, b)| a - b).collect();
        let jump = dot(&off, &off).sqrt() / dot(&above, &above).sqrt();
        worst = worst.max(jump);
        seen += 1;
    }
    println!("{seen} transitions, largest jump {worst:.1e}; {several} beside which other solutions exist");
    assert!(seen > 50 && worst <= 1e-6, "{seen} transitions, jump {worst:.1e}");
    assert!(several < seen / 20, "{several} of {seen} have other solutions");
}

/// The Delassus matrix of the first contact.
fn delassus(made: &Trial) -> Vec<Vec<f64>> {
    let rows: Vec<[Vec<f64>; 2]> = made.contacts[0].iter().map(|row| made.free(row)).collect();
    rows.iter().map(|[own, _]| rows.iter().map(|[_, divided]| dot(own, divided)).collect()).collect()
}

/// How many solutions the two laws have at the first contact, stick among them, seen on a grid: while sliding,
/// `(W + diag(0, λ, λ)) l = −q` with `λ = |u_t|/|l_t|`, and `|l_t| = μ l_n` picks the λ. In the plane there is always one.
fn solutions(made: &Trial, mu: f64) -> usize {
    let w = delassus(made);
    let mut q = made.speeds(&made.p)[0].clone();
    q[0] *= 1.0 + made.restitution[0];
    let excess = |lambda: f64| {
        let mut w = w.clone();
        (1..w.len()).for_each(|k| w[k][k] += lambda);
        let l = solve(w, q.iter().map(|q| -q).collect());
        dot(&l[1..], &l[1..]).sqrt() - mu * l[0]
    };
    let sticks = usize::from(excess(0.0) <= 0.0);
    let grid: Vec<f64> = (0..4000).map(|k| excess(w[1][1] * 10_f64.powf(-9.0 + 0.004 * f64::from(k)))).collect();
    sticks + grid.windows(2).filter(|pair| (pair[0] <= 0.0) != (pair[1] <= 0.0)).count()
}

/// Largest over smallest eigenvalue of W of the first contact, by the powers of it and of its inverse.
fn condition(made: &Trial) -> f64 {
    let w = delassus(made);
    let largest = |times: &dyn Fn(&[f64]) -> Vec<f64>| {
        let mut x = vec![1.0, 0.7, 0.3][..w.len()].to_vec();
        let mut length = 1.0;
        for _ in 0..200 {
            x = times(&x);
            length = dot(&x, &x).sqrt();
            x.iter_mut().for_each(|x| *x /= length);
        }
        length
    };
    largest(&|x| times(&w, x)) * largest(&|x| solve(w.clone(), x.to_vec()))
}
