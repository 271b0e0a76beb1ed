//! The soak command in short: what must pass passes, and what must not does not.

use std::sync::Mutex;

use carom::observe::{Frame, Observer};
use carom_bench::soak::{CASES, Case, Decade, FIRST, Soaked, resident, soak};

const STEPS: u64 = 200_000;

/// Memory is that of the process: one run at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Keeps so many bytes of every step.
struct Leak {
    bytes: usize,
    kept: Vec<u8>,
}

impl Observer for Leak {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.kept.extend(std::iter::repeat_n(frame.step as u8 | 1, self.bytes));
        Ok(())
    }
}

fn faults(case: &Case, bytes: usize) -> Vec<String> {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let soaked = soak(case, STEPS, &mut Leak { bytes, kept: Vec::new() }).expect("a scene");
    println!("{} {}: {:?}", case.scene, case.method, soaked.decades);
    assert_eq!(soaked.decades.first().map(|decade| decade.steps), Some(FIRST));
    soaked.faults()
}

#[test]
fn four_scenes_keep_their_energy_in_its_band_and_memory_flat() {
    for case in &CASES {
        assert_eq!(faults(case, 0), [""; 0], "{}", case.scene);
    }
}

#[test]
fn a_method_that_loses_energy_is_found() {
    let cases = [
        ("kepler", "{ name = 'newmark', gamma = 0.5001 }"),
        ("harmonic-oscillator", "{ name = 'newmark', gamma = 0.501 }"),
        ("bouncing-particle", "{ name = 'cva', restitution = 0.999 }"),
    ];
    for (scene, method) in cases {
        let found = faults(&Case { scene, method }, 0);
        assert!(found.iter().any(|fault| fault.starts_with("energy: ")), "{scene} {method}: {found:?}");
    }
}

#[test]
fn a_run_that_ends_early_or_nowhere_is_found() {
    let decade = |steps: u64, error: f64| Decade { steps, error, memory: None };
    let soaked = |decades: Vec<Decade>, ended: Option<String>| Soaked { decades, seconds: 1.0, ended };
    let fine = vec![decade(FIRST, 1e-3), decade(10 * FIRST, 1.9e-3)];
    assert_eq!(soaked(fine.clone(), None).faults(), [""; 0]);
    assert_eq!(soaked(fine, Some("step 7 failed".into())).faults().len(), 1);
    assert_eq!(soaked(Vec::new(), None).faults().len(), 1);
    for (first, later) in [(f64::NAN, 1e-3), (1e-3, f64::NAN), (1e-3, 2.1e-3)] {
        assert_eq!(soaked(vec![decade(FIRST, first), decade(10 * FIRST, later)], None).faults().len(), 1);
    }
    let refused = Case { scene: "bouncing-particle", method: "{ name = 'verlet' }" };
    assert!(soak(&refused, STEPS, &mut Leak { bytes: 0, kept: Vec::new() }).is_err(), "it cannot take contacts");
}

#[test]
fn memory_that_grows_is_found() {
    if resident().is_none() {
        println!("skipped: this system does not tell the memory of a process");
        return;
    }
    let found = faults(&CASES[0], 16);
    assert!(found.iter().any(|fault| fault.starts_with("memory: ")), "{found:?}");
}
