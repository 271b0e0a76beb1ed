//! What the elements of a scene become: values of the system against formulas.

use carom::system::{ContactId, System};

use super::super::names::Names;
use super::super::settings::read_parameters;
use crate::document::{Diagnostics, Source, TableReader, parse};

/// The particles of a text without method and run.
fn read(text: &str) -> (Box<dyn System>, Vec<f64>) {
    let source = Source::new("scene.toml", text);
    let table = parse(&source).expect("TOML");
    let diagnostics = Diagnostics::new(&source, &[]);
    let root = TableReader::root(&table, &diagnostics);
    let mut names = Names::default();
    if let Some(section) = root.table("parameters") {
        read_parameters(&section, &mut names);
    }
    let scene = super::read(&root, &mut names, &carom::team::Team::alone());
    let found: Vec<String> = diagnostics.into_vec().iter().map(|problem| problem.render(&source)).collect();
    assert_eq!(found, [""; 0]);
    let scene = scene.expect("no problems");
    (scene.system, scene.initial.q)
}

/// Three spheres at (0, 0), (3, 0), (6, 0) and one of radius 0.5 at (0, 4).
const FOUR: &str = r#"
[parameters]
k = 2.0
[[particle]]
name = "bead"
mass = "i + 1"
radius = 1
position = ["3*i", 0]
repeat = { index = "i", count = 3 }
[[particle]]
name = "sun"
mass = 10
radius = 0.5
position = [0, 4]
"#;

fn four(elements: &str) -> (Box<dyn System>, Vec<f64>) {
    read(&format!("{FOUR}{elements}"))
}

fn potential(elements: &str) -> f64 {
    let (system, q) = four(elements);
    system.potential(0.5, &q)
}

fn gaps(elements: &str) -> Vec<(String, f64)> {
    let (system, q) = four(elements);
    let mut values = vec![0.0; system.contacts().count()];
    system.contacts().gaps(0.5, &q, &mut values);
    values.into_iter().enumerate().map(|(i, value)| (system.contacts().name(ContactId::of(i)), value)).collect()
}

fn named(gaps: &[(&str, f64)]) -> Vec<(String, f64)> {
    gaps.iter().map(|(name, value)| (name.to_string(), *value)).collect()
}

#[test]
fn springs_pull_by_their_stretch() {
    assert_eq!(potential("[[spring]]\nbetween = ['bead[0]', 'sun']\nstiffness = 'k'\nrest = 1"), 9.0);
    assert_eq!(potential("[[spring]]\nbetween = [[0, 1], 'sun']\nstiffness = 3\nrest = 1"), 6.0);
    assert_eq!(potential("[[spring]]\nbetween = [0, 3]\nstiffness = 'k'"), 0.0);
    // A default rest length is that of the start: the spring resists a change.
    let (system, mut q) = four("[[spring]]\nbetween = ['sun', 0]\nstiffness = 'k'");
    q[7] += 0.5;
    assert_eq!(system.potential(0.0, &q), 0.25);
}

#[test]
fn repeated_elements_see_their_index() {
    let springs = "[[spring]]\nbetween = ['bead[i]', 'bead[i + 1]']\nstiffness = '2*(i + 1)'\nrest = 'i'\n\
                   repeat = { index = 'i', count = 2 }";
    assert_eq!(potential(springs), 9.0 + 8.0);
}

#[test]
fn fields_act_on_their_group() {
    assert_eq!(potential("[[field]]\ngravity = [0, -9]"), 9.0 * 40.0);
    assert_eq!(potential("[[field]]\ngravity = [-1, 0]\non = ['bead']"), 2.0 * 3.0 + 3.0 * 6.0);
    assert_eq!(potential("[[field]]\ngravity = [-1, 0]\non = ['bead[1]', 'sun']"), 6.0);
    assert_eq!(potential("[[field]]\npotential = 'k*m*x + t*y'\non = ['bead[2]', 'sun']"), 36.0 + 2.0);
    let both = "[[field]]\ngravity = [-1, 0]\non = ['bead[1]']\n[[field]]\ngravity = [-1, -1]";
    assert_eq!(potential(both), 6.0 + 6.0 + 18.0 + 40.0);
}

#[test]
fn pairs_are_selected() {
    assert_eq!(potential("[[pair]]\npotential = 'k*r'\non = ['bead']"), 2.0 * (3.0 + 3.0 + 6.0));
    let excluded = "[[pair]]\npotential = 'r'\non = ['bead']\nexclude = [['bead[2]', 1]]";
    assert_eq!(potential(excluded), 9.0);
    let bonded = "[[rod]]\nbetween = [0, 1]\n[[spring]]\nbetween = [1, 2]\nstiffness = 1\n\
                  [[rod]]\nbetween = [0, [1, 1]]\n[[pair]]\npotential = 'r'\non = ['bead']\nexclude = 'bonded'";
    assert_eq!(potential(bonded), 6.0);
    let newton = potential("[[pair]]\ngravitation = 'k'\n[[pair]]\ngravitation = 1");
    let expected = -3.0 * (2.0 / 3.0 + 6.0 / 3.0 + 3.0 / 6.0 + 10.0 / 4.0 + 20.0 / 5.0 + 30.0 / 52_f64.sqrt());
    assert!((newton - expected).abs() < 1e-14 * expected.abs(), "{newton} {expected}");
    let lennard_jones = "[[pair]]\nlennard_jones = { epsilon = 2, sigma = 3 }\non = ['bead']";
    let far = 8.0 * (0.5_f64.powi(12) - 0.5_f64.powi(6));
    assert!((potential(lennard_jones) - far).abs() < 1e-15);
    // The pair at a distance of 6 is beyond the cut-off; inside of `switch_from` nothing changes.
    assert_eq!(potential(&format!("{lennard_jones}\ncutoff = 5")), 0.0);
    let switched = |from: f64| potential(&format!("{lennard_jones}\ncutoff = 7\nswitch_from = {from}\nskin = 1"));
    assert_eq!(switched(6.5), potential(lennard_jones));
    assert!(switched(5.0) > far && switched(5.0) < 0.0);
}

#[test]
fn gaps_stand_in_the_order_of_contacts_walls_and_balls() {
    let elements = "[[ball]]\ncentre = [0, 0]\nradius = 10\nside = 'inside'\non = ['sun']\n\
                    [[wall]]\nnormal = [0, 2]\noffset = -6\non = ['bead[i]']\nrepeat = { index = 'i', count = 2 }\n\
                    [[ball]]\ncentre = [0, -2]\nradius = 0.5\nside = 'outside'\non = [0]\n\
                    [[contact]]\nexclude = [[0, 2], [1, 3], [2, 3]]";
    let expected = [
        ("spheres bead[0]-bead[1]", 1.0),
        ("spheres bead[0]-sun", 2.5),
        ("spheres bead[1]-bead[2]", 1.0),
        ("sphere bead[0] at wall 0", 2.0),
        ("sphere bead[1] at wall 1", 2.0),
        ("sphere sun inside ball 0", 5.5),
        ("sphere bead[0] outside ball 1", 0.5),
    ];
    assert_eq!(gaps(elements), named(&expected));
}

#[test]
fn several_indices_run_with_the_last_one_fastest() {
    let text = "[[particle]]\nname = 'node'\nmass = 1\nposition = ['j', 'i']\n\
                repeat = [{ index = 'i', count = 2 }, { index = 'j', count = 'i + 2' }]\n\
                [[particle]]\nmass = 1\nposition = [7, 8]\n\
                [[rod]]\nbetween = ['node[4]', 'node[1] + 4']";
    let (system, q) = read(text);
    assert_eq!(q, [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 1.0, 7.0, 8.0]);
    assert_eq!((system.coordinate_name(9), system.coordinate_name(11)), ("node[4].y".into(), "y[5]".into()));
    assert_eq!(system.equalities().name(0), "rod node[4]-5");
}

#[test]
fn friction_is_that_of_the_element() {
    let elements = "[[contact]]\non = ['bead']\nfriction = 'k/4'\n[[wall]]\nnormal = [0, 1]\noffset = -9\non = ['sun']\n\
                    [[ball]]\ncentre = [0, 0]\nradius = 50\nside = 'inside'\nfriction = 2\non = [0]";
    let (system, _) = four(elements);
    let contacts = system.contacts();
    let found: Vec<(f64, usize)> =
        (0..5).map(ContactId::of).map(|id| (contacts.material(id).friction, contacts.directions(id))).collect();
    assert_eq!(found, [(0.5, 1), (0.5, 1), (0.5, 1), (0.0, 1), (2.0, 1)]);
}

#[test]
fn softness_is_that_of_the_rod() {
    let elements = "[[rod]]\nbetween = ['bead[i]', 'bead[i + 1]']\ncompliance = 'i/k'\nrepeat = { index = 'i', count = 2 }\n\
                    [[rod]]\nbetween = [[0, 9], 'sun']\ndamping = 'k/4'";
    let (system, _) = four(elements);
    let found = [0, 1, 2].map(|rod| system.equalities().softness(rod)).map(|soft| (soft.compliance, soft.damping));
    assert_eq!(found, [(Some(0.0), None), (Some(0.5), None), (None, Some(0.5))]);
}
