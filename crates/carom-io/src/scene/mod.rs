//! Scenes: what moves and, apart from it, how it is moved.
//!
//! The way of a scene: [`document`](crate::document) → [`Scene::read`] → a [`Problem`] with a method and the settings
//! of the run. Everything that is wrong with a scene is reported at once.

mod builtin;
mod by_name;
mod elements;
mod lagrangian;
mod measures;
mod method;
mod names;
mod particles;
mod plates;
mod schema;
mod schema_particles;
mod settings;
mod sums;
mod symmetries;
mod terms;
mod unknown;
mod watches;

pub use builtin::{BUILT_IN, BuiltIn};
pub use measures::Measure;
pub use schema::{option_schemas, schema};
pub use settings::{MOST_STEPS, RunSettings};

use carom::error::Failure;
use carom::lagrangian::definition::Definition;
use carom::lagrangian::expressed::Expressed;
use carom::lagrangian::length::{GapUnit, gap_units};
use carom::measures::Symmetry;
use carom::method::{AnyMethod, Refusal};
use carom::problem::{Inconsistency, Problem};
use carom::team::Team;
use carom::watch::Watch;

use crate::document::{Diagnostic, Diagnostics, Edit, Origin, Source, Table, TableReader, apply, parse, to_toml};
use elements::BodyScene;
use elements::places::Places;
use names::Names;
use settings::Initial;

/// The keys at the top of a scene, without the elements that act on particles and plates.
const KEYS: [&str; 12] = [
    "title",
    "description",
    "cites",
    "parameters",
    "lagrangian",
    "particle",
    "plate",
    "initial",
    "symmetry",
    "watch",
    "method",
    "run",
];

/// A scene that can be run.
pub struct Scene {
    /// Name: that of the built-in scene or of the file.
    pub name: String,
    /// One line.
    pub title: Option<String>,
    /// What it shows.
    pub description: Option<String>,
    /// Keys of `references.bib`.
    pub cites: Vec<String>,
    /// Parameters with their values.
    pub parameters: Vec<(String, f64)>,
    /// The system and its initial state.
    pub problem: Problem,
    /// The expressions that the system was made of, if it was made of expressions.
    pub definition: Option<Definition>,
    /// Of inequalities that are expressions: the slopes near the start of those that were made lengths.
    slopes: Vec<Option<f64>>,
    /// The method.
    pub method: AnyMethod,
    /// Settings of the run.
    pub run: RunSettings,
    /// What is watched.
    pub watches: Vec<Watch>,
    complete: Table,
}

impl Scene {
    /// Reads a scene, changed by the edits of the command line.
    pub fn read(name: &str, source: &Source, edits: &[Edit]) -> Result<Self, Vec<Diagnostic>> {
        Self::read_with(name, source, edits, &Team::alone())
    }

    /// The same, with threads for its system to work with.
    pub fn read_with(name: &str, source: &Source, edits: &[Edit], team: &Team) -> Result<Self, Vec<Diagnostic>> {
        let mut table = parse(source)?;
        let diagnostics = Diagnostics::new(source, edits);
        apply(&mut table, &diagnostics);
        let scene = Self::decode(name, &table, &diagnostics, team);
        match (scene, diagnostics.into_vec()) {
            (Some(scene), problems) if problems.is_empty() => Ok(scene),
            (_, problems) => Err(problems),
        }
    }

    /// Whether the trajectory has the velocities at nodes beside the method's own, which live between them.
    pub fn shows_node_velocities(&self) -> bool {
        self.method.staggered() && self.run.interval.is_none()
    }

    /// What the inequalities are measured in, by their names; those of bodies are lengths, and none are listed.
    pub fn gap_units(&self) -> Vec<(&str, GapUnit)> {
        let Some(definition) = &self.definition else { return Vec::new() };
        let units = gap_units(definition, &self.problem.points, &self.problem.initial.q, &self.slopes);
        definition.inequalities.iter().map(|row| row.name.as_str()).zip(units).collect()
    }

    /// Inequalities that were made lengths because friction needs it, or because the scene asks for it, with their slopes near the start.
    pub fn normalised_gaps(&self) -> impl Iterator<Item = (&str, f64)> {
        let rows = self.definition.iter().flat_map(|definition| &definition.inequalities);
        rows.zip(&self.slopes).filter_map(|(row, slope)| Some((row.name.as_str(), (*slope)?)))
    }

    /// The scene as it was run, every default written out: reading it again gives the same scene.
    pub fn to_toml(&self) -> String {
        to_toml(&self.complete)
    }

    fn decode(name: &str, table: &Table, diagnostics: &Diagnostics, team: &Team) -> Option<Self> {
        let edited = diagnostics.is_empty();
        let root = TableReader::root(table, diagnostics);
        root.finish(&KEYS.into_iter().chain(elements::OF_PARTICLES).collect::<Vec<_>>());
        let title = root.string("title").map(str::to_string);
        let description = root.string("description").map(|text| text.trim().to_string());
        let cites = root.array("cites").unwrap_or_default();
        let cites: Vec<String> = cites.iter().filter_map(|item| item.string().map(str::to_string)).collect();

        let mut names = Names::default();
        let unread = diagnostics.len();
        if let Some(section) = root.table("parameters") {
            settings::read_parameters(&section, &mut names);
        }
        let names_known = diagnostics.len() == unread;
        let section = |key: &str, help: &str| root.required_with(key, Some(help)).and_then(|item| item.table());
        let method = section("method", "add a section [method] with a name, like name = \"verlet\"");
        let run = section("run", "add a section [run], like step = 0.01 and steps = 1000");
        let known = diagnostics.len();
        let moving = read_moving(&root, &mut names, team);
        let of_masses = moving.as_ref().map_or(0, Moving::of_masses);
        // Whether the problem is that of the file, but for masses: then it is judged whatever else is wrong.
        let judged = edited && names_known && diagnostics.len() == known + of_masses;
        let method = method.as_ref().and_then(|section| method::read(section, &names));
        let t0 = moving.as_ref().map(|moving| moving.initial().t).filter(|t| t.is_finite());
        let run = run.as_ref().and_then(|section| settings::read_run(section, &names, t0));
        let watches = watches::read(&root, &mut names, moving.as_ref());
        if let Some(section) = root.table("parameters") {
            settings::refuse_unused(&section, &names);
        }
        let moving = moving.filter(|_| judged)?;
        let complete = method
            .as_ref()
            .zip(run.as_ref())
            .map(|(method, run)| moving.complete(settings::complete(table, method, run, moving.defaults())));
        let built = moving.build(&root, method.as_ref());
        if let (Some(method), Some(Built { problem, places, .. })) = (&method, &built) {
            refuse(method, problem, &root, places);
            // A list that was read with problems is not looked at again.
            if let Some(run) = run.as_ref().filter(|_| diagnostics.is_empty()) {
                measures::refuse(&root.table("run")?, &run.measures, method, &*problem.system);
            }
        }
        if !diagnostics.is_empty() {
            return None;
        }
        let (Built { definition, slopes, problem, .. }, method, run) = (built?, method?, run?);
        let complete = complete?;
        let parameters = names.parameters.into_vec();
        let name = name.to_string();
        Some(Self {
            name,
            title,
            description,
            cites,
            parameters,
            problem,
            definition,
            slopes,
            method,
            run,
            watches,
            complete,
        })
    }
}

/// Reports a problem at `section.key`, or at the section where it has no such key.
fn report_at(root: &TableReader, key: &str, message: String, help: Option<String>) {
    let (section, name) = key.split_once('.').unwrap_or((key, ""));
    match root.table(section).map(|table| (table.item(name), table)) {
        Some((Some(item), _)) => item.report(message, help),
        Some((None, table)) => table.report(message, help),
        None => root.diagnostics().report(Origin::Default, key, message, help),
    }
}

/// What moves, and its start.
enum Moving {
    Lagrangian(Box<lagrangian::Lagrangian>, Initial, Vec<Symmetry>),
    Bodies(Box<BodyScene>),
}

/// Reads what moves: exactly one of `[lagrangian]`, `[[particle]]` and `[[plate]]`.
fn read_moving(root: &TableReader, names: &mut Names, team: &Team) -> Option<Moving> {
    let given: Vec<&str> =
        ["lagrangian", "particle", "plate"].into_iter().filter(|key| root.get(key).is_some()).collect();
    let bodies = |scene| Moving::Bodies(Box::new(scene));
    match given[..] {
        [] => {
            let help = "add [lagrangian] (generalised coordinates), [[particle]] or [[plate]]".to_string();
            root.diagnostics().report(Origin::Default, "", "the scene does not say what moves", Some(help));
            names.unknown.refused(None);
            None
        }
        [first, second, ..] => {
            let help = "keep one of them: a scene is made of coordinates, of particles or of plates".to_string();
            root.key(second)?.report(format!("`{first}` and `{second}` are both given"), Some(help));
            names.unknown.refused(None);
            None
        }
        ["particle"] => particles::read(root, names, team).map(bodies),
        ["plate"] => plates::read(root, names).map(bodies),
        _ => {
            elements::refuse_stray(root);
            let lagrangian = root.table("lagrangian");
            let help = "add a section [initial] with the start of every coordinate, like q = { x = 1.0 }";
            let initial = root.required_with("initial", Some(help)).and_then(|item| item.table());
            let known = lagrangian.filter(|section| lagrangian::read_coordinates(section, names).is_some());
            let Some(lagrangian) = known else {
                names.unknown.refused(None);
                return None;
            };
            let system = lagrangian::read(&lagrangian, names);
            let state = initial.and_then(|section| settings::read_initial(&section, names));
            let mut graph = match &system {
                Some(system) => system.definition.graph.clone(),
                None => names.forget_definitions(),
            };
            let start = state.as_ref().map(|state| &state.q[..]);
            let symmetries = symmetries::read(root, start, |item| {
                graph.scratch(|graph| symmetries::of_coordinates(item, names, graph))
            });
            Some(Moving::Lagrangian(Box::new(system?), state?, symmetries))
        }
    }
}

impl Moving {
    fn initial(&self) -> &Initial {
        match self {
            Self::Lagrangian(_, initial, _) => initial,
            Self::Bodies(scene) => &scene.initial,
        }
    }

    /// How many problems are those of masses alone.
    fn of_masses(&self) -> usize {
        match self {
            Self::Lagrangian(lagrangian, ..) => lagrangian.of_masses,
            Self::Bodies(scene) => scene.of_masses,
        }
    }

    /// The optional keys of `[initial]`.
    fn defaults(&self) -> toml::Table {
        let Initial { t, v, .. } = self.initial();
        let mut defaults: toml::Table = [("t".to_string(), (*t).into())].into_iter().collect();
        if let Self::Lagrangian(..) = self {
            defaults.insert("v".into(), toml::Value::Array(v.iter().map(|&v| toml::Value::Float(v)).collect()));
        }
        defaults
    }

    /// The scene with the defaults of elements written out.
    fn complete(&self, mut table: Table) -> Table {
        if let Self::Bodies(scene) = self {
            scene.defaults.write(&mut table);
        }
        table
    }

    /// The problem, if the system and its start fit. Without a method it is not known whether contacts have friction: then they are judged
    /// without.
    fn build(self, root: &TableReader, method: Option<&AnyMethod>) -> Option<Built> {
        match self {
            Self::Lagrangian(mut lagrangian, Initial { t, q, v }, symmetries) => {
                let friction = method.map_or(Some(0.0), AnyMethod::friction_of_all);
                let slopes = lagrangian.make_lengths(&q, friction, root.diagnostics())?;
                let definition = lagrangian.definition.clone();
                let system = match Expressed::new(lagrangian.definition) {
                    Ok(expressed) => Box::new(expressed),
                    Err(misfit) => {
                        report_at(root, "lagrangian", misfit.to_string(), None);
                        return None;
                    }
                };
                let problem = Problem::new(system, t, q, v, lagrangian.points).map_err(|found| {
                    for inconsistency in found {
                        let (key, help) = place(&inconsistency, root);
                        report_at(root, key, inconsistency.to_string(), help.map(str::to_string));
                    }
                });
                let problem = Problem { symmetries, ..problem.ok()? };
                Some(Built { definition: Some(definition), slopes, problem, places: None })
            }
            Self::Bodies(scene) => {
                let BodyScene { system, points, initial: Initial { t, q, v }, symmetries, places, .. } = *scene;
                let start = q.clone();
                let problem =
                    Problem::new(system, t, q, v, points).map_err(|found| places.report(&found, root, &start));
                let problem = Problem { symmetries, ..problem.ok()? };
                Some(Built { definition: None, slopes: Vec::new(), problem, places: Some(places) })
            }
        }
    }
}

/// What was made of what moves.
struct Built {
    definition: Option<Definition>,
    slopes: Vec<Option<f64>>,
    problem: Problem,
    places: Option<Places>,
}

/// Where an inconsistency is reported and what helps.
fn place(inconsistency: &Inconsistency, root: &TableReader) -> (&'static str, Option<&'static str>) {
    match inconsistency {
        Inconsistency::NonFinite { .. } => ("initial.q", Some("start where every expression is defined")),
        Inconsistency::Mass { .. } => {
            let kinetic = root.table("lagrangian").is_some_and(|section| section.get("kinetic").is_some());
            let key = if kinetic { "lagrangian.kinetic" } else { "lagrangian.mass" };
            (key, Some("every motion must have positive kinetic energy"))
        }
        Inconsistency::Equality { .. } => {
            ("initial.q", Some("give a state on the constraint: up to 1e-6 (relative) it is projected"))
        }
        Inconsistency::TooLarge(_) => ("lagrangian", Some("make the system smaller")),
        Inconsistency::Gap { .. } => ("initial.q", Some("give a state with g(q) >= 0")),
        Inconsistency::Velocity { .. } => {
            ("initial.v", Some("the velocity must be tangent to the constraint: df/dq v + df/dt = 0"))
        }
        Inconsistency::Nonholonomic { .. } => ("initial.v", Some("the velocity must satisfy A(q) v = a(t)")),
        Inconsistency::Redundant { .. } => {
            ("initial.q", Some("remove the dependent constraint or give more digits"))
        }
    }
}

fn refuse(method: &AnyMethod, problem: &Problem, root: &TableReader, places: &Option<Places>) -> Option<()> {
    match method.stepper(&*problem.system, &problem.initial) {
        Ok(_) => Some(()),
        Err(Refusal::Failed { failure: failure @ (Failure::Redundant { .. } | Failure::Flat { .. }), .. }) => {
            let help = match failure {
                Failure::Flat { .. } => "write it so that its gradient does not vanish where it holds".to_string(),
                _ => format!("method `{}` needs independent constraints: remove one", method.name()),
            };
            match places.as_ref().and_then(|places| places.of_failure(&failure, root)) {
                Some(item) => item.report(failure.to_string(), Some(help)),
                None => report_at(root, "lagrangian.equalities", failure.to_string(), Some(help)),
            }
            None
        }
        Err(refusal) => {
            report_at(root, "method.name", refusal.to_string(), None);
            None
        }
    }
}
