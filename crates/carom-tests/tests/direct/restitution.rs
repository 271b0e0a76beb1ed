//! What becomes of the speed of a point mass in impacts, against exact arithmetic.

use carom_tests::runs::{built_in, method};

use crate::{CARRIED, ENDPOINT, MIDPOINT, nodes};

/// `sqrt(H'/H)` of consecutive flights of the point mass: stretches of at least two nodes with the same energy.
fn restitution(text: &str, q0: &str, h: f64) -> Vec<f64> {
    let scene = built_in("point-mass", &[&format!("initial.q={{ q = {q0} }}")]);
    let (states, _) = nodes(&scene, &method(text), h, (10.0 / h).round() as usize);
    let energies: Vec<f64> = states.iter().map(|s| 0.5 * s.p[0] * s.p[0] + 9.8 * s.q[0]).collect();
    let stretches = energies.chunk_by(|a, b| (a - b).abs() <= 1e-9 * a.abs());
    let flights: Vec<f64> = stretches.filter(|stretch| stretch.len() > 1).map(|stretch| stretch[0]).collect();
    flights.windows(2).map(|pair| (pair[1] / pair[0]).sqrt()).collect()
}

#[test]
fn restitution_has_no_rule_and_comes_out_of_the_step() {
    // From exact rational arithmetic. An impact multiplies round-off by about 100, hence the last figure's tolerance.
    let cases: [(&str, f64, &[f64], f64); 9] = [
        (MIDPOINT, 0.1, &[3.0532953091533677, 2.3992418666787763], 1e-9),
        (ENDPOINT, 0.1, &[0.09035079029052513], 1e-9),
        (CARRIED, 0.1, &[0.7953949089757174, 0.6020395443018887, 2.548497208287252], 1e-9),
        (MIDPOINT, 0.05, &[0.8515352282189852, 2.4098937418610338, 1.376187512620336, 1.1433540489995973], 1e-7),
        (
            ENDPOINT,
            0.05,
            &[0.9260956004778825, 0.4926829268292683, 0.46534653465346537, 0.7446808510638298, 0.8],
            1e-8,
        ),
        (CARRIED, 0.05, &[2.920721185751553, 2.5170575971495808, 2.2097661396563715], 1e-8),
        (MIDPOINT, 0.01, &[0.4137928102274354, 1.1700595423048934, 2.1913552693875245, 2.1086942292448465], 5e-6),
        (ENDPOINT, 0.01, &[0.6460081505772546, 0.2573426573426574, 22.0 / 23.0, 41.0 / 176.0, 7.0 / 41.0], 2e-6),
        (CARRIED, 0.01, &[2.3022828067917676, 1.5019738175736463, 0.6963188252621706], 1e-6),
    ];
    for (text, h, expected, tolerance) in cases {
        let found = restitution(text, "1.0", h);
        assert!(found.len() >= expected.len(), "{text} with {h}: {found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= tolerance, "{text} with {h}: {found} for {expected}");
        }
    }
    // One per cent of the height is half of the restitution.
    for (q0, expected) in
        [("0.99", 0.04540298044026271), ("1.0", 0.09035079029052158), ("1.01", 0.13485359475590064)]
    {
        let found = restitution(ENDPOINT, q0, 0.1)[0];
        assert!((found - expected).abs() <= 1e-9, "from {q0}: {found}");
    }
}
