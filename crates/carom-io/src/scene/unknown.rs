//! What a scene with mistakes leaves unknown. What refers to that is not judged, so that one mistake is reported once and everything
//! else all the same.

use std::collections::BTreeSet;

/// What is not known of the coordinates, particles or plates of a scene because their declaration is wrong.
#[derive(Debug, Clone, Default)]
pub struct Unknown {
    /// Names whose declaration is wrong.
    pub names: BTreeSet<String>,
    /// Whether a name that nothing has may be that of something whose own name is wrong.
    pub further_names: bool,
    /// Whether there may be more of them than were read.
    pub count: bool,
    /// Whether the dimension of space is unknown; 3 is then taken for it.
    pub dimension: bool,
    /// Whether the start is not that of the file.
    pub start: bool,
}

impl Unknown {
    /// Whether an expression that refers to coordinates, particles or plates cannot be judged; `known` says of a name that something has it.
    pub fn concerns(&self, text: &str, known: impl Fn(&str) -> bool) -> bool {
        if self.names.is_empty() && !self.further_names && !self.count {
            return false;
        }
        let mut names = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty());
        let unsure = |name: &str| {
            let number = name.starts_with(|c: char| c.is_ascii_digit());
            self.names.contains(name) || (self.further_names && !number && !known(name))
        };
        (self.count && text.contains('[')) || names.any(unsure)
    }

    /// Something cannot have the name that is given to it, if one is.
    pub fn refused(&mut self, name: Option<&str>) {
        self.names.extend(name.map(str::to_string));
        self.further_names = true;
    }
}

#[cfg(test)]
mod tests {
    use super::Unknown;

    #[test]
    fn references_to_what_is_unknown_are_not_judged() {
        let known = |name: &str| ["sun", "i", "x"].contains(&name);
        let mut unknown = Unknown::default();
        assert!(!unknown.concerns("bead[i + 1].x", known));
        unknown.names.insert("bead".into());
        assert!(unknown.concerns("bead[i + 1].x", known) && unknown.concerns("2*bead", known));
        assert!(!unknown.concerns("beads", known) && !unknown.concerns("x[7]", known));
        unknown.count = true;
        assert!(unknown.concerns("x[7]", known) && !unknown.concerns("sun", known));
        unknown.count = false;
        unknown.refused(Some("2moon"));
        assert!(unknown.concerns("2moon", known) && unknown.concerns("moon", known));
        assert!(!unknown.concerns("sun", known) && !unknown.concerns("x[12] + 3", known));
    }
}
