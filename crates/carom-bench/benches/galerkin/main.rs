//! Steps of any order: `galerkin` beside the methods of second order, and beside hand-written loops of the same algorithm.
//! `cargo bench -p carom-bench --bench galerkin`; parts by name: `-- precision squeezer step growth`.
//!
//! Times are the best of several runs in one process. What is too slow to be run is extrapolated with the order of the method and marked.

mod growth;
mod hand;
mod ladder;
mod precision;
mod squeezer;
mod step;

use carom::method::AnyMethod;
use carom::steppers::galerkin::{Config, Continuity};
use carom_io::document::{Edit, Source};
use carom_io::scene::{BuiltIn, Scene};

/// A built-in scene.
fn scene(name: &str, edits: &[&str]) -> Scene {
    let text = BuiltIn::named(name).expect("built in").text;
    let edits: Vec<Edit> = edits.iter().copied().map(Edit::set).collect();
    match Scene::read(name, &Source::new(name, text), &edits) {
        Ok(scene) => scene,
        Err(problems) => panic!("{}", problems[0].message),
    }
}

/// `galerkin` with jumps of q and p.
fn jumping(degree: u32) -> AnyMethod {
    AnyMethod::Galerkin(Config { degree, ..Config::default() })
}

/// `galerkin` with a continuous q.
fn continuous(degree: u32) -> AnyMethod {
    AnyMethod::Galerkin(Config { degree, continuity: Continuity::Continuous, ..Config::default() })
}

/// What a table calls a method.
fn label(method: &AnyMethod) -> String {
    match method {
        AnyMethod::Galerkin(Config { degree, continuity: Continuity::Continuous, .. }) => {
            format!("galerkin {degree}, continuous")
        }
        AnyMethod::Galerkin(Config { degree, .. }) => format!("galerkin {degree}"),
        other => other.name().to_string(),
    }
}

fn main() {
    let parts: [(&str, fn()); 4] = [
        ("precision", precision::measure),
        ("squeezer", squeezer::measure),
        ("step", step::measure),
        ("growth", growth::measure),
    ];
    let chosen: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for (name, measure) in parts {
        if chosen.is_empty() || chosen.iter().any(|chosen| chosen == name) {
            measure();
        }
    }
}
