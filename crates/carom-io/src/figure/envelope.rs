//! Lines that go up and down faster than pixels can show: instead of a solid block, the edges of what they cover.

use super::decimate::Vertex;

/// Width in px of the columns that turns are counted in and edges are found over.
const WIDTH: f64 = 4.0;
/// Turns in a column, and its height in px, from which a line looks like a block that hides what is behind it: strokes
/// 1 px apart nearly touch, and noise of less height still looks like a line.
const TURNS: usize = 4;
const HEIGHT: f64 = 24.0;
/// Width in px below which a line is a stroke, however often it turns.
const NARROW: f64 = 4.0 * WIDTH;
/// The share of such columns from which the whole line is shown by its edges.
const SHARE: f64 = 0.6;

/// What a line covers in a column, in px; `gap` if it does not go on from the column before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Column {
    pub(super) x: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) gap: bool,
    turns: usize,
}

/// The edges of a line that is a function of x and mostly turns faster than can be seen; nothing for another line.
pub(super) fn envelope(line: &[Vertex]) -> Option<Vec<Column>> {
    if !line.windows(2).all(|pair| pair[1].x >= pair[0].x) {
        return None;
    }
    // What goes up and down in place is a stroke, which has no edges.
    let [first, last] = [line.first()?, line.last()?];
    if last.x - first.x < NARROW {
        return None;
    }
    let mut columns: Vec<Column> = Vec::new();
    for piece in line.chunk_by(|_, next| !next.gap) {
        of_piece(piece, &mut columns);
    }
    let dense = columns.iter().filter(|c| c.turns >= TURNS && c.low - c.high >= HEIGHT).count();
    (dense > 0 && dense as f64 >= SHARE * columns.len() as f64).then_some(columns)
}

/// Appends the columns of a piece without gaps: as many as fit, of one width, the outer ones at its ends.
fn of_piece(piece: &[Vertex], columns: &mut Vec<Column>) {
    let (Some(start), Some(end)) = (piece.first(), piece.last()) else { return };
    let last = ((end.x - start.x) / WIDTH).floor().max(1.0) - 1.0;
    let width = (end.x - start.x) / (last + 1.0);
    let (mut here, mut rising) = (-1.0, None);
    for (i, v) in piece.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| piece[i].y).filter(|y| *y != v.y);
        let turned = before.is_some_and(|y| rising.replace(v.y > y).is_some_and(|rose| rose != (v.y > y)));
        let place = if width > 0.0 { ((v.x - start.x) / width).floor().min(last) } else { 0.0 };
        match columns.last_mut() {
            Some(column) if place == here => {
                (column.low, column.high) = (column.low.max(v.y), column.high.min(v.y));
                column.turns += usize::from(turned);
            }
            _ => {
                let x = match place {
                    0.0 => start.x,
                    place if place == last => end.x,
                    place => start.x + (place + 0.5) * width,
                };
                columns.push(Column { x, low: v.y, high: v.y, gap: i == 0, turns: usize::from(turned) });
                here = place;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wave of a period in px over 400 px, 100 px high; its middle is left out.
    fn wave(period: f64) -> Vec<Vertex> {
        let x = (0..8000).map(|i| 0.05 * f64::from(i)).filter(|x| !(150.0..250.0).contains(x));
        let mut last = -1.0;
        x.map(|x| {
            let gap = x - last > 0.5;
            last = x;
            Vertex { x, y: 50.0 * (std::f64::consts::TAU * x / period).sin(), gap }
        })
        .collect()
    }

    #[test]
    fn what_goes_up_and_down_in_place_stays_a_line() {
        let upright: Vec<Vertex> =
            (0..100).map(|i| Vertex { x: 10.0, y: if i % 2 == 0 { 0.0 } else { 80.0 }, gap: i == 0 }).collect();
        assert_eq!(envelope(&upright), None);
    }

    #[test]
    fn a_fast_wave_is_shown_by_its_edges_and_a_slow_one_is_not() {
        assert_eq!(envelope(&wave(8.0)), None);
        let columns = envelope(&wave(1.5)).expect("faster than pixels");
        assert!(columns.iter().all(|c| (c.low - 50.0).abs() < 1.0 && (c.high + 50.0).abs() < 1.0), "{columns:?}");
        assert!(columns.len() < 400 / 4 + 2, "{}", columns.len());
        // The gap stays, and both pieces reach from end to end.
        let gaps: Vec<usize> = (0..columns.len()).filter(|&i| columns[i].gap).collect();
        let ends = [columns[0].x, columns[gaps[1] - 1].x, columns[gaps[1]].x, columns[columns.len() - 1].x];
        assert_eq!(gaps.len(), 2);
        assert!(ends.iter().zip([0.0, 150.0, 250.0, 400.0]).all(|(x, end)| (x - end).abs() < 0.1), "{ends:?}");
    }

    #[test]
    fn a_thin_band_and_a_curve_that_turns_back_stay_lines() {
        let thin: Vec<Vertex> = wave(1.5).into_iter().map(|v| Vertex { y: 0.2 * v.y, ..v }).collect();
        assert_eq!(envelope(&thin), None);
        let back: Vec<Vertex> = wave(1.5).into_iter().rev().collect();
        assert_eq!(envelope(&back), None);
        assert_eq!(envelope(&[]), None);
        assert_eq!(envelope(&[Vertex { x: 1.0, y: 2.0, gap: true }]), None);
    }
}
