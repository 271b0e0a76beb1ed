//! Marker shapes as path data, all of about the same area.

use super::series::Marker;
use super::shape::Point;
use super::svg::number;

/// Radius of the disc in px.
const RADIUS: f64 = 2.8;

/// How far a marker reaches from its middle.
pub(super) fn marker_reach() -> f64 {
    RADIUS
}

/// Append a marker at a point.
pub(super) fn marker_path(out: &mut String, marker: Marker, at: Point) {
    match marker {
        Marker::Circle => disc(out, RADIUS, at),
        Marker::Dot => disc(out, 0.9, at),
        Marker::Square => polygon(out, &[(-0.89, -0.89), (0.89, -0.89), (0.89, 0.89), (-0.89, 0.89)], at),
        Marker::Triangle => polygon(out, &[(0.0, -1.35), (1.2, 0.78), (-1.2, 0.78)], at),
        Marker::Diamond => polygon(out, &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)], at),
    }
}

fn disc(out: &mut String, r: f64, (x, y): Point) {
    out.push('M');
    pair(out, x - r, y);
    for sweep in [2.0 * r, -2.0 * r] {
        out.push('a');
        pair(out, r, r);
        out.push_str(" 0 0 1 ");
        pair(out, sweep, 0.0);
    }
    out.push('z');
}

fn polygon(out: &mut String, corners: &[Point], (x, y): Point) {
    for (i, (a, b)) in corners.iter().enumerate() {
        out.push(if i == 0 { 'M' } else { 'L' });
        pair(out, x + RADIUS * a, y + RADIUS * b);
    }
    out.push('z');
}

fn pair(out: &mut String, x: f64, y: f64) {
    number(out, x);
    out.push(' ');
    number(out, y);
}
