//! Filled regions of a plane, given cell by cell: their outlines, so that a picture holds lines and not a million squares.

/// Closed outlines of the cells of a grid that are filled, in cells from the lower left corner; the inside is where an odd
/// number of them runs around. Corners of cells are cut, so that a slanted edge looks like a line.
pub(super) fn outlines(cells: [usize; 2], filled: impl Fn(usize, usize) -> bool) -> Vec<Vec<(f64, f64)>> {
    let [columns, rows] = cells;
    let corner = |i: usize, j: usize| j * (columns + 1) + i;
    let is = |i: Option<usize>, j: Option<usize>| match (i, j) {
        (Some(i), Some(j)) => i < columns && j < rows && filled(i, j),
        _ => false,
    };
    // Edges that leave a corner, with the filled side to the left: to the right, up, to the left, down.
    let mut leaving = vec![0_u8; (columns + 1) * (rows + 1)];
    for j in 0..rows {
        for i in (0..columns).filter(|&i| filled(i, j)) {
            let (here, up) = ((Some(i), Some(j)), Some(j + 1));
            for (empty, from, edge) in [
                (!is(here.0, j.checked_sub(1)), corner(i, j), 1),
                (!is(Some(i + 1), here.1), corner(i + 1, j), 2),
                (!is(here.0, up), corner(i + 1, j + 1), 4),
                (!is(i.checked_sub(1), here.1), corner(i, j + 1), 8),
            ] {
                leaving[from] |= if empty { edge } else { 0 };
            }
        }
    }
    let mut found = Vec::new();
    for first in 0..leaving.len() {
        while leaving[first] != 0 {
            let (mut at, mut middles) = (first, Vec::new());
            // As many edges arrive at a corner as leave it: the way ends where it began.
            while leaving[at] != 0 {
                let edge = leaving[at] & leaving[at].wrapping_neg();
                leaving[at] -= edge;
                let (i, j) = ((at % (columns + 1)) as f64, (at / (columns + 1)) as f64);
                let ((x, y), next) = match edge {
                    1 => ((i + 0.5, j), at + 1),
                    2 => ((i, j + 0.5), at + columns + 1),
                    4 => ((i - 0.5, j), at - 1),
                    _ => ((i, j - 0.5), at - columns - 1),
                };
                middles.push((x, y));
                at = next;
            }
            found.push(straightened(&middles));
        }
    }
    found
}

/// A closed way without the points on its straight parts.
fn straightened(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let count = points.len();
    let bends = |k: &usize| {
        let (a, b, c) = (points[(k + count - 1) % count], points[*k], points[(k + 1) % count]);
        (b.0 - a.0) * (c.1 - b.1) != (b.1 - a.1) * (c.0 - b.0)
    };
    (0..count).filter(bends).map(|k| points[k]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the signed area.
    fn area(way: &[(f64, f64)]) -> f64 {
        let next = way.iter().cycle().skip(1);
        way.iter().zip(next).map(|(a, b)| a.0 * b.1 - a.1 * b.0).sum()
    }

    #[test]
    fn a_ring_has_two_outlines_that_turn_against_each_other() {
        let ring =
            |i: usize, j: usize| (1..9).contains(&i) && (1..9).contains(&j) && !((3..6).contains(&i) && j == 4);
        let found = outlines([10, 10], ring);
        assert_eq!(found.len(), 2);
        // Cut corners take half of a quarter of a cell each.
        assert_eq!(area(&found[0]), 2.0 * (64.0 - 4.0 * 0.125));
        assert_eq!(area(&found[1]), -2.0 * (3.0 - 4.0 * 0.125));
        assert_eq!(found[0].len(), 8);
    }

    #[test]
    fn edges_of_the_grid_nothing_and_everything() {
        assert!(outlines([4, 3], |_, _| false).is_empty());
        assert!(outlines([0, 0], |_, _| true).is_empty());
        let all = outlines([4, 3], |_, _| true);
        assert_eq!((all.len(), area(&all[0])), (1, 2.0 * (12.0 - 0.5)));
        // A slanted edge is one line.
        let half = outlines([50, 50], |i, j| i <= j);
        assert_eq!((half.len(), half[0].len()), (1, 6));
    }

    #[test]
    fn cells_that_touch_at_a_corner_are_all_covered() {
        let board = outlines([6, 6], |i, j| (i + j) % 2 == 0);
        let total: f64 = board.iter().map(|way| area(way)).sum();
        assert!((total - 2.0 * 18.0).abs() <= 2.0 * 18.0 * 0.5 + 1e-12 && total > 0.0, "{total}");
    }
}
