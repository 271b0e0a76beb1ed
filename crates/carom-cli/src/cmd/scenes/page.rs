//! The page of a scene for a reader.

use carom_io::catalogue::{Parameter, ScenePage};

use crate::print::{self, list, short, wrapped};

/// All about a scene.
pub fn text(page: &ScenePage) -> String {
    let title = page.title.as_ref().map_or_else(String::new, |title| format!(": {title}"));
    let mut text = wrapped(&format!("{}{title}", page.name), 0, 0);
    for paragraph in page.description.iter().flat_map(|description| description.split("\n\n")) {
        text.push('\n');
        text.push_str(&wrapped(&paragraph.replace('\n', " "), 2, 2));
    }
    let mut section = |head: &str, body: String| text.push_str(&format!("\n{head}\n{body}"));
    section("what to vary", list(&page.parameters.iter().map(row).collect::<Vec<_>>()));
    section("method and step", list(&method(page)));
    section("system", system(page));
    let papers = page.papers.iter().map(|paper| wrapped(&format!("  {}: {}", paper.key, paper.text), 0, 4));
    section("papers", papers.collect());
    section("commands to try", page.commands.iter().map(|command| print::command(command)).collect());
    text
}

fn row(parameter: &Parameter) -> Vec<String> {
    let Parameter { key, value, written, meaning } = parameter;
    let value =
        if written.parse::<f64>().is_ok() { written.clone() } else { format!("{written} = {}", short(*value)) };
    vec![format!("  {key}"), value, meaning.clone().unwrap_or_default()]
}

fn method(page: &ScenePage) -> Vec<Vec<String>> {
    let others = if page.other_methods.is_empty() { "none".to_string() } else { page.other_methods.join(", ") };
    vec![
        vec!["  method".into(), page.method.into(), format!("others that take the scene: {others}")],
        vec!["  run.step".into(), short(page.step), String::new()],
        vec!["  run.until".into(), short(page.until), format!("{} steps", page.steps)],
    ]
}

fn system(page: &ScenePage) -> String {
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let constraints = |count: usize, what: &str| match count {
        0 => String::new(),
        1 => format!(", 1 {what} constraint"),
        count => format!(", {count} {what} constraints"),
    };
    format!(
        "  {}{}{}\n",
        count(page.coordinates, "coordinate"),
        constraints(page.equalities, "equality"),
        constraints(page.inequalities, "inequality")
    )
}
