//! `report.html` of folders made by hand: what stands in it, what a spike becomes, which columns are drawn.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use carom_io::document::Source;
use carom_io::folder::Checksums;
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
        "energy": { "initial": 1.0, "final": 1.0, "min": 0.75, "max": 1.5, "slope": 1.2e-12, "slope_error": 3e-12, "trend": "no-drift" },
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
        let checksums = Checksums::begun("", &["measures", "trajectory"]);
        std::fs::write(path.join("checksums.json"), checksums.text().expect("written")).expect("writable");
        let columns = |names: &[&str]| names.iter().map(|name| Column::new(*name)).collect::<Vec<_>>();
        let write = |name: &str, names: &[&str], value: &dyn Fn(&str, u64) -> f64| {
            let mut table = TableWriter::create(&path, name, &columns(names), checksums.run()).expect("writable");
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

/// A folder whose trajectory has this many particles in space, called by `name` or not at all, on circles.
fn particles(count: usize, name: impl Fn(usize) -> String) -> (Folder, Scene) {
    let mut text = String::new();
    for k in 0..count {
        let name = name(k);
        let name = if name.is_empty() { name } else { format!("name = \"{name}\"\n") };
        text += &format!("[[particle]]\n{name}mass = 1\nposition = [{k}, 1, 0]\n");
    }
    text += "[method]\nname = \"verlet\"\n[run]\nstep = 0.01\nsteps = 1000\n";
    let scene =
        Scene::read("made", &Source::new("made.toml", text), &[]).unwrap_or_else(|found| panic!("{found:?}"));
    let folder = Folder::new(&["energy"], 3, |_, _| 1.0);
    let system = &scene.problem.system;
    let names: Vec<String> = (0..system.dim()).map(|i| system.coordinate_name(i)).collect();
    let kinds = ["", "v.", "p."].into_iter().flat_map(|kind| names.iter().map(move |name| format!("{kind}{name}")));
    let columns: Vec<Column> = std::iter::once("t".to_string()).chain(kinds).map(Column::new).collect();
    let mut table =
        TableWriter::create(&folder.0, "trajectory", &columns, Checksums::begun("", &[]).run()).expect("writable");
    for k in 0..100 {
        let row =
            columns.iter().enumerate().map(|(i, _)| if i == 0 { k as f64 } else { (0.1 * (k + i) as f64).sin() });
        table.append(&row.collect::<Vec<_>>()).expect("writable");
    }
    table.flush().expect("writable");
    (folder, scene)
}

#[test]
fn captions_say_what_is_left_out_and_points_go_by_their_names() {
    let words = |count: usize, name: &dyn Fn(usize) -> String| {
        let (folder, scene) = particles(count, name);
        let html = folder.report(&scene, &run()).html;
        let page = parse(&html);
        (text(figure(&page, "paths").unwrap()), text(figure(&page, "phase").unwrap()))
    };
    let (paths, phase) = words(10, &|k| format!("star{k}"));
    assert!(paths.contains("Paths of the first 8 of 10 points in the plane"), "{paths}");
    assert!(phase.contains("Phase portraits of the first 4 of 30 coordinates:"), "{phase}");
    assert!(paths.contains("star7") && !paths.contains("star8") && !paths.contains("star7.x"), "{paths}");
    let (paths, phase) = words(2, &|k| if k == 0 { "sun".into() } else { String::new() });
    assert!(paths.contains("Paths of the points in the plane") && paths.contains("sun"), "{paths}");
    assert!(!paths.contains("sun.x") && paths.contains("x[1], y[1]"), "{paths}");
    assert!(phase.contains("the first 4 of 6 coordinates"), "{phase}");
}

/// The lines of a colour in a figure, as path data; samples in the legend are among them.
fn lines<'a>(figure: Node<'a, 'a>, colour: &str) -> Vec<&'a str> {
    let of_colour = figure.descendants().filter(|node| node.attribute("stroke") == Some(colour));
    of_colour.filter_map(|node| node.attribute("d")).collect()
}

#[test]
fn accounts_that_agree_are_drawn_once_under_all_their_names() {
    let names = ["energy", "ledger.stored", "ledger.entered", "ledger.left", "ledger.error", "ledger.work.drag"];
    let value = |name: &str, k: u64| match name {
        "ledger.left" => 1e-3 * k as f64,
        "ledger.stored" => -1e-3 * k as f64 + 1e-7,
        "ledger.work.drag" => -1e-3 * k as f64,
        _ => 0.0,
    };
    let html = Folder::new(&names, 1001, value).report(&scene("forces = { x = \"-dot(x)\" }"), &run()).html;
    let page = parse(&html);
    let ledger = figure(&page, "ledger").unwrap();
    assert!(text(ledger).contains("stored ≈ work.drag"), "{}", text(ledger));
    // Three curves, each with its sample in the legend; the error has a panel of its own.
    let count = |colour| lines(ledger, colour).len();
    assert_eq!([count("#0072b2"), count("#d55e00"), count("#009e73"), count("#cc79a7")], [4, 2, 2, 0]);
    assert!(!html.contains("stroke=\"#cccccc\""), "no legend lies inside a plot");
}

#[test]
fn a_row_that_could_not_be_measured_leaves_a_gap() {
    let names = ["energy", "residual", "iterations", "max_equality", "symplecticity_defect"];
    let value = |name: &str, k: u64| match k {
        300..600 => f64::NAN,
        _ if name == "energy" => 1.0 + 1e-3 * k as f64,
        _ => 1e-9 * (1 + k) as f64,
    };
    let mut run = run();
    run["solver"]["iterations_max"] = 3.into();
    let html = Folder::new(&names, 1001, value).report(&scene(""), &run).html;
    let page = parse(&html);
    for (name, place) in [("energy", 0), ("constraints", 0), ("solver", 0), ("defects", 0)] {
        let figure = figure(&page, name).unwrap();
        let path = lines(figure, "#0072b2")[place];
        assert_eq!(path.matches('M').count(), 2, "{name}: one gap: {path}");
        let attributes = figure.descendants().flat_map(|node| node.attributes());
        assert!(!text(figure).contains("NaN") && attributes.into_iter().all(|a| !a.value().contains("NaN")));
    }
    // A column without any value is no column to draw, and no reason to fail.
    let html = Folder::new(&names, 1001, |_, _| f64::NAN).report(&scene(""), &run).html;
    assert!(!html.contains("NaN"));
}

#[test]
fn counts_of_one_and_steps_without_a_correction_are_told_as_they_are() {
    let rod = "equalities = [\"hypot(x, y) - 1\"]";
    let folder = Folder::new(&["energy"], 3, |_, _| 1.0);
    let words = |scene: &Scene, run: &Value| text(parse(&folder.report(scene, run).html).root_element());
    let mut one = run();
    (one["steps"], one["complete"]) = (1.into(), false.into());
    assert!(words(&scene(""), &one).contains("verlet: 1 step of h"));
    assert!(words(&scene(""), &one).contains("1 of 1000 steps was made"));
    assert!(words(&scene(""), &run()).contains("Explicit steps: there was nothing to solve."));
    let held = words(&scene(rod), &run());
    assert!(held.contains("No step needed a correction.") && !held.contains("Explicit"), "{held}");
    let mut solved = run();
    (solved["solver"]["iterations_max"], solved["solver"]["iterations_mean"]) = (1.into(), 1.0.into());
    assert!(words(&scene(""), &solved).contains("1 iteration per step in the mean, 1 at most"));
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
        "None: the scene changes its energy (force forces).",
        "spin: largest change 4 × 10⁻¹³. boost: the scene does not have this symmetry.",
        "Entered 1.5, left 4.5, stored −3. Unexplained at the end 2 × 10⁻⁴, at most 3 × 10⁻⁴: integrator error.",
    ] {
        assert!(all.contains(said), "{said}");
    }
}

#[test]
fn a_run_that_cannot_be_trusted_says_so_first_and_other_findings_stand_with_the_notes() {
    let folder = Folder::new(&["energy"], 3, |_, _| 1.0);
    let mut run = run();
    run["trustworthy"] = false.into();
    run["findings"] = json!([
        { "kind": "energy", "trustworthy": false, "sentence": "the energy is off by 2.52e66 <far>" },
        { "kind": "losses", "trustworthy": true, "sentence": "`gvi` took 1.5e-7" },
    ]);
    let html = folder.report(&scene(""), &run).html;
    let page = parse(&html);
    let main = page.descendants().find(|node| node.has_tag_name("main")).expect("a body");
    let first = main.children().find(Node::is_element).expect("a first element");
    assert_eq!(first.attribute("class"), Some("alarm"));
    let said = text(first);
    assert!(said.contains("This run cannot be trusted:") && said.contains("off by 2.52 × 10⁶⁶ <far>"), "{said}");
    assert!(html.contains("<code>gvi</code> took"), "a name has its own type");
    assert!(!said.contains("took") && text(page.root_element()).contains("gvi took 1.5 × 10⁻⁷"));
    run["trustworthy"] = true.into();
    assert!(!folder.report(&scene(""), &run).html.contains("cannot be trusted"), "control");
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
    let other = r#"{ "dtype": "<f8", "order": "rows", "columns": [{ "name": "x", "unit": "" }] }"#;
    std::fs::write(folder.0.join("measures.json"), other).expect("writable");
    let message = error(&run(), &folder.0).to_string();
    assert!(
        message.contains("measures.json was changed after the run wrote it: it names no checksums"),
        "{message}"
    );
    let number = Checksums::begun("", &[]).run();
    TableWriter::create(&folder.0, "measures", &[Column::new("x")], number).expect("writable");
    let message = error(&run(), &folder.0).to_string();
    assert!(message.contains("first column is not `t`"), "{message}");
}
