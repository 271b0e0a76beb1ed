//! The figure of a performance profile: a panel for each group of problems, a line of steps for each solver.

use carom_io::figure::{Axis, Figure, Panel, Series, Trace};

use super::Budget;
use super::profile::{Group, Line, Profile};

/// Factors are drawn up to this one; what is slower counts as solved at the right end.
const WIDEST: f64 = 1e5;

/// Draws the profile.
pub fn figure(profile: &Profile, budget: Budget) -> Figure {
    let groups: Vec<Group> = Group::ALL.into_iter().filter(|group| profile.count(*group) > 0).collect();
    let height = 500 * groups.len().max(1) as u32;
    let title = format!("Solved to {:.0e} within {} s", budget.tolerance, budget.time.as_secs_f64());
    groups.iter().fold(Figure::new(760, height).title(title), |figure, group| figure.panel(panel(profile, *group)))
}

fn panel(profile: &Profile, group: Group) -> Panel {
    let (count, lines) = (profile.count(group), profile.lines(group));
    let slowest = lines.iter().filter_map(|line| line.ratios.last()).fold(1.0_f64, |a, b| a.max(*b));
    // The end is a decade, so that the last steps are seen.
    let end = 10.0_f64.powi(((1.2 * slowest).log10().ceil() as i32).max(1)).min(WIDEST);
    let x = Axis::log("τ: time relative to the fastest solver of the problem").range(1.0, end);
    let y = Axis::linear("part of the problems solved within τ").range(0.0, 1.03);
    let scales = (x.scale(), y.scale());
    let empty = Panel::new().title(format!("{count} {}", group.name())).x(x).y(y).legend_above();
    lines.iter().fold(empty, |panel, line| {
        let mut trace = Trace::line(scales.0, scales.1);
        trace.extend(steps(line, count, end));
        let label = format!("{} {}/{count}", line.solver, line.ratios.len());
        panel.series(Series::new(label, trace).width(if line.solver == "default" { 3.0 } else { 1.6 }))
    })
}

/// The corners of the steps.
fn steps(line: &Line, count: usize, end: f64) -> Vec<(f64, f64)> {
    let part = |solved: usize| solved as f64 / count as f64;
    let mut points = vec![(1.0, part(line.within(1.0)))];
    for (k, &ratio) in line.ratios.iter().enumerate().skip(line.within(1.0)) {
        let at = ratio.min(end);
        points.extend([(at, part(k)), (at, part(k + 1))]);
    }
    points.push((end, part(line.ratios.len())));
    points
}
