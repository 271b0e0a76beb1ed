//! A step with impacts and one back: undone where one contact is hit at a time, not where several are hit at once.

use carom::method::AnyMethod;
use carom_tests::runs::distance;

use super::Walk;

/// Steps with impacts, until so many were seen: how far a step back from each ends from where it started. The largest of steps whose impacts hit one contact
/// at a time, that of steps with an impact of several contacts, and the most impacts in a step that has them one at a time.
fn back(mut walk: Walk, impacts: usize) -> ([f64; 2], usize) {
    let (mut largest, mut most, mut seen) = ([0.0_f64; 2], 0, 0);
    while seen < impacts {
        let before = walk.state.clone();
        walk.step();
        let events = walk.events();
        if events.is_empty() {
            continue;
        }
        let at_once = (1..events.len()).any(|k| events[k].impact == events[k - 1].impact);
        most = if at_once { most } else { most.max(events.len()) };
        seen += events.len();
        let after = walk.state.clone();
        walk.try_step(-walk.h).expect("a step back");
        largest[usize::from(at_once)] = largest[usize::from(at_once)].max(distance(&walk.state, &before));
        walk.state = after;
    }
    (largest, most)
}

#[test]
fn a_step_back_undoes_impacts_of_one_contact() {
    let scenes =
        ["bouncing-particle", "star-body", "star-body-newton-gravity", "disk-billiard", "double-pendulum-wall"];
    for method in ["vci", "cva"] {
        let mut several = 0;
        for name in scenes {
            let ([single, at_once], most) = back(Walk::new(name, method, &[]), 60);
            println!("{method} on {name}: {single:.1e}, up to {most} impacts in a step");
            assert!(single < 1e-11 && at_once == 0.0, "{method} on {name}: {single:e} {at_once:e}");
            several = several.max(most);
        }
        assert!(several >= 2, "steps with impacts that follow each other are among them");
        // An impact that loses energy is not undone.
        let ([lossy, _], _) = back(Walk::new("bouncing-particle", method, &["parameters.e=0.9"]), 3);
        assert!(lossy > 0.1, "{method}: {lossy:e}");
    }
}

#[test]
fn a_step_back_does_not_undo_impacts_of_several_contacts_at_once() {
    for method in ["vci", "cva"] {
        let ([_, at_once], _) = back(Walk::new("billiard-triangle", method, &[]), 3);
        println!("{method} on billiard-triangle, three contacts at once: {at_once:.2}");
        // Of momenta up to 1: the balls that were at rest are not brought to rest again.
        assert!((0.4..0.6).contains(&at_once), "{method}: {at_once:e}");
        let mut walk = Walk::new("star-body", method, &[]);
        (walk.state.q, walk.state.p) = (vec![0.0, 1.0, 0.0], vec![0.0; 3]);
        let ([_, symmetric], _) = back(walk, 2);
        println!("{method} on a star that lands flat, two contacts at once: {symmetric:.1e}");
        // One reflection, of both contacts, that is its own inverse.
        assert!(symmetric < 1e-11, "{method}: {symmetric:e}");
        let named = AnyMethod::named(method).expect("a method");
        assert!(named.claims().reversible && named.exceptions().iter().any(|text| text.contains("at once")));
    }
}
