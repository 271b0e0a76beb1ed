//! What a solve came to, by name.

use std::collections::VecDeque;

use carom_lcp::Law;
use carom_lcp::cone::norm;

use super::super::quantities::Quantities;
use super::super::quantities::Shape::{self, List, Number};
use super::history::{History, Point, distance};
use super::problem::Problem;

/// The quantities of a solve.
pub const SOLVE_QUANTITIES: &[(&str, Shape)] = &[
    ("iterations", Number),
    ("residual", Number),
    ("residual_absolute", Number),
    ("residual_min", Number),
    ("residual_max", Number),
    ("residual_at", List),
    ("rate", Number),
    ("increases", Number),
    ("largest_jump", Number),
    ("plateau", Number),
    ("update", Number),
    ("switching", Number),
    ("switching_late", Number),
    ("last_switch", Number),
    ("iterate_max", Number),
    ("iterate_last", Number),
    ("excess", Number),
    ("exact_size", Number),
    ("velocity_error", Number),
    ("velocity_error_at", List),
    ("velocity_distance", Number),
    ("impulse_error", Number),
    ("normal_min", Number),
    ("normal_max", Number),
    ("angle", Number),
    ("joint_violation", Number),
    ("penetration", Number),
    ("least_minor", Number),
    ("solutions", Number),
    ("solved", Number),
];

/// Those that need the exact solution.
pub const OF_ERRORS: [&str; 5] =
    ["exact_size", "velocity_error", "velocity_error_at", "velocity_distance", "impulse_error"];

/// The share of a history that counts as its end.
const END: f64 = 0.2;
/// The largest ratio of residuals within a plateau.
const FLAT: f64 = 1.01;
/// Relative distance from its bound within which a contact slides.
const AT_BOUND: f64 = 1e-9;

/// The quantities of a history; `looks` are iterations, from 1.
pub fn measured(problem: &Problem, history: &History, looks: &[usize]) -> Quantities {
    let (points, z) = (&history.points, &history.z);
    let mut all = Quantities::default();
    let residuals: Vec<f64> = points.iter().map(|point| point.relative).collect();
    let ratios: Vec<f64> = residuals.windows(2).map(|pair| pair[1] / pair[0]).collect();
    let most = |values: &mut dyn Iterator<Item = f64>| values.reduce(f64::max);
    let last = points.last();
    all.number("iterations", points.len() as f64);
    all.number("residual", last.map(|point| point.relative));
    all.number("residual_absolute", last.map(|point| point.absolute));
    all.number("residual_min", residuals.iter().copied().reduce(f64::min));
    all.number("residual_max", most(&mut residuals.iter().copied()));
    all.list("residual_at", &at(points, looks, |point| point.relative));
    all.number("rate", rate(&residuals));
    all.number("increases", ratios.iter().filter(|ratio| **ratio > 1.0).count() as f64);
    all.number("largest_jump", most(&mut ratios.iter().copied()));
    all.number("plateau", plateau(&residuals) as f64);
    all.number("update", last.map(|point| point.update));

    let switched = |point: &&Point| point.switches.is_some_and(|count| count > 0);
    let late = points.len() - end(points.len());
    let counted = |count: usize| last.and_then(|point| point.switches).map(|_| count as f64);
    all.number("switching", counted(points.iter().filter(switched).count()));
    all.number("switching_late", counted(points[late..].iter().filter(switched).count()));
    all.number("last_switch", counted(points.iter().rfind(switched).map_or(0, |point| point.sweeps)));
    all.number("iterate_max", most(&mut points.iter().map(|point| point.size)));
    all.number("iterate_last", last.map(|point| point.size));
    all.number("excess", most(&mut points.iter().map(|point| point.excess)));

    all.number("velocity_error", last.map(|point| point.velocity_error).filter(|error| error.is_finite()));
    all.list("velocity_error_at", &at(points, looks, |point| point.velocity_error));
    let exact = history.exact.as_ref();
    all.number("exact_size", exact.map(|exact| norm(&exact.z)));
    all.number("velocity_distance", exact.map(|exact| distance(&problem.velocity(z), &exact.velocity)));
    all.number("impulse_error", exact.map(|exact| distance(z, &exact.z) / norm(&exact.z)));

    let slacks = problem.slacks(z);
    let (d, first) = (problem.dimension(), problem.equalities());
    let normals = || (first..z.len()).step_by(d);
    all.number("normal_min", normals().map(|row| z[row]).reduce(f64::min));
    all.number("normal_max", normals().map(|row| z[row]).reduce(f64::max));
    all.number("angle", angle(problem, z, &slacks));
    all.number("joint_violation", most(&mut slacks[..first].iter().map(|slack| slack.abs())));
    all.number("penetration", most(&mut normals().map(|row| (-slacks[row]).max(0.0))));
    all.number("least_minor", least_minor(problem));
    all.number("solutions", history.solutions.as_ref().map(|(found, _)| found.len() as f64));
    all.number("solved", history.solutions.as_ref().map(|(_, count)| *count as f64));
    all
}

/// A value of the iterations that are looked at, as far as they were made.
fn at(points: &[Point], looks: &[usize], value: impl Fn(&Point) -> f64) -> Vec<f64> {
    looks.iter().map_while(|look| points.get(look - 1)).map(value).collect()
}

/// The number of iterations at the end of a history.
fn end(count: usize) -> usize {
    ((END * count as f64).round() as usize).min(count.saturating_sub(1))
}

/// The mean factor of the residual in an iteration, over the end of the history.
fn rate(residuals: &[f64]) -> Option<f64> {
    let count = end(residuals.len());
    let (first, last) = (residuals.get(residuals.len().checked_sub(1 + count)?)?, residuals.last()?);
    (count > 0 && *first > 0.0).then(|| (last / first).powf(1.0 / count as f64))
}

/// The most iterations in a row whose residuals differ by less than a hundredth.
fn plateau(residuals: &[f64]) -> usize {
    let (mut rising, mut falling) = (VecDeque::new(), VecDeque::new());
    let (mut from, mut longest) = (0, 0);
    for (place, value) in residuals.iter().enumerate() {
        while rising.back().is_some_and(|&other: &usize| residuals[other] >= *value) {
            rising.pop_back();
        }
        while falling.back().is_some_and(|&other: &usize| residuals[other] <= *value) {
            falling.pop_back();
        }
        rising.push_back(place);
        falling.push_back(place);
        while let (Some(&low), Some(&high)) = (rising.front(), falling.front())
            && residuals[high] > FLAT * residuals[low]
        {
            from += 1;
            for queue in [&mut rising, &mut falling] {
                if queue.front().is_some_and(|place| *place < from) {
                    queue.pop_front();
                }
            }
        }
        longest = longest.max(place + 1 - from);
    }
    longest
}

/// The largest angle from friction to the direction opposite to slip, of contacts at the bound of friction, in degrees.
fn angle(problem: &Problem, z: &[f64], slacks: &[f64]) -> Option<f64> {
    let (d, equalities) = (problem.dimension(), problem.equalities());
    let of_contact = |(contact, mu): (usize, &f64)| {
        let first = equalities + contact * d;
        let (friction, slip) = (&z[first + 1..first + d], &slacks[first + 1..first + d]);
        let reached = match problem.law() {
            Law::Cone => norm(friction),
            Law::Box => friction.iter().fold(0.0, |most: f64, value| most.max(value.abs())),
        };
        let slides = z[first] > 0.0 && reached >= mu * z[first] * (1.0 - AT_BOUND);
        let along: f64 = friction.iter().zip(slip).map(|(a, b)| -a * b).sum();
        let across = if d == 3 { friction[0] * slip[1] - friction[1] * slip[0] } else { 0.0 };
        (slides && norm(slip) > 0.0).then(|| across.abs().atan2(along).to_degrees())
    };
    problem.mu().iter().enumerate().filter_map(of_contact).reduce(f64::max)
}

/// The least principal minor α + μβ [lacoursiere-linde-2011 (88)] of a contact and a direction of friction along one of its tangents.
fn least_minor(problem: &Problem) -> Option<f64> {
    let (d, equalities) = (problem.dimension(), problem.equalities());
    let of_contact = |(contact, mu): (usize, &f64)| {
        let normal = equalities + contact * d;
        let alpha = problem.entry(normal, normal);
        (1..d)
            .map(|tangent| alpha - mu * problem.entry(normal, normal + tangent).abs())
            .fold(f64::INFINITY, f64::min)
    };
    problem.mu().iter().enumerate().map(of_contact).reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use super::{end, plateau, rate};

    #[test]
    fn plateaus_are_found_between_steps() {
        assert_eq!(plateau(&[]), 0);
        assert_eq!(plateau(&[1.0, 0.5, 0.25]), 1);
        assert_eq!(plateau(&[2.0, 1.0, 1.005, 0.998, 1.002, 0.5, 0.5]), 4);
        assert_eq!(plateau(&[1.0, 1.006, 1.012, 1.018]), 2, "a slope is none");
    }

    #[test]
    fn the_rate_is_that_of_the_last_fifth() {
        let mut residuals: Vec<f64> = vec![1.0; 8];
        residuals.extend([0.5, 0.25]);
        assert_eq!(end(10), 2);
        assert_eq!(rate(&residuals), Some(0.5));
        assert_eq!((rate(&[1.0]), rate(&[])), (None, None));
    }
}
