//! The bits of q and p of every method of the matrix on every built-in scene that it takes, over its first steps: changes of the code that are
//! not meant to change results do not. `CAROM_WRITE=1` writes the list anew.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use carom::observe::{Frame, Observer};
use carom_io::scene::BUILT_IN;
use carom_io::trial::Trial;
use carom_tests::runs::{built_in, method};
use carom_tests::variants::VARIANTS;

/// Steps of a run, where the scene has no fewer.
const MOST_STEPS: u64 = 300;

const HEAD: &str = "\
# What every method makes of every built-in scene, to the last bit: scene, method, steps, and a number of all q and p of them (FNV-1a).
# Compared by `cargo test -p carom-tests --test bits`; a run that is refused has no line, and one that fails has the steps that it made.
";

/// FNV-1a of the bits of numbers.
struct Bits {
    steps: u64,
    number: u64,
}

impl Observer for Bits {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.steps = frame.step;
        for value in frame.state.q.iter().chain(&frame.state.p) {
            for byte in value.to_le_bytes() {
                self.number = (self.number ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
        Ok(())
    }
}

fn list() -> String {
    let mut text = String::from(HEAD);
    for listed in BUILT_IN {
        let mut scene = built_in(listed.name, &[]);
        scene.run.steps = scene.run.steps.min(MOST_STEPS);
        for variant in VARIANTS {
            scene.method = method(variant);
            let mut bits = Bits { steps: 0, number: 0xcbf2_9ce4_8422_2325 };
            if Trial::run(&scene, &mut [&mut bits], &AtomicBool::new(false)).is_ok() {
                let _ = writeln!(text, "{}\t{variant}\t{}\t{:016x}", listed.name, bits.steps, bits.number);
            }
        }
    }
    text
}

#[test]
fn every_method_makes_the_same_bits_of_every_scene_as_before() {
    let found = list();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/bits.tsv");
    if std::env::var_os("CAROM_WRITE").is_some() {
        std::fs::write(path, &found).expect("writable");
    }
    let written = std::fs::read_to_string(path).expect("data/bits.tsv");
    let lines = |text: &str| -> std::collections::BTreeSet<String> { text.lines().map(str::to_string).collect() };
    let (written, found) = (lines(&written), lines(&found));
    let (gone, new): (Vec<_>, Vec<_>) =
        (written.difference(&found).collect(), found.difference(&written).collect());
    assert!(gone.is_empty() && new.is_empty(), "was: {gone:#?}\nis: {new:#?}");
    assert!(found.len() > 1000);
}
