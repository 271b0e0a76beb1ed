//! Verdicts: computed from what was measured and the criterion, from nothing else.

use serde::{Serialize, Serializer};

use super::formula::{Formula, Reference};
use super::run::Found;
use super::{Choice, Claim, Experiment};

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Every run satisfies it.
    Holds,
    /// No run satisfies it.
    DoesNotHold,
    /// Some runs of an ensemble satisfy it.
    Depends,
    /// The paper does not give the data that it is about: what is measured is an example.
    Undecidable,
}

impl Verdict {
    /// All, in the order in which they are counted.
    pub const ALL: [Self; 4] = [Self::Holds, Self::DoesNotHold, Self::Depends, Self::Undecidable];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::Depends => "depends",
            Self::Undecidable => "undecidable",
        }
    }
}

/// Who says what a claim says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Says {
    /// The paper.
    Paper,
    /// The paper leaves it open, asks for it or hopes for it.
    Open,
    /// Nobody but this project.
    Ours,
}

impl Says {
    /// All, in the order in which they are counted.
    pub const ALL: [Self; 3] = [Self::Paper, Self::Open, Self::Ours];

    /// As files have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Open => "open",
            Self::Ours => "ours",
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A claim and what was found.
pub struct Judgement<'a> {
    /// The claim.
    pub claim: &'a Claim,
    /// What was found; an error says why no verdict can be computed.
    pub finding: Result<Finding, String>,
}

/// The measured values of a claim and the verdict on them.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// One value, or one for each member of an ensemble.
    pub values: Vec<f64>,
    /// Whether the claim is about an ensemble.
    pub ensemble: bool,
    /// How many values satisfy the criterion.
    pub satisfied: usize,
    /// The verdict.
    pub verdict: Verdict,
}

impl Experiment {
    /// The verdicts on the chosen claims, from what their runs came to.
    pub fn judge<'a>(&'a self, choice: &'a Choice, found: &[Found]) -> Vec<Judgement<'a>> {
        let judged = |claim: &'a Claim| Judgement { claim, finding: self.find(claim, found) };
        self.chosen(choice).map(judged).collect()
    }

    fn find(&self, claim: &Claim, found: &[Found]) -> Result<Finding, String> {
        let (values, ensemble) = self.values(&claim.formula, found)?;
        let (verdict, satisfied) = claim.verdict(&values, &claim.criterion);
        Ok(Finding { values, ensemble, satisfied, verdict })
    }

    /// The value of a formula for every member, and whether there are members.
    pub(super) fn values(&self, formula: &Formula, found: &[Found]) -> Result<(Vec<f64>, bool), String> {
        let members = formula.members(&self.plans);
        let of_run = |reference: &Reference, member: usize| -> Result<f64, String> {
            let plan = &self.plans[reference.plan];
            let found = found.iter().find(|found| found.plan == reference.plan && found.member == member);
            let found = found.ok_or_else(|| format!("run `{}` was not made", plan.name))?;
            let (name, quantities) = (&found.name, found.quantities.as_ref());
            let quantities = quantities.map_err(|reason| format!("`{name}`: {reason}"))?;
            if let Some(reason) = found.ended.as_ref()
                && !formula.asks_for_failure(reference.plan)
            {
                return Err(format!("run `{name}` ended early: {reason}"));
            }
            let value = quantities.get(&reference.quantity, reference.index);
            value.map_err(|reason| format!("run `{name}`: {reason}"))
        };
        let of_member = |member: usize| -> Result<f64, String> {
            let mut inputs = Vec::with_capacity(formula.references.len());
            for reference in &formula.references {
                let count = self.plans[reference.plan].members();
                inputs.push(match (reference.statistic, count) {
                    (Some(statistic), Some(count)) => {
                        let values: Result<Vec<f64>, String> =
                            (0..count).map(|member| of_run(reference, member)).collect();
                        statistic.of(&values?)
                    }
                    (_, Some(_)) => of_run(reference, member)?,
                    (_, None) => of_run(reference, 0)?,
                });
            }
            let value = formula.value(&inputs);
            if value.is_finite() { Ok(value) } else { Err(format!("the measured value is {value}")) }
        };
        let values: Result<Vec<f64>, String> = (0..members.unwrap_or(1)).map(of_member).collect();
        Ok((values?, members.is_some()))
    }
}
