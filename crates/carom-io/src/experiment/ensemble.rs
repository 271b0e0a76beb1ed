//! Ensembles: one run for every value of a key, or for every member of a list.

use super::settings::Setting;
use super::{Plan, PlanKind};
use crate::document::{Item, Kind, Source, TableReader};

/// The most members of an ensemble.
const MOST: usize = 100_000;

/// One run of an ensemble.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Member {
    pub settings: Vec<Setting>,
    /// What sets it apart.
    pub label: String,
    /// The value of the varied key, if one key is varied and its values are numbers.
    pub value: Option<f64>,
}

impl Plan {
    /// The settings of the first member.
    pub(super) fn first_member(&self) -> Vec<Setting> {
        match &self.kind {
            PlanKind::Run { members, .. } => members.first().map(|m| m.settings.clone()).unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    /// The members of what can be an ensemble of settings.
    pub(super) fn list(&self) -> Option<&[Member]> {
        match &self.kind {
            PlanKind::Run { members, .. } => Some(members),
            _ => self.tabled().map(|tabled| tabled.members.as_slice()),
        }
    }

    /// The key that alone is varied over numbers.
    pub(super) fn varied(&self) -> Option<&str> {
        match self.list() {
            Some(members) if members.iter().all(|member| member.value.is_some()) => {
                let argument = &members.first()?.settings.first()?.argument;
                argument.split_once('=').map(|(key, _)| key.trim())
            }
            _ => None,
        }
    }
}

/// Reads `vary` and `members`: the runs, and whether they are an ensemble.
pub(super) fn read(table: &TableReader, source: &Source) -> Option<(Vec<Member>, bool)> {
    match (table.item("vary"), table.item("members")) {
        (None, None) => Some((vec![Member::default()], false)),
        (Some(_), Some(members)) => {
            members.report("`vary` and `members` are both given", Some("keep one of them".into()));
            None
        }
        (Some(vary), None) => {
            let keys = match vary.kind() {
                Kind::String(_) => vec![vary.clone()],
                Kind::Array(_) => vary.array()?,
                _ => return vary.mismatch("a string like \"parameters.g=1:10:4\", or an array of them"),
            };
            let axes: Option<Vec<Vec<Member>>> = keys.iter().map(|key| axis(key, source)).collect();
            grid(&vary, &axes?).map(|members| (members, true))
        }
        (None, Some(list)) => {
            let member = |item: &Item| -> Option<Member> {
                let settings: Option<Vec<Setting>> =
                    item.array()?.iter().map(|item| super::read::setting(item, source)).collect();
                let settings = settings?;
                let label: Vec<&str> = settings.iter().map(|setting| setting.argument.as_str()).collect();
                Some(Member { label: label.join(", "), settings, value: None })
            };
            let members: Option<Vec<Member>> = list.array()?.iter().map(member).collect();
            let members = members?;
            if members.is_empty() {
                list.report("an ensemble needs a member", None);
                return None;
            }
            Some((members, true))
        }
    }
}

/// The members of one varied key: `key=a:b:n` or `key=a,b,c`.
fn axis(item: &Item, source: &Source) -> Option<Vec<Member>> {
    let help = || Some("write key=a:b:n for n values from a to b, or key=a,b,c".to_string());
    let text = item.string()?;
    let Some((key, values)) = text.split_once('=') else {
        item.report("there is no `=`", help());
        return None;
    };
    let values = match span(values) {
        Some(Ok(values)) => values,
        Some(Err(message)) => {
            item.report(message, help());
            return None;
        }
        None => pieces(values),
    };
    if values.is_empty() || values.iter().any(String::is_empty) {
        item.report("a value is empty", help());
        return None;
    }
    let position = super::read::position(item, source);
    let key = key.trim();
    let member = |value: String| -> Member {
        let argument = format!("{key}={value}");
        let number = value.parse().ok().filter(|number: &f64| number.is_finite());
        let label = format!("{} = {value}", key.rsplit('.').next().unwrap_or(key));
        Member { settings: vec![Setting { argument, position, displaces: None }], label, value: number }
    };
    Some(values.into_iter().map(member).collect())
}

/// The values of `a:b:n`, if it is that.
fn span(text: &str) -> Option<Result<Vec<String>, String>> {
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let [first, last, count] = parts[..] else { return None };
    let (a, b): (f64, f64) = (first.parse().ok()?, last.parse().ok()?);
    let count: usize = match count.parse() {
        Ok(count) if (1..=MOST).contains(&count) => count,
        _ => return Some(Err(format!("`{count}` is no number of values from 1 to {MOST}"))),
    };
    let whole = first.parse::<i64>().is_ok() && last.parse::<i64>().is_ok();
    let value = |k: usize| match k {
        0 => a,
        k if k + 1 == count => b,
        k => rounded(a + (b - a) * k as f64 / (count - 1) as f64),
    };
    let values: Vec<f64> = (0..count).map(value).collect();
    // A number of balls must stay an integer.
    let whole = whole && values.iter().all(|value| value.fract() == 0.0);
    let write = |value: &f64| if whole { format!("{value:.0}") } else { format!("{value:?}") };
    Some(Ok(values.iter().map(write).collect()))
}

/// A number to 15 digits: 0.6 where the arithmetic gives its neighbour.
fn rounded(value: f64) -> f64 {
    format!("{value:.14e}").parse().unwrap_or(value)
}

/// The parts between commas that stand in no bracket and no quotes.
fn pieces(text: &str) -> Vec<String> {
    let (mut depth, mut quote, mut parts) = (0_i32, None, vec![String::new()]);
    for c in text.chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('[' | '{' | '(', None) => depth += 1,
            (']' | '}' | ')', None) => depth -= 1,
            (',', None) if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts.iter().map(|part| part.trim().to_string()).collect()
}

/// Every combination, the last key fastest.
fn grid(item: &Item, axes: &[Vec<Member>]) -> Option<Vec<Member>> {
    let count = axes.iter().try_fold(1_usize, |count, axis| count.checked_mul(axis.len()));
    if axes.is_empty() || count.is_none_or(|count| count > MOST) {
        item.report(format!("an ensemble has from 1 to {MOST} members"), None);
        return None;
    }
    let mut members = vec![Member::default()];
    for axis in axes {
        let joined = |member: &Member, next: &Member| {
            let settings: Vec<Setting> = member.settings.iter().chain(&next.settings).cloned().collect();
            let label = if member.label.is_empty() {
                next.label.clone()
            } else {
                format!("{}, {}", member.label, next.label)
            };
            Member { value: next.value.filter(|_| settings.len() == 1), settings, label }
        };
        members = members.iter().flat_map(|member| axis.iter().map(move |next| joined(member, next))).collect();
    }
    Some(members)
}

#[cfg(test)]
mod tests {
    use super::{pieces, span};

    fn values(text: &str) -> Vec<String> {
        span(text).unwrap().unwrap()
    }

    #[test]
    fn both_ends_are_included_and_integers_stay_integers() {
        assert_eq!(values("1:4:4"), ["1", "2", "3", "4"]);
        assert_eq!(values("1:2:3"), ["1.0", "1.5", "2.0"]);
        assert_eq!(values("0.1:0.3:3")[2], "0.3");
        assert_eq!(values("0:0.8:5"), ["0.0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(values("7:9:1"), ["7"]);
        assert!(span("1:2:0").unwrap().is_err() && span("1:2:x").unwrap().is_err());
        assert!(span("1,2").is_none() && span("a:b:c").is_none());
    }

    #[test]
    fn commas_in_brackets_and_quotes_do_not_split() {
        assert_eq!(pieces("1, 2.5,x"), ["1", "2.5", "x"]);
        assert_eq!(
            pieces("[1, 2], {a = 3, b = 4}, \"p,q\", atan2(1, 2)"),
            ["[1, 2]", "{a = 3, b = 4}", "\"p,q\"", "atan2(1, 2)"]
        );
    }
}
