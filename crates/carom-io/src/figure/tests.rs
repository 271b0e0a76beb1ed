//! Whole figures: hostile labels, odd data, the same bytes again, and one figure to the byte.

use resvg::usvg::roxmltree::Document;

use super::series::PALETTE;
use super::{Axis, Figure, Marker, Panel, Scale, Series, Trace};

/// A small figure with one of each.
fn sample() -> Figure {
    let points = || (0..5).map(|i| (f64::from(i), 0.5 + 1e-6 * f64::from((i * i) % 5)));
    Figure::new(320, 240).title("Sample").columns(2).panel(
        Panel::new()
            .title("a")
            .x(Axis::linear("t / s"))
            .y(Axis::linear("E / J"))
            .line("line", points())
            .markers("marks", points().map(|(x, y)| (x, y + 1e-6)))
            .error_bars("bars", [(1.0, 0.5, 2e-7)])
            .band("band", [(0.0, 0.5, 0.500_000_5), (2.0, 0.5, 0.500_001)])
            .horizontal("E₀", 0.5)
            .vertical("t₀", 2.0),
    )
}

/// A figure of one series on axes of these scales.
fn plain(x: Scale, y: Scale, points: &[(f64, f64)]) -> Figure {
    let axis = |scale, label: &str| if scale == Scale::Linear { Axis::linear(label) } else { Axis::log(label) };
    let bars = points.iter().map(|&(x, y)| (x, y, y));
    let panel = |equal: bool| {
        let panel = Panel::new()
            .x(axis(x, "x"))
            .y(axis(y, "y"))
            .line("line", points.to_vec())
            .markers("markers", points.to_vec())
            .line_markers("both", points.to_vec())
            .error_bars("bars", bars.clone())
            .band("band", bars.clone())
            .guide("guide", points.first().map_or(f64::NAN, |p| p.0), points.last().copied().unwrap_or((1.0, 1.0)))
            .horizontal("h", points.first().map_or(0.0, |p| p.1))
            .vertical("v", points.first().map_or(0.0, |p| p.0));
        if equal { panel.equal_aspect() } else { panel }
    };
    Figure::new(500, 200).columns(2).panel(panel(false)).panel(panel(true))
}

/// The numbers of all path data and positions, which must all be near the figure.
fn check(svg: &str) {
    let document = Document::parse(svg).unwrap();
    for node in document.descendants() {
        for attribute in node.attributes() {
            let value = attribute.value();
            assert!(!value.contains("NaN") && !value.contains("inf"), "{value}");
            if attribute.name() == "d" {
                for number in value.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')) {
                    let number: f64 = if number.is_empty() { 0.0 } else { number.parse().unwrap() };
                    assert!((-10.0..1000.0).contains(&number), "{value}");
                }
            }
        }
    }
}

#[test]
fn one_figure_to_the_byte() {
    let svg = sample().to_svg();
    check(&svg);
    // To accept a change after looking at it: FIGURE_GOLDEN=write cargo test one_figure.
    if std::env::var("FIGURE_GOLDEN").is_ok_and(|v| v == "write") {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/figure/golden.svg");
        std::fs::write(path, &svg).unwrap();
    }
    assert_eq!(svg, include_str!("golden.svg"));
}

#[test]
fn the_same_figure_gives_the_same_bytes() {
    let (a, b) = (sample(), sample());
    assert_eq!(a.to_svg(), b.to_svg());
    assert_eq!(a.to_png(1.5), b.to_png(1.5));
    assert_eq!(a.to_png(1.5), a.clone().to_png(1.5));
}

#[test]
fn hostile_labels_stay_text() {
    let hostile = "]]></text><script>alert('&\"')</script>\u{0}\u{b}\u{ffff}\u{202e}\r\n&amp; 𝛼 漢字 <!--";
    let axis = || Axis::linear(hostile);
    let figure = Figure::new(900, 700).title(hostile).panel(
        Panel::new()
            .title(hostile)
            .x(axis())
            .y(axis())
            .line(hostile, [(0.0, 0.0), (1.0, 1.0)])
            .guide(hostile, 1.0, (0.0, 0.1))
            .horizontal(hostile, 0.5),
    );
    let svg = figure.to_svg();
    let document = Document::parse(&svg).unwrap();
    assert!(document.descendants().all(|n| !n.has_tag_name("script")));
    let title = document.descendants().find(|n| n.tag_name().name() == "title").unwrap();
    assert!(title.text().unwrap().starts_with("]]></text><script>alert('&\"')"));
    assert!(figure.to_png(1.0).is_ok());
}

#[test]
fn odd_data_never_panic() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let series: Vec<Vec<(f64, f64)>> = vec![
        vec![],
        vec![(0.0, 0.0)],
        vec![(1.0, 1.0)],
        vec![(nan, nan)],
        vec![(inf, -inf), (1.0, 2.0), (nan, 3.0), (2.0, inf)],
        vec![(1.0, 5.0), (2.0, 5.0), (3.0, 5.0)],
        vec![(3.0, 1.0), (3.0, 2.0)],
        vec![(-1.0, -1.0), (-2.0, 0.0)],
        vec![(1e-300, 1e-300), (1e300, 1e300)],
        vec![(f64::MIN, f64::MAX), (f64::MAX, f64::MIN)],
        vec![(5e-324, 5e-324), (1e-323, 2e-323)],
        vec![(1.0, 1.0), (1.0 + f64::EPSILON, 1.0 - f64::EPSILON)],
        vec![(1e16, 1.0), (1e16 + 2.0, 1.0 + 1e-13)],
        vec![(0.1, 1e-17), (0.2, 1.0), (0.3, 0.0), (0.4, 1e-8)],
        vec![(-0.0, 0.0), (0.0, -0.0)],
    ];
    let scales = [Scale::Linear, Scale::Log10];
    for points in &series {
        for x in scales {
            for y in scales {
                let figure = plain(x, y, points);
                check(&figure.to_svg());
                assert!(figure.to_png(0.5).is_ok());
            }
        }
    }
}

#[test]
fn odd_sizes_and_styles_never_panic() {
    for (w, h) in [(0, 0), (1, 5000), (5000, 1), (40, 40), (120, 60), (u32::MAX, 20)] {
        let figure = Figure::new(w, h).title("title").columns(usize::MAX).panel(Panel::new().title("empty"));
        let series = Series::new("s", Trace::line(Scale::Log10, Scale::Log10));
        let series = series.colour(usize::MAX).width(f64::NAN).marker(Marker::Diamond).dashed();
        let figure = figure.panel(Panel::new().x(Axis::log("").range(f64::NAN, 1.0)).series(series));
        let figure =
            figure.panel(Panel::new().y(Axis::linear("y").range(1.0, 1.0)).equal_aspect().line("", [(0.0, 1.0)]));
        Document::parse(&figure.to_svg()).unwrap();
        Document::parse(&figure.columns(0).to_svg()).unwrap();
    }
    Document::parse(&Figure::new(100, 100).to_svg()).unwrap();
}

#[test]
fn a_single_spike_is_drawn() {
    let mut trace = Trace::line(Scale::Linear, Scale::Linear);
    trace.extend((0..1_000_000).map(|i| (f64::from(i), if i == 654_321 { 1.0 } else { 0.0 })));
    let figure = Figure::new(400, 300)
        .panel(Panel::new().x(Axis::linear("")).y(Axis::linear("").range(0.0, 2.0)).series(Series::new("", trace)));
    let svg = figure.to_svg();
    assert!(svg.len() < 200_000);
    let blue = svg.lines().find(|l| l.contains("#0072b2")).unwrap();
    let heights: Vec<f64> =
        blue.split(['V', 'L', 'H', 'M', '"']).filter_map(|p| p.split(' ').next_back()?.parse().ok()).collect();
    let (top, bottom) = heights.iter().fold((f64::MAX, f64::MIN), |(a, b), &v| (a.min(v), b.max(v)));
    assert!(bottom - top > 100.0, "{top} {bottom}");
}

#[test]
fn thinning_happens_on_the_scale_of_the_axis() {
    // A billion seconds on a logarithmic axis: the first decades must keep their points.
    let mut trace = Trace::line(Scale::Log10, Scale::Linear);
    trace.extend((0..2_000_000).map(|i| 10f64.powf(f64::from(i) * 4.5e-6)).map(|t| (t, (20.0 * t.log10()).sin())));
    let panel = Panel::new().x(Axis::log("t").range(1.0, 10.0)).series(Series::new("", trace));
    let svg = Figure::new(600, 300).panel(panel).to_svg();
    let line = svg.lines().find(|l| l.contains("#0072b2")).unwrap();
    assert!(line.matches('L').count() > 300, "{}", line.len());
}

#[test]
fn a_guide_has_the_slope_it_names() {
    let panel = Panel::new().x(Axis::log("h").range(1e-4, 1.0)).y(Axis::log("e").range(1e-8, 1.0)).guide(
        "",
        2.0,
        (1.0, 1.0),
    );
    let svg = Figure::new(400, 400).panel(panel).to_svg();
    let frame = svg.lines().find(|l| l.contains("#444444")).unwrap();
    let guide = svg.lines().find(|l| l.contains("stroke-dasharray")).unwrap();
    let corner = |line: &str| line.split(['M', 'L', 'H', 'V']).nth(1).unwrap().to_owned();
    // From the lower left corner to the upper right one.
    let (left_top, low_left) = (corner(frame), corner(guide));
    assert_eq!(left_top.split(' ').next(), low_left.split(' ').next());
    assert!(guide.contains(&format!(" {}\"", left_top.split(' ').nth(1).unwrap())), "{guide} {frame}");
}

#[test]
fn cells_are_drawn_on_other_scales_too() {
    let mut cloud = Trace::scatter(Scale::Linear, Scale::Linear);
    cloud.extend((0..50_000).map(|i| (f64::from(i % 251), f64::from(i % 241))));
    for (x, y) in [(Axis::linear("x"), Axis::log("y")), (Axis::log("x"), Axis::linear("y"))] {
        let svg =
            Figure::new(300, 200).panel(Panel::new().x(x).y(y).series(Series::new("", cloud.clone()))).to_svg();
        check(&svg);
        assert!(svg.contains("#0072b2"));
    }
}

#[test]
fn the_colours_of_the_palette_are_clearly_different() {
    // CIELAB of an sRGB colour under D65.
    let lab = |colour: &str| {
        let linear = [1, 3, 5].map(|i| {
            let c = f64::from(u8::from_str_radix(&colour[i..i + 2], 16).unwrap()) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        let matrix = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
        let white = [0.9505, 1.0, 1.089];
        let f = |i: usize| {
            let t = (0..3).map(|j| matrix[i][j] * linear[j]).sum::<f64>() / white[i];
            if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 }
        };
        let [x, y, z] = [f(0), f(1), f(2)];
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    };
    let distance = |a: &str, b: &str| {
        let (a, b) = (lab(a), lab(b));
        (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
    };
    // A just noticeable difference of areas is 2.3; the blue and the sky blue of Okabe and Ito, too near for thin lines,
    // are 26 apart.
    assert!((distance("#0072b2", "#56b4e9") - 26.4).abs() < 0.1);
    for (i, a) in PALETTE.iter().enumerate() {
        assert!(lab(a)[0] < 75.0, "{a} is too light for white paper");
        for b in &PALETTE[..i] {
            assert!(distance(a, b) > 32.0, "{a} and {b}: {}", distance(a, b));
        }
    }
}

#[test]
fn a_legend_hides_no_data() {
    // So few points that a legend hides one of them at most, and so many that it hides one wherever it is; or a hole.
    let svg = |hole: bool| {
        let places = (0..66).map(|i| (f64::from(i % 6), f64::from(i / 6)));
        let cloud = places.filter(|(x, y)| !(hole && *x > 3.0 && *y > 7.0));
        Figure::new(400, 300).panel(Panel::new().markers("cloud", cloud)).to_svg()
    };
    let framed = |svg: &str| svg.contains("stroke=\"#cccccc\"");
    assert!(framed(&svg(true)) && !framed(&svg(false)));
    let corner = Figure::new(400, 300).panel(Panel::new().legend_above().line("a", [(0.0, 0.0), (1.0, 1.0)]));
    assert!(!framed(&corner.to_svg()));
}

#[test]
fn a_line_faster_than_pixels_leaves_what_is_behind_it_visible() {
    let wave = |period: f64| {
        let points =
            (0..40_000).map(move |i| (f64::from(i), (f64::from(i) * std::f64::consts::TAU / period).sin()));
        let svg = Figure::new(400, 300).panel(Panel::new().line("", points)).to_svg();
        check(&svg);
        svg
    };
    let (fast, slow) = (wave(50.0), wave(4000.0));
    assert!(fast.contains("fill=\"#0072b2\" fill-opacity") && !slow.contains("fill-opacity"));
    // Its edges are drawn in full.
    assert!(fast.contains("stroke=\"#0072b2\""));
    assert!(fast.len() < 20_000, "{}", fast.len());
}
