//! The points of a sweep: the grid of what `--vary` gives, or random points of it.

use carom_io::document::{Edit, key_and_value, set_value};
use serde_json::Value;

use crate::print;
use carom::random::draw;

/// Most points of a sweep: every one has a row in memory.
const MOST: usize = 1_000_000;
/// How a `--vary` is written.
const FORM: &str = "write key.path=a:b:n for n values from a to b, or key.path=v1,v2,v3 for a list";

/// All points of a sweep; each is computed from its number when it is asked for.
pub struct Plan {
    axes: Vec<Axis>,
    count: usize,
    /// The seed of random points; without it they are those of the grid.
    seed: Option<u64>,
}

/// A key and its values.
struct Axis {
    key: String,
    values: Values,
}

enum Values {
    /// Numbers, both ends included: so many on a grid, any at random.
    Range(Ends, usize),
    List(Vec<Choice>),
}

/// The ends of a range.
struct Ends {
    from: f64,
    to: f64,
    /// Both are written as integers: then whole values are too, for keys that count something.
    whole: bool,
}

/// A value as it is put into the scene and as it is told.
#[derive(Clone)]
struct Choice {
    text: String,
    value: Value,
}

impl Choice {
    fn number(value: f64, whole: bool) -> Self {
        /// Beyond it not every integer is a double.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if whole && value.fract() == 0.0 && value.abs() < EXACT {
            let integer = value as i64;
            return Self { text: integer.to_string(), value: integer.into() };
        }
        Self { text: format!("{value:?}"), value: value.into() }
    }
}

/// The values of one run.
pub struct Point {
    /// Number of the point, from 0.
    pub index: usize,
    settings: Vec<(String, Choice)>,
}

impl Point {
    /// The changes of the scene.
    pub fn edits(&self) -> impl Iterator<Item = Edit> {
        self.settings.iter().map(|(key, choice)| {
            let argument = format!("{key}={}", choice.text);
            // As --until and --steps do; nothing else could take the other key away.
            let displaces = match key.as_str() {
                "run.until" => Some(("run", "steps")),
                "run.steps" => Some(("run", "until")),
                _ => None,
            };
            Edit { shown: format!("--vary {argument}"), argument, displaces }
        })
    }

    /// The values in the order of the keys.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.settings.iter().map(|(_, choice)| &choice.value)
    }

    /// The keys and values as a JSON object.
    pub fn to_json(&self) -> Value {
        self.settings.iter().map(|(key, choice)| (key.clone(), choice.value.clone())).collect()
    }

    /// The point in words.
    pub fn shown(&self) -> String {
        let one = |(key, choice): &(String, Choice)| format!("{key} = {}", print::value(&choice.value));
        self.settings.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

impl Plan {
    /// The grid of all `--vary`, or so many random points with a seed.
    pub fn new(vary: &[String], sample: Option<(usize, u64)>) -> Result<Self, String> {
        let mut axes: Vec<Axis> = Vec::with_capacity(vary.len());
        for argument in vary {
            let axis =
                Axis::read(argument, sample.is_some()).map_err(|message| format!("{argument}: {message}"))?;
            if axes.iter().any(|other| other.key == axis.key) {
                return Err(format!("{argument}: `{}` is varied twice; give all its values in one list", axis.key));
            }
            axes.push(axis);
        }
        if ["run.until", "run.steps"].iter().all(|key| axes.iter().any(|axis| axis.key == *key)) {
            return Err("`run.until` and `run.steps` are both varied; keep one of them".into());
        }
        let sizes: Vec<usize> = match sample {
            Some((points, _)) => vec![points],
            None => axes.iter().map(|axis| axis.values.count()).collect(),
        };
        let count = sizes.iter().try_fold(1, |count: usize, &size| count.checked_mul(size));
        if let Some(count) = count.filter(|&count| count <= MOST) {
            return Ok(Self { axes, count, seed: sample.map(|(_, seed)| seed) });
        }
        let all = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" × ");
        Err(format!("{all} points: at most {MOST} are allowed; give fewer values or a smaller --sample"))
    }

    /// How many points there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The keys in the order in which they were given.
    pub fn keys(&self) -> Vec<&str> {
        self.axes.iter().map(|axis| axis.key.as_str()).collect()
    }

    /// Whether there is one key, and its values are numbers.
    pub fn is_numeric(&self) -> bool {
        self.axes.len() == 1 && self.begins_numeric()
    }

    /// Whether the first key has numbers.
    pub fn begins_numeric(&self) -> bool {
        let number = |choice: &Choice| choice.value.is_number();
        self.axes.first().is_some_and(|Axis { values, .. }| match values {
            Values::Range(..) => true,
            Values::List(choices) => choices.iter().all(number),
        })
    }

    /// A point by its number: the first key varies slowest. A random point depends on its number and the seed alone.
    pub fn point(&self, index: usize) -> Point {
        let mut rest = index;
        let mut settings: Vec<(String, Choice)> = Vec::with_capacity(self.axes.len());
        for (at, axis) in self.axes.iter().enumerate().rev() {
            let choice = match self.seed {
                Some(seed) => axis.values.random(draw(seed, (index * self.axes.len() + at) as u64)),
                None => {
                    let count = axis.values.count();
                    let choice = axis.values.nth(rest % count);
                    rest /= count;
                    choice
                }
            };
            settings.push((axis.key.clone(), choice));
        }
        settings.reverse();
        Point { index, settings }
    }
}

impl Axis {
    fn read(argument: &str, random: bool) -> Result<Self, String> {
        let (key, text) = key_and_value(argument).map_err(|message| format!("{message}; {FORM}"))?;
        let pieces = split(text, ',').ok_or("a quote or bracket in the list is not closed")?;
        let parts = split(text, ':').unwrap_or_default();
        let values = match (pieces.len(), parts.len()) {
            (1, 2..) => range(&parts, random)?,
            (_, 2..) => return Err(format!("a list has no ranges in it; {FORM}")),
            _ if pieces.iter().any(|piece| piece.is_empty()) => {
                return Err(format!("a value is missing; {FORM}"));
            }
            _ => {
                let choice = |text: &&str| Choice { text: text.to_string(), value: set_value(text) };
                Values::List(pieces.iter().map(choice).collect())
            }
        };
        Ok(Self { key: key.to_string(), values })
    }
}

/// `a:b:n` for a grid, `a:b` for random points.
fn range(parts: &[&str], random: bool) -> Result<Values, String> {
    let number = |text: &str| match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("the end `{text}` of the range is no number; {FORM}")),
    };
    let (from, to) = (parts[0], parts[1]);
    let whole = from.parse::<i64>().is_ok() && to.parse::<i64>().is_ok();
    let ends = Ends { from: number(from)?, to: number(to)?, whole };
    match (parts, random) {
        ([_, _], true) => Ok(Values::Range(ends, 1)),
        ([_, _], false) => Err(format!(
            "the range does not say how many values: write {from}:{to}:n for n values, or add --sample N for random ones"
        )),
        ([_, _, _], true) => Err(format!(
            "with --sample, which says how many points there are, a range is written without a number of values: {from}:{to}"
        )),
        ([_, _, count], false) => match count.parse::<usize>() {
            Ok(1) if ends.from != ends.to => {
                Err(format!("1 value cannot include both ends: write n = 2 or more, or the one value, like {from}"))
            }
            Ok(count @ 1..) => Ok(Values::Range(ends, count)),
            _ => Err(format!("the number of values `{count}` must be an integer from 1 on; {FORM}")),
        },
        _ => Err(format!("a range has two ends and a number of values; {FORM}")),
    }
}

/// The pieces of a text between separators, but not those inside quotes or brackets; nothing if one is not closed.
fn split(text: &str, separator: char) -> Option<Vec<&str>> {
    let (mut pieces, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            (None, _) if c == separator && depth == 0 => {
                pieces.push(text[start..at].trim());
                start = at + c.len_utf8();
            }
            (None, _) => {}
        }
    }
    pieces.push(text[start..].trim());
    (quote.is_none() && depth == 0).then_some(pieces)
}

impl Values {
    fn count(&self) -> usize {
        match self {
            Self::Range(_, count) => *count,
            Self::List(choices) => choices.len(),
        }
    }

    /// A value of the grid.
    fn nth(&self, index: usize) -> Choice {
        match self {
            Self::Range(ends, count) => Choice::number(ends.nth(index, *count), ends.whole),
            Self::List(choices) => choices[index].clone(),
        }
    }

    /// The value that a random number picks.
    fn random(&self, random: u64) -> Choice {
        match self {
            Self::Range(ends, _) => {
                // The 53 leading bits: every multiple of 2⁻⁵³ in [0, 1).
                let part = (random >> 11) as f64 / (1_u64 << 53) as f64;
                Choice::number(ends.from * (1.0 - part) + ends.to * part, false)
            }
            Self::List(choices) => {
                let index = (u128::from(random) * choices.len() as u128) >> 64;
                choices[index as usize].clone()
            }
        }
    }
}

impl Ends {
    /// The i-th of `count` evenly spaced values; the ends are exact.
    fn nth(&self, index: usize, count: usize) -> f64 {
        let last = count - 1;
        if index == 0 {
            return self.from;
        }
        if index == last {
            return self.to;
        }
        let (left, right) = ((last - index) as f64 / last as f64, index as f64 / last as f64);
        rounded(self.from * left + self.to * right)
    }
}

/// The decimal number of few digits that a value stands for but for round-off: 0.1:0.5:5 is to give 0.3 and not its
/// neighbour. A value without such a number stays as it is.
fn rounded(value: f64) -> f64 {
    /// Of doubles' 15 to 17; so few that hardly any other number is this near to one of them.
    const DIGITS: usize = 12;
    let short: f64 = format!("{value:.DIGITS$e}").parse().unwrap_or(value);
    if (short - value).abs() <= 2.0 * f64::EPSILON * value.abs() { short } else { value }
}

#[cfg(test)]
mod tests;
