//! Columns of a table, thinned while they are read: the memory does not grow with the rows, and no extreme is lost.

use std::io;

use crate::recording::TableReader;

/// Blocks that a long column is cut into; each keeps its first, lowest, highest and last point.
const BLOCKS: u64 = 2048;
/// Rows up to which a curve in the plane is drawn as it is; rows of a longer one, and the stretches that they come in.
const ALL_ROWS: u64 = 12_000;
const CURVE_ROWS: u64 = 6000;
const STRETCHES: u64 = 20;
/// Bytes of a table that are read for curves: of very wide rows fewer are taken.
const CURVE_BYTES: u64 = 1 << 28;

/// A column over time.
#[derive(Debug, Clone)]
pub struct Thinned {
    size: u64,
    filled: u64,
    /// First, lowest, highest and last point of the block that is being filled.
    block: Option<[(f64, f64); 4]>,
    /// What is kept, in the order of time. A block without a finite value leaves a gap.
    pub points: Vec<(f64, f64)>,
    count: f64,
    sum: (f64, f64),
    first: Option<(f64, f64)>,
}

impl Thinned {
    /// For a column of so many rows.
    pub fn new(rows: u64) -> Self {
        let size = rows.div_ceil(BLOCKS);
        // Blocks of up to four points are kept as they are.
        let size = if size <= 4 { 1 } else { size };
        Self { size, filled: 0, block: None, points: Vec::new(), count: 0.0, sum: (0.0, 0.0), first: None }
    }

    /// Takes the next row.
    pub fn push(&mut self, t: f64, value: f64) {
        if value.is_finite() {
            let point = (t, value);
            let (t0, x0) = *self.first.get_or_insert(point);
            self.count += 1.0;
            self.sum = (self.sum.0 + (t - t0), self.sum.1 + (value - x0));
            match &mut self.block {
                None => self.block = Some([point; 4]),
                Some([_, low, high, last]) => {
                    *last = point;
                    if value < low.1 {
                        *low = point;
                    }
                    if value > high.1 {
                        *high = point;
                    }
                }
            }
        }
        self.filled += 1;
        if self.filled == self.size {
            self.close(t);
        }
    }

    fn close(&mut self, t: f64) {
        self.filled = 0;
        match self.block.take() {
            None => self.points.push((t, f64::NAN)),
            Some(mut block) => {
                block.sort_by(|a, b| a.0.total_cmp(&b.0));
                for point in block {
                    if self.points.last() != Some(&point) {
                        self.points.push(point);
                    }
                }
            }
        }
    }

    /// Ends the column.
    pub fn finish(&mut self) {
        if let Some(&[.., (t, _)]) = self.block.as_ref() {
            self.close(t);
        }
    }

    /// The first value.
    pub fn first(&self) -> Option<f64> {
        self.first.map(|(_, value)| value)
    }

    /// Mean time and mean value of all rows.
    pub fn mean(&self) -> Option<(f64, f64)> {
        self.first.map(|(t, x)| (t + self.sum.0 / self.count, x + self.sum.1 / self.count))
    }

    /// Largest absolute value.
    pub fn largest(&self) -> Option<f64> {
        self.points.iter().map(|(_, value)| value.abs()).filter(|value| value.is_finite()).reduce(f64::max)
    }

    /// Lowest and highest value.
    pub fn range(&self) -> Option<(f64, f64)> {
        let values = self.points.iter().map(|point| point.1).filter(|value| value.is_finite());
        values.map(|value| (value, value)).reduce(|(a, b), (low, high)| (a.min(low), b.max(high)))
    }

    /// Whether two columns agree to a tolerance wherever a point of either was kept.
    pub fn agrees(&self, other: &Self, tolerance: f64) -> bool {
        self.follows(other, tolerance) && other.follows(self, tolerance)
    }

    /// Whether every point lies on the other line, to a tolerance.
    fn follows(&self, other: &Self, tolerance: f64) -> bool {
        let mut after = 0;
        self.points.iter().all(|&(t, value)| {
            while other.points.get(after).is_some_and(|point| point.0 < t) {
                after += 1;
            }
            let (Some(&(t1, end)), begin) = (other.points.get(after), after.checked_sub(1)) else { return false };
            let on_line = match begin.map(|i| other.points[i]) {
                Some((t0, start)) if t1 > t => start + (end - start) * (t - t0) / (t1 - t0),
                _ => end,
            };
            (on_line - value).abs() <= tolerance || (on_line.is_nan() && value.is_nan())
        })
    }

    /// The points with another value each.
    pub fn map(&self, change: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        self.points.iter().map(|&(t, value)| (t, change(value))).collect()
    }
}

/// Reads columns over the first one, which is time.
pub fn columns(table: &TableReader, places: &[usize]) -> io::Result<Vec<Thinned>> {
    let mut thinned: Vec<Thinned> = places.iter().map(|_| Thinned::new(table.rows())).collect();
    table.for_each(|row| {
        for (thinned, &place) in thinned.iter_mut().zip(places) {
            thinned.push(row[0], row[place]);
        }
        Ok(())
    })?;
    thinned.iter_mut().for_each(Thinned::finish);
    Ok(thinned)
}

/// Rows for curves in the plane: all of a short table, else stretches of consecutive rows, evenly spread.
#[derive(Debug)]
pub struct Sample {
    /// The rows; a row of NaN lies between stretches.
    pub rows: Vec<Vec<f64>>,
    /// How many of the table's rows they are.
    pub taken: u64,
}

/// Samples the chosen columns of a table; `each` sees the whole of each row that is taken.
pub fn sample(table: &TableReader, places: &[usize], mut each: impl FnMut(&[f64])) -> io::Result<Sample> {
    let all = table.rows();
    let mut rows = Vec::new();
    let mut take = |row: &[f64]| {
        each(row);
        rows.push(places.iter().map(|&place| row[place]).collect::<Vec<f64>>());
        Ok(())
    };
    let affordable = CURVE_BYTES / (8 * table.columns().len().max(1) as u64);
    if all <= ALL_ROWS.min(affordable).max(STRETCHES) {
        table.for_each(&mut take)?;
        return Ok(Sample { rows, taken: all });
    }
    let length = (CURVE_ROWS.min(affordable) / STRETCHES).max(1);
    for k in 0..STRETCHES {
        let start = ((all - length) as f64 * (k as f64 / (STRETCHES - 1) as f64)) as u64;
        table.for_each_in(start..start + length, &mut take)?;
    }
    let gap = vec![f64::NAN; places.len()];
    for k in (1..STRETCHES as usize).rev() {
        rows.insert(k * length as usize, gap.clone());
    }
    Ok(Sample { rows, taken: length * STRETCHES })
}

#[cfg(test)]
mod tests {
    use super::Thinned;

    fn thin(values: impl ExactSizeIterator<Item = f64>) -> Thinned {
        let mut thinned = Thinned::new(values.len() as u64);
        for (i, value) in values.enumerate() {
            thinned.push(i as f64, value);
        }
        thinned.finish();
        thinned
    }

    #[test]
    fn a_long_column_keeps_its_extremes_ends_and_order() {
        let spike = |i: i32| match i {
            123_456 => 7.0,
            876_543 => -5.0,
            _ => f64::from(i % 7) * 0.1,
        };
        let thinned = thin((0..1_000_003).map(spike));
        assert!(thinned.points.len() < 4 * 2049, "{}", thinned.points.len());
        assert!(thinned.points.contains(&(123_456.0, 7.0)) && thinned.points.contains(&(876_543.0, -5.0)));
        assert!(thinned.points.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(thinned.points[0].0, 0.0);
        assert_eq!(thinned.points.last().unwrap().0, 1_000_002.0);
        let mean = thinned.mean().unwrap();
        assert!((mean.0 - 500_001.0).abs() < 1e-6 && (mean.1 - 0.3).abs() < 1e-5, "{mean:?}");
    }

    #[test]
    fn a_short_column_is_kept_and_missing_values_leave_a_gap() {
        let thinned = thin([1.0, f64::NAN, 3.0].into_iter());
        assert_eq!(thinned.points.len(), 3);
        assert_eq!((thinned.points[0], thinned.points[2]), ((0.0, 1.0), (2.0, 3.0)));
        assert!(thinned.points[1].1.is_nan());
        assert_eq!((thinned.first(), thinned.largest()), (Some(1.0), Some(3.0)));
        assert_eq!(thin([].into_iter()).mean(), None);
    }

    #[test]
    fn columns_agree_or_not_whatever_was_kept_of_them() {
        let column = |change: f64, spike: f64| {
            thin((0..100_000).map(move |i| f64::from(i) * 1e-3 * change + if i == 70_001 { spike } else { 0.0 }))
        };
        let plain = column(1.0, 0.0);
        assert!(plain.agrees(&column(1.000_1, 0.0), 0.02) && !plain.agrees(&column(1.01, 0.0), 0.02));
        assert!(!plain.agrees(&column(1.0, 5.0), 0.02) && !column(1.0, 5.0).agrees(&plain, 0.02));
        let gap = thin([1.0, f64::NAN, 3.0].into_iter());
        assert!(gap.agrees(&gap, 0.0) && !gap.agrees(&thin([1.0, 2.0, 3.0].into_iter()), 0.1));
        assert_eq!((gap.range(), thin([f64::NAN].into_iter()).range()), (Some((1.0, 3.0)), None));
    }
}
