//! The text of a problem file.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use carom_lcp::solvers::registry;
use carom_lcp::{Limits, Problem};

use super::law;
use crate::fuzz::Fate;

/// Unknowns of problems that are solved.
const LARGEST: usize = 60;
/// Iterations of a solve.
const ITERATIONS: usize = 200;
/// Time for a solve.
const PATIENCE: Duration = Duration::from_millis(200);

/// A problem file: refused with a place, or read, written, read again to the same bits, and solved to a residual that is one.
pub fn problem(text: &str, _stop: &Arc<AtomicBool>) -> Result<Fate, String> {
    let named = match Problem::from_json(text) {
        Ok(named) => named,
        Err(errors) => {
            law(!errors.0.is_empty(), || "refused without a reason".into())?;
            for error in &errors.0 {
                law(!error.message.trim().is_empty(), || format!("no message: {error:?}"))?;
                law(error.place.is_some() || !error.key.is_empty() || error.message.contains("has"), || {
                    format!("no place: {error}")
                })?;
            }
            return Ok(Fate::Refused);
        }
    };
    let written = named.to_json();
    let again = Problem::from_json(&written)
        .map_err(|error| format!("as it is written out it is refused: {error}\n{written}"))?;
    law(again == named, || format!("as it is written out it is another problem:\n{written}"))?;
    let size = named.problem.judge().size();
    if size > LARGEST {
        return Ok(Fate::Left);
    }
    let mut fate = Fate::Failed;
    for solver in ["default", "pgs", "newton", "lemke", "block-pivot"] {
        if registry::applicable(solver, &named.problem).is_err() {
            continue;
        }
        let limits =
            Limits { iterations: Some(ITERATIONS), deadline: Some(Instant::now() + PATIENCE), ..Limits::default() };
        let mut z = vec![0.0; size];
        let answer = registry::solve(&named.problem, solver, &mut z, &limits)?;
        if let Ok(solved) = answer.result {
            let residual = named.problem.judge().residual(&z);
            law(z.iter().all(|z| z.is_finite()), || format!("{solver}: solved by {z:?}"))?;
            law(residual.relative <= limits.tolerance && solved.residual.relative <= limits.tolerance, || {
                format!(
                    "{solver}: solved with the residual {:e}, said to be {:e}",
                    residual.relative, solved.residual.relative
                )
            })?;
            fate = Fate::Done;
        }
    }
    Ok(fate)
}
