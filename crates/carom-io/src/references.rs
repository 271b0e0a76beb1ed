//! BibTeX entries of the papers behind methods and scenes.

mod citation;

const TEXT: &str = include_str!("../../../references.bib");

/// The entry of a key, as it stands in `references.bib`.
pub fn entry(key: &str) -> Option<&'static str> {
    entries().find(|(other, _)| *other == key).map(|(_, text)| text)
}

/// The entry of a key as a line: authors, title, where and when.
pub fn line(key: &str) -> Option<String> {
    entry(key).map(citation::line)
}

/// All entries with their keys.
pub fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    // An entry begins with `@` at the start of a line and ends where the next begins.
    let starts = TEXT.match_indices('@').map(|(at, _)| at).filter(|&at| at == 0 || TEXT[..at].ends_with('\n'));
    let starts: Vec<usize> = starts.collect();
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([TEXT.len()]).collect();
    starts.into_iter().zip(ends).filter_map(|(start, end)| {
        let text = &TEXT[start..end];
        let body = &text[..=text.rfind('}')?];
        let key = body.split_once('{')?.1.split_once(',')?.0.trim();
        Some((key, body))
    })
}
