//! The broad phase allocates nothing once its lists and cells have grown.

use carom::broad::Broad;
use carom::random::Random;

/// Allocations of questions about items that swing, after one period of them.
fn allocations<const D: usize>(swing: f64, radii: &[f64]) -> u64 {
    let mut random = Random::new(4);
    let side = (radii.len() as f64).powf(1.0 / D as f64);
    let centres: Vec<[f64; D]> = radii.iter().map(|_| std::array::from_fn(|_| random.between(0.0, side))).collect();
    let (mut broad, mut at, mut met) = (Broad::default(), centres.clone(), 0);
    let mut period = || {
        for question in 0..200 {
            let shift = swing * (question as f64 * std::f64::consts::TAU / 200.0).sin();
            for (i, (at, centre)) in at.iter_mut().zip(&centres).enumerate() {
                *at = centre.map(|x| x + shift * ((i % 5) as f64 - 2.0));
            }
            met += broad.pairs(&at, radii).len();
        }
    };
    // The skin settles in the first periods, and lists grow with it.
    for _ in 0..5 {
        period();
    }
    let count = allocation_counter::measure(&mut period).count_total;
    assert!(met > 1000, "{met}");
    count
}

#[test]
fn a_warm_broad_phase_allocates_nothing() {
    for swing in [0.0, 0.01, 1.0, 30.0] {
        let (same, different) = (vec![0.5; 500], (0..500).map(|i| [0.01, 0.3, 2.0][i % 3]).collect::<Vec<_>>());
        for radii in [same, different] {
            assert_eq!(allocations::<1>(swing, &radii), 0, "{swing}");
            assert_eq!(allocations::<2>(swing, &radii), 0, "{swing}");
            assert_eq!(allocations::<3>(swing, &radii), 0, "{swing}");
        }
    }
}

/// The control: the first question does allocate.
#[test]
fn a_cold_broad_phase_allocates() {
    let mut broad = Broad::default();
    let first = || assert_eq!(broad.pairs(&[[0.0], [0.5]], &[1.0, 1.0]), [[0, 1]]);
    assert!(allocation_counter::measure(first).count_total > 0);
}
