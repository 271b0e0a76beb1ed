//! Derivatives of polynomials at the ends of the unit interval.

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
