//! The runs of an experiment, each by itself.

use std::sync::atomic::AtomicBool;

use carom::observe::{Frame, Observer};
use carom::study::{Level, Reference, StudyError, levels_of};

use super::computation::Computation;
use super::figure::{Curve, Panel, Pen};
use super::formula::Formula;
use super::gauge::Gauge;
use super::impacts::{Impacts, Wants};
use super::inside::{Interior, Part, Settings};
use super::map::{self, Map};
use super::quantities::{IMPACT_DEFECT, PREIMAGES, PRINCIPLE, Quantities, RECURS_UNTIL};
use super::recurrence::{Recurrence, Recurring};
use super::settings::{Setting, Start, read_scene};
use super::solvers::{History, OF_ERRORS, Solution, Solve};
use super::{Choice, Experiment, PlanKind};
use crate::document::{Diagnostic, Source};
use crate::figure::Trace;
use crate::scene::{BuiltIn, Scene};
use crate::trial::Trial;

/// How much finer the reference of a convergence study is than its finest level.
const FINER: u64 = 8;

/// One run, one convergence study or one solve, that can be made on any thread.
pub struct Job {
    plan: usize,
    member: usize,
    name: String,
    /// The experiment's text, for the places of what is wrong.
    source: Source,
    work: Work,
}

enum Work {
    Scene(Staged),
    /// Of the job's member, with errors against the exact solution or without them.
    Solve(Solve, bool),
    /// Of the job's member.
    Computation(Computation),
}

/// A scene with its settings, and what is done with it.
struct Staged {
    scene: &'static BuiltIn,
    settings: Vec<Setting>,
    /// How many times longer it is run than the settings say.
    horizon: f64,
    task: Task,
}

/// What is seen of a run.
struct Sights {
    /// The times and the numbers of impacts at which states are kept.
    times: Vec<f64>,
    after: Vec<u64>,
    impacts: Wants,
    parts: Vec<Part>,
    inside: Settings,
    /// The settings of the run that it is compared with.
    reference: Option<Vec<Setting>>,
    recurs: Option<Recurrence>,
    curves: Vec<(usize, Curve)>,
}

enum Task {
    Run(Box<Sights>),
    Order { steps: Vec<f64>, reference: Option<(&'static BuiltIn, Vec<Setting>)> },
    Map(Map),
}

/// What a run came to.
pub struct Found {
    pub(super) plan: usize,
    pub(super) member: usize,
    /// Its name, with what sets it apart in an ensemble.
    pub name: String,
    /// Name of the scene, or of the problem that was solved.
    pub scene: &'static str,
    /// Its settings, in the order in which they were made.
    pub settings: Vec<String>,
    /// Name of the method or of the solver.
    pub method: &'static str,
    /// Why it ended early.
    pub ended: Option<String>,
    /// What was measured, or why nothing was.
    pub quantities: Result<Quantities, String>,
    /// Per point of the scene the numbers of its coordinates.
    pub(super) points: Vec<Vec<usize>>,
    /// The curves of the panels.
    pub(super) traces: Vec<(usize, Trace)>,
    /// The levels of a convergence study.
    pub(super) levels: Vec<Level>,
    /// The map.
    pub(super) map: Option<map::Made>,
    /// What a solver did.
    pub(super) history: Option<History>,
}

impl Experiment {
    /// The runs that the chosen claims and their figures need, each once.
    pub fn jobs(&self, choice: &Choice) -> Vec<Job> {
        let mut jobs = Vec::new();
        for (place, plan) in self.plans.iter().enumerate().filter(|(place, _)| self.needs(choice, *place)) {
            let settings = |start: &Start, member: &[Setting]| start.settings(choice.full, member);
            let working = |member, name, work| Job { plan: place, member, name, source: self.source.clone(), work };
            if let Some(tabled) = plan.tabled() {
                let errors = self.wants_errors(place);
                for (index, member) in tabled.members.iter().enumerate() {
                    let name = match tabled.ensemble {
                        true => format!("{} ({})", plan.name, member.label),
                        false => plan.name.clone(),
                    };
                    match &plan.kind {
                        PlanKind::Solve(solve) => {
                            jobs.push(working(index, name, Work::Solve(solve.clone(), errors)));
                        }
                        PlanKind::Computation(computation) => {
                            jobs.push(working(index, name, Work::Computation(computation.clone())));
                        }
                        PlanKind::Run { .. } | PlanKind::Map(_) | PlanKind::Order { .. } => {}
                    }
                }
            }
            let Some(start) = &plan.start else { continue };
            let job = |member, name, settings, task| {
                working(
                    member,
                    name,
                    Work::Scene(Staged { scene: start.scene, settings, horizon: self.horizon, task }),
                )
            };
            match &plan.kind {
                PlanKind::Solve(_) | PlanKind::Computation(_) => {}
                PlanKind::Run { members, ensemble, times, after, inside, recurs, reference } => {
                    for (index, member) in members.iter().enumerate() {
                        let name = match ensemble {
                            true => format!("{} ({})", plan.name, member.label),
                            false => plan.name.clone(),
                        };
                        // A member's own step and method are not those of the reference.
                        let shared: Vec<Setting> =
                            member.settings.iter().filter(|setting| !setting.of_solution()).cloned().collect();
                        let sights = Sights {
                            times: times.clone(),
                            after: after.clone(),
                            impacts: self.wants(place),
                            parts: self.parts(place),
                            inside: *inside,
                            recurs: recurs.clone(),
                            reference: reference.as_ref().map(|start| settings(start, &shared)),
                            curves: self.curves(place),
                        };
                        let settings = settings(start, &member.settings);
                        jobs.push(job(index, name, settings, Task::Run(Box::new(sights))));
                    }
                }
                PlanKind::Map(map) => {
                    for (index, (_, label)) in map.at.iter().enumerate() {
                        let name = format!("{} ({label})", plan.name);
                        jobs.push(job(index, name, settings(start, &[]), Task::Map(map.clone())));
                    }
                }
                PlanKind::Order { steps, reference } => {
                    let reference = reference.as_ref().map(|start| (start.scene, settings(start, &[])));
                    let task = Task::Order { steps: steps.clone(), reference };
                    jobs.push(job(0, plan.name.clone(), settings(start, &[]), task));
                }
            }
        }
        jobs
    }

    /// What the claims want to know of the impacts of a plan.
    fn wants(&self, plan: usize) -> Wants {
        let asked = |quantity: &str| self.claims.iter().any(|claim| claim.formula.asks(plan, quantity));
        Wants { defect: asked(IMPACT_DEFECT), preimages: asked(PREIMAGES), residual: asked(PRINCIPLE) }
    }

    /// What claims and figures want to know of the motion inside the steps of a plan.
    fn parts(&self, plan: usize) -> Vec<Part> {
        let drawn = self.drawings.iter().flat_map(|drawing| &drawing.panels).filter_map(Panel::formula);
        let formulas: Vec<&Formula> = self.claims.iter().map(|claim| &claim.formula).chain(drawn).collect();
        let asked = |quantity: &str| formulas.iter().any(|formula| formula.asks(plan, quantity));
        let quantities = Part::QUANTITIES.iter().filter(|(name, _)| asked(name)).map(|(_, part)| *part);
        quantities.chain(self.curves(plan).iter().flat_map(|(_, curve)| curve.parts())).collect()
    }

    /// Whether a claim or a figure is about errors of a solve.
    fn wants_errors(&self, plan: usize) -> bool {
        let asked = |formula: &Formula| OF_ERRORS.iter().any(|quantity| formula.asks(plan, quantity));
        let mut panels = self.drawings.iter().flat_map(|drawing| &drawing.panels);
        self.claims.iter().any(|claim| asked(&claim.formula))
            || panels.any(|panel| panel.formula().is_some_and(asked) || panel.shows_errors(plan))
    }

    /// The curves that figures show of a plan, each with the number of its panel.
    fn curves(&self, plan: usize) -> Vec<(usize, Curve)> {
        let panels = self.drawings.iter().flat_map(|drawing| &drawing.panels).enumerate();
        let numbered = |(number, panel): (usize, &Panel)| {
            panel.curves(plan).iter().map(move |curve| (number, curve.clone())).collect::<Vec<_>>()
        };
        panels.flat_map(numbered).collect()
    }
}

impl Staged {
    /// The scene with settings, run as long as is asked for.
    fn read(&self, settings: &[Setting], source: &Source) -> Result<Scene, Vec<Diagnostic>> {
        let mut scene = read_scene(self.scene, settings, source)?;
        self.stretch(&mut scene);
        Ok(scene)
    }

    fn stretch(&self, scene: &mut Scene) {
        scene.run.steps = (scene.run.steps as f64 * self.horizon).round() as u64;
    }
}

impl Job {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes the run; `also` sees every node of it. An error is a scene that cannot be run; a step that fails is part of
    /// what was found.
    pub fn run(&self, also: &mut dyn Observer, stop: &AtomicBool) -> Result<Found, Vec<Diagnostic>> {
        match &self.work {
            Work::Scene(staged) => self.stage(staged, also, stop),
            Work::Solve(solve, errors) => {
                let Solution { names, found } = solve.run(self.member, &self.source, *errors)?;
                let (quantities, history) = match found {
                    Ok((quantities, history)) => (Ok(quantities), Some(history)),
                    Err(reason) => (Err(reason), None),
                };
                Ok(Found { quantities, history, ..self.found(names, solve.0.arguments(self.member)) })
            }
            Work::Computation(computation) => {
                let quantities = computation.run(self.member, &self.source)?;
                let names = (computation.kind.name, "computation");
                Ok(Found { quantities, ..self.found(names, computation.tabled.arguments(self.member)) })
            }
        }
    }

    /// What is found at first: nothing yet.
    fn found(&self, (scene, method): (&'static str, &'static str), settings: Vec<String>) -> Found {
        Found {
            plan: self.plan,
            member: self.member,
            name: self.name.clone(),
            scene,
            settings,
            method,
            ended: None,
            quantities: Err(String::new()),
            points: Vec::new(),
            traces: Vec::new(),
            levels: Vec::new(),
            map: None,
            history: None,
        }
    }

    fn stage(&self, staged: &Staged, also: &mut dyn Observer, stop: &AtomicBool) -> Result<Found, Vec<Diagnostic>> {
        let mut settings = staged.settings.clone();
        if let Task::Order { steps, .. } = &staged.task {
            let argument = format!("run.step={:?}", steps[0]);
            settings.insert(0, Setting { argument, position: None, displaces: None });
        }
        let scene = staged.read(&settings, &self.source)?;
        let arguments = settings.iter().map(|setting| setting.argument.clone()).collect();
        let found = self.found((staged.scene.name, scene.method.name()), arguments);
        match &staged.task {
            Task::Run(sights) => {
                let reference = sights.reference.as_ref().filter(|_| !sights.parts.is_empty());
                let reference = reference.map(|settings| staged.read(settings, &self.source)).transpose()?;
                self.simulate((&scene, reference.as_ref()), found, sights, also, stop)
            }
            Task::Map(map) => {
                let map = map.make(&*scene.problem.system, self.member);
                let quantities = map.as_ref().map(|map| Quantities::of_map(&map.regions)).map_err(Clone::clone);
                Ok(Found { quantities, map: map.ok(), ..found })
            }
            Task::Order { steps, reference } => {
                let reference = match reference {
                    None => Ok(Reference::Fine(FINER)),
                    Some((other, settings)) => {
                        let mut scene = read_scene(other, settings, &self.source)?;
                        staged.stretch(&mut scene);
                        let trial = Trial::run(&scene, &mut [also], stop).map_err(|refusal| refusal.to_string());
                        trial.and_then(|trial| match &trial.outcome.ended {
                            None => Ok(Reference::Given(trial.outcome.state)),
                            Some(ended) => Err(format!("the reference ended early: {ended}")),
                        })
                    }
                };
                let levels = reference.and_then(|reference| study(&scene, steps, &reference));
                let quantities = levels.as_ref().map(|levels| Quantities::of_order(levels));
                let quantities = quantities.map_err(Clone::clone);
                Ok(Found { quantities, levels: levels.unwrap_or_default(), ..found })
            }
        }
    }

    fn simulate(
        &self,
        (scene, reference): (&Scene, Option<&Scene>),
        found: Found,
        sights: &Sights,
        also: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Found, Vec<Diagnostic>> {
        let Sights { curves, impacts: wants, .. } = sights;
        let unfit = sights.recurs.iter().filter_map(|recurs| recurs.misfit(scene, &self.source));
        let undrawn = curves.iter().filter_map(|(_, curve)| curve.misfit(scene, &self.source));
        let wrong: Vec<Diagnostic> = undrawn.chain(unfit).collect();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        // A time that the run does not reach gives a state that does not exist, and the claim says so.
        let node = |time: &f64| ((time - scene.problem.initial.t) / scene.run.h).round() as u64;
        let nodes: Vec<u64> = sights.times.iter().map(node).collect();
        let traces = curves.iter().map(|(number, curve)| (*number, curve.trace())).collect();
        let gauge = Gauge::new(&scene.problem, scene.run.steps, &nodes, &sights.after);
        let impacts = (*wants != Wants::default()).then(|| Impacts::new(scene, *wants));
        let interior = Interior::new(scene, reference, &sights.parts, &sights.inside);
        let drawn = curves.iter().any(|(_, curve)| curve.inside());
        let pen = drawn.then(|| Pen::new(&*scene.problem.system, scene.run.h, &scene.problem.initial.q));
        let (interior, pen) = match interior.and_then(|interior| Ok((interior, pen.transpose()?))) {
            Ok(both) => both,
            Err(reason) => return Ok(Found { quantities: Err(reason), ..found }),
        };
        let recurring = sights.recurs.as_ref().map(|recurs| Recurring::new(recurs, scene));
        let mut watch = Watch { gauge, impacts, interior, recurring, pen, curves, traces, first: 0.0 };
        let trial = match Trial::run(scene, &mut [&mut watch, also], stop) {
            Ok(trial) => trial,
            Err(refusal) => return Ok(Found { quantities: Err(refusal.to_string()), ..found }),
        };
        let report = trial.report(scene);
        let mut all = Quantities::of_run(&report, &watch.gauge, watch.impacts.as_ref(), &watch.interior);
        all.parameters(&scene.parameters);
        all.number(RECURS_UNTIL, watch.recurring.as_ref().map(Recurring::until));
        let points = scene.problem.points.members.clone();
        Ok(Found { ended: report.ended, quantities: Ok(all), points, traces: watch.traces, ..found })
    }
}

fn study(scene: &Scene, steps: &[f64], reference: &Reference) -> Result<Vec<Level>, String> {
    let span = scene.run.steps as f64 * scene.run.h;
    let mut counts = Vec::new();
    for &h in steps {
        let exact = span / h;
        if (exact - exact.round()).abs() > 1e-9 * exact || exact < 1.0 {
            return Err(format!("the step {h:?} does not divide the length {span:?} of the run"));
        }
        counts.push(exact.round() as u64);
    }
    let levels = levels_of(&scene.problem, &scene.method, (span, &counts), reference);
    levels.map_err(|error: StudyError| error.to_string())
}

/// Gathers quantities and curves.
struct Watch<'a> {
    gauge: Gauge,
    impacts: Option<Impacts<'a>>,
    interior: Interior<'a>,
    recurring: Option<Recurring<'a>>,
    pen: Option<Pen<'a>>,
    curves: &'a [(usize, Curve)],
    traces: Vec<(usize, Trace)>,
    first: f64,
}

impl Observer for Watch<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.gauge.observe(frame)?;
        if let Some(impacts) = &mut self.impacts {
            impacts.observe(frame)?;
        }
        self.interior.observe(frame)?;
        if let Some(recurring) = &mut self.recurring {
            recurring.observe(frame)?;
        }
        if frame.step == 0 {
            self.first = frame.energy();
        }
        for ((_, curve), (_, trace)) in self.curves.iter().zip(&mut self.traces) {
            match &mut self.pen {
                Some(pen) if curve.inside() => pen.draw(curve, frame, trace)?,
                _ => {
                    let (x, y) = curve.point(frame, self.first, &self.gauge, &self.interior);
                    trace.push(x, y);
                }
            }
        }
        Ok(())
    }
}
