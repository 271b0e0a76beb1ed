//! Order through one impact.

use super::{Walk, numbers, reference};

/// Largest error of the coordinates for the step counts.
fn errors(method: &str, counts: &[f64], exact: &[f64]) -> Vec<f64> {
    let one = |count: f64| {
        let h = format!("run.step=1.25/{count}").replace("run.step=1.25/", "run.step='1.25/") + "'";
        let mut walk = Walk::new("star-body-newton-gravity", method, &[&h, "run.until=1.25"]);
        walk.h = 1.25 / count;
        walk.to_step(count as u64);
        walk.state.q.iter().zip(exact).fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()))
    };
    counts.iter().map(|&count| one(count)).collect()
}

/// Slope of a fit in logarithms.
fn slope(counts: &[f64], errors: &[f64]) -> f64 {
    let points: Vec<(f64, f64)> = counts.iter().zip(errors).map(|(n, e)| (-n.ln(), e.ln())).collect();
    let size = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / size, points.iter().map(|p| p.1).sum::<f64>() / size);
    let (top, bottom) =
        points.iter().fold((0.0, 0.0), |(a, b), p| (a + (p.0 - mx) * (p.1 - my), b + (p.0 - mx).powi(2)));
    top / bottom
}

#[test]
fn order_two_through_an_impact() {
    let reference = &reference()["order"];
    let exact = &numbers(&reference["ref_state"])[..3];
    for (method, key, width) in [("vci", "vci", 0.15), ("cva", "php", 0.1)] {
        let sweep = &reference["sweep"][key];
        let (counts, expected) = (numbers(&sweep["N"]), numbers(&sweep["err"]));
        let found = errors(method, &counts, exact);
        let order = slope(&counts, &found);
        println!("{method}: order {order:.3} over {} step sizes, reference {}", counts.len(), sweep["slope"]);
        assert!(counts.len() >= 15 && (order - 2.0).abs() < width, "{method}: {order}");
        for ((n, found), expected) in counts.iter().zip(&found).zip(&expected) {
            let scaled = found * (n / 1.25).powi(2);
            assert!(
                (found / expected - 1.0).abs() < 1e-3 || (found - expected).abs() < 1e-9,
                "{n}: {found:e}, {expected:e}"
            );
            assert!((0.3..=3.0).contains(&scaled), "{n}: {scaled}");
        }
    }
}

#[test]
fn rules_off_the_middle_have_order_one() {
    let reference = &reference()["order"];
    let exact = &numbers(&reference["ref_state"])[..3];
    for (gamma, width) in [("0.0", 0.2), ("1.0", 0.2), ("0.5", 0.3)] {
        let table = &reference["gamma_family"][gamma];
        let (counts, expected) = (numbers(&table["N"]), numbers(&table["err_q"]));
        let found = errors(&format!("vci rule='gamma', gamma={gamma}"), &counts, exact);
        let order = slope(&counts, &found);
        println!("gamma = {gamma}: order {order:.3}, reference {}", table["order"]);
        let claimed = if gamma == "0.5" { 2.0 } else { 1.0 };
        assert!((order - claimed).abs() < width, "{gamma}: {order}");
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found / expected - 1.0).abs() < 1e-3, "{gamma}: {found:e}, {expected:e}");
        }
    }
}
