//! The scene of a run with its settings, and the changes of the command line to them.

use super::{Experiment, Plan, PlanKind};
use crate::document::{Diagnostic, Edit, Position, Source};
use crate::scene::{BuiltIn, Scene};

/// A change of a scene, `key.path=value`, and where it is written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Setting {
    pub argument: String,
    /// In the experiment's file; nothing for the command line.
    pub position: Option<Position>,
    /// A key of a table that the new one takes the place of.
    pub displaces: Option<(&'static str, &'static str)>,
}

impl Setting {
    /// Whether it says how a scene is solved, by which method and with which step.
    pub fn of_solution(&self) -> bool {
        let key = self.argument.split('=').next().unwrap_or_default().trim();
        self.of_method() || key == "run.step"
    }

    /// Whether it is one of the method's.
    pub fn of_method(&self) -> bool {
        let key = self.argument.split('=').next().unwrap_or_default().trim();
        key == "method" || key.starts_with("method.")
    }

    pub fn edit(&self) -> Edit {
        match self.position {
            Some(_) => {
                Edit { shown: self.argument.clone(), argument: self.argument.clone(), displaces: self.displaces }
            }
            None => Edit::set(&self.argument),
        }
    }
}

/// What a run starts from: a scene and its settings, in the order in which they are made.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Start {
    pub scene: &'static BuiltIn,
    pub settings: Vec<Setting>,
    /// The end of a short run and of a long one.
    pub until: Option<Setting>,
    pub full_until: Option<Setting>,
    /// What the command line adds.
    pub added: Vec<Setting>,
}

impl Start {
    /// The settings of a run: those of the file, those of a member, those of the command line.
    pub fn settings(&self, full: bool, member: &[Setting]) -> Vec<Setting> {
        let until = self.full_until.as_ref().filter(|_| full).or(self.until.as_ref());
        until.into_iter().chain(&self.settings).chain(member).chain(&self.added).cloned().collect()
    }
}

/// The scene with its settings. What is wrong with one of the experiment's file is placed there.
pub(super) fn read_scene(
    scene: &BuiltIn,
    settings: &[Setting],
    experiment: &Source,
) -> Result<Scene, Vec<Diagnostic>> {
    let edits: Vec<Edit> = settings.iter().map(Setting::edit).collect();
    let source = Source::new(format!("{} (built in)", scene.name), scene.text);
    Scene::read(scene.name, &source, &edits).map_err(|mut found| {
        place(&mut found, settings, experiment);
        found
    })
}

/// Gives problems of settings that are written in the experiment's file their place there.
pub(super) fn place(problems: &mut [Diagnostic], settings: &[Setting], experiment: &Source) {
    for problem in problems {
        let of = |setting: &&Setting| setting.position.is_some() && setting.argument == problem.source;
        if let Some(setting) = settings.iter().find(of) {
            problem.position = setting.position;
            problem.source = experiment.name().to_string();
        }
    }
}

/// Why a run does not take a change of the command line.
#[derive(Debug)]
pub struct Refused {
    /// Name of the run.
    pub run: String,
    /// The problems.
    pub problems: Vec<Diagnostic>,
    /// Whether the change itself is refused: the scene has no such key, or does not take the value. Otherwise the scene
    /// with it is wrong.
    pub itself: bool,
}

impl Experiment {
    /// Applies `key.path=value` to every run after its own settings. Runs that do not take it are left as they are; returns
    /// how many take it, and why the others do not.
    pub fn set(&mut self, argument: &str, full: bool) -> (usize, Vec<Refused>) {
        let (mut taken, mut refused) = (0, Vec::new());
        let setting = Setting { argument: argument.to_string(), position: None, displaces: None };
        let shown = setting.edit().shown;
        for plan in &mut self.plans {
            for result in plan.set(&setting, full, &self.source) {
                match result {
                    Ok(()) => taken += 1,
                    Err(problems) => {
                        let itself = problems.iter().all(|problem| problem.source == shown);
                        refused.push(Refused { run: plan.name.clone(), problems, itself });
                    }
                }
            }
        }
        (taken, refused)
    }
}

impl Plan {
    /// Adds a setting to everything that the plan is made of: a run and its reference, a problem, a computation. What does
    /// not take it stays as it is, and a reference keeps its method and step.
    pub(super) fn set(
        &mut self,
        setting: &Setting,
        full: bool,
        source: &Source,
    ) -> Vec<Result<(), Vec<Diagnostic>>> {
        let member = self.first_member();
        match &mut self.kind {
            PlanKind::Solve(solve) => return vec![solve.set(setting, source)],
            PlanKind::Computation(computation) => return vec![computation.set(setting, source)],
            PlanKind::Run { .. } | PlanKind::Map(_) | PlanKind::Order { .. } => {}
        }
        let taken = |(place, start): (usize, &mut Start)| {
            start.added.push(setting.clone());
            let of_reference = |setting: &&Setting| place == 0 || !setting.of_solution();
            let member: Vec<Setting> = member.iter().filter(of_reference).cloned().collect();
            let read = read_scene(start.scene, &start.settings(full, &member), source);
            read.map(|_| ()).inspect_err(|_| {
                start.added.pop();
            })
        };
        let meant = |place: usize| place == 0 || !setting.of_solution();
        self.starts().enumerate().filter(|(place, _)| meant(*place)).map(taken).collect()
    }
}
