//! What the plates of a scene become: values of the system against formulas.

use carom::system::{ContactId, Mass, System};

use super::super::elements::BodyScene;
use super::super::names::Names;
use super::super::settings::read_parameters;
use crate::document::{Diagnostics, Source, TableReader, parse};

const PLATES: &str = include_str!("../../../tests/bad_scenes/plates.toml");

fn read(text: &str) -> BodyScene {
    let source = Source::new("scene.toml", text);
    let table = parse(&source).expect("TOML");
    let diagnostics = Diagnostics::new(&source, &[]);
    let root = TableReader::root(&table, &diagnostics);
    let mut names = Names::default();
    if let Some(section) = root.table("parameters") {
        read_parameters(&section, &mut names);
    }
    let scene = super::read(&root, &mut names);
    let found: Vec<String> = diagnostics.into_vec().iter().map(|problem| problem.render(&source)).collect();
    assert_eq!(found, [""; 0]);
    scene.expect("no problems")
}

fn masses(system: &dyn System) -> Vec<f64> {
    match system.mass() {
        Mass::Diagonal(diagonal) => diagonal.to_vec(),
        _ => panic!("plates have a diagonal mass"),
    }
}

#[test]
fn plates_stand_in_the_order_of_declaration() {
    let scene = read(PLATES);
    assert_eq!(scene.initial.q, [0.0, 2.0, 0.0, 2.0, 2.0, 0.1, 4.0, 2.0, 0.2, 1.0, 6.0, 0.0]);
    assert_eq!(scene.initial.v, [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 5.0]);
    let names: Vec<String> = [2, 5, 9].map(|i| scene.system.coordinate_name(i)).to_vec();
    assert_eq!(names, ["tile[0].angle", "tile[1].angle", "pin.x"]);
    // A rectangle: (a² + b²)/12.
    let moment = (1.0 + 0.4 * 0.4) / 12.0;
    let expected = [1.0, 1.0, moment, 1.5, 1.5, 1.5 * moment, 2.0, 2.0, 2.0 * moment, 2.0, 2.0, 0.5];
    let found = masses(&*scene.system);
    assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-15), "{found:?}");
    assert_eq!((&scene.points.members[3], &scene.points.spins), (&vec![9, 10], &vec![2, 5, 8, 11]));
}

#[test]
fn fields_and_walls_act_on_their_groups() {
    let BodyScene { system, initial, .. } = read(PLATES);
    let weight = 9.81 * (2.0 * (1.0 + 1.5 + 2.0) + 2.0 * 6.0);
    let field = 0.5 * (1.5 * 4.0 * 2.0 + 2.0 * 1.0 * 6.0);
    assert!((system.potential(0.0, &initial.q) - (weight + field)).abs() < 1e-12);
    assert_eq!(system.contacts().count(), 3 * 4 + 2 + 2);
    let mut gaps = vec![0.0; 16];
    system.contacts().gaps(0.0, &initial.q, &mut gaps);
    assert_eq!([gaps[0], gaps[2], gaps[13], gaps[15]], [2.2, 1.8, 6.0, 9.5]);
    let of = |id| {
        let material = system.contacts().material(id);
        (system.contacts().name(id), material.restitution, material.friction)
    };
    assert_eq!(of(ContactId(7)), ("corner 3 of tile[1] at wall 0".into(), 1.0, 0.3));
    assert_eq!(of(ContactId(14)), ("corner 0 of pin at wall 1".into(), 0.5, 0.0));
}
