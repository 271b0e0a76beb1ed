//! The cost of a step per link of long chains, which a method with sparse factors keeps whatever the length is, and what a long chain takes before
//! its first step. `cargo bench -p carom-bench --bench chain`; `-- 10 1000` for these
//! lengths alone.
//!
//! Two chains: one that floats, links up to 0.5 rad from their neighbours, whose motion is the same everywhere along it; and one with a load of
//! 1000 kg, 60 steps a second, released straight at 30 degrees (hanging for `spook`, which breaks otherwise; `verlet` does at this step).

use std::time::Instant;

use carom::method::Method;
use carom::particles::{Link, Particles};
use carom::state::State;
use carom::steppers::{Stepper, pem, spook, verlet};
use carom_io::document::{Edit, Source};
use carom_io::scene::{BuiltIn, Scene};

const LINK: f64 = 0.1;
const LOAD: f64 = 1000.0;
/// Steps before the clock starts, and on it: the same of every length, so that all do the same part of the motion.
const WARM: usize = 5;
const STEPS: usize = 40;
/// Links times steps of a round, by more chains than one if they are short; and the rounds, of which the best counts.
const WORK: usize = 400_000;
const ROUNDS: usize = 5;
/// Links after which the floating chain repeats itself.
const PERIOD: usize = 10;

/// A chain, its state at the start, and the length of a step.
type Case = (Particles, State, f64);

fn heavy(links: usize, degrees: f64) -> Case {
    let masses = (0..links).map(|i| if i + 1 == links { LOAD } else { 1.0 }).collect();
    let mut system = Particles::new(2, masses).expect("right");
    system.add_rod(Link::anchored(0, [0.0; 3]), LINK).expect("right");
    for i in 1..links {
        system.add_rod(Link::between(i - 1, i), LINK).expect("right");
    }
    system.set_gravity(&[0.0, -9.81]).expect("right");
    let (sin, cos) = degrees.to_radians().sin_cos();
    let q: Vec<f64> = (1..=links).flat_map(|i| [LINK * i as f64 * sin, -LINK * i as f64 * cos]).collect();
    (system, State { t: 0.0, p: vec![0.0; q.len()], q }, 1.0 / 60.0)
}

fn floating(links: usize) -> Case {
    let mut system = Particles::new(2, vec![1.0; links + 1]).expect("right");
    let (mut at, mut q, mut p) = ([0.0; 2], vec![0.0; 2], vec![0.0; 2]);
    for i in 0..links {
        system.add_rod(Link::between(i, i + 1), LINK).expect("right");
        let wave = |k: usize| (7.3 * ((i % PERIOD) + k) as f64).sin();
        let (sin, cos) = (0.25 * wave(0)).sin_cos();
        at = [at[0] + LINK * cos, at[1] + LINK * sin];
        q.extend(at);
        p.extend([0.05 * wave(3), 0.05 * wave(5)]);
    }
    (system, State { t: 0.0, q, p }, 0.01)
}

/// Seconds that this thread had on a processor, where the system tells (Linux), otherwise of the clock: other work on the machine stretches long
/// measurements more than short ones.
fn now(begin: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| begin.elapsed().as_secs_f64(), |told| 1e-9 * told)
}

/// Nanoseconds per link and step, and solves per step: the best of the rounds.
fn cost<M: Method>(method: &M, links: usize, (system, start, h): Case) -> (f64, f64)
where
    M::Stepper: Stepper<Particles>,
{
    let mut best = (f64::INFINITY, 0.0);
    let copies = (WORK / (links * STEPS)).max(1);
    for _ in 0..ROUNDS {
        let mut runs: Vec<_> =
            (0..copies).map(|_| (method.stepper(&system, &start).expect("taken"), start.clone())).collect();
        let mut solves = 0;
        let mut run = |steps: usize| {
            for (stepper, state) in &mut runs {
                for _ in 0..steps {
                    solves += stepper.step(&system, state, h).expect("it runs").iterations;
                }
            }
        };
        run(WARM);
        let clock = Instant::now();
        let begin = now(clock);
        run(STEPS);
        let cost = (now(clock) - begin) * 1e9 / (copies * STEPS * links) as f64;
        if cost < best.0 {
            best = (cost, f64::from(solves) / (copies * (STEPS + WARM)) as f64);
        }
    }
    best
}

/// Seconds from the text of the built-in chain to its checked problem: as it is, and with positions in ten digits, which are put onto the rods.
fn seconds_to_check(links: usize, rounded: bool) -> f64 {
    let text = BuiltIn::named("heavy-chain").expect("built in").text;
    let exact = "length*(i + 1)*sin(angle)";
    let text = if rounded { text.replace(exact, &format!("(1 + 1e-10)*{exact}")) } else { text.to_string() };
    let edits = [format!("parameters.links={links}"), "parameters.angle=0.5".to_string()];
    let edits: Vec<Edit> = edits.iter().map(|edit| Edit::set(edit)).collect();
    let source = Source::new("heavy-chain", &text);
    let (mut best, scenes) = (f64::INFINITY, (10_000 / links).max(1));
    for _ in 0..ROUNDS {
        let clock = Instant::now();
        let begin = now(clock);
        for _ in 0..scenes {
            let scene = Scene::read("heavy-chain", &source, &edits).unwrap_or_else(|_| panic!("a scene"));
            assert_eq!(scene.problem.adjustments.len(), usize::from(rounded));
        }
        best = ((now(clock) - begin) / scenes as f64).min(best);
    }
    best
}

/// A name, and cost and solves of a step by the number of links.
type Row<'a> = (&'a str, &'a dyn Fn(usize) -> (f64, f64));

fn main() {
    let asked: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    // 63 and 64 links: the last length with full factors under `verlet`, and the first with sparse ones.
    let lengths = if asked.is_empty() { vec![10, 30, 63, 64, 100, 1000, 10_000] } else { asked };
    println!(
        "{:<16} {:>8} {:>14} {:>12} {:>26}",
        "chain", "links", "ns/link/step", "solves/step", "of the cost of 100 links"
    );
    let (verlet, spook, pem) = (verlet::Config::default(), spook::Config::default(), pem::Config::default());
    let cases: [Row; 5] = [
        ("verlet floating", &|links| cost(&verlet, links, floating(links))),
        ("spook floating", &|links| cost(&spook, links, floating(links))),
        ("pem floating", &|links| cost(&pem, links, floating(links))),
        ("spook heavy", &|links| cost(&spook, links, heavy(links, 0.0))),
        ("pem heavy", &|links| cost(&pem, links, heavy(links, 30.0))),
    ];
    for (name, cost) in cases {
        let base = cost(100).0;
        for &links in &lengths {
            let (cost, solves) = cost(links);
            println!("{name:<16} {links:>8} {cost:>14.0} {solves:>12.2} {:>26.2}", cost / base);
        }
    }
    println!("\n{:<16} {:>8} {:>14} {:>26}", "check", "links", "ms", "per link, of 100 links");
    for (name, rounded) in [("exact start", false), ("ten digits", true)] {
        let base = seconds_to_check(100, rounded) / 100.0;
        for &links in &lengths {
            let seconds = seconds_to_check(links, rounded);
            println!("{name:<16} {links:>8} {:>14.2} {:>26.2}", 1e3 * seconds, seconds / links as f64 / base);
        }
    }
}
