//! Axes: a scale, a label, a range; and the map from data to pixels once the range is settled.

/// Values beyond this are taken as missing on a linear axis, so that no difference of two values overflows.
const HUGE: f64 = 1e300;
/// The least span of a linear axis, absolute and relative to its values.
const LEAST_SPAN: f64 = 1e-290;
const LEAST_RELATIVE_SPAN: f64 = 1e-14;
/// The least span of a logarithmic axis, in decades.
const LEAST_DECADES: f64 = 1e-9;
/// Free room at each end of an automatic range, as a share of the span.
const PADDING: f64 = 0.04;

/// How values are laid out along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Evenly; values beyond ±10³⁰⁰ and those not finite are left out.
    #[default]
    Linear,
    /// By the decimal logarithm; values that are not positive and finite are left out.
    Log10,
}

impl Scale {
    /// The position of a value on this scale, if it has one.
    pub(super) fn forward(self, v: f64) -> Option<f64> {
        match self {
            Scale::Linear => (v.abs() <= HUGE).then_some(v),
            Scale::Log10 => (v > 0.0 && v.is_finite()).then(|| v.log10()),
        }
    }
}

/// One axis of a panel.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    pub(super) scale: Scale,
    pub(super) label: String,
    range: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis with a label.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { scale: Scale::Linear, label: label.into(), range: None }
    }

    /// A decimal logarithmic axis with a label.
    pub fn log(label: impl Into<String>) -> Axis {
        Axis { scale: Scale::Log10, label: label.into(), range: None }
    }

    /// Show exactly this range; one the scale cannot show (not finite, not positive on a logarithmic axis) is
    /// ignored and the range follows the data.
    pub fn range(mut self, low: f64, high: f64) -> Axis {
        self.range = Some((low.min(high), low.max(high)));
        self
    }

    /// The scale of the axis.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The range in positions of the scale, and whether it follows the data (and so may be widened).
    pub(super) fn settle(&self, data: &Extent) -> (f64, f64, bool) {
        let explicit = self.range.and_then(|(a, b)| Some((self.scale.forward(a)?, self.scale.forward(b)?)));
        if let Some((a, b)) = explicit {
            let (a, b) = widen(self.scale, a, b);
            return (a, b, false);
        }
        let Some((a, b)) = data.positions(self.scale) else { return (0.0, 1.0, true) };
        let (wide_a, wide_b) = widen(self.scale, a, b);
        if (wide_a, wide_b) != (a, b) {
            return (wide_a, wide_b, true);
        }
        let pad = PADDING * (b - a);
        (a - pad, b + pad, true)
    }
}

/// The range itself, or one about its middle if it is too narrow to be drawn.
fn widen(scale: Scale, a: f64, b: f64) -> (f64, f64) {
    let middle = 0.5 * a + 0.5 * b;
    let (least, half) = match scale {
        Scale::Linear => {
            let size = a.abs().max(b.abs());
            let half = if size < LEAST_SPAN { 1.0 } else { 0.05 * size };
            ((LEAST_RELATIVE_SPAN * size).max(LEAST_SPAN), half)
        }
        Scale::Log10 => (LEAST_DECADES, 0.7),
    };
    if b - a >= least { (a, b) } else { (middle - half, middle + half) }
}

/// The extent of data along one axis, with the least positive value for logarithmic axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    low: f64,
    high: f64,
    positive: f64,
}

impl Extent {
    pub(super) const EMPTY: Extent =
        Extent { low: f64::INFINITY, high: f64::NEG_INFINITY, positive: f64::INFINITY };

    /// Take in a value; one that is not finite changes nothing.
    pub(super) fn add(&mut self, v: f64) {
        if v.is_finite() {
            self.low = self.low.min(v);
            self.high = self.high.max(v);
            if v > 0.0 {
                self.positive = self.positive.min(v);
            }
        }
    }

    /// Its ends; nothing where it is empty.
    pub(super) fn ends(&self) -> Option<(f64, f64)> {
        (self.low <= self.high).then_some((self.low, self.high))
    }

    /// Take in another extent.
    pub(super) fn merge(&mut self, other: &Extent) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.positive = self.positive.min(other.positive);
    }

    /// Least and greatest position on a scale, if any value has one.
    pub(super) fn positions(&self, scale: Scale) -> Option<(f64, f64)> {
        match scale {
            Scale::Linear if self.low <= self.high => {
                Some((self.low.clamp(-HUGE, HUGE), self.high.clamp(-HUGE, HUGE)))
            }
            Scale::Log10 if self.positive <= self.high => Some((self.positive.log10(), self.high.log10())),
            _ => None,
        }
    }
}

/// A settled axis: positions `from..to` of a scale on pixels `start..end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub(super) scale: Scale,
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) start: f64,
    pub(super) end: f64,
}

impl View {
    /// Pixel of a value, if the scale can show it.
    pub(super) fn pixel(&self, v: f64) -> Option<f64> {
        self.scale.forward(v).map(|u| self.pixel_at(u))
    }

    /// Pixel of a position, kept within what later arithmetic can bear.
    pub(super) fn pixel_at(&self, u: f64) -> f64 {
        (self.start + (u - self.from) / (self.to - self.from) * (self.end - self.start)).clamp(-1e12, 1e12)
    }

    /// Pixels per unit of position.
    pub(super) fn density(&self) -> f64 {
        ((self.end - self.start) / (self.to - self.from)).abs()
    }

    /// Widen the range about its middle until a unit takes `density` pixels.
    pub(super) fn thin_to(&mut self, density: f64) {
        let middle = 0.5 * self.from + 0.5 * self.to;
        let half = 0.5 * (self.end - self.start).abs() / density;
        if half.is_finite() && half < HUGE {
            (self.from, self.to) = (middle - half, middle + half);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(values: &[f64]) -> Extent {
        let mut e = Extent::EMPTY;
        values.iter().for_each(|&v| e.add(v));
        e
    }

    #[test]
    fn odd_ranges_stay_drawable() {
        let linear = Axis::linear("");
        assert_eq!(linear.settle(&Extent::EMPTY), (0.0, 1.0, true));
        assert_eq!(linear.settle(&extent(&[0.0])), (-1.0, 1.0, true));
        assert_eq!(linear.settle(&extent(&[f64::NAN, 2.0])), (1.9, 2.1, true));
        let (a, b, _) = linear.settle(&extent(&[-1e308, 1e308]));
        assert!(a < b && (b - a).is_finite());
        let log = Axis::log("");
        assert_eq!(log.settle(&extent(&[0.0, -3.0])), (0.0, 1.0, true));
        let (a, b, _) = log.settle(&extent(&[1e-300, 1.0]));
        assert!((a + 312.0).abs() < 1e-9 && (b - 12.0).abs() < 1e-9);
        assert!(!Axis::log("").range(1.0, 100.0).settle(&Extent::EMPTY).2);
        assert!(Axis::log("").range(-1.0, 100.0).settle(&Extent::EMPTY).2);
    }
}
