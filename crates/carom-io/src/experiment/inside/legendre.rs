//! Legendre polynomials and Gauss points on the unit interval, and derivatives of polynomials at its ends.

/// Values at `s` of the Legendre polynomials of the unit interval up to a degree.
pub(super) fn polynomials(degree: usize, s: f64) -> Vec<f64> {
    let x = 2.0 * s - 1.0;
    let mut values = vec![1.0, x];
    for k in 1..degree {
        let k_real = k as f64;
        values.push(((2.0 * k_real + 1.0) * x * values[k] - k_real * values[k - 1]) / (k_real + 1.0));
    }
    values.truncate(degree + 1);
    values
}

/// Gauss points of the unit interval with their weights, whose sum is 1.
pub(super) fn gauss(count: usize) -> Vec<(f64, f64)> {
    let n = count as f64;
    let point = |k: usize| {
        let mut s = 0.5 - 0.5 * (std::f64::consts::PI * (k as f64 + 0.75) / (n + 0.5)).cos();
        let mut slope = 1.0;
        // From this start Newton's method needs four rounds at most.
        for _ in 0..8 {
            let values = polynomials(count, s);
            let x = 2.0 * s - 1.0;
            slope = n * (x * values[count] - values[count - 1]) / (x * x - 1.0);
            s -= 0.5 * values[count] / slope;
        }
        let x = 2.0 * s - 1.0;
        (s, 1.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..count).map(point).collect()
}

/// Points that a polynomial of this degree is known by, with the factors of its values there in its derivatives at 0 and at 1.
pub(super) fn end_derivatives(degree: usize) -> Vec<(f64, [f64; 2])> {
    let place = |k: usize| match degree {
        0 => 0.0,
        _ => 0.5 - 0.5 * (std::f64::consts::PI * k as f64 / degree as f64).cos(),
    };
    let places: Vec<f64> = (0..=degree).map(place).collect();
    let derivative = |j: usize, at: f64| {
        let factor = |k: usize, above: f64| above / (places[j] - places[k]);
        let others = |k: &usize| *k != j;
        let term = |k: usize| {
            let product: f64 =
                (0..=degree).filter(others).filter(|i| *i != k).map(|i| factor(i, at - places[i])).product();
            factor(k, 1.0) * product
        };
        (0..=degree).filter(others).map(term).sum::<f64>()
    };
    (0..=degree).map(|j| (places[j], [derivative(j, 0.0), derivative(j, 1.0)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauss_points_integrate_polynomials_up_to_twice_their_number() {
        for count in [1, 2, 5, 16] {
            let points = gauss(count);
            for power in 0..2 * count as i32 {
                let sum: f64 = points.iter().map(|(s, weight)| weight * s.powi(power)).sum();
                assert!((sum * f64::from(power + 1) - 1.0).abs() < 1e-13, "{count} {power} {sum}");
            }
        }
    }

    #[test]
    fn derivatives_at_the_ends_are_those_of_the_polynomial() {
        for degree in 0..=9 {
            let points = end_derivatives(degree);
            for power in 0..=degree as i32 {
                let sum = |end: usize| points.iter().map(|(s, factors)| factors[end] * s.powi(power)).sum::<f64>();
                let start = if power == 1 { 1.0 } else { 0.0 };
                assert!((sum(0) - start).abs() < 1e-11 && (sum(1) - f64::from(power)).abs() < 1e-11);
            }
        }
    }
}
