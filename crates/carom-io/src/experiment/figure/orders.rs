//! Errors of convergence studies over step lengths.

use super::super::run::Found;
use crate::figure::Panel as Plot;

/// Where the line of a fitted order lies below the errors, as a factor.
const BELOW: f64 = 0.4;

/// The plot with the errors of these studies, each with its label, and lines of the nearest whole orders.
pub fn plot(mut plot: Plot, studies: &[(String, &Found)]) -> Plot {
    let mut guided = Vec::new();
    for (label, found) in studies {
        let exponent = found.quantities.as_ref().ok().and_then(|all| all.get("exponent", None).ok());
        let fitted = exponent.map_or_else(String::new, |e| format!(", exponent {e:.2}"));
        let points: Vec<(f64, f64)> = found.levels.iter().map(|l| (l.h, l.error_q)).collect();
        plot = plot.line_markers(format!("{label}{fitted}"), points.clone());
        if let (Some(exponent), Some((h, error))) = (exponent, points.first()) {
            let order = exponent.round();
            if guided.contains(&order) {
                continue;
            }
            guided.push(order);
            plot = plot.guide(format!("order {order}"), order, (*h, BELOW * error));
        }
    }
    plot
}
