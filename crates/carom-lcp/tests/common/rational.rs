//! Whether a small LCP with whole numbers has a solution, decided exactly.

/// A fraction, the denominator positive.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Fraction(i128, i128);

fn divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs().max(1) } else { divisor(b, a % b) }
}

impl Fraction {
    fn new(above: i128, below: i128) -> Fraction {
        let common = divisor(above, below) * below.signum();
        Fraction(above / common, below / common)
    }

    fn minus_times(self, a: Fraction, b: Fraction) -> Fraction {
        Fraction::new(self.0 * a.1 * b.1 - a.0 * b.0 * self.1, self.1 * a.1 * b.1)
    }

    fn over(self, other: Fraction) -> Fraction {
        Fraction::new(self.0 * other.1, self.1 * other.0)
    }
}

/// Whether LCP(M, q) has a solution. By Carathéodory's theorem it has one exactly if, with one column of w_i or z_i or none for each
/// i, some choice of independent columns of \[I, −M\] combines to q with numbers that are not negative: all 3ⁿ are tried.
pub fn solvable(m: &[Vec<f64>], q: &[f64]) -> bool {
    let n = q.len();
    (0..3_usize.pow(n as u32)).any(|choice| {
        let mut rest = choice;
        let mut columns = Vec::new();
        for i in 0..n {
            match rest % 3 {
                1 => columns.push((0..n).map(|row| i128::from(row == i)).collect::<Vec<_>>()),
                2 => columns.push((0..n).map(|row| -(m[row][i] as i128)).collect()),
                _ => {}
            }
            rest /= 3;
        }
        combines(&columns, q)
    })
}

/// Whether independent columns combine to q without negative numbers.
fn combines(columns: &[Vec<i128>], q: &[f64]) -> bool {
    let (n, k) = (q.len(), columns.len());
    let mut rows: Vec<Vec<Fraction>> = (0..n)
        .map(|i| {
            let mut row: Vec<Fraction> = columns.iter().map(|column| Fraction(column[i], 1)).collect();
            row.push(Fraction(q[i] as i128, 1));
            row
        })
        .collect();
    for step in 0..k {
        let Some(pivot) = (step..n).find(|&i| rows[i][step].0 != 0) else {
            return false;
        };
        rows.swap(step, pivot);
        for i in (0..n).filter(|&i| i != step) {
            let factor = rows[i][step].over(rows[step][step]);
            for j in step..=k {
                rows[i][j] = rows[i][j].minus_times(factor, rows[step][j]);
            }
        }
    }
    (0..n).all(|i| if i < k { rows[i][k].over(rows[i][i]).0 >= 0 } else { rows[i][k].0 == 0 })
}
