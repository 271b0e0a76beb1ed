//! The progress bars: of a run with its rate and the energy error so far, or its energy where the scene does not conserve it; and of a sweep.

use std::fmt;
use std::time::{Duration, Instant};

use carom::observe::{Frame, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

const PERIOD: Duration = Duration::from_millis(100);

/// Steps per second in three digits.
fn rate(state: &ProgressState, out: &mut dyn fmt::Write) {
    let rate = state.per_sec();
    let (value, unit) = match rate {
        _ if rate >= 1e6 => (rate / 1e6, " M"),
        _ if rate >= 1e3 => (rate / 1e3, " k"),
        _ => (rate, " "),
    };
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    // A bar that cannot be drawn is no reason to stop.
    let _ = write!(out, "{value:.digits$}{unit}steps/s");
}

/// A bar of so many steps or runs; hidden where standard error is no terminal.
fn bar(length: u64, quiet: bool, template: &str) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(length), target);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━╸─").with_key("rate", rate));
    }
    bar
}

/// Shows a sweep: how many of its points have been read, or run.
pub struct SweepProgress(ProgressBar);

impl SweepProgress {
    /// For so many of what is done.
    pub fn new(count: u64, what: &str, quiet: bool) -> Self {
        let template = format!("{{bar:32}} {{percent:>3}} %  {{human_pos}}/{{human_len}} {what}  {{eta}} left");
        Self(bar(count, quiet, &template))
    }

    /// One more has ended.
    pub fn ended(&self) {
        self.0.inc(1);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Shows a run; hidden where standard error is no terminal.
pub struct Progress {
    bar: ProgressBar,
    first: f64,
    largest: f64,
    /// Whether the scene conserves energy: then its change is an error.
    conserved: bool,
    shown: Instant,
    /// The step of the next look at the clock, and how many steps lie between looks: a look costs as much as a step.
    next: u64,
    stride: u64,
}

impl Progress {
    /// For a run of so many steps.
    pub fn new(steps: u64, quiet: bool, conserved: bool) -> Self {
        let template = "{bar:32} {percent:>3} %  {human_pos}/{human_len} steps  {rate}  {eta} left  {msg}";
        Self {
            bar: bar(steps, quiet, template),
            first: 0.0,
            largest: 0.0,
            conserved,
            shown: Instant::now(),
            next: 1,
            stride: 1,
        }
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
        if frame.step < self.next {
            return Ok(());
        }
        let late = self.shown.elapsed() >= PERIOD;
        self.stride = if late { (self.stride / 4).max(1) } else { (2 * self.stride).min(1 << 20) };
        self.next = frame.step + self.stride;
        if late {
            self.bar.set_position(frame.step);
            self.bar.set_message(match self.conserved {
                true => format!("energy error {:.1e}", self.largest),
                false => format!("energy {energy:.4e}"),
            });
            self.shown = Instant::now();
        }
        Ok(())
    }
}
