//! `report.html` of folders made by hand: what stands in it, what a spike becomes, which columns are drawn.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use carom_io::document::Source;
use carom_io::html_report::{HtmlReport, NAMES, ReportError};
use carom_io::recording::{Column, TableWriter};
use carom_io::scene::Scene;
use resvg::usvg::roxmltree::{Document, Node, ParsingOptions};
use serde_json::{Value, json};

/// An oscillator with a pulling force or without, and a title that HTML must not take for its own.
fn scene(force: &str) -> Scene {
    let text = format!(
        "title = \"An <oscillator> & its \\\"walls\\\"\"\ndescription = \"one\\n\\ntwo < three\"\n\
         [parameters]\nk = 2.0\n[lagrangian]\ncoordinates = [\"x\", \"y\"]\nmass = 1.0\n\
         potential = \"k*(x^2 + y^2)/2\"\npoints = [[\"x\", \"y\"]]\n{force}\n\
         [initial]\nq = {{ x = 1.0, y = 0.0 }}\n[method]\nname = \"verlet\"\n[run]\nstep = 0.01\nsteps = 1000\n"
    );
    let source = Source::new("made.toml", text);
    Scene::read("made", &source, &[]).unwrap_or_else(|found| panic!("{found:?}"))
}

fn run() -> Value {
    json!({
        "carom": "0.0.0", "scene": "made", "method": "verlet", "h": 0.01, "steps": 1000, "t": 10.0,
        "wall_seconds": 0.123_456_789, "steps_per_second": 987_654.3,
        "energy": { "initial": 1.0, "final": 1.0, "min": 0.75, "max": 1.5, "slope": 1.2e-12, "slope_error": 3e-12 },
        "momentum": {
            "linear_max_change": null, "angular_max_change": 4.44e-16,
            "linear_change": [0.0, 0.0], "angular_change": [0.0]
        },
        "constraints": { "max_equality": null, "max_equality_velocity": null, "max_penetration": null },
        "solver": {
            "iterations_mean": 0.0, "iterations_max": 0, "worst_residual": 0.0, "failures": 0, "halved_steps": 0
        },
        "final": { "q": [1.0, 0.0], "v": [0.0, 0.0], "p": [0.0, 0.0] },
        "complete": true, "ended": null, "notes": ["the initial <position> was moved"]
    })
}

/// A folder of its own; removed in the end.
struct Folder(PathBuf);

impl Folder {
    /// With tables of so many rows; `value` gives the measures by name.
    fn new(measures: &[&str], rows: u64, value: impl Fn(&str, u64) -> f64) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("carom-report-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).expect("a new folder");
        let columns = |names: &[&str]| names.iter().map(|name| Column::new(*name)).collect::<Vec<_>>();
        let write = |name: &str, names: &[&str], value: &dyn Fn(&str, u64) -> f64| {
            let mut table = TableWriter::create(&path, name, &columns(names)).expect("writable");
            for k in 0..rows {
                let row: Vec<f64> =
                    names.iter().map(|name| if *name == "t" { k as f64 * 0.01 } else { value(name, k) }).collect();
                table.append(&row).expect("writable");
            }
            table.flush().expect("writable");
        };
        write("measures", &[&["t"], measures].concat(), &value);
        let turn = |name: &str, k: u64| if name.ends_with('x') { (k as f64).cos() } else { (k as f64).sin() };
        write("trajectory", &["t", "x", "y", "v.x", "v.y", "p.x", "p.y"], &turn);
        Self(path)
    }

    fn report(&self, scene: &Scene, run: &Value) -> HtmlReport {
        HtmlReport::new(scene, run, &self.0).unwrap_or_else(|error| panic!("{error}"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Parses the page as XML: every tag is closed, every text escaped.
fn parse(html: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(html, options).unwrap_or_else(|error| panic!("{error}"))
}

fn text(node: Node) -> String {
    let all: String = node.descendants().filter_map(|node| node.text().filter(|_| node.is_text())).collect();
    all.replace('\u{a0}', " ")
}

fn figure<'a>(page: &'a Document, name: &str) -> Option<Node<'a, 'a>> {
    page.descendants().find(|node| node.has_tag_name("figure") && node.attribute("id") == Some(name))
}

#[test]
fn the_page_is_well_formed_complete_and_needs_nothing_else() {
    let folder = Folder::new(&["energy", "kinetic", "angular_momentum.z"], 1001, |_, k| 1.0 + 0.1 * (k % 7) as f64);
    let report = folder.report(&scene(""), &run());
    let page = parse(&report.html);
    for part in ["http", "src=", "url(", "@import", "<script", "<link", "0.123456789", "987654.3"] {
        assert!(!report.html.contains(part), "{part}");
    }
    let words = text(page.root_element());
    let said = [
        "An <oscillator> & its \"walls\"",
        "two < three",
        "No drift seen: slope (1.2 ± 3.0) × 10⁻¹² per unit of time",
        "0.25 below and 0.5 above it (0.5 of |E₀|)",
        "Largest change of a conserved component: 4.44 × 10⁻¹⁶",
        "the initial <position> was moved",
        "Loup Verlet",
        "potential = \"k*(x^2 + y^2)/2\"",
    ];
    for said in said {
        assert!(words.contains(said), "{said}: {words}");
    }
    assert!(!words.contains("did not reach its end"));
    let shown: Vec<_> = NAMES.into_iter().filter(|name| figure(&page, name).is_some()).collect();
    assert_eq!(shown, ["energy", "paths", "phase", "momentum"]);
    assert!(text(figure(&page, "energy").unwrap()).contains("(1.2 ± 3.0) × 10⁻¹² per unit of t"));

    // Every number of run.json but those of the clock.
    let record = page.descendants().find(|node| node.attribute("id") == Some("run")).expect("a record");
    let record = text(record.descendants().find(|node| node.has_tag_name("pre")).expect("text"));
    let mut expected = run();
    let object = expected.as_object_mut().unwrap();
    object.retain(|key, _| key != "wall_seconds" && key != "steps_per_second");
    assert_eq!(serde_json::from_str::<Value>(&record).expect("JSON"), expected);
}

#[test]
fn a_run_that_did_not_end_well_says_so_first() {
    let folder = Folder::new(&["energy"], 1, |_, _| 1.0);
    let mut run = run();
    (run["complete"], run["ended"], run["steps"]) = (false.into(), "step 8 failed: <no> root".into(), 7.into());
    let html = folder.report(&scene(""), &run).html;
    let page = parse(&html);
    let main = page.descendants().find(|node| node.has_tag_name("main")).expect("a body");
    let first = main.children().find(Node::is_element).expect("a first element");
    let expected = "This run did not reach its end: 7 of 1000 steps were made. Reason: step 8 failed: <no> root";
    assert_eq!(text(first), expected);
}

/// The lowest and highest points of the blue paths of a figure, in px from its top.
fn heights(figure: Node) -> (f64, f64) {
    let blue = |node: &Node| node.attribute("stroke") == Some("#0072b2") && node.attribute("d").is_some();
    let mut range = (f64::MAX, f64::MIN);
    for path in figure.descendants().filter(blue).filter_map(|node| node.attribute("d")) {
        // Commands M, L and V end in a height; H keeps it.
        for command in path.split_inclusive(['M', 'L', 'V', 'H']).zip(path.split(['M', 'L', 'V', 'H']).skip(1)) {
            if !command.0.ends_with('H')
                && let Some(y) = command.1.split(' ').next_back().and_then(|y| y.parse::<f64>().ok())
            {
                range = (range.0.min(y), range.1.max(y));
            }
        }
    }
    range
}

#[test]
fn one_row_of_a_million_stands_out_in_the_figure() {
    let draw = |spike: f64| {
        let value = move |_: &str, k: u64| match k {
            654_321 => 1.0 + spike,
            k => 1.0 + 1e-3 * (k % 2) as f64,
        };
        let folder = Folder::new(&["energy"], 1_000_000, value);
        folder.report(&scene(""), &run()).html
    };
    let html = draw(-1.0);
    assert!(html.len() < 1_000_000, "{} bytes", html.len());
    let page = parse(&html);
    let (top, bottom) = heights(figure(&page, "energy").expect("a figure"));
    // The noise is a thousandth of the spike, which alone spans the panel.
    assert!(bottom - top > 150.0, "{top} {bottom}");
    assert!(text(figure(&page, "phase").unwrap()).contains("6000 of 1000000 recorded rows, in stretches"));
    let rest = "−1.0";
    assert!(text(figure(&page, "energy").unwrap()).contains(rest), "the axis reaches the spike");
    let calm = draw(0.0);
    assert!(!text(figure(&parse(&calm), "energy").unwrap()).contains(rest));
}

#[test]
fn columns_are_found_by_name_and_drawn_by_kind() {
    let names = [
        "energy",
        "kinetic",
        "potential",
        "potential.bending",
        "ledger.stored",
        "ledger.entered",
        "ledger.integrator_error",
        "symmetry.spin",
        "symmetry.boost",
        "max_equality",
        "max_equality_velocity",
        "gap.floor",
        "gap.wall",
        "min_gap",
        "constraint_force.rod",
        "symplecticity_defect",
        "reversal_defect.q",
        "reversal_defect.p",
        "iterations",
        "residual",
        "something_new",
    ];
    let folder = Folder::new(&names, 400, |name, k| match name {
        // Measured now and then.
        "symplecticity_defect" if k % 50 != 0 => f64::NAN,
        "symplecticity_defect" => 3e-13,
        "reversal_defect.p" => 7e-12,
        "iterations" => (2 + k % 2) as f64,
        _ => 1e-15 * k as f64,
    });
    let forced = scene("forces = [\"-0.1*dot(x)\", 0]");
    let mut run = run();
    run["solver"]["iterations_max"] = 3.into();
    run["constraints"]["max_equality"] = 2.2e-16.into();
    run["symmetries"] = json!([
        { "name": "spin", "holds": true, "initial": 0.0, "change": 0.0, "max_change": 4e-13 },
        { "name": "boost", "holds": false, "initial": 0.0, "change": 1.0, "max_change": 2.0 },
    ]);
    run["ledger"] = json!({ "stored": -3.0, "entered": 1.5, "left": 4.5, "error": 2e-4, "error_max": 3e-4 });
    let html = folder.report(&forced, &run).html;
    let page = parse(&html);
    for name in NAMES {
        assert!(figure(&page, name).is_some(), "{name}");
    }
    let words = |name: &str| text(figure(&page, name).unwrap());
    let expected = [
        ("energy", vec!["total", "kinetic T", "potential V"]),
        ("ledger", vec!["stored", "entered", "integrator error"]),
        ("momentum", vec!["momenta of symmetries", "spin"]),
        ("constraints", vec!["largest |f|", "largest |df/dt|"]),
        ("defects", vec!["symplecticity defect", "reversal defect"]),
        (
            "measures",
            vec![
                "parts of the potential",
                "bending",
                "gap",
                "floor",
                "wall",
                "min gap",
                "constraint force",
                "something new",
            ],
        ),
    ];
    for (name, parts) in expected {
        for part in parts {
            assert!(words(name).contains(part), "{name}: {part}");
        }
    }
    assert!(!words("momentum").contains("boost"), "it is not conserved");
    let all = text(page.root_element());
    for said in [
        "forces that come from no potential change the symplectic form.Largest defect 3 × 10⁻¹³",
        "Largest defect 7 × 10⁻¹²",
        "Largest violation 2.2 × 10⁻¹⁶, or 0.99 ulp of the largest coordinate (1)",
        "the scene itself does not conserve energy",
        "spin: largest change 4 × 10⁻¹³. boost: the scene does not have this symmetry.",
        "1.5 entered, 4.5 left, −3 is stored; 2 × 10⁻⁴ at the end has no source; at most 3 × 10⁻⁴.",
    ] {
        assert!(all.contains(said), "{said}");
    }
}

#[test]
fn a_broken_folder_is_an_error_that_names_the_file() {
    let folder = Folder::new(&["energy"], 3, |_, _| 1.0);
    let error = |run: &Value, path: &Path| HtmlReport::new(&scene(""), run, path).expect_err("broken");
    let mut lacking = run();
    lacking.as_object_mut().unwrap().remove("steps");
    assert!(matches!(error(&lacking, &folder.0), ReportError::Missing("steps")));
    std::fs::write(folder.0.join("trajectory.json"), "{").expect("writable");
    assert!(error(&run(), &folder.0).to_string().starts_with("trajectory.json"));
    let other = r#"{ "dtype": "<f8", "order": "rows", "columns": [] }"#;
    std::fs::write(folder.0.join("measures.json"), other).expect("writable");
    let message = error(&run(), &folder.0).to_string();
    assert!(message.contains("first column is not `t`"), "{message}");
}
