//! Plane geometry in pixels: rectangles, clipping of lines and polygons.

use super::decimate::Vertex;

/// A point in px, y downwards.
pub(super) type Point = (f64, f64);

/// A rectangle in px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) w: f64,
    pub(super) h: f64,
}

impl Rect {
    pub(super) fn right(&self) -> f64 {
        self.x + self.w
    }

    pub(super) fn bottom(&self) -> f64 {
        self.y + self.h
    }

    pub(super) fn holds(&self, (x, y): Point) -> bool {
        x >= self.x - 0.01 && x <= self.right() + 0.01 && y >= self.y - 0.01 && y <= self.bottom() + 0.01
    }

    /// The part of a segment inside (Liang and Barsky).
    pub(super) fn clip(&self, a: Point, b: Point) -> Option<(Point, Point)> {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for (d, room) in
            [(-dx, a.0 - self.x), (dx, self.right() - a.0), (-dy, a.1 - self.y), (dy, self.bottom() - a.1)]
        {
            if d == 0.0 {
                if room < 0.0 {
                    return None;
                }
            } else if d < 0.0 {
                enter = enter.max(room / d);
            } else {
                leave = leave.min(room / d);
            }
        }
        let at = |s: f64| (a.0 + s * dx, a.1 + s * dy);
        (enter <= leave).then(|| (if enter > 0.0 { at(enter) } else { a }, if leave < 1.0 { at(leave) } else { b }))
    }

    /// The parts of polylines inside.
    pub(super) fn clip_line(&self, line: &[Vertex]) -> Vec<Vertex> {
        let mut kept: Vec<Vertex> = Vec::with_capacity(line.len());
        for (i, v) in line.iter().enumerate() {
            let starts = v.gap || i == 0;
            if starts {
                let alone = line.get(i + 1).is_none_or(|next| next.gap);
                if alone && self.holds((v.x, v.y)) {
                    kept.push(Vertex { gap: true, ..*v });
                }
                continue;
            }
            let before = line[i - 1];
            let Some((a, b)) = self.clip((before.x, before.y), (v.x, v.y)) else { continue };
            let goes_on = kept.last().is_some_and(|k| (k.x, k.y) == a) && !before.gap;
            if !goes_on {
                kept.push(Vertex { x: a.0, y: a.1, gap: true });
            }
            kept.push(Vertex { x: b.0, y: b.1, gap: false });
        }
        kept
    }

    /// The part of a polygon inside (Sutherland and Hodgman).
    pub(super) fn clip_polygon(&self, polygon: Vec<Point>) -> Vec<Point> {
        let (x0, x1, y0, y1) = (self.x, self.right(), self.y, self.bottom());
        let polygon = clip_half(polygon, |p| p.0 - x0);
        let polygon = clip_half(polygon, |p| x1 - p.0);
        let polygon = clip_half(polygon, |p| p.1 - y0);
        clip_half(polygon, |p| y1 - p.1)
    }
}

/// The part of a polygon where `inside` is not negative; `inside` is linear.
fn clip_half(polygon: Vec<Point>, inside: impl Fn(Point) -> f64) -> Vec<Point> {
    let mut kept = Vec::with_capacity(polygon.len());
    let mut before = polygon.last().copied();
    for p in polygon {
        if let Some(b) = before {
            let (db, dp) = (inside(b), inside(p));
            if (db < 0.0) != (dp < 0.0) {
                let s = db / (db - dp);
                kept.push((b.0 + s * (p.0 - b.0), b.1 + s * (p.1 - b.1)));
            }
            if dp >= 0.0 {
                kept.push(p);
            }
        }
        before = Some(p);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Rect = Rect { x: 0.0, y: 0.0, w: 10.0, h: 10.0 };

    #[test]
    fn lines_are_cut_at_the_edge() {
        assert_eq!(BOX.clip((-5.0, 5.0), (15.0, 5.0)), Some(((0.0, 5.0), (10.0, 5.0))));
        assert_eq!(BOX.clip((-5.0, -5.0), (-1.0, 20.0)), None);
        assert_eq!(BOX.clip((3.0, 3.0), (3.0, 3.0)), Some(((3.0, 3.0), (3.0, 3.0))));
        let points = [(5.0, 5.0), (5.0, 50.0), (6.0, 50.0), (6.0, 5.0)];
        let line: Vec<Vertex> = points.map(|(x, y)| Vertex { x, y, gap: false }).to_vec();
        let kept = BOX.clip_line(&line);
        let kept: Vec<(f64, f64, bool)> = kept.iter().map(|v| (v.x, v.y, v.gap)).collect();
        assert_eq!(kept, [(5.0, 5.0, true), (5.0, 10.0, false), (6.0, 10.0, true), (6.0, 5.0, false)]);
    }

    #[test]
    fn polygons_are_cut_at_the_edge() {
        let square = vec![(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)];
        let cut = BOX.clip_polygon(square);
        assert!(cut.len() >= 4 && cut.iter().all(|&p| BOX.holds(p)));
        assert!(BOX.clip_polygon(vec![(20.0, 20.0), (30.0, 20.0), (30.0, 30.0)]).is_empty());
    }
}
