//! Inputs that nobody would write: none may panic, hang or break a law. `CAROM_FULL=1` tries twenty times as many.

use std::path::Path;

use carom_tests::fuzz::campaign::Campaign;
use carom_tests::fuzz::target::{self, Target};
use carom_tests::fuzz::{Mutator, corpus};

/// Tries many inputs, of which at least so many are done.
fn none_breaks_a_law(name: &str, target: Target, texts: Vec<String>, [count, done]: [usize; 2]) {
    let full = std::env::var("CAROM_FULL").is_ok_and(|full| full == "1");
    let seed = std::env::var("CAROM_SEED").map_or(1, |seed| seed.parse().expect("CAROM_SEED is a number"));
    let count = if full { 20 * count } else { count };
    let campaign = Campaign::run(target, corpus::kept(name), Mutator::new(seed, texts), count);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz").join(name);
    println!("{name}: {:?}; the slowest took {:.1?}, see {}", campaign.fates, campaign.slowest.0, folder.display());
    let broken = campaign.keep(&folder);
    assert!(campaign.broken.is_empty(), "{} of {count} broke a law:\n{broken}", campaign.broken.len());
    // Mutations that are all refused would try nothing.
    assert!(campaign.fates["done"] >= done, "{:?}", campaign.fates);
}

#[test]
fn scenes() {
    none_breaks_a_law("scene", target::scene, corpus::scenes(), [5000, 500]);
}

#[test]
fn sets() {
    none_breaks_a_law("set", target::set, corpus::sets(), [5000, 500]);
}

#[test]
fn problems() {
    none_breaks_a_law("problem", target::problem, corpus::problems(), [5000, 500]);
}

#[test]
fn expressions() {
    none_breaks_a_law("expression", target::expression, corpus::expressions(), [10_000, 1000]);
}

#[test]
fn snapshots() {
    none_breaks_a_law("snapshot", target::snapshot, corpus::snapshots(), [2000, 100]);
}

#[test]
fn tables() {
    none_breaks_a_law("table", target::table, corpus::tables(), [1000, 100]);
}
