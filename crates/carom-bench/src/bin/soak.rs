//! 10⁸ steps of four tiny scenes, energy and memory watched: `cargo run --release -p carom-bench --bin soak`, or with another number of
//! steps, like `-- 1e6`. Exit code 1 if the energy leaves its band, the memory grows or a run ends early, 2 if the number is wrong.

use std::process::ExitCode;

use carom::observe::{Frame, Observer};
use carom_bench::soak::{BAND, CASES, Case, Decade, FIRST, GROWTH, ROUND_OFF, Soaked, soak};

/// Steps where no number is given.
const STEPS: f64 = 1e8;

/// Sees nothing.
struct Blind;

impl Observer for Blind {
    fn observe(&mut self, _: &Frame) -> Result<(), String> {
        Ok(())
    }
}

fn main() -> ExitCode {
    let given = std::env::args().nth(1);
    let steps = match given.as_deref().map_or(Ok(STEPS), str::parse::<f64>) {
        Ok(steps) if steps.fract() == 0.0 && (FIRST as f64..=1e15).contains(&steps) => steps as u64,
        _ => {
            eprintln!("error: the number of steps is a whole number from {FIRST} to 1e15, like 1e8");
            return ExitCode::from(2);
        }
    };
    println!(
        "{steps} steps; energy: at most {BAND} times the band of the first {FIRST} steps, and {ROUND_OFF:.1e} a step;"
    );
    println!("memory: at most {GROWTH} KiB more than after these\n");
    let mut broken = false;
    for case in &CASES {
        match soak(case, steps, &mut Blind) {
            Ok(soaked) => broken |= !shown(case, &soaked),
            Err(found) => {
                found.iter().for_each(|problem| eprintln!("error: {}: {}", case.scene, problem.message));
                broken = true;
            }
        }
    }
    if broken { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Prints a table; whether all is well.
fn shown(case: &Case, soaked: &Soaked) -> bool {
    println!("{} {}: {:.1} s", case.scene, case.method, soaked.seconds);
    println!("  {:>12}  {:>14}  {:>10}", "to step", "|E − E0|/|E0|", "KiB");
    for Decade { steps, error, memory } in &soaked.decades {
        let memory = memory.map_or_else(|| "unknown".to_string(), |memory| memory.to_string());
        println!("  {steps:>12}  {error:>14.3e}  {memory:>10}");
    }
    let faults = soaked.faults();
    faults.iter().for_each(|fault| println!("  FAULT: {fault}"));
    println!("  {}\n", if faults.is_empty() { "energy in its band, memory flat" } else { "broken" });
    faults.is_empty()
}
