//! The progress bar of a run: rate, remaining time and the energy error so far.

use std::time::{Duration, Instant};

use carom::observe::{Frame, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How many steps pass between looks at the clock.
const STRIDE: u64 = 256;
const PERIOD: Duration = Duration::from_millis(100);

/// Shows a run; hidden where standard error is no terminal.
pub struct Progress {
    bar: ProgressBar,
    first: f64,
    largest: f64,
    shown: Instant,
}

impl Progress {
    /// For a run of so many steps.
    pub fn new(steps: u64, quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(steps), target);
        let template = "{bar:32} {percent:>3} %  {human_pos}/{human_len} steps  {per_sec}  {eta} left  {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        Self { bar, first: 0.0, largest: 0.0, shown: Instant::now() }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Progress {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        let energy = frame.energy();
        if frame.step == 0 {
            self.first = energy;
        }
        self.largest = self.largest.max((energy - self.first).abs());
        if frame.step.is_multiple_of(STRIDE) && self.shown.elapsed() >= PERIOD {
            self.bar.set_position(frame.step);
            self.bar.set_message(format!("energy error {:.1e}", self.largest));
            self.shown = Instant::now();
        }
        Ok(())
    }
}
