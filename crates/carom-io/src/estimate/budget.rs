//! A run that outgrows its estimate is stopped before it fills the disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use carom::observe::{Frame, Observer};

use super::{Estimate, MOST_BYTES, size};

/// How many times the estimate a run may write.
const FACTOR: f64 = 10.0;
/// How often the files are looked at, and after how many steps the clock is.
const PAUSE: Duration = Duration::from_millis(200);
const STRIDE: u64 = 64;

/// Watches the tables of a run: beyond ten times the estimate, and 1 GB, it asks the run to stop after a step, as an interrupt does.
/// Everything is kept, and the run can be resumed with a new estimate.
#[derive(Debug)]
pub struct Budget {
    files: Vec<PathBuf>,
    estimate: f64,
    /// Bytes of the tables when it was made.
    before: f64,
    stop: Arc<AtomicBool>,
    looked: Instant,
    next: u64,
    exceeded: Option<f64>,
}

impl Budget {
    /// For a run in a folder; `stop` is the flag that the run heeds.
    pub fn new(estimate: &Estimate, folder: &Path, stop: &Arc<AtomicBool>) -> Self {
        let files: Vec<PathBuf> =
            estimate.tables.iter().map(|table| folder.join(format!("{}.f64", table.name))).collect();
        let (before, stop) = (bytes(&files), Arc::clone(stop));
        Self { files, estimate: estimate.disk(), before, stop, looked: Instant::now(), next: 0, exceeded: None }
    }

    fn limit(&self) -> f64 {
        (FACTOR * self.estimate).max(MOST_BYTES)
    }

    /// Why the run was stopped, if this stopped it.
    pub fn exceeded(&self) -> Option<String> {
        self.exceeded.map(|bytes| {
            format!(
                "the run has written {}, more than {FACTOR} times its estimate of {}: more happens in it than in its first steps",
                size(bytes),
                size(self.estimate)
            )
        })
    }
}

/// Bytes of files that are there.
fn bytes(files: &[PathBuf]) -> f64 {
    files.iter().filter_map(|file| Some(file.metadata().ok()?.len() as f64)).sum()
}

impl Observer for Budget {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        // A step with very many events or contacts counts as many.
        let many = frame.events.len().max(frame.contact_impulse.len()) >= STRIDE as usize;
        if frame.step < self.next && !many {
            return Ok(());
        }
        self.next = frame.step + STRIDE;
        if self.looked.elapsed() >= PAUSE {
            self.looked = Instant::now();
            let written = bytes(&self.files) - self.before;
            if written > self.limit() && self.exceeded.is_none() {
                self.exceeded = Some(written);
                self.stop.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    }
}
