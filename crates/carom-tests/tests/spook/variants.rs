//! The sweeps and polygons of the options, as they act in a run.

use carom_io::scene::Scene;
use carom_tests::runs::scene;

use crate::run;

/// A point that slides over a floor with tangents that are coupled: M⁻¹ = [[2, 1], [1, 2]] along it.
fn coupled(edits: &[&str]) -> Scene {
    let text = "[lagrangian]\ncoordinates = ['x', 'y', 'z']\nmass = [['2/3', '-1/3', 0], ['-1/3', '2/3', 0], [0, 0, 1]]\npotential = '9.81*z'\n\
                inequalities = [{ name = 'floor', expression = 'z', restitution = 0, friction = 0.2, slide = ['x', 'y'], unit = 'length' }]\n\
                [initial]\nq = [0, 0, 0]\nv = [1, 0, 0]\n[method]\nname = 'spook'\n[run]\nstep = 1e-3\nsteps = 1\n";
    scene("coupled", text, edits)
}

/// Angle in degrees between the friction of the step and the direction against the velocity after it.
fn off(scene: &Scene) -> f64 {
    let (mut friction, mut v) = ([0.0; 2], [0.0; 2]);
    let (outcome, _, _) = run(scene, &mut |frame| {
        friction = frame.contact_impulse.first().map_or([0.0; 2], |impulse| impulse.friction);
        v.copy_from_slice(&frame.v[..2]);
    });
    assert_eq!(outcome.ended, None);
    let size = friction[0].hypot(friction[1]);
    // μ m g h: the bound is used fully, or to the edge of a polygon.
    assert!((0.7..=1.0 + 1e-6).contains(&(size / (0.2 * 9.81e-3))), "{size:e}");
    let turned = (friction[1].atan2(friction[0]) - (-v[1]).atan2(-v[0])).to_degrees();
    (turned - 360.0 * (turned / 360.0).round()).abs()
}

#[test]
fn the_paper_s_sweeps_drive_a_run_to_the_wrong_friction_and_the_exact_ones_to_the_right_one() {
    // Scaling what would stick makes friction point against A⁻¹c, not against the slip: atan(1/2) off where friction is small beside the speed.
    let wrong = 0.5_f64.atan().to_degrees();
    for (variant, expected) in [
        ("separate", wrong),
        ("block-projection", wrong),
        ("block-tangents", wrong),
        ("exact-tangents", 0.0),
        ("exact-cone", 0.0),
    ] {
        let edit = format!("method.solver={{ pgs = {{ sweeps = 50, variant = '{variant}' }} }}");
        let found = off(&coupled(&[&edit]));
        println!("pgs, {variant}: {found:.4} degrees off, expected {expected:.4}");
        // The velocity turns by about μ g h within the step, a tenth of a degree; exact friction is against the velocity after it.
        let tolerance = if expected == 0.0 { 1e-3 } else { 0.15 };
        assert!((found - expected).abs() < tolerance, "{variant}: {found}");
        let edit = format!("method.solver={{ split = {{ sweeps = 50, couplings = 3, variant = '{variant}' }} }}");
        assert!((off(&coupled(&[&edit])) - expected).abs() < tolerance, "split, {variant}");
    }
    assert!(off(&coupled(&["method.solver=direct"])) < 1e-3);
}

#[test]
fn the_number_of_sweeps_in_the_table_counts() {
    let found = |edits: &[&str]| run(&coupled(edits), &mut |_| {}).1.iterations_max;
    assert_eq!(found(&["method.solver={ pgs = { sweeps = 7 } }"]), 7);
    assert_eq!(found(&["method.solver={ pgs = {} }"]), 100);
    assert_eq!(found(&["method.solver=pgs", "method.sweeps=9"]), 9);
    assert_eq!(found(&["method.solver={ split = { couplings = 4 } }"]), 4);
}

#[test]
fn a_polygon_brakes_along_its_nearest_corner() {
    let text = "[[particle]]\nmass = 1.0\nposition = [0.0, 0.0, 0.0]\nvelocity = [3.0, 1.0, 0.0]\n[[field]]\ngravity = [0.0, 0.0, -9.81]\n\
                [[wall]]\nnormal = [0.0, 0.0, 1.0]\nfriction = 0.2\nrestitution = 0.0\n[method]\nname = 'spook'\n[run]\nstep = 1e-3\nsteps = 1\n";
    // Against the motion is 198.43° from the first tangent, or 18.43° where that is turned; corners stand at multiples of 360°/n.
    let slope = 1_f64.atan2(3.0).to_degrees();
    for corners in [4, 8, 16, 64] {
        let edit = format!("method.friction_law={{ polygon = {{ corners = {corners} }} }}");
        let found = off(&scene("thrown", text, &[&edit]));
        let apart = 360.0 / f64::from(corners);
        let expected = (slope - apart * (slope / apart).round()).abs();
        println!("{corners} corners: {found:.3} degrees off, expected {expected:.3}");
        assert!((found - expected).abs() < 0.05, "{corners} corners: {found}, expected {expected}");
    }
    assert!(
        (off(&scene("thrown", text, &["method.friction_law=polygon"])) - slope).abs() < 0.05,
        "8 corners by name"
    );
}
