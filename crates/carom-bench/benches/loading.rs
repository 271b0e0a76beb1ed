//! Seconds to load scenes with very many elements of one kind, and nanoseconds per element.
//! `cargo bench -p carom-bench --bench loading [-- COUNT]`; 100 000 elements if no number is given.

#[path = "../../carom-io/tests/loading/scenes.rs"]
mod scenes;

use std::time::Instant;

use carom_io::document::Source;
use carom_io::scene::Scene;

fn main() {
    let count = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(100_000);
    println!("{:32} {:>8} {:>12}", format!("{count} elements"), "s", "ns/element");
    for (name, text) in scenes::scenes(count) {
        let begun = Instant::now();
        let scene = Scene::read(name, &Source::new(name, text), &[]);
        let seconds = begun.elapsed().as_secs_f64();
        assert!(scene.is_ok(), "{name}");
        println!("{name:32} {seconds:8.3} {:12.0}", 1e9 * seconds / count as f64);
    }
}
