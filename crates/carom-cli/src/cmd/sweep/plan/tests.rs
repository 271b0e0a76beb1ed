//! Tests of the points of a sweep.

use serde_json::json;

use super::*;

fn plan(vary: &[&str], sample: Option<(usize, u64)>) -> Result<Vec<Value>, String> {
    let vary: Vec<String> = vary.iter().map(ToString::to_string).collect();
    let plan = Plan::new(&vary, sample)?;
    Ok((0..plan.count()).map(|index| plan.point(index).values().cloned().collect()).collect())
}

#[test]
fn both_ends_are_there_and_decimal_steps_are_decimal() {
    let values = |text: &str| plan(&[&format!("k={text}")], None).expect("a plan");
    assert_eq!(values("0.1:0.5:5"), [[0.1], [0.2], [0.3], [0.4], [0.5]].map(|value| json!(value)));
    assert_eq!(values("1e-3:-1:2"), [[1e-3], [-1.0]].map(|value| json!(value)));
    assert_eq!(values("2:2:1"), [json!([2])]);
    assert_eq!(values("10:20:3"), [[10], [15], [20]].map(|value| json!(value)), "integers for keys that count");
    assert_eq!(values("0:1:3"), [json!([0]), json!([0.5]), json!([1])]);
    assert_eq!(values("0:1:4")[1], json!([1.0 / 3.0]), "not every value is a short decimal number");
    assert_eq!(values("-1e308:1e308:3")[1], json!([0.0]), "no overflow between the ends");
    for n in [7, 11, 101, 1001] {
        let values = values(&format!("0:1:{n}"));
        let expected = (0..n).map(|i| json!([i as f64 / (n - 1) as f64]));
        let whole = |value: Value| if value == json!([0.0]) { json!([0]) } else { value };
        assert!(values[..n - 1].iter().cloned().eq(expected.take(n - 1).map(whole)), "{n}");
    }
}

#[test]
fn the_first_key_varies_slowest() {
    let points = plan(&["a=1,2", "b=x,'y,z',[1, 2]"], None).expect("a plan");
    let expected = json!([[1, "x"], [1, "y,z"], [1, [1, 2]], [2, "x"], [2, "y,z"], [2, [1, 2]]]);
    assert_eq!(Value::from(points), expected);
    let point = Plan::new(&["a.0=1:3:3".into(), "b=c(1,2),\"d\"".into()], None).expect("a plan").point(5);
    let edits: Vec<Edit> = point.edits().collect();
    assert_eq!([&edits[0].argument, &edits[1].argument], ["a.0=3", "b=\"d\""]);
    assert_eq!(edits[0].shown, "--vary a.0=3");
    assert_eq!((point.shown().as_str(), point.to_json()), ("a.0 = 3, b = d", json!({ "a.0": 3, "b": "d" })));
}

#[test]
fn random_points_fill_the_range_and_a_longer_sample_begins_like_a_shorter_one() {
    let vary = ["a=-1:3", "b=p,q,r"];
    let points = plan(&vary, Some((3000, 7))).expect("a plan");
    let numbers: Vec<f64> = points.iter().map(|point| point[0].as_f64().expect("a number")).collect();
    assert!(numbers.iter().all(|value| (-1.0..=3.0).contains(value)));
    // Of a uniform distribution on [-1, 3]: mean 1, variance 4/3; each within 4 standard deviations of its estimate.
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let variance = numbers.iter().map(|value| (value - 1.0).powi(2)).sum::<f64>() / n;
    assert!((mean - 1.0).abs() < 4.0 * (4.0 / 3.0 / n).sqrt(), "{mean}");
    assert!((variance - 4.0 / 3.0).abs() < 4.0 * (16.0 / 5.0 - 16.0 / 9.0_f64).sqrt() / n.sqrt(), "{variance}");
    for choice in ["p", "q", "r"] {
        let count = points.iter().filter(|point| point[1] == choice).count() as f64;
        assert!((count - n / 3.0).abs() < 4.0 * (n * 2.0 / 9.0).sqrt(), "{choice}: {count}");
    }
    assert_eq!(plan(&vary, Some((10, 7))).expect("a plan"), points[..10]);
    assert_ne!(plan(&vary, Some((10, 8))).expect("a plan"), points[..10]);
}

#[test]
fn what_is_wrong_is_said_with_the_remedy() {
    let no_sample = None;
    let sample = Some((5, 0));
    for (vary, sample, said) in [
        (&["a"][..], no_sample, "a: there is no `=`; write key.path=a:b:n"),
        (&["a="], no_sample, "a=: a value is missing"),
        (&["a=1,,2"], no_sample, "a value is missing"),
        (&["a=1:2"], no_sample, "write 1:2:n for n values, or add --sample N"),
        (&["a=1:2:0"], no_sample, "`0` must be an integer from 1 on"),
        (&["a=1:2:2.5"], no_sample, "`2.5` must be an integer from 1 on"),
        (&["a=1:2:1"], no_sample, "1 value cannot include both ends"),
        (&["a=1:x:3"], no_sample, "the end `x` of the range is no number"),
        (&["a=1:inf:3"], no_sample, "the end `inf` of the range is no number"),
        (&["a=1:2:3:4"], no_sample, "a range has two ends and a number of values"),
        (&["a=1:2:3,4"], no_sample, "a list has no ranges in it"),
        (&["a=[1,2"], no_sample, "a quote or bracket in the list is not closed"),
        (&["a=1,2", "a=3"], no_sample, "a=3: `a` is varied twice"),
        (&["a=0:1:1000001"], no_sample, "1000001 points: at most 1000000 are allowed"),
        (&["a=0:1:1001", "b=0:1:1000"], no_sample, "1001 × 1000 points: at most 1000000"),
        (&["a=0:1:9999999999", "b=0:1:9999999999"], no_sample, "9999999999 × 9999999999 points"),
        (&["a=1:2:3"], sample, "a range is written without a number of values: 1:2"),
    ] {
        let message = plan(vary, sample).expect_err(said);
        assert!(message.contains(said), "{vary:?}: {message}");
    }
    assert!(plan(&["a=1:2"], Some((2_000_000, 0))).is_err_and(|message| message.contains("2000000 points")));
}
