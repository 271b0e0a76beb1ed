//! What a method is beside its step: its name, its options, what it claims, what it can take.
//!
//! Claims are data: `carom methods` prints them and the test matrix checks each. A method that cannot enforce what a
//! system contains refuses it and names those that can.

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use crate::error::Failure;
use crate::measures::Role;
use crate::problem::{Level, violated};
use crate::state::State;
use crate::steppers::{
    Stepper, cva, direct, galerkin, gvi, newmark, pem, penalty, projection, spook, variational, vci, verlet,
};
use crate::system::System;

/// What a method says of itself; each is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Claims {
    /// Order of convergence at the nodes, on smooth motion.
    pub order: u32,
    /// The step preserves the symplectic form (on the constraint manifold).
    pub symplectic: bool,
    /// Stepping with −h undoes a step.
    pub reversible: bool,
    /// Linear momentum is exact where the system conserves it.
    pub linear_momentum: bool,
    /// Angular momentum is exact where the system conserves it.
    pub angular_momentum: bool,
    /// Order and symplectic form are claimed through impacts too.
    pub through_impacts: bool,
}

/// What a method can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Abilities {
    /// A mass matrix that depends on the configuration.
    pub configuration_mass: bool,
    /// Equality constraints.
    pub equalities: bool,
    /// Equality constraints are regularised: they give way by a compliance, and rows may depend on each other. Otherwise they are held to
    /// round-off.
    pub regularised: bool,
    /// Inequality constraints.
    pub inequalities: bool,
    /// Nonholonomic rows.
    pub nonholonomic: bool,
    /// Non-potential forces.
    pub forces: bool,
    /// Coulomb friction at contacts.
    pub friction: bool,
    /// Contacts with a compliance of their own.
    pub soft_contacts: bool,
}

impl Abilities {
    /// Of the base variational steps.
    pub const VARIATIONAL: Self = Self {
        configuration_mass: true,
        equalities: true,
        regularised: false,
        inequalities: false,
        nonholonomic: false,
        forces: true,
        friction: false,
        soft_contacts: false,
    };

    /// What of the system cannot be taken, in words.
    pub fn missing<S: System + ?Sized>(&self, system: &S) -> Vec<String> {
        let mut missing = Vec::new();
        let plural = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        if !self.configuration_mass && !system.mass().is_constant() {
            missing.push("a mass matrix that depends on the configuration".to_string());
        }
        if !self.equalities && system.equalities().count() > 0 {
            missing.push(plural(system.equalities().count(), "equality constraint"));
        }
        if !self.inequalities && system.contacts().count() > 0 {
            missing.push(plural(system.contacts().count(), "inequality constraint"));
        }
        if let Some(nonholonomic) = system.nonholonomic().filter(|_| !self.nonholonomic) {
            missing.push(plural(nonholonomic.rows(), "nonholonomic row"));
        }
        if !self.forces && system.forces().is_some() {
            missing.push("non-potential forces".to_string());
        }
        let (mut rough, mut soft) = (0, 0);
        system.contacts().materials(&mut |_, material| {
            rough += usize::from(material.friction > 0.0);
            soft += usize::from(material.softness.gives_way());
        });
        let contact = if system.contacts().is_constant() { "contact" } else { "kind of contact" };
        if !self.friction && self.inequalities && rough > 0 {
            missing.push(format!("friction at {}", plural(rough, contact)));
        }
        if !self.soft_contacts && self.inequalities && soft > 0 {
            missing.push(format!("the compliance of {}", plural(soft, contact)));
        }
        missing
    }
}

/// A method's options; the type is the scene format of its `[method]` table.
pub trait Method: Serialize + for<'a> Deserialize<'a> + JsonSchema + Default {
    /// The name in scenes and on the command line.
    const NAME: &'static str;
    /// One line.
    const TITLE: &'static str;
    /// Keys of `references.bib`.
    const CITES: &'static [&'static str];
    /// Of which systems it preserves what it claims, where that is not all of them.
    const PRESERVES_OF: &'static str = "";
    /// The step.
    type Stepper;

    /// Whether the options are in their ranges; otherwise the key and what is wrong with it.
    fn check(&self) -> Result<(), (&'static str, String)> {
        Ok(())
    }
    /// What it claims with these options.
    fn claims(&self) -> Claims;
    /// Where a claim does not hold, in words: each one a sentence, and tested.
    fn exceptions(&self) -> &'static [&'static str] {
        &[]
    }
    /// What it can take with these options.
    fn abilities(&self) -> Abilities;
    /// Whether it knows the motion inside its steps.
    fn knows_inside(&self) -> bool {
        false
    }
    /// Whether it locates impacts inside its steps.
    fn locates_impacts(&self) -> bool {
        false
    }
    /// The discrete Lagrangian whose steps it makes, between impacts if it has any; none of a method that is not of one.
    fn discrete_lagrangian(&self) -> Option<variational::Config> {
        None
    }
    /// The accounts of energy of its steps, beside forces, by name and role. [`Stepper::works`] tells how much went through each.
    fn accounts(&self) -> &'static [(&'static str, Role)] {
        &[]
    }
    /// Whether its velocities live between the nodes: then [`Stepper::node_velocity`] tells those at nodes.
    fn staggered(&self) -> bool {
        false
    }
    /// Whether it tells the impulses of nonholonomic rows and of friction at nodes.
    fn tells_row_impulses(&self) -> bool {
        false
    }
    /// The coefficient of friction of all contacts with directions of sliding, where it replaces their own.
    fn friction_of_all(&self) -> Option<f64> {
        None
    }
    /// The coefficient of restitution of all contacts, where it replaces their own.
    fn restitution_of_all(&self) -> Option<f64> {
        None
    }
    /// What of these options lets solves leave more than the default does, in words.
    fn loosened_by(&self) -> Option<String> {
        None
    }
    /// What the user should know of these options on a system, with steps of length `h`: bounds that are passed.
    fn warnings<S: System + ?Sized>(&self, _system: &S, _start: &State, _h: f64) -> Vec<String> {
        Vec::new()
    }
    /// The step, sized for the system.
    fn stepper<S: System + ?Sized>(&self, system: &S, start: &State) -> Result<Self::Stepper, Failure>
    where
        Self::Stepper: Stepper<S>;
}

/// Why a method does not run on a system.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// It cannot take what the system contains.
    #[error("method `{method}` cannot take {}; {}", .missing.join(" and "), able_words(.method, .able))]
    Unable {
        /// The method.
        method: &'static str,
        /// What it cannot take.
        missing: Vec<String>,
        /// Methods that can take the whole system.
        able: Vec<&'static str>,
    },
    /// Its workspace could not be made.
    #[error("method `{method}`: {failure}")]
    Failed {
        /// The method.
        method: &'static str,
        /// Why.
        failure: Failure,
    },
}

fn able_words(method: &str, able: &[&'static str]) -> String {
    if able.contains(&method) {
        let others: Vec<&str> = able.iter().copied().filter(|other| *other != method).collect();
        let others = if others.is_empty() {
            String::new()
        } else {
            format!("; other methods that can: {}", others.join(", "))
        };
        format!("with its default options it can{others}")
    } else if able.is_empty() {
        "no method of this version can".to_string()
    } else {
        format!("methods that can: {}", able.join(", "))
    }
}

/// What a method that holds equality constraints exactly cannot start from, in words.
fn violated_words<S: System + ?Sized>(system: &S, start: &State) -> Option<String> {
    let (row, level, value) = violated(system, start)?;
    let (name, what) = (system.equalities().name(row), if level == Level::Position { "f(q0)" } else { "d/dt f" });
    Some(format!("a start that violates equality constraint `{name}` ({what} = {value:e}), which gives way"))
}

macro_rules! methods {
    ($($variant:ident($config:ty)),* $(,)?) => {
        /// A method by name, with its options.
        #[derive(Debug, Clone, PartialEq)]
        pub enum AnyMethod {
            $(#[doc = concat!("`", stringify!($variant), "`")] $variant($config)),*
        }

        impl AnyMethod {
            /// Every method, with its default options.
            pub fn all() -> Vec<Self> {
                vec![$(Self::$variant(<$config>::default())),*]
            }

            /// The name.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => <$config>::NAME),* }
            }

            /// One line.
            pub fn title(&self) -> &'static str {
                match self { $(Self::$variant(_) => <$config>::TITLE),* }
            }

            /// Of which systems it preserves what it claims; empty where that is all of them.
            pub fn preserves_of(&self) -> &'static str {
                match self { $(Self::$variant(_) => <$config>::PRESERVES_OF),* }
            }

            /// Keys of `references.bib`.
            pub fn cites(&self) -> &'static [&'static str] {
                match self { $(Self::$variant(_) => <$config>::CITES),* }
            }

            /// Whether the options are in their ranges.
            pub fn check(&self) -> Result<(), (&'static str, String)> {
                match self { $(Self::$variant(config) => config.check()),* }
            }

            /// What it claims with these options.
            pub fn claims(&self) -> Claims {
                match self { $(Self::$variant(config) => config.claims()),* }
            }

            /// Where a claim does not hold, in words.
            pub fn exceptions(&self) -> &'static [&'static str] {
                match self { $(Self::$variant(config) => config.exceptions()),* }
            }

            /// What it can take with these options.
            pub fn abilities(&self) -> Abilities {
                match self { $(Self::$variant(config) => config.abilities()),* }
            }

            /// Whether it knows the motion inside its steps.
            pub fn knows_inside(&self) -> bool {
                match self { $(Self::$variant(config) => config.knows_inside()),* }
            }

            /// Whether it locates impacts inside its steps.
            pub fn locates_impacts(&self) -> bool {
                match self { $(Self::$variant(config) => config.locates_impacts()),* }
            }

            /// The discrete Lagrangian whose steps it makes, if it is of one.
            pub fn discrete_lagrangian(&self) -> Option<variational::Config> {
                match self { $(Self::$variant(config) => config.discrete_lagrangian()),* }
            }

            /// The accounts of energy of its steps.
            pub fn accounts(&self) -> &'static [(&'static str, Role)] {
                match self { $(Self::$variant(config) => config.accounts()),* }
            }

            /// Whether its velocities live between the nodes.
            pub fn staggered(&self) -> bool {
                match self { $(Self::$variant(config) => config.staggered()),* }
            }

            /// Whether it tells the impulses of nonholonomic rows and of friction.
            pub fn tells_row_impulses(&self) -> bool {
                match self { $(Self::$variant(config) => config.tells_row_impulses()),* }
            }

            /// The coefficient of friction of all contacts, where it replaces their own.
            pub fn friction_of_all(&self) -> Option<f64> {
                match self { $(Self::$variant(config) => config.friction_of_all()),* }
            }

            /// The coefficient of restitution of all contacts, where it replaces their own.
            pub fn restitution_of_all(&self) -> Option<f64> {
                match self { $(Self::$variant(config) => config.restitution_of_all()),* }
            }

            /// What of its options lets solves leave more than the default does, in words.
            pub fn loosened_by(&self) -> Option<String> {
                match self { $(Self::$variant(config) => config.loosened_by()),* }
            }

            /// What the user should know of its options on a system.
            pub fn warnings<S: System + ?Sized>(&self, system: &S, start: &State, h: f64) -> Vec<String> {
                let mut warnings = match self { $(Self::$variant(config) => config.warnings(system, start, h)),* };
                warnings.extend(friction_without_effect(system, self.friction_of_all()));
                warnings
            }

            /// JSON Schema of its options.
            pub fn schema(&self) -> Schema {
                match self { $(Self::$variant(_) => schemars::schema_for!($config)),* }
            }

            /// The same method with the options of `from`; those that are not given keep their defaults.
            pub fn with_options<'a, D: serde::Deserializer<'a>>(&self, from: D) -> Result<Self, D::Error> {
                match self { $(Self::$variant(_) => <$config>::deserialize(from).map(Self::$variant)),* }
            }

            fn boxed<S: System + ?Sized + 'static>(
                &self,
                system: &S,
                start: &State,
            ) -> Result<Box<dyn Stepper<S>>, Failure> {
                match self {
                    $(Self::$variant(config) => Ok(Box::new(config.stepper(system, start)?))),*
                }
            }
        }

        /// The options, without the name.
        impl Serialize for AnyMethod {
            fn serialize<T: serde::Serializer>(&self, to: T) -> Result<T::Ok, T::Error> {
                match self { $(Self::$variant(config) => config.serialize(to)),* }
            }
        }
    };
}

methods! {
    Verlet(verlet::Config),
    Midpoint(variational::Midpoint),
    Variational(variational::Config),
    Newmark(newmark::Config),
    Gvi(gvi::Config),
    Direct(direct::Config),
    Vci(vci::Config),
    Cva(cva::Config),
    Galerkin(galerkin::Config),
    Spook(spook::Config),
    Pem(pem::Config),
    Penalty(penalty::Config),
    Projection(projection::Config),
}

impl AnyMethod {
    /// The method of that name, with its default options.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|method| method.name() == name)
    }

    /// The step, sized for the system.
    pub fn stepper<S: System + ?Sized + 'static>(
        &self,
        system: &S,
        start: &State,
    ) -> Result<Box<dyn Stepper<S>>, Refusal> {
        let method = self.name();
        let violated = violated_words(system, start);
        let missing = |method: &Self| {
            let abilities = method.abilities();
            let mut missing = abilities.missing(system);
            missing.extend(violated.clone().filter(|_| !abilities.regularised));
            missing
        };
        let own = missing(self);
        if own.is_empty() {
            return self.boxed(system, start).map_err(|failure| Refusal::Failed { method, failure });
        }
        let able = Self::all().iter().filter(|method| missing(method).is_empty()).map(Self::name).collect();
        Err(Refusal::Unable { method, missing: own, able })
    }
}

/// What is to be said of a friction for all contacts, if some do not know what slides.
fn friction_without_effect<S: System + ?Sized>(system: &S, friction: Option<f64>) -> Option<String> {
    friction.filter(|mu| *mu > 0.0)?;
    let (mut first, mut count) = (None, 0);
    system.contacts().materials(&mut |contact, _| {
        if system.contacts().directions(contact) == 0 {
            first = first.or(Some(contact));
            count += 1;
        }
    });
    let name = system.contacts().name(first?);
    let others = if count == 1 { String::new() } else { format!(" and {} more", count - 1) };
    Some(format!(
        "`{name}`{others}: the friction of the method has no effect here, since nothing says what slides (add slide = \"…\" to the inequality)"
    ))
}
