//! Findings of small runs, and of runs whose figures are made up.

use std::sync::atomic::AtomicBool;

use super::{EnergyTrend, Evidence, Finding, Findings, Kind, Loose, Peak};
use crate::measures::passages::Farthest;
use crate::measures::{Conservation, Ledger, Summary};
use crate::method::AnyMethod;
use crate::observe::{Frame, Observer};
use crate::problem::{Points, Problem};
use crate::run::{Grid, OnFailure, Outcome, Run};
use crate::steppers::newmark;
use crate::system::{
    ContactId, Contacts, ContactsAlong, Depths, Dynamics, Equalities, FewContacts, Mass, Nonholonomic, Softness,
    SparseEqualities, SparseHessian, System,
};

/// A mass on a spring in the plane, with a rod that is not there and a floor far below it where they are asked for.
#[derive(Clone, Copy)]
struct Spring {
    /// Where the potential is zero.
    offset: f64,
    constrained: bool,
    restitution: f64,
}

const SPRING: Spring = Spring { offset: 0.0, constrained: false, restitution: 1.0 };
const CONSTRAINED: Spring = Spring { constrained: true, ..SPRING };

impl Dynamics for Spring {
    fn dim(&self) -> usize {
        2
    }
    fn mass(&self) -> Mass<'_> {
        Mass::Diagonal(&[1.0, 1.0])
    }
    fn potential(&self, _t: f64, q: &[f64]) -> f64 {
        0.5 * (q[0] * q[0] + q[1] * q[1]) + self.offset
    }
    fn potential_gradient(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(q);
    }
    fn potential_hessian(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
    }
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        None
    }
}

impl System for Spring {
    fn equalities(&self) -> &dyn Equalities {
        self
    }
    #[inline]
    fn contacts(&self) -> &dyn Contacts {
        self
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}

impl Equalities for Spring {
    fn count(&self) -> usize {
        usize::from(self.constrained)
    }
    fn values(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out.iter_mut().for_each(|out| *out = q[1]);
    }
    fn rounding(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(4.0);
    }
    fn jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[0.0, 1.0][..2 * Equalities::count(self)]);
    }
    fn hessian(&self, _t: f64, _q: &[f64], _lambda: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn bend(&self, _t: f64, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn second_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn jacobian_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn softness(&self, _index: usize) -> Softness {
        Softness::default()
    }
    fn name(&self, index: usize) -> String {
        format!("equalities[{index}]")
    }
    fn sparse(&self) -> Option<&dyn SparseEqualities> {
        None
    }
}

impl FewContacts for Spring {
    #[inline]
    fn count(&self) -> usize {
        usize::from(self.constrained)
    }
    #[inline]
    fn gaps(&self, q: &[f64], out: &mut [f64]) {
        out.iter_mut().for_each(|out| *out = q[0] + 10.0);
    }
    #[inline]
    fn gradient(&self, _q: &[f64], _place: usize, out: &mut [f64]) {
        out.copy_from_slice(&[1.0, 0.0]);
    }
    fn add_hessian(&self, _q: &[f64], _place: usize, _lambda: f64, _out: &mut [f64]) {}
    #[inline]
    fn restitution(&self, _place: usize) -> f64 {
        self.restitution
    }
    fn rounding(&self, _place: usize) -> f64 {
        8.0
    }
    fn depths(&self) -> Depths {
        Depths::Unknown
    }
    fn name(&self, place: usize) -> String {
        format!("inequalities[{place}]")
    }
    fn along(&self) -> Option<&dyn ContactsAlong> {
        None
    }
}

/// What a run is judged by.
struct Judged {
    problem: Problem,
    method: AnyMethod,
    h: f64,
    outcome: Outcome,
    summary: Summary,
    ledger: Option<Ledger>,
}

struct Weighing<'a>(&'a Problem, &'a Conservation, &'a mut Summary, &'a mut Option<Ledger>);

impl Observer for Weighing<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.2.observe(frame)?;
        if let Some(ledger) = self.3 {
            ledger.enter(&*self.0.system, frame);
        }
        self.2.weigh(self.1, self.3.as_ref(), frame);
        Ok(())
    }
}

impl Judged {
    /// A run from (1, 0) at rest.
    fn run(system: Spring, method: AnyMethod, h: f64, steps: u64) -> Self {
        let points = Points { dimension: 2, members: vec![vec![0, 1]], spins: Vec::new() };
        let problem = Problem::new(Box::new(system), 0.0, vec![1.0, 0.0], vec![0.0, 0.0], points).expect("a start");
        let conservation = Conservation::of(&method, &*problem.system);
        let ledger = Ledger::of(&method, &*problem.system);
        let (mut summary, mut ledger) = (Summary::new(&problem), ledger.is_open().then_some(ledger));
        let mut stepper = method.stepper(&*problem.system, &problem.initial).expect("a method that can");
        let run = Run {
            system: &*problem.system,
            stepper: &mut *stepper,
            grid: Grid { t0: 0.0, h, steps },
            on_failure: OnFailure::Stop,
        };
        let mut weighing = Weighing(&problem, &conservation, &mut summary, &mut ledger);
        let outcome = run.go(problem.initial.clone(), &mut [&mut weighing], &AtomicBool::new(false));
        assert_eq!(outcome.ended, None);
        Self { problem, method, h, outcome, summary, ledger }
    }

    fn verlet(h: f64, steps: u64) -> Self {
        Self::run(SPRING, named("verlet"), h, steps)
    }

    /// A short good run with constraints, whose figures can be changed.
    fn constrained() -> Self {
        Self::run(CONSTRAINED, named("gvi"), 0.1, 100)
    }

    fn findings(&self) -> Findings {
        Findings::of(&Evidence {
            problem: &self.problem,
            method: &self.method,
            h: self.h,
            outcome: &self.outcome,
            summary: &self.summary,
            ledger: self.ledger.as_ref(),
        })
    }

    /// The only finding.
    fn only(&self) -> Finding {
        let found = self.findings().found;
        assert_eq!(found.len(), 1, "{found:?}");
        found.into_iter().next().expect("one")
    }
}

fn named(name: &str) -> AnyMethod {
    AnyMethod::named(name).expect("a method")
}

#[test]
fn a_run_that_explodes_is_measured_by_its_own_energy_before_that() {
    let judged = Judged::verlet(3.0, 40);
    let findings = judged.findings();
    let found = judged.only();
    assert!(!findings.trustworthy() && found.kind == Kind::Energy && found.value > 1e60, "{found:?}");
    // At rest the spring has all of the energy, ½.
    assert!(found.scale > 0.0 && found.scale <= 0.5 && found.limit == 0.5 * found.scale, "{found:?}");
    assert_eq!(findings.trend, EnergyTrend::Failed);
    for said in ["after step 40, at t = 120", "times the energy of the motion", "this scene conserves it"] {
        assert!(found.sentence.contains(said), "{}", found.sentence);
    }
    // Control: the same spring with steps that suit it.
    let good = Judged::verlet(0.1, 200).findings();
    assert!(good.trustworthy() && good.found.is_empty() && good.trend == EnergyTrend::NoDrift, "{good:?}");
}

#[test]
fn where_the_potential_is_zero_does_not_matter() {
    let finding = |offset: f64| {
        let found = Judged::run(Spring { offset, ..SPRING }, named("verlet"), 1.0, 100).only();
        (found.trustworthy, found.scale, found.value)
    };
    let (trusted, scale, value) = finding(0.0);
    assert!(trusted && value > 0.1 * scale, "verlet with h ω = 1 is off by part of the energy: {value} of {scale}");
    for offset in [-0.5, 1e3, -1e6] {
        let (other, size, error) = finding(offset);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9 * offset.abs().max(1.0);
        assert!(other == trusted && close(size, scale) && close(error, value), "{offset}: {size} {error}");
    }
}

#[test]
fn a_slope_counts_after_the_size_and_says_where_it_leads() {
    let config = newmark::Config { gamma: 0.53, ..newmark::Config::default() };
    let judged = Judged::run(SPRING, AnyMethod::Newmark(config), 0.1, 200);
    let found = judged.only();
    assert_eq!((found.kind, found.trustworthy, judged.findings().trend), (Kind::Drift, true, EnergyTrend::Drift));
    assert!(found.value < 0.0 && found.sentence.contains("at this rate"), "{}", found.sentence);
    let few = Judged::run(SPRING, judged.method.clone(), 0.1, 49).findings();
    assert_eq!((few.trend, few.found.len()), (EnergyTrend::FewSteps, 0));
}

#[test]
fn violations_are_compared_with_what_a_row_is_made_of() {
    let mut judged = Judged::constrained();
    assert!(judged.findings().found.is_empty(), "{:?}", judged.findings());
    for (violation, expected) in
        [(0.02, None), (0.05, Some(true)), (0.2, Some(false)), (f64::INFINITY, Some(false))]
    {
        judged.summary.gauge.rows = vec![violation];
        let found = judged.findings().found;
        assert_eq!(found.first().map(|found| found.trustworthy), expected, "{violation}: {found:?}");
        assert!(found.iter().all(|found| found.kind == Kind::Constraints && found.scale == 1.0), "{found:?}");
    }
    assert!(judged.only().sentence.contains("equality constraint `equalities[0]`"));
}

#[test]
fn penetrations_are_compared_with_the_size_of_the_contact() {
    let mut judged = Judged::constrained();
    for (depth, expected) in [(0.1, None), (0.3, Some(true)), (0.7, Some(false))] {
        let depth = Peak { value: depth, step: 7, t: 0.7 };
        judged.summary.gauge.deepest = Some(super::Deepest { contact: ContactId(0), depth });
        let found = judged.findings().found;
        assert_eq!(found.first().map(|found| found.trustworthy), expected, "{found:?}");
        assert!(found.iter().all(|found| found.kind == Kind::Penetration && found.scale == 2.0), "{found:?}");
    }
    assert!(judged.only().sentence.contains("`inequalities[0]` is penetrated by 0.7 after step 7, at t = 0.7"));
}

#[test]
fn contacts_that_were_passed_through_are_never_trusted() {
    let mut judged = Judged::constrained();
    judged.summary.passages.farthest =
        Some(Farthest { contact: ContactId(0), step: 3, t: 0.2, h: 0.1, share: 0.4 });
    assert!(judged.findings().found.is_empty(), "they may have been missed, and were not");
    judged.summary.passages.unnoticed = 2;
    let found = judged.only();
    assert!(!found.trustworthy && found.kind == Kind::MissedContacts && found.value == 2.0, "{found:?}");
    assert!(found.sentence.starts_with("2 contacts were passed through unnoticed"), "{}", found.sentence);
}

#[test]
fn loose_solves_are_counted_named_and_shown_with_the_worst() {
    let mut judged = Judged::verlet(0.1, 100);
    for (worst, trustworthy) in [(1e-6, true), (0.3, false)] {
        let worst = Peak { value: worst, step: 5, t: 0.5 };
        judged.summary.gauge.loose = Loose { steps: 12, worst };
        let found = judged.only();
        assert_eq!((found.kind, found.trustworthy, found.value), (Kind::LooseSolves, trustworthy, worst.value));
        assert!(found.sentence.starts_with("12 of 100 steps were solved loosely"), "{}", found.sentence);
    }
}

#[test]
fn what_a_method_takes_is_told_with_its_account_and_is_no_failure() {
    let mut judged = Judged::constrained();
    let ledger = judged.ledger.as_mut().expect("contacts open one");
    let impacts = ledger.sources.iter_mut().find(|account| account.role.takes()).expect("impacts");
    impacts.left = 0.3;
    let found = judged.only();
    assert!(found.kind == Kind::Losses && found.trustworthy && found.value == 0.3, "{found:?}");
    assert!(found.sentence.contains("`gvi` took 0.3 of it") && found.sentence.contains("impacts 0.3"), "{found:?}");
    // Of a scene that does not conserve energy it is what the scene says.
    let mut open = Judged::run(Spring { restitution: 0.5, ..CONSTRAINED }, named("gvi"), 0.1, 100);
    open.ledger.as_mut().expect("contacts open one").sources[0].left = 0.3;
    let findings = open.findings();
    assert!(findings.found.is_empty() && findings.trend == EnergyTrend::NotConserved, "{findings:?}");
    assert_eq!(findings.conservation.broken_by, ["restitution below 1"]);
}

#[test]
fn the_coefficients_of_a_method_count_instead_of_those_of_the_scene() {
    let changed = |restitution: f64, method: AnyMethod| {
        Conservation::of(&method, &Spring { restitution, ..CONSTRAINED }).broken_by.len()
    };
    let with = |restitution| AnyMethod::Gvi(crate::steppers::gvi::Config { restitution, ..Default::default() });
    assert_eq!((changed(0.5, with(Some(1.0))), changed(1.0, with(Some(0.5)))), (0, 1));
    assert_eq!((changed(0.5, with(None)), changed(1.0, with(None))), (1, 0));
}
