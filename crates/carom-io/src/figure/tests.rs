//! Whole figures: hostile labels, odd data, the same bytes again, and one figure to the byte.

use resvg::usvg::roxmltree::Document;

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
