//! Key paths as they are shown in messages: `lagrangian.equalities[2].expression`.

use super::write::basic_string;

/// The path of `key` in the table at `parent` (empty for the top of the file).
pub fn join(parent: &str, key: &str) -> String {
    let key = key_text(key);
    if parent.is_empty() { key } else { format!("{parent}.{key}") }
}

/// The path of an element of the array at `parent`.
pub fn element(parent: &str, index: usize) -> String {
    format!("{parent}[{index}]")
}

/// A key as TOML writes it: bare if possible, quoted otherwise.
pub(super) fn key_text(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(bare) { key.to_owned() } else { basic_string(key) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let path = element(&join("", "lagrangian"), 2);
        assert_eq!(join(&path, "x_1-b"), "lagrangian[2].x_1-b");
        assert_eq!(join("forces", "x[0]"), "forces.\"x[0]\"");
        assert_eq!(join("a", ""), "a.\"\"");
        assert_eq!(join("a", "\u{1b}"), "a.\"\\u001B\"");
    }
}
