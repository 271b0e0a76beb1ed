//! Answers against all pairs, one by one.

use super::{Broad, FARTHEST, square, taken};
use crate::random::Random;

/// All pairs that meet, by looking at all.
fn oracle<const D: usize>(centres: &[[f64; D]], radii: &[f64]) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for j in 0..centres.len() {
        for i in 0..j {
            let sum = radii[i] + radii[j];
            let both = taken(&centres[i], radii[i]) && taken(&centres[j], radii[j]);
            if both && square(&centres[i], &centres[j]) <= sum * sum {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

fn assert_pairs<const D: usize>(broad: &mut Broad, centres: &[[f64; D]], radii: &[f64], what: &str) -> usize {
    let (found, expected) = (broad.pairs(centres, radii), oracle(centres, radii));
    assert!(found == expected, "{what}, D = {D}: {} pairs and not {}", found.len(), expected.len());
    expected.len()
}

/// A cloud of points and radii; `kind` says which.
fn cloud<const D: usize>(kind: usize, size: usize, random: &mut Random) -> (Vec<[f64; D]>, Vec<f64>) {
    let side = (size as f64).powf(1.0 / D as f64);
    let mut point = |width: f64| std::array::from_fn(|_| random.between(-width, width));
    let centres: Vec<[f64; D]> = match kind {
        // Dense, dilute, far from the origin.
        0 => (0..size).map(|_| point(side)).collect(),
        1 => (0..size).map(|_| point(30.0 * side)).collect(),
        2 => (0..size).map(|_| point(side).map(|x: f64| x + 1e12)).collect(),
        // Clusters, lines, equal points.
        3 => {
            let middles: Vec<[f64; D]> = (0..8).map(|_| point(100.0 * side)).collect();
            let near = |i: usize| {
                let (middle, apart) = (middles[i % 8], point(2.0));
                std::array::from_fn(|k| middle[k] + apart[k])
            };
            (0..size).map(near).collect()
        }
        4 => (0..size).map(|i| std::array::from_fn(|k| if k == 0 { 0.9 * i as f64 } else { 0.0 })).collect(),
        5 => (0..size).map(|i| [(i % 7) as f64; D]).collect(),
        // A grid on which spheres of radius 1/2 touch.
        6 => (0..size).map(|_| point(side).map(f64::round)).collect(),
        // Places of all magnitudes.
        _ => (0..size).map(|i| point(1.0).map(|x: f64| x * 1.5_f64.powi(i as i32 % 90 - 20))).collect(),
    };
    (centres, vec![0.5; size])
}

fn radii_of(kind: usize, size: usize, random: &mut Random) -> Vec<f64> {
    let mut radius = |i: usize| match kind {
        0 => 0.5,
        1 => 0.0,
        2 => random.between(0.1, 1.0),
        3 => 10_f64.powf(random.between(-6.0, 1.0)),
        4 => [0.3, 300.0][usize::from(i == size / 2)],
        _ => [1e-200, 0.2, 1.0, 1e-140][i % 4],
    };
    (0..size).map(&mut radius).collect()
}

fn clouds<const D: usize>() {
    let (mut random, mut warm, mut met) = (Random::new(D as u64), Broad::default(), 0);
    for kind in 0..8 {
        for radii in 0..6 {
            for size in [0, 1, 2, 17, 150] {
                let (centres, _) = cloud::<D>(kind, size, &mut random);
                let radii = radii_of(radii, size, &mut random);
                let what = format!("cloud {kind}, size {size}");
                met += assert_pairs(&mut warm, &centres, &radii, &what);
                assert_pairs(&mut Broad::default(), &centres, &radii, &what);
            }
        }
    }
    // Neither never nor always.
    assert!((10_000..400_000).contains(&met), "{met}");
}

#[test]
fn pairs_of_clouds_are_all_that_meet() {
    clouds::<1>();
    clouds::<2>();
    clouds::<3>();
}

/// Items that move at that speed a question in the box of the cloud; gives how often a list was made.
fn motion<const D: usize>(speed: f64, kind: usize, questions: usize) -> usize {
    let (mut random, mut broad, mut made) = (Random::new(7), Broad::default(), 0);
    let (mut centres, _) = cloud::<D>(kind, 200, &mut random);
    let mut radii = radii_of(2, 200, &mut random);
    let side = centres.iter().flatten().fold(0.0_f64, |side, x| side.max(x.abs()));
    let mut velocities: Vec<[f64; D]> =
        (0..200).map(|_| std::array::from_fn(|_| speed * random.normal())).collect();
    for question in 0..questions {
        assert_pairs(&mut broad, &centres, &radii, &format!("speed {speed}, cloud {kind}, question {question}"));
        made += usize::from(broad.skin.answers() == 1);
        for (i, centre) in centres.iter_mut().enumerate() {
            for (x, v) in centre.iter_mut().zip(&mut velocities[i]) {
                *v = if (*x + *v).abs() > side { -*v } else { *v };
                *x = (*x + *v).clamp(-side, side);
            }
            radii[i] *= 1.0 + speed.min(0.1) * random.between(-0.1, 0.1);
        }
    }
    made
}

#[test]
fn a_list_that_is_kept_misses_no_pair() {
    for kind in [0, 1, 3] {
        // At rest, slow, fast; of 200 fast ones a list of all pairs may be the least work.
        assert_eq!(motion::<2>(0.0, kind, 30), 1);
        for (speed, bounds) in [(1e-3, 2..30), (0.1, 4..100), (10.0, 2..201)] {
            let made =
                [motion::<1>(speed, kind, 200), motion::<2>(speed, kind, 200), motion::<3>(speed, kind, 200)];
            assert!(made.iter().all(|made| bounds.contains(made)), "{speed}, cloud {kind}: {made:?}");
        }
    }
}

#[test]
fn answers_do_not_depend_on_what_was_asked_before() {
    let mut random = Random::new(11);
    let base = cloud::<3>(0, 120, &mut random).0;
    let radii = radii_of(2, 120, &mut random);
    // Places at which pairs come and go by a rounding.
    let questions: Vec<Vec<[f64; 3]>> = (0..40)
        .map(|q| {
            let step = if q % 2 == 0 { 1e-16 } else { 10_f64.powi(-(q % 9)) };
            base.iter().map(|x| x.map(|x| x + step * random.normal())).collect()
        })
        .collect();
    let fresh: Vec<_> = questions.iter().map(|x| Broad::default().pairs(x, &radii).to_vec()).collect();
    for _ in 0..20 {
        let mut broad = Broad::default();
        for _ in 0..60 {
            let q = (random.unit() * 40.0) as usize;
            assert!(broad.pairs(&questions[q], &radii) == fresh[q], "question {q}");
        }
    }
}

/// Two spheres that part by one rounding, with a list that is kept.
#[test]
fn a_rounding_decides_in_a_kept_list_too() {
    let (mut broad, radii) = (Broad::default(), [0.3, 0.7, 0.1]);
    let mut x = [[0.0, 0.1], [0.5, 0.1], [9.0, 9.0]];
    for q in 0..50 {
        let apart = [1.0 - 1e-9, 1.0, 1.0_f64.next_up(), 1.0 + 1e-9][q % 4];
        x[1][0] = apart;
        let met = q % 4 < 2;
        assert_eq!(broad.pairs(&x, &radii), if met { &[[0, 1]][..] } else { &[] }, "{q}");
    }
    assert!(broad.skin.answers() > 20);
}

#[test]
fn what_is_not_finite_meets_nothing_and_harms_nobody() {
    let strange = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e151, FARTHEST, 1e-320, 0.0, -0.0];
    let (mut random, mut broad) = (Random::new(3), Broad::default());
    for question in 0..200 {
        let (mut centres, mut radii) = cloud::<3>(0, 60, &mut random);
        for _ in 0..question % 7 {
            let i = (60.0 * random.unit()) as usize;
            centres[i][(3.0 * random.unit()) as usize] = strange[(9.0 * random.unit()) as usize];
            radii[(60.0 * random.unit()) as usize] = strange[(9.0 * random.unit()) as usize];
            radii[(60.0 * random.unit()) as usize] = -1.0;
        }
        assert_pairs(&mut broad, &centres, &radii, &format!("question {question}"));
        assert_pairs(&mut broad, &centres, &radii, "the same again");
    }
    // One item is lost on the way, the list of the others is right.
    let (mut centres, radii) = cloud::<2>(0, 60, &mut random);
    for question in 0..20 {
        if question == 10 {
            centres[5][1] = f64::NAN;
        }
        assert_pairs(&mut broad, &centres, &radii, "an item is lost");
    }
    assert_eq!(broad.skin.answers(), 10, "an item that stays lost costs no list");
}

#[test]
fn dimensions_and_sizes_may_change() {
    let (mut random, mut broad) = (Random::new(5), Broad::default());
    for size in [60, 90, 30] {
        let (line, radii) = cloud::<1>(0, size, &mut random);
        assert_pairs(&mut broad, &line, &radii, "line");
        assert_pairs(&mut broad, &cloud::<3>(0, size, &mut random).0, &radii, "space");
        // As many numbers, other points.
        assert_pairs(&mut broad, &cloud::<2>(0, size, &mut random).0, &radii, "plane");
        let met = broad.pairs(&line, &radii[..10]).to_vec();
        assert_eq!(met, oracle(&line[..10], &radii[..10]));
    }
}

/// Distances looked at for a list without skin, per item.
fn looked<const D: usize>(centres: &[[f64; D]], radii: &[f64]) -> f64 {
    let mut broad = Broad::default();
    broad.pairs(centres, radii);
    broad.skin.looked() as f64 / centres.len() as f64
}

#[test]
fn work_grows_with_the_number_of_items_and_not_with_the_differences_of_sizes() {
    let mut random = Random::new(2);
    let (few, many) = (cloud::<3>(0, 1_000, &mut random).0, cloud::<3>(0, 30_000, &mut random).0);
    let [one, other] = [looked(&few, &[0.5; 1_000]), looked(&many, &[0.5; 30_000])];
    assert!((0.8..1.5).contains(&(other / one)), "{one} {other}");
    // One item of a thousand times the size costs every other one look, in a few buckets.
    let mut radii = vec![0.5; 30_000];
    radii[77] = 500.0;
    let giant = looked(&many, &radii);
    assert!((0.9..8.0).contains(&(giant - other)), "{giant} {other}");
    // An item that flew away does not make the cells of the others coarse.
    let mut lost = many.clone();
    lost[5][0] = 1e140;
    let lost = looked(&lost, &[0.5; 30_000]);
    assert!((0.0..8.0).contains(&(lost - other)), "{lost} {other}");
    // The control: sizes of one level would be looked at by all.
    let all = looked(&many[..2_000], &[100.0; 2_000]);
    assert!(all > 500.0, "{all}");
}

#[test]
fn a_list_is_kept_where_that_is_less_work_only() {
    let (mut random, mut broad) = (Random::new(6), Broad::default());
    let (mut centres, radii) = cloud::<3>(0, 5_000, &mut random);
    let mut made = |broad: &mut Broad, apart: f64| {
        let mut made = 0;
        for _ in 0..60 {
            for x in centres.iter_mut().flatten() {
                *x = if apart < 1.0 { *x + apart * random.unit() } else { random.between(-apart, apart) };
            }
            broad.pairs(&centres, &radii);
            made += usize::from(broad.skin.answers() == 1);
        }
        made
    };
    // New places every time: a list of all pairs would be too long. Then slow, then new places again.
    assert!(made(&mut broad, 17.0) > 55);
    assert!(made(&mut broad, 1e-4) < 30);
    assert!(made(&mut broad, 17.0) > 55);
    assert!(broad.list.pairs().len() < 50 * radii.len(), "{}", broad.list.pairs().len());
}
