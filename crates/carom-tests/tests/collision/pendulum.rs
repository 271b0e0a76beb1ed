//! The double pendulum at a wall: a mass that depends on the configuration; and the disk.

use super::{Tally, Walk, number, numbers, reference};

#[test]
fn impacts_states_and_energies_of_the_double_pendulum() {
    let reference = &reference()["double_pendulum"];
    let mut tally = Tally::default();
    for (method, h, key) in [
        ("vci", 0.01, "vci_h0.01"),
        ("cva", 0.01, "php_h0.01"),
        ("vci", 0.005, "vci_h0.005"),
        ("cva", 0.005, "php_h0.005"),
    ] {
        let expected = &reference[key];
        let mut walk = Walk::new("double-pendulum-wall", method, &[&format!("run.step={h}")]);
        let first = walk.energy();
        tally.check("H0", first, number(&expected["H0"]), 1e-12);
        let impacts = expected["first"].as_array().expect("a list");
        let (mut range, mut count) = ([0.0_f64; 2], 0);
        let steps = (40.0 / walk.h).round() as u64;
        while walk.steps < steps {
            let report = walk.step();
            if let Some(state) = expected["states_after_step"].get(walk.steps.to_string()) {
                let label = format!("{key}, step {}", walk.steps);
                tally.all(&label, &walk.state.q, &numbers(&state["q"]), 1e-9);
                tally.all(&label, &walk.state.p, &numbers(&state["p"]), 1e-9);
            }
            let change = walk.energy() - first;
            range = [range[0].min(change), range[1].max(change)];
            assert!(walk.state.q.iter().all(|q| q.is_finite()));
            if report.impacts > 0 {
                // Errors of the start grow by 6 until step 500 and by 110 until step 1000, at h = 0.01.
                if let Some(impact) = impacts.get(count).filter(|_| walk.state.t < 7.5) {
                    let label = format!("{key}, impact {count}");
                    assert_eq!(Some(walk.steps), impact["step"].as_u64(), "{label}");
                    let event = walk.events()[0];
                    tally.check(&label, event.alpha, number(&impact["alpha"]), 1e-7);
                    tally.check(&label, event.speed, number(&impact["un"]), 1e-8);
                    tally.check(&label, event.impulse, number(&impact["mu"]), 1e-8);
                }
                count += report.impacts as usize;
            }
        }
        assert_eq!(Some(count as u64), expected["impacts"].as_u64(), "{key}");
        // The motion is weakly chaotic: energies agree to what the growth of round-off leaves.
        tally.all(key, &range, &[number(&expected["dH_min"]), number(&expected["dH_max"])], 1e-6);
    }
    tally.settle("double pendulum");
}

#[test]
fn the_disk_keeps_its_angular_momentum() {
    for (method, range) in [("vci", [-9.7e-4, 1.21e-3]), ("cva", [-7.3e-5, 1.8e-5])] {
        let mut walk = Walk::new("disk-billiard", method, &[]);
        let spin = |walk: &Walk| walk.state.q[0] * walk.state.p[1] - walk.state.q[1] * walk.state.p[0];
        let (first, momentum) = (walk.energy(), spin(&walk));
        let (mut found, mut worst, mut count) = ([0.0_f64; 2], 0.0_f64, 0);
        for _ in 0..20_000 {
            count += walk.step().impacts;
            let change = walk.energy() - first;
            found = [found[0].min(change), found[1].max(change)];
            worst = worst.max((spin(&walk) - momentum).abs());
        }
        println!("{method}: dH {:.3e} … {:.3e}, angular momentum {worst:.1e}, {count} impacts", found[0], found[1]);
        assert!(worst < 1e-12 && (274..=276).contains(&count));
        for (found, expected) in found.iter().zip(range) {
            assert!((found / expected - 1.0).abs() < 0.02, "{found:e}, {expected:e}");
        }
    }
}
