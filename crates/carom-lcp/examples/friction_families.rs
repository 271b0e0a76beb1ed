//! The default friction solver on families of problems: solved share, residuals and times, each from nothing.
//!
//! `cargo run --release -p carom-lcp --example friction_families [-- FAMILY ...]` with the families `public`, `tower`, `random`, `rocks`
//! and `box`; all without a name. `public` reads the folder `friction-contact` of the folder that the variable `CAROM_DATA` names.
//! Times are the best of up to five solves, each by a new solver.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use carom_lcp::corpus::{Brick, Snapshot, rock_pile, tower, wall};
use carom_lcp::{Dense, Friction, FrictionDefault, Judged, Law, Limits, Solver, Sparse};
use serde_json::Value;

/// Solves that take less than this, in seconds, are repeated.
const SHORT: f64 = 0.2;

/// Seconds after which a solve gives up.
const SECONDS: u64 = 60;

/// What one family has come to.
#[derive(Default)]
struct Tally {
    solved: usize,
    worst: f64,
    milliseconds: Vec<f64>,
}

impl Tally {
    /// Solves a problem and prints a line where it is asked for or the problem is not solved.
    fn run<P: Judged>(&mut self, name: &str, problem: &P, quiet: bool)
    where
        FrictionDefault: Solver<P>,
    {
        let mut best = f64::INFINITY;
        let mut line = String::new();
        for _ in 0..5 {
            let (mut solver, mut z) = (FrictionDefault::default(), vec![0.0; problem.size()]);
            let began = Instant::now();
            let deadline = Some(Instant::now() + Duration::from_secs(SECONDS));
            let answer = solver.solve(problem, &mut z, &Limits { deadline, ..Limits::default() });
            let seconds = began.elapsed().as_secs_f64();
            let residual = problem.residual(&z);
            let (iterations, solved) = match &answer {
                Ok(solved) => (solved.iterations, true),
                Err(unsolved) => (unsolved.iterations, false),
            };
            if best.is_infinite() {
                self.solved += usize::from(solved);
                self.worst = self.worst.max(residual.relative);
                let says = if solved { "" } else { "  NOT SOLVED" };
                line = format!("{:8.1e}  {:<9} {iterations:>6} iterations{says}", residual.relative, solver.used());
            }
            best = best.min(1e3 * seconds);
            if seconds > SHORT {
                break;
            }
        }
        self.milliseconds.push(best);
        if !quiet || line.ends_with("SOLVED") {
            println!("  {name:<42} {:>5} rows {best:>10.3} ms  {line}", problem.size());
        }
    }

    fn print(mut self, family: &str) {
        let count = self.milliseconds.len();
        let total: f64 = self.milliseconds.iter().sum();
        self.milliseconds.sort_by(f64::total_cmp);
        let at = |part: f64| self.milliseconds.get((part * count as f64) as usize).copied().unwrap_or(0.0);
        println!(
            "{family}: {} of {count} solved, worst {:.1e}; {total:.1} ms in all, median {:.3} ms, longest {:.1} ms\n",
            self.solved,
            self.worst,
            at(0.5),
            self.milliseconds.last().copied().unwrap_or(0.0)
        );
    }
}

/// The problem of a file of public data, and its name.
fn read(path: &PathBuf) -> (String, Friction) {
    let text = std::fs::read_to_string(path).expect("a file");
    let value: Value = serde_json::from_str(&text).expect("a problem");
    let numbers = |value: &Value| -> Vec<f64> { serde_json::from_value(value.clone()).expect("numbers") };
    let (rows, columns, entries) =
        (numbers(&value["W"]["row"]), numbers(&value["W"]["col"]), numbers(&value["W"]["value"]));
    let q = numbers(&value["q"]);
    let triplets: Vec<_> = (0..rows.len()).map(|k| (rows[k] as usize, columns[k] as usize, entries[k])).collect();
    let w = Sparse::from_triplets(q.len(), q.len(), &triplets).expect("entries inside");
    let dimension = value["dimension"].as_u64().expect("a dimension") as usize;
    let name = value["name"].as_str().expect("a name").to_string();
    (name, Friction::new(dimension, w, q, numbers(&value["mu"])).expect("a problem"))
}

fn public() {
    let Some(root) = std::env::var_os("CAROM_DATA") else {
        println!("public: CAROM_DATA is not set\n");
        return;
    };
    let folder = PathBuf::from(root).join("friction-contact");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut tally = Tally::default();
    for file in &files {
        let (name, problem) = read(file);
        tally.run(&name, &problem, false);
    }
    tally.print("public");
}

fn towers() {
    let mut tally = Tally::default();
    let problem = tower(38);
    tally.run("tower of 38 layers, by its matrix", &problem.reduced(), false);
    tally.run("tower of 38 layers, by its bodies", &problem, false);
    tally.print("tower");
}

/// Marsaglia's xorshift, evenly between 0 and 1.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Positive definite W = B Bᵀ + 0.01, q of the same size, μ up to 4, one to ten contacts, two and three dimensions in turn.
fn random() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut tally = Tally::default();
    for trial in 0..1000 {
        let (d, contacts) = (2 + trial % 2, 1 + (random.unit() * 10.0) as usize);
        let n = d * contacts;
        let mut b = Dense::zeros(n, n);
        (0..n).for_each(|row| b.row_mut(row).iter_mut().for_each(|value| *value = 2.0 * random.unit() - 1.0));
        let mut w = Dense::zeros(n, n);
        for i in 0..n {
            for j in 0..n {
                let sum: f64 = (0..n).map(|k| b[(i, k)] * b[(j, k)]).sum();
                w[(i, j)] = sum + if i == j { 0.01 } else { 0.0 };
            }
        }
        let q = (0..n).map(|_| 2.0 * random.unit() - 1.0).collect();
        let mu = (0..contacts).map(|_| 4.0 * random.unit()).collect();
        let problem = Friction::new(d, Sparse::from_dense(&w), q, mu).expect("a problem");
        tally.run(&format!("random {trial}, {contacts} contacts"), &problem, true);
    }
    tally.print("random");
}

fn rocks() {
    for push in [1.0, 5.0, 20.0] {
        let mut tally = Tally::default();
        for number in 1..=5 {
            let problem = rock_pile([5, 5, 3], push, number);
            let name = format!("pile {number} of 75 rocks, {} contacts", problem.contacts());
            tally.run(&name, &problem.reduced(), false);
        }
        tally.print(&format!("rocks pushed with up to {push} m/s²"));
    }
}

fn boxes() {
    let mut tally = Tally::default();
    for (rows, columns) in [(5, 4), (10, 10)] {
        for brick in [Brick::Cube, Brick::Long] {
            for snapshot in [Snapshot::Rest, Snapshot::Impact, Snapshot::Collapse] {
                let problem = wall(rows, columns, brick, snapshot).with_law(Law::Box);
                tally.run(&format!("wall {rows} x {columns} {brick:?} {snapshot:?}, box"), &problem, false);
            }
        }
    }
    tally.print("box");
}

fn main() {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = ["public", "tower", "random", "rocks", "box"].map(String::from).to_vec();
    }
    for name in &names {
        match name.as_str() {
            "public" => public(),
            "tower" => towers(),
            "random" => random(),
            "rocks" => rocks(),
            "box" => boxes(),
            other => println!("there is no family `{other}`"),
        }
    }
}
