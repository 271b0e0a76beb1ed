//! How a verdict depends on its threshold.

use super::verdict::{Finding, Verdict};
use super::{Claim, Criterion};

/// A change of a criterion's threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threshold {
    /// Half as much, or half as wide.
    Half,
    /// Twice as much, or twice as wide.
    Double,
}

impl Criterion {
    /// The criterion with its number, or the width of its range, halved or doubled; nothing where that changes nothing.
    pub fn scaled(self, threshold: Threshold) -> Option<Self> {
        let factor = match threshold {
            Threshold::Half => 0.5,
            Threshold::Double => 2.0,
        };
        let scaled = match self {
            Self::AtMost(most) => Self::AtMost(factor * most),
            Self::AtLeast(least) => Self::AtLeast(factor * least),
            Self::Between(least, most) => {
                let (centre, half) = (0.5 * (least + most), 0.5 * factor * (most - least));
                Self::Between(centre - half, centre + half)
            }
            Self::Near(target, distance) => Self::Near(target, factor * distance),
        };
        (scaled != self).then_some(scaled)
    }
}

impl Claim {
    /// What may belong to a claim: its threshold, if that is a count or a rank; its time, if the expression has it inside.
    pub const FIXED: [&str; 2] = ["threshold", "time"];

    /// Whether its runs may be shorter or longer.
    pub fn may_stretch(&self) -> bool {
        !self.fixed.iter().any(|fixed| fixed == "time")
    }

    /// The verdict on values that were found, with another threshold; nothing where there is no other.
    pub fn verdict_at(&self, finding: &Finding, threshold: Threshold) -> Option<Verdict> {
        if self.fixed.iter().any(|fixed| fixed == "threshold") {
            return None;
        }
        Some(self.verdict(&finding.values, &self.criterion.scaled(threshold)?).0)
    }

    /// The verdict on values by a criterion, and how many satisfy it.
    pub(super) fn verdict(&self, values: &[f64], criterion: &Criterion) -> (Verdict, usize) {
        let satisfied = values.iter().filter(|&&value| criterion.holds(value)).count();
        let verdict = match satisfied {
            _ if self.missing.is_some() => Verdict::Undecidable,
            all if all == values.len() => Verdict::Holds,
            0 => Verdict::DoesNotHold,
            _ => Verdict::Depends,
        };
        (verdict, satisfied)
    }
}
