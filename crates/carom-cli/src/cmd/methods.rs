//! `carom methods [NAME]`.

mod page;
mod words;

use carom::method::{Abilities, AnyMethod, Claims};
use carom_io::catalogue::MethodPage;
use carom_io::document::{Source, help};
use clap::Args as ClapArgs;
use serde::Serialize;

use crate::fail::Fail;
use crate::input::{SceneError, unknown};
use crate::print;

/// Options of `methods`.
#[derive(ClapArgs)]
pub struct Args {
    /// Show this method alone: claims, options with their defaults and meanings, papers, commands to try
    name: Option<String>,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    title: &'static str,
    options: AnyMethod,
    claims: Claims,
    exceptions: &'static [&'static str],
    takes: Abilities,
    cites: &'static [&'static str],
}

/// Lists the methods, or shows one.
pub fn run(args: &Args) -> Result<(), Fail> {
    match &args.name {
        None => list(args.json),
        Some(name) => show(name, args.json),
    }
}

fn show(name: &str, json: bool) -> Result<(), Fail> {
    let Some(method) = AnyMethod::named(name) else {
        let all = AnyMethod::all();
        let names: Vec<&str> = all.iter().map(AnyMethod::name).collect();
        let help = help("methods", name, &names).unwrap_or_default();
        return Err(unknown(json, name, "there is no method of this name".into(), help));
    };
    let page = MethodPage::of(&method).map_err(|found| SceneError::Wrong(found, Source::new("", "")))?;
    if json { print::json(&page) } else { print::out(&page::text(&page)) }
}

fn list(json: bool) -> Result<(), Fail> {
    let listed = |method: AnyMethod| Listed {
        name: method.name(),
        title: method.title(),
        claims: method.claims(),
        exceptions: method.exceptions(),
        takes: method.abilities(),
        cites: method.cites(),
        options: method,
    };
    let listed: Vec<Listed> = AnyMethod::all().into_iter().map(listed).collect();
    if json {
        return print::json(&listed);
    }
    let text: String = listed.iter().map(entry).collect();
    let end = "carom methods NAME says what each option means. Claims are those of the default options; the tests check each.";
    print::out(&(text + &print::wrapped(end, 0, 0)))
}

fn entry(method: &Listed) -> String {
    let options = serde_json::to_value(&method.options).ok().and_then(|value| value.as_object().cloned());
    let options: Vec<String> =
        options.unwrap_or_default().iter().map(|(key, value)| format!("{key} = {value}")).collect();
    let mut rows = words::facts(method.claims, method.options.preserves_of(), method.takes);
    if !method.exceptions.is_empty() {
        rows.insert(2, vec!["  except".into(), method.exceptions.join(" ")]);
    }
    rows.push(vec!["  options".into(), if options.is_empty() { "none".into() } else { options.join(", ") }]);
    rows.push(vec!["  cites".into(), method.cites.join(", ")]);
    let head = print::wrapped(&format!("{}: {}", method.name, method.title), 0, 2);
    format!("{head}{}\n", print::list(&rows))
}
