//! What a sweep takes, from a few of its points.

use std::path::Path;
use std::time::Instant;

use carom::error::MOST_BYTES;
use carom_io::estimate::{Estimate, size};

use super::{Args, Row, Sweep};
use crate::consent::{self, Cost};
use crate::fail::Fail;

/// Points that are looked at: the first, the last, and one between.
const LOOKED_AT: usize = 3;
/// Bytes of a run in `sweep.json` and `sweep.csv`, and those per coordinate: its last state.
const BYTES_PER_RUN: f64 = 2000.0;
const BYTES_PER_COORDINATE: f64 = 100.0;

/// What a point takes, in the mean of those looked at.
#[derive(Default)]
struct Each {
    /// Seconds for reading its scene twice and running it.
    seconds: f64,
    coordinates: f64,
    /// Whether in one of them contacts begin later than the steps that were tried.
    later_contacts: bool,
}

impl Sweep {
    /// Refuses rows beyond the memory, and asks before a sweep that is large.
    pub fn settle(&self, out: &Path, args: &Args) -> Result<(), Fail> {
        let count = self.plan.count();
        // What is wrong with a point is said when all of them are read.
        let Some(each) = self.look() else { return Ok(()) };
        let rows = count as f64 * (size_of::<Row>() as f64 + 1000.0 + 32.0 * each.coordinates);
        if rows > MOST_BYTES as f64 {
            return Err(Fail::Input(format!(
                "error: --vary: the rows of {count} runs would take {} of memory, the limit is {}: give fewer values or a smaller --sample",
                size(rows),
                size(MOST_BYTES as f64)
            )));
        }
        let disk = count as f64 * (BYTES_PER_RUN + BYTES_PER_COORDINATE * each.coordinates);
        let seconds = Some(count as f64 * each.seconds / self.threads as f64);
        let memory = consent::memory().map(|memory| memory + rows);
        Cost {
            what: "sweep",
            scene: self.name.clone(),
            disk,
            free: consent::free(out),
            memory,
            seconds,
            details: format!("{count} runs"),
            later_contacts: each.later_contacts,
            remedies: "give fewer points, or end their runs earlier with --until or --steps",
        }
        .settle(&args.consent, args.json)
    }

    /// Looks at a few points; nothing if none of them can be read.
    fn look(&self) -> Option<Each> {
        let last = self.plan.count() - 1;
        let mut points: Vec<usize> = (0..LOOKED_AT).map(|k| last * k / (LOOKED_AT - 1)).collect();
        points.dedup();
        let (mut sum, mut count) = (Each::default(), 0.0);
        for point in points {
            let begun = Instant::now();
            let Ok(scene) = self.scene(&self.plan.point(point)) else { continue };
            let reading = begun.elapsed().as_secs_f64();
            let estimate = Estimate::of(&scene, None);
            sum.seconds += 2.0 * reading + estimate.stepping().unwrap_or(0.0);
            sum.later_contacts |= estimate.later_contacts;
            sum.coordinates += scene.problem.system.dim() as f64;
            count += 1.0;
        }
        let mean = |of_all: f64| of_all / count;
        (count > 0.0).then(|| Each { seconds: mean(sum.seconds), coordinates: mean(sum.coordinates), ..sum })
    }
}
