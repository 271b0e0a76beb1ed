//! `carom report RUN`.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use carom_io::document::Source;
use carom_io::folder::{RunFolder, ended_run};
use carom_io::html_report::{HtmlReport, ReportError};
use carom_io::recording::examine;
use carom_io::scene::Scene;
use clap::Args as ClapArgs;
use serde_json::Value;

use crate::fail::Fail;
use crate::input::{SceneError, helped};
use crate::{hint, print};

/// Options of `report`.
#[derive(ClapArgs)]
pub struct Args {
    /// A run folder
    run: PathBuf,
    /// Also write each figure as RUN/figures/NAME.svg
    #[arg(long)]
    svg: bool,
    /// Also write each figure as RUN/figures/NAME.png
    #[arg(long)]
    png: bool,
}

/// Pixels of a PNG per px of its figure.
const SCALE: f32 = 2.0;

/// Makes the page of a run again, from its folder alone.
pub fn run(args: &Args) -> Result<(), Fail> {
    let path = &args.run;
    let refused = |error: &dyn Display| Fail::Input(format!("error: {}: {error}", path.display()));
    let (folder, text) = RunFolder::open(path).map_err(|error| {
        let help = helped(hint::run_folder(path).filter(|_| !path.exists()));
        Fail::Input(format!("error: {error}{help}"))
    })?;
    let run = numbers(path).map_err(|error| refused(&error))?;
    examine(path).map_err(|error| refused(&error))?;
    let name = run["scene"].as_str().ok_or_else(|| refused(&ReportError::Missing("scene")))?;
    let source = Source::new(path.join("scene.toml").display().to_string(), text);
    let scene = Scene::read(name, &source, &[]).map_err(|found| SceneError::Wrong(found, source))?;
    let report = HtmlReport::new(&scene, &run, path).map_err(|error| refused(&error))?;

    let failed = |error: &dyn Display| Fail::Failed(format!("error: {error}"));
    folder.remove_left_behind();
    folder.write("report.html", &report.html).map_err(|error| failed(&error))?;
    let mut written = vec![path.join("report.html")];
    // On its own a figure must say what it is of.
    let title = format!("{name} with {}, h = {}", scene.method.name(), print::short(scene.run.h));
    for drawing in report.drawings {
        let figure = drawing.figure.title(&title);
        if args.svg {
            let file = folder.write_figure(&format!("{}.svg", drawing.name), figure.to_svg());
            written.push(file.map_err(|error| failed(&error))?);
        }
        if args.png {
            let picture = figure.to_png(SCALE).map_err(|error| failed(&error))?;
            let file = folder.write_figure(&format!("{}.png", drawing.name), picture);
            written.push(file.map_err(|error| failed(&error))?);
        }
    }
    let lines: String = written.iter().map(|path| format!("{}\n", path.display())).collect();
    print::out(&lines)
}

/// The numbers of a run that ended.
fn numbers(path: &Path) -> Result<Value, String> {
    let found = ended_run(path).map_err(|error| error.to_string())?;
    found.ok_or_else(|| {
        let path = path.display();
        format!("run.json is missing: the run goes on, or was cut off; go on with: carom run --resume {path}")
    })
}
