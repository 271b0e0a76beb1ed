//! Runs on all cores; what they come to does not depend on how many there are.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use carom::observe::{Frame, Observer};
use carom_io::document::Diagnostic;
use carom_io::experiment::{Found, Job};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Steps between two looks at the bar: a look costs as much as a step.
const STRIDE: u64 = 4096;

/// Makes all jobs; the results are in the order of the jobs.
pub fn run(jobs: &[Vec<Job>], threads: Option<usize>, quiet: bool) -> Vec<Result<Found, Vec<Diagnostic>>> {
    let jobs: Vec<&Job> = jobs.iter().flatten().collect();
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.unwrap_or_else(cores).min(jobs.len()).max(1);
    let (next, bar, stop) = (AtomicUsize::new(0), bar(jobs.len(), quiet), AtomicBool::new(false));
    let work = || {
        let mut made = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(place) else { return made };
            bar.set_message(job.name().to_string());
            made.push((place, job.run(&mut Beat { bar: &bar }, &stop)));
            bar.inc(1);
        }
    };
    let mut results = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, Vec<_>>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().flat_map(join).collect::<Vec<_>>()
    });
    bar.finish_and_clear();
    results.sort_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

fn bar(runs: usize, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(runs as u64), target);
    if let Ok(style) = ProgressStyle::with_template("{bar:32} {pos}/{len} runs  {elapsed}  {msg}") {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Keeps the bar alive in a long run.
struct Beat<'a> {
    bar: &'a ProgressBar,
}

impl Observer for Beat<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        if frame.step.is_multiple_of(STRIDE) {
            self.bar.tick();
        }
        Ok(())
    }
}
