//! Large scenes load in a time that grows with their elements, not with the square of their number.

#[path = "loading/scenes.rs"]
mod scenes;

use std::time::Instant;

use carom_io::document::Source;
use carom_io::scene::Scene;

/// Elements of the smaller scene; the larger one has four times as many.
const COUNT: usize = 2000;
/// Four is proportional, sixteen is quadratic.
const MOST: f64 = 8.0;
/// How often both are read before a time counts: others use the machine too.
const TRIALS: usize = 12;

fn seconds(name: &str, text: &str) -> f64 {
    let source = Source::new(name, text);
    let begun = Instant::now();
    let scene = Scene::read(name, &source, &[]);
    let seconds = begun.elapsed().as_secs_f64();
    if let Err(found) = scene {
        panic!("{name}: {}", found[0].render(&source));
    }
    seconds
}

#[test]
fn the_time_to_load_a_scene_is_proportional_to_its_elements() {
    let (small, large) = (scenes::scenes(COUNT), scenes::scenes(4 * COUNT));
    for ((name, small), (_, large)) in small.iter().zip(&large) {
        let (mut least, mut ratio) = ([f64::INFINITY; 2], f64::INFINITY);
        for _ in 0..TRIALS {
            least = [least[0].min(seconds(name, small)), least[1].min(seconds(name, large))];
            ratio = least[1] / least[0];
            if ratio < MOST {
                break;
            }
        }
        assert!(
            ratio < MOST,
            "{name}: {COUNT} elements load in {least:?} s with four times as many: a factor of {ratio:.1}"
        );
    }
}
