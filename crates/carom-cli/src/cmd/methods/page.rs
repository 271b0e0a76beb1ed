//! The page of a method for a reader.

use carom_io::catalogue::{Choice, MethodOption, MethodPage};

use super::words;
use crate::print::{self, list, wrapped};

/// Where the words of a list of choices begin.
const INDENT: usize = 6;

/// All about a method.
pub fn text(page: &MethodPage) -> String {
    let mut text = wrapped(&format!("{}: {}", page.name, page.title), 0, 0);
    text.push('\n');
    text.push_str(&list(&facts(page)));
    let mut section = |head: &str, body: String| text.push_str(&format!("\n{head}\n{body}"));
    let options = match page.options.is_empty() {
        true => "  none\n".to_string(),
        false => page.options.iter().map(option).collect(),
    };
    section("options, under [method]", options);
    let scenes = if page.scenes.is_empty() { "none".into() } else { page.scenes.join(", ") };
    section("built-in scenes that use it", wrapped(&scenes, 2, 2));
    let papers = page.papers.iter().map(|paper| wrapped(&format!("  {}: {}", paper.key, paper.text), 0, 4));
    section("papers", papers.collect());
    section("commands to try", page.commands.iter().map(|command| print::command(command)).collect());
    text.push_str("\nClaims are those of the default options; the tests check each. Equations: docs/methods.md\n");
    text
}

fn facts(page: &MethodPage) -> Vec<Vec<String>> {
    let mut rows = words::facts(page.claims, page.preserves_of, page.takes);
    let refused = words::refused(page.takes);
    if !refused.is_empty() {
        rows.push(vec!["  refuses".into(), refused]);
    }
    rows.extend(page.exceptions.iter().map(|exception| vec!["  except".into(), exception.to_string()]));
    rows
}

/// The key with its default, what it does, and the words that it may be.
fn option(option: &MethodOption) -> String {
    let head = match option.default.is_null() {
        true => option.key.clone(),
        false => format!("{} = {}", option.key, option.default),
    };
    let mut text = wrapped(&head, 2, INDENT);
    text.push_str(&wrapped(&option.meaning, INDENT, INDENT));
    // A table is too wide for a column of its own.
    let (tables, words): (Vec<&Choice>, Vec<&Choice>) =
        option.choices.iter().partition(|choice| choice.value.starts_with('{'));
    let word = |choice: &&Choice| vec![format!("{:INDENT$}{}", "", choice.value), choice.meaning.clone()];
    text.push_str(&list(&words.iter().map(word).collect::<Vec<_>>()));
    for Choice { value, meaning } in tables {
        text.push_str(&wrapped(&format!("{value}  {meaning}"), INDENT, INDENT + 2));
    }
    text
}
