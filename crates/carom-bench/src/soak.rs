//! Soak runs: very many steps of tiny scenes. The error of the energy must stay in the band of the first decade of steps, and the
//! memory of the process flat.
//!
//! All four methods conserve a modified energy of their scene, so that the error of the energy is bounded for any number of steps, but for
//! round-off.

use std::sync::atomic::AtomicBool;

use carom::observe::{Frame, Observer};
use carom_io::document::{Diagnostic, Edit, Source};
use carom_io::scene::{BuiltIn, Scene};
use carom_io::trial::Trial;

/// Steps of the first decade: some twenty periods and more of each scene.
pub const FIRST: u64 = 10_000;
/// How much larger than in the first decade the error may be later.
pub const BAND: f64 = 2.0;
/// Relative round-off that is allowed beside, per step: 8/3 u in a flight of 90 steps, with u = 2⁻⁵³. Of the cases a ball that bounces for ever alone has
/// no other error, and rounds to one side:
///
/// - Each kick adds the same number c to the momentum p. Where |p| is in [B, 2B), B a power of 2, doubles are 2uB apart, and all of these kicks
///   round by the same e. A step changes the energy by p e: as much up as down, but for where the nodes lie in the flight, which goes round from
///   flight to flight.
/// - A kick from below B to above it starts between doubles that are 2uB apart. So it may round by uB more or less than e, in every flight to the
///   same side: uB² of energy. Over all B ≤ |p| these are at most 4/3 u p² = 8/3 u E.
/// - Places and impacts round to both sides: a walk of some u√n, far below u n/90.
pub const ROUND_OFF: f64 = 8.0 / 3.0 * UNIT / 90.0;
/// Unit round-off u.
const UNIT: f64 = f64::EPSILON / 2.0;
/// KiB by which the memory may grow after the first decade: a byte in every hundredth step of 10⁸ would pass it.
pub const GROWTH: u64 = 1024;

/// A built-in scene with a method for it.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The scene.
    pub scene: &'static str,
    /// The method, as `--set method=…` takes it.
    pub method: &'static str,
}

/// What is soaked: smooth motion, a singular potential, contacts without events, located impacts.
pub const CASES: [Case; 4] = [
    Case { scene: "harmonic-oscillator", method: "{ name = 'verlet' }" },
    Case { scene: "kepler", method: "{ name = 'verlet' }" },
    Case { scene: "pogo-stick", method: "{ name = 'gvi' }" },
    Case { scene: "bouncing-particle", method: "{ name = 'cva' }" },
];

/// A decade of steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decade {
    /// Its last step.
    pub steps: u64,
    /// The largest |E − E₀|/|E₀| in it.
    pub error: f64,
    /// Resident memory at its end in KiB, where the system tells.
    pub memory: Option<u64>,
}

/// What a soak run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Soaked {
    /// The decades; the first ends at [`FIRST`].
    pub decades: Vec<Decade>,
    /// Seconds that it took.
    pub seconds: f64,
    /// Why it ended early, if it did.
    pub ended: Option<String>,
}

impl Soaked {
    /// What is wrong, a sentence each; nothing if all is well.
    pub fn faults(&self) -> Vec<String> {
        let mut faults: Vec<String> =
            self.ended.iter().map(|reason| format!("the run ended early: {reason}")).collect();
        let Some((first, later)) = self.decades.split_first() else {
            faults.push(format!("there are fewer than {FIRST} steps: no band to compare with"));
            return faults;
        };
        for Decade { steps, error, memory } in later {
            let limit = BAND * first.error + ROUND_OFF * *steps as f64;
            // What is not a number is a fault too.
            if *error > limit || !error.is_finite() || !limit.is_finite() {
                faults.push(format!("energy: the error up to step {steps} is {error:.2e}, the limit {limit:.2e}"));
            }
            if let (Some(memory), Some(before)) = (memory, first.memory)
                && *memory > before + GROWTH
            {
                faults.push(format!("memory: {memory} KiB at step {steps}, {before} KiB at step {}", first.steps));
            }
        }
        faults
    }
}

/// Makes so many steps of a case; `also` sees every node too.
pub fn soak(case: &Case, steps: u64, also: &mut dyn Observer) -> Result<Soaked, Vec<Diagnostic>> {
    let text = BuiltIn::named(case.scene).map_or("", |scene| scene.text);
    let edits = [
        Edit::set(&format!("method={}", case.method)),
        Edit { displaces: Some(("run", "until")), ..Edit::set(&format!("run.steps={steps}")) },
    ];
    let scene = Scene::read(case.scene, &Source::new(case.scene, text), &edits)?;
    let mut envelope =
        Envelope { initial: 0.0, error: 0.0, end: FIRST, last: steps, decades: Vec::with_capacity(20) };
    let run = Trial::run(&scene, &mut [&mut envelope, also], &AtomicBool::new(false));
    let decades = envelope.decades;
    Ok(match run {
        Ok(trial) => {
            let ended = trial.outcome.ended.map(|ended| ended.to_string());
            Soaked { decades, seconds: trial.seconds, ended }
        }
        Err(refusal) => Soaked { decades, seconds: 0.0, ended: Some(refusal.to_string()) },
    })
}

/// The error of the energy, decade by decade.
struct Envelope {
    initial: f64,
    /// Largest so far in this decade.
    error: f64,
    /// Where this decade ends.
    end: u64,
    last: u64,
    decades: Vec<Decade>,
}

impl Observer for Envelope {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        if frame.step == 0 {
            self.initial = frame.energy();
        }
        let error = ((frame.energy() - self.initial) / self.initial).abs();
        // Once it is not a number it stays so.
        if error > self.error || error.is_nan() {
            self.error = error;
        }
        if frame.step == self.end || frame.step == self.last && frame.step > FIRST {
            self.decades.push(Decade { steps: frame.step, error: self.error, memory: resident() });
            self.error = 0.0;
            self.end *= 10;
        }
        Ok(())
    }
}

/// Resident memory of this process in KiB; nothing where there is no /proc.
pub fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}
