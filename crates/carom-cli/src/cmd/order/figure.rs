//! The figure of a convergence study: error against step length and, where asked for, against time.

use carom::study::Level;
use carom_io::figure::{Axis, Figure, Panel};

/// What is drawn.
pub struct OrderFigure<'a> {
    /// Scene and method.
    pub title: String,
    /// The levels.
    pub levels: &'a [Level],
    /// What the method claims.
    pub claimed: u32,
    /// Whether error against time is drawn too.
    pub work: bool,
}

/// Where the reference line lies below the errors, as a factor.
const BELOW: f64 = 0.4;

impl OrderFigure<'_> {
    /// Draws it.
    pub fn figure(&self) -> Figure {
        let lengths = Panel::new().x(Axis::log("step length h")).y(Axis::log("largest error at the end"));
        let lengths = self.errors(lengths, |level| level.h, true);
        let guide = self.levels.iter().map(|level| (level.h, level.error_q.min(level.error_p)));
        let guide = guide.filter(|(_, error)| *error > 0.0).reduce(|a, b| if b.0 > a.0 { b } else { a });
        let lengths = match guide {
            Some((h, error)) => {
                let order = f64::from(self.claimed);
                lengths.guide(format!("order {}", self.claimed), order, (h, BELOW * error))
            }
            None => lengths,
        };
        let width = if self.work { 900 } else { 560 };
        let figure = Figure::new(width, 420).title(&self.title).columns(2).panel(lengths);
        if !self.work {
            return figure.columns(1);
        }
        let time = Panel::new().x(Axis::log("time / s")).y(Axis::log("largest error at the end"));
        figure.panel(self.errors(time, |level| level.seconds, false))
    }

    /// Errors in q and p over some measure of the levels, with the slope between the last two in the legend.
    fn errors(&self, panel: Panel, over: fn(&Level) -> f64, slopes: bool) -> Panel {
        let slope = |pick: fn((f64, f64)) -> f64| {
            let last = self.levels.last().and_then(|level| level.slope).map(pick);
            last.filter(|slope| slopes && slope.is_finite())
                .map_or_else(String::new, |slope| format!(", slope {slope:.2}"))
        };
        let points = |error: fn(&Level) -> f64| self.levels.iter().map(move |level| (over(level), error(level)));
        panel
            .line_markers(format!("error in q{}", slope(|slope| slope.0)), points(|level| level.error_q))
            .line_markers(format!("error in p{}", slope(|slope| slope.1)), points(|level| level.error_p))
    }
}
