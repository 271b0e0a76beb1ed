//! The page: valid HTML and well-formed XML at once, with its style and figures inside.

use std::fmt::Write as _;

use carom::error::told;
use serde_json::Value;

use super::data::Data;
use super::drawings::Drawing;
use super::structure;
use super::words::{count, printed, short};
use crate::figure::escaped as escape;
use crate::references;
use crate::scene::Scene;

const STYLE: &str = include_str!("style.css");
/// Keys of `run.json` that depend on the clock.
const CLOCK: [&str; 2] = ["wall_seconds", "steps_per_second"];
/// A longer last state is left to `run.json`.
const LONGEST_STATE: usize = 64;

/// With numbers that are not broken at the end of a line.
fn unbroken(text: &str) -> String {
    text.replace(" × ", "\u{a0}×\u{a0}").replace(" ± ", "\u{a0}±\u{a0}").replace(" ulp", "\u{a0}ulp")
}

/// Running text: numbers that are not broken at the end of a line, and names, which stand between backticks, in the type of the scene.
fn prose(text: &str) -> String {
    let escaped = unbroken(&escape(text));
    let parts: Vec<&str> = escaped.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escaped;
    }
    let named = |(place, part): (usize, &&str)| match place % 2 {
        1 => format!("<code>{part}</code>"),
        _ => (*part).to_string(),
    };
    parts.iter().enumerate().map(named).collect()
}

/// Writes the page.
pub fn write(scene: &Scene, run: &Value, data: &Data, drawings: &[Drawing]) -> String {
    let name = run["scene"].as_str().unwrap_or_default();
    let title = scene.title.as_deref().unwrap_or(name);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{} – carom</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n",
        escape(title)
    );
    ending(&mut page, scene, run);
    distrust(&mut page, run);
    let _ = writeln!(page, "<h1>{}</h1>", escape(title));
    let _ = writeln!(
        page,
        "<p class=\"byline\">Scene <code>{}</code> with method <code>{}</code>: {} of h = {} to t = {}.</p>",
        escape(name),
        scene.method.name(),
        count(run["steps"].as_u64().unwrap_or(0), "step"),
        short(scene.run.h, 6),
        short(run["t"].as_f64().unwrap_or(f64::NAN), 6)
    );
    for paragraph in scene.description.iter().flat_map(|text| text.split("\n\n")) {
        let _ = writeln!(page, "<p>{}</p>", prose(paragraph));
    }
    structure_section(&mut page, scene, run, data);
    figures(&mut page, drawings);
    method(&mut page, scene);
    parameters(&mut page, scene);
    appendix(&mut page, scene, run);
    let _ = writeln!(
        page,
        "<footer>Made by carom {} from run.json, scene.toml and the tables beside this page.</footer>\n</main>\n\
         </body>\n</html>",
        escape(run["carom"].as_str().unwrap_or_default())
    );
    page
}

/// Why the run did not reach its end; nothing for one that did.
fn ending(page: &mut String, scene: &Scene, run: &Value) {
    if run["complete"] == true {
        return;
    }
    let reason = run["ended"].as_str().unwrap_or("no reason is recorded");
    let _ = writeln!(
        page,
        "<p class=\"alarm\"><strong>This run did not reach its end:</strong> {} of {} {} made. Reason: {}</p>",
        run["steps"],
        count(scene.run.steps, "step"),
        if run["steps"] == 1 { "was" } else { "were" },
        prose(reason)
    );
}

/// Sentences of the findings that leave the run trustworthy, or do not.
fn findings(run: &Value, trustworthy: bool) -> impl Iterator<Item = String> {
    let findings = run["findings"].as_array().into_iter().flatten();
    let chosen = findings.filter(move |finding| finding["trustworthy"] == trustworthy);
    chosen.filter_map(|finding| finding["sentence"].as_str()).map(printed)
}

/// Why the run cannot be trusted; nothing for one that can.
fn distrust(page: &mut String, run: &Value) {
    if run["trustworthy"] != false {
        return;
    }
    page.push_str("<div class=\"alarm\"><strong>This run cannot be trusted:</strong>\n<ul>\n");
    for reason in findings(run, false) {
        let _ = writeln!(page, "<li>{}</li>", prose(&reason));
    }
    page.push_str("</ul></div>\n");
}

fn structure_section(page: &mut String, scene: &Scene, run: &Value, data: &Data) {
    page.push_str("<h2>Structure</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th></th>");
    page.push_str("<th>What the method promises</th><th>What was measured</th></tr></thead>\n<tbody>\n");
    for row in structure::rows(scene, run, data) {
        let _ = writeln!(
            page,
            "<tr><th>{}</th><td>{}</td><td class=\"value\">{}</td></tr>",
            row.name,
            prose(&row.promise),
            prose(&row.measured)
        );
    }
    page.push_str("</tbody>\n</table></div>\n");
    let notes = run["notes"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_string);
    let notes: Vec<String> = findings(run, true).chain(notes).collect();
    if !notes.is_empty() {
        page.push_str("<ul>\n");
        for note in notes {
            let _ = writeln!(page, "<li>{}</li>", prose(&note));
        }
        page.push_str("</ul>\n");
    }
    page.push_str(
        "<p class=\"byline\">Energy, momenta and constraints are looked at in every step, whatever is recorded. The \
         standard error of the slope assumes independent residuals.</p>\n",
    );
}

fn figures(page: &mut String, drawings: &[Drawing]) {
    page.push_str("<h2>Figures</h2>\n");
    for drawing in drawings {
        // Within a page of HTML the name space is known.
        let svg = drawing.figure.to_svg().replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1);
        let caption = escape(&drawing.caption);
        let _ =
            writeln!(page, "<figure id=\"{}\">\n{svg}<figcaption>{caption}</figcaption>\n</figure>", drawing.name);
    }
}

fn method(page: &mut String, scene: &Scene) {
    let claims = scene.method.claims();
    let _ = writeln!(
        page,
        "<h2>Method</h2>\n<p><code>{}</code>: {}. It claims order {}{}{}.</p>",
        scene.method.name(),
        escape(scene.method.title()),
        claims.order,
        if claims.symplectic { ", a symplectic step" } else { "" },
        if claims.reversible { ", time reversal" } else { "" }
    );
    let options = serde_json::to_value(&scene.method).unwrap_or_default();
    if let Some(options) = options.as_object().filter(|options| !options.is_empty()) {
        let list: Vec<String> = options.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        let _ = writeln!(page, "<p>Options: <code>{}</code>.</p>", escape(&list.join(", ")));
    }
    let mut keys: Vec<&str> = scene.method.cites().to_vec();
    keys.extend(scene.cites.iter().map(String::as_str));
    let mut seen: Vec<&str> = Vec::new();
    let lines: Vec<String> = keys
        .into_iter()
        .filter(|key| {
            let new = !seen.contains(key);
            seen.push(key);
            new
        })
        .filter_map(references::line)
        .collect();
    if !lines.is_empty() {
        page.push_str("<ol>\n");
        for line in lines {
            let _ = writeln!(page, "<li>{}</li>", escape(&line));
        }
        page.push_str("</ol>\n");
    }
}

fn parameters(page: &mut String, scene: &Scene) {
    if scene.parameters.is_empty() {
        return;
    }
    page.push_str("<h2>Parameters</h2>\n<div class=\"scroll\"><table class=\"plain\">\n<tbody>\n");
    for (name, value) in &scene.parameters {
        let _ = writeln!(page, "<tr><th>{}</th><td class=\"value\">{}</td></tr>", escape(name), told(*value));
    }
    page.push_str("</tbody>\n</table></div>\n");
}

fn appendix(page: &mut String, scene: &Scene, run: &Value) {
    let mut run = run.clone();
    if let Some(object) = run.as_object_mut() {
        object.retain(|key, _| !CLOCK.contains(&key.as_str()));
        if scene.problem.system.dim() > LONGEST_STATE {
            object.remove("final");
        }
    }
    let numbers = serde_json::to_string_pretty(&run).unwrap_or_default();
    page.push_str("<h2>Complete record</h2>\n");
    let parts = [
        ("scene", "The scene as it was run (scene.toml)", scene.to_toml()),
        ("run", "All numbers (run.json, without the times of the clock)", numbers),
    ];
    for (id, summary, text) in parts {
        let _ = writeln!(
            page,
            "<details id=\"{id}\"><summary>{summary}</summary>\n<pre>{}</pre>\n</details>",
            escape(&text)
        );
    }
}
