//! What recorded rows take beside the steps: bytes and checksums as they are written, and both again for the page.
//!
//! It is measured on rows of the trial itself, after it: how fast that is depends on how the program was built, and not much on the run.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::html_report::thin::Thinned;

/// Numbers that are kept of the trial's rows.
const SAMPLE: usize = 1 << 13;
/// How long is measured, and how often the sample is gone through at most.
const MEASURED: Duration = Duration::from_millis(1);
const MOST_TIMES: u32 = 1000;

/// Rows of a trial.
#[derive(Debug, Default)]
pub struct Sample {
    values: Vec<f64>,
    width: usize,
}

/// Seconds per byte of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Pace {
    /// Rows to bytes and their checksum, and the checksum again when the page is made.
    pub recording: f64,
    /// Every row of the measures for the figures of the page.
    pub drawing: f64,
}

impl Sample {
    /// Keeps a row, as long as there are few.
    pub fn take(&mut self, row: &[f64]) {
        if self.values.len() < SAMPLE {
            self.width = row.len();
            self.values.extend_from_slice(row);
        }
    }

    /// What the rows take; nothing if there are none.
    pub fn pace(&self) -> Pace {
        if self.values.is_empty() {
            return Pace::default();
        }
        let mut bytes = Vec::with_capacity(8 * self.values.len());
        let recording = self.seconds_per_byte(|| {
            bytes.clear();
            self.values.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
            black_box([crc32fast::hash(&bytes), crc32fast::hash(black_box(&bytes))]);
        });
        let drawing = self.seconds_per_byte(|| {
            let rows = self.values.chunks(self.width);
            let mut columns: Vec<Thinned> = (1..self.width).map(|_| Thinned::new(1 << 20)).collect();
            for row in rows {
                for (column, value) in columns.iter_mut().zip(&row[1..]) {
                    column.push(row[0], *value);
                }
            }
            black_box(&columns);
        });
        Pace { recording, drawing }
    }

    fn seconds_per_byte(&self, mut work: impl FnMut()) -> f64 {
        let (begun, mut times) = (Instant::now(), 0);
        while times == 0 || (times < MOST_TIMES && begun.elapsed() < MEASURED) {
            work();
            times += 1;
        }
        begun.elapsed().as_secs_f64() / f64::from(times) / (8 * self.values.len()) as f64
    }
}
