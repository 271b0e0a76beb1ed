//! `--strict`: a run that cannot be trusted is a failure, after everything of it was written and printed.

use std::path::Path;

use carom_io::report::RunReport;

use crate::fail::Fail;

/// Of one run, whose folder is kept.
pub fn run(strict: bool, report: &RunReport, folder: &Path) -> Result<(), Fail> {
    let reasons: Vec<&str> = report.reasons().collect();
    if !strict || reasons.is_empty() {
        return Ok(());
    }
    let (reasons, folder) = (reasons.join("; "), folder.display());
    Err(Fail::Failed(format!(
        "error: --strict: the run is not trustworthy: {reasons}\nkept: all of it, in {folder}"
    )))
}

/// Of several, each by what it is called; `count` is how many there are in all.
pub fn runs<'a>(
    strict: bool,
    count: usize,
    reports: impl Iterator<Item = (String, &'a RunReport)>,
) -> Result<(), Fail> {
    let found = summary(count, reports).filter(|_| strict);
    found.map_or(Ok(()), |found| Err(Fail::Failed(format!("error: --strict: {found}"))))
}

/// How many of several runs cannot be trusted, and why the first cannot; `None` if all can.
pub fn summary<'a>(count: usize, reports: impl Iterator<Item = (String, &'a RunReport)>) -> Option<String> {
    let mut distrusted = reports.filter_map(|(name, report)| Some((name, report.reasons().next()?)));
    let (name, reason) = distrusted.next()?;
    let number = 1 + distrusted.count();
    Some(format!("{number} of {count} runs not trustworthy; the first at {name}: {reason}"))
}
