//! What projected Gauss–Seidel does sweep by sweep.

use carom_lcp::solvers::pgs::{Options, Part, Pgs, Variant};
use carom_lcp::{GlobalFriction, Judged};
use serde_json::Value;

use crate::check::{Compared, norm, number};

/// The relative residual after each sweep, relative updates and the sweeps with a change of state.
pub struct History {
    pub residuals: Vec<f64>,
    pub updates: Vec<f64>,
    pub impulses: Vec<Vec<f64>>,
    pub switching: Vec<usize>,
}

/// Sweeps cold and looks at every iterate.
pub fn history(problem: &GlobalFriction, variant: Variant, sweeps: usize) -> History {
    let mut pgs = Pgs::new(Options { variant, ..Options::default() });
    let mut z = vec![0.0; problem.size()];
    let mut last = z.clone();
    let mut history = History { residuals: vec![], updates: vec![], impulses: vec![], switching: vec![] };
    pgs.sweep(problem, Part::All, sweeps, &mut z, |sweep| {
        history.residuals.push(problem.residual(sweep.z).relative);
        history.updates.push(norm(sweep.z.iter().zip(&last).map(|(a, b)| a - b)) / norm(sweep.z.iter().copied()));
        history.impulses.push(sweep.z.to_vec());
        last.copy_from_slice(sweep.z);
        if sweep.switches > 0 {
            history.switching.push(sweep.number);
        }
    });
    history
}

/// Compares what the reference says of a history: residuals, updates, their extremes and the changes of state. The tolerances are for
/// sweeps up to 100, up to 300 and later.
pub fn compare_history(compared: &mut Compared, name: &str, history: &History, want: &Value, tolerances: [f64; 3]) {
    let tolerance = |sweep: usize| match sweep {
        0..=100 => tolerances[0],
        101..=300 => tolerances[1],
        _ => tolerances[2],
    };
    for (key, got) in [("relres", &history.residuals), ("rel_update", &history.updates)] {
        for (sweep, value) in want[key].as_object().expect("values by sweep") {
            let sweep: usize = sweep.parse().expect("a number of sweeps");
            let what = format!("{name} {key} {sweep}");
            compared.relative(&what, got[sweep - 1], value.as_f64().expect("a number"), tolerance(sweep));
        }
    }
    let residuals = &history.residuals;
    let ratios: Vec<f64> = residuals.windows(2).map(|pair| pair[1] / pair[0]).collect();
    let least = residuals.iter().copied().fold(f64::INFINITY, f64::min);
    let jump = ratios.iter().copied().fold(0.0, f64::max);
    let factor = (residuals[999] / residuals[799]).powf(1.0 / 200.0);
    compared.relative(&format!("{name} least"), least, number(want, "min"), tolerances[2]);
    compared.relative(&format!("{name} jump"), jump, number(want, "largest_jump_up_factor"), tolerances[0]);
    let rate = number(want, "asymptotic_factor_last200");
    compared.relative(&format!("{name} rate"), factor, rate, tolerances[0]);
    let least_at = 1 + residuals.iter().position(|&residual| residual == least).expect("the least is one of them");
    let counts = [
        ("min_at", least_at),
        ("n_increases", ratios.iter().filter(|&&ratio| ratio > 1.0).count()),
        ("sweeps_with_state_change", history.switching.len()),
        ("last_state_change_sweep", history.switching.last().copied().unwrap_or(0)),
    ];
    for (key, count) in counts {
        compared.absolute(&format!("{name} {key}"), count as f64, number(want, key), 0.0);
    }
}

/// The variants of the reference.
pub const VARIANTS: [(&str, Variant); 4] = [
    ("separate", Variant::Separate),
    ("blockproj", Variant::BlockProjection),
    ("blocktan", Variant::BlockTangents),
    ("exacttan", Variant::ExactTangents),
];
