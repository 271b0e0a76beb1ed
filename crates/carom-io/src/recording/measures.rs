//! The columns of the measures: the usual ones, and those that `measures` of `[run]` asks for.

use std::collections::HashMap;

use carom::error::told;
use carom::linear::{dot, max_abs};
use carom::measures::{DiscreteEnergy, Ledger, Momentum, Probe};
use carom::observe::Frame;
use carom::state::State;
use carom::steppers::End;
use carom::steppers::shared::base::Rule;
use carom::steppers::shared::mass::InverseMass;
use carom::steppers::shared::shadow::Shadow;
use carom::system::{ContactId, System};

use super::table::Column;
use crate::scene::{Measure, Scene};

/// Columns of these names; one that occurs again gets a number.
pub fn columns(names: impl IntoIterator<Item = String>) -> Vec<Column> {
    let mut seen = HashMap::new();
    let unique = |name: String| {
        let count = seen.entry(name.clone()).and_modify(|count| *count += 1).or_insert(1);
        Column::new(if *count == 1 { name } else { format!("{name} ({count})") })
    };
    names.into_iter().map(unique).collect()
}

/// Every direction of sliding: its contact, its number there, and how many there are.
fn slides(system: &dyn System) -> impl Iterator<Item = (ContactId, usize, usize)> {
    (0..system.contacts().count()).map(ContactId::of).flat_map(move |contact| {
        let count = system.contacts().directions(contact);
        (0..count).map(move |direction| (contact, direction, count))
    })
}

/// Measures a node.
pub struct Measures<'a> {
    scene: &'a Scene,
    probe: Probe<'a>,
    momentum: Momentum,
    components: Vec<f64>,
    /// Momenta of the declared symmetries at the last node, and a generator.
    pub symmetries: Vec<f64>,
    field: Vec<f64>,
    parts: Vec<f64>,
    inverse: InverseMass,
    room: [Vec<f64>; 3],
    /// If they are asked for.
    discrete: Option<DiscreteEnergy>,
    shadow: Option<(Rule, Shadow)>,
}

impl<'a> Measures<'a> {
    /// Of a scene, from a node on; `halved` steps were made of shorter ones before it.
    pub fn new(scene: &'a Scene, node: &State, halved: u64) -> Self {
        let problem = &scene.problem;
        let wants = |measure| scene.run.measures.contains(&measure);
        let lagrangian = scene.method.discrete_lagrangian();
        let discrete = lagrangian.as_ref().filter(|_| wants(Measure::DiscreteEnergy));
        let shadow = lagrangian.as_ref().filter(|_| wants(Measure::ShadowEnergy));
        let momentum = Momentum::new(problem.points.clone());
        let (linear, angular) = momentum.components();
        Self {
            scene,
            probe: Probe::new(&*problem.system, &scene.method, scene.run.h),
            momentum,
            components: vec![0.0; linear + angular],
            symmetries: vec![0.0; problem.symmetries.len()],
            field: vec![0.0; problem.system.dim()],
            parts: vec![0.0; problem.system.potential_parts().len()],
            inverse: InverseMass::new(&*problem.system, &problem.initial.q).expect("a problem has a mass"),
            room: std::array::from_fn(|_| vec![0.0; problem.system.dim()]),
            discrete: discrete.map(|lagrangian| DiscreteEnergy::new(lagrangian, scene.run.h, node, halved)),
            shadow: shadow
                .and_then(|lagrangian| lagrangian.shadow_rule())
                .map(|rule| (rule, Shadow::new(problem.system.dim()))),
        }
    }

    fn system(&self) -> &'a dyn System {
        &*self.scene.problem.system
    }

    fn wants(&self, measure: Measure) -> bool {
        self.scene.run.measures.contains(&measure)
    }

    /// The columns; what the scene does not have is left out.
    pub fn columns(&self, ledger: Option<&Ledger>) -> Vec<Column> {
        let (system, (linear, angular)) = (self.system(), self.momentum.components());
        let (m, k) = (system.equalities().count(), system.contacts().count());
        let axes = ["x", "y", "z"];
        let mut names: Vec<String> = ["t", "energy", "kinetic", "potential"].map(String::from).to_vec();
        names.extend(axes[..linear].iter().map(|axis| format!("linear_momentum.{axis}")));
        // In the plane the one component is that out of it.
        names.extend(axes[3 - angular..].iter().map(|axis| format!("angular_momentum.{axis}")));
        names.extend(self.scene.problem.symmetries.iter().map(|symmetry| format!("symmetry.{}", symmetry.name)));
        if m > 0 {
            names.extend(["max_equality", "max_equality_velocity"].map(String::from));
        }
        if k > 0 {
            names.push("min_gap".into());
        }
        names.extend(["iterations", "residual"].map(String::from));
        if self.wants(Measure::EnergyParts) {
            names.extend(system.potential_parts().iter().map(|part| format!("potential.{part}")));
        }
        let rows = |kind: &'static str| (0..m).map(move |i| format!("{kind}.{}", system.equalities().name(i)));
        if self.wants(Measure::Equalities) {
            names.extend(rows("equality").chain(rows("equality_velocity")));
        }
        if self.wants(Measure::Gaps) {
            names.extend((0..k).map(|i| format!("gap.{}", system.contacts().name(ContactId::of(i)))));
        }
        if self.wants(Measure::ConstraintForces) {
            names.extend(rows("constraint_force"));
        }
        if self.wants(Measure::ContactForces) {
            names.extend((0..k).map(|i| format!("contact_force.{}", system.contacts().name(ContactId::of(i)))));
        }
        if self.wants(Measure::MotorForces)
            && let Some(rows) = system.nonholonomic()
        {
            names.extend((0..rows.rows()).map(|i| format!("motor_force.{}", rows.name(i))));
        }
        if self.wants(Measure::FrictionForces) {
            names.extend(slides(system).map(|(contact, direction, count)| {
                let name = system.contacts().name(contact);
                if count == 1 {
                    format!("friction_force.{name}")
                } else {
                    format!("friction_force.{name}.{}", direction + 1)
                }
            }));
        }
        if let Some(ledger) = ledger {
            names.extend(["stored", "entered", "left", "error"].map(|name| format!("ledger.{name}")));
            names.extend(ledger.sources.iter().map(|source| format!("ledger.work.{}", source.name)));
        }
        if self.wants(Measure::Symplecticity) {
            names.push("symplecticity_defect".into());
        }
        if self.wants(Measure::Reversal) {
            names.extend(["reversal_defect.q", "reversal_defect.p"].map(String::from));
        }
        if self.wants(Measure::Jumps) {
            names.extend(["jump.q", "jump.p"].map(String::from));
        }
        if self.discrete.is_some() {
            names.push("discrete_energy".into());
        }
        if self.shadow.is_some() {
            names.push("shadow_energy".into());
        }
        columns(names)
    }

    /// Looks at a node that is not recorded too.
    pub fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        if let Some(discrete) = &mut self.discrete {
            discrete.observe(frame);
        }
        for (momentum, symmetry) in self.symmetries.iter_mut().zip(&self.scene.problem.symmetries) {
            symmetry.field.at(&frame.state.q, &mut self.field);
            *momentum = dot(&frame.state.p, &self.field);
            if !momentum.is_finite() {
                let (name, t) = (&symmetry.name, frame.state.t);
                return Err(format!("the momentum of symmetry `{name}` is not finite at t = {}", told(t)));
            }
        }
        Ok(())
    }

    /// A row; the node must have been observed. Returns whether a probe had no answer there: its entries are not numbers.
    pub fn fill(&mut self, frame: &Frame, ledger: Option<&Ledger>, row: &mut Vec<f64>) -> bool {
        let (state, system) = (frame.state, self.system());
        row.clear();
        row.extend([state.t, frame.energy(), frame.kinetic, frame.potential]);
        self.momentum.of(&state.q, &state.p, &mut self.components);
        row.extend_from_slice(&self.components);
        row.extend_from_slice(&self.symmetries);
        if !frame.equality.is_empty() {
            row.extend([max_abs(frame.equality), max_abs(frame.equality_rate)]);
        }
        if !frame.gap.is_empty() {
            row.push(frame.gap.iter().copied().fold(f64::INFINITY, f64::min));
        }
        row.extend([f64::from(frame.report.iterations), frame.report.residual]);
        if self.wants(Measure::EnergyParts) {
            system.potential_by_parts(state.t, &state.q, &mut self.parts);
            row.extend_from_slice(&self.parts);
        }
        if self.wants(Measure::Equalities) {
            row.extend(frame.equality.iter().chain(frame.equality_rate));
        }
        if self.wants(Measure::Gaps) {
            row.extend_from_slice(frame.gap);
        }
        if self.wants(Measure::ConstraintForces) {
            // −Gᵀ of the impulse went into the momentum: the mean force of the step along the gradient.
            row.extend(frame.constraint_impulse.iter().map(|impulse| (0.0 - impulse) / self.scene.run.h));
        }
        if self.wants(Measure::ContactForces) {
            let first = row.len();
            row.resize(first + system.contacts().count(), 0.0);
            for impulse in frame.contact_impulse {
                row[first + impulse.contact.place()] = impulse.normal / self.scene.run.h;
            }
        }
        let mean = |impulse: &f64| impulse / self.scene.run.h;
        if self.wants(Measure::MotorForces) {
            row.extend(frame.velocity_impulse.iter().map(mean));
        }
        if self.wants(Measure::FrictionForces) {
            let of = |(contact, direction, _): (ContactId, usize, usize)| {
                let place = frame.contact_impulse.binary_search_by_key(&contact, |impulse| impulse.contact);
                place.map_or(0.0, |place| frame.contact_impulse[place].friction[direction])
            };
            row.extend(slides(system).map(|slide| mean(&of(slide))));
        }
        if let Some(ledger) = ledger {
            let (entered, left) = ledger.totals();
            row.extend([ledger.stored, entered, left, ledger.error()]);
            row.extend(ledger.sources.iter().map(|source| source.entered - source.left));
        }
        if self.wants(Measure::Symplecticity) {
            row.push(self.probe.symplecticity(state).unwrap_or(f64::NAN));
        }
        if self.wants(Measure::Reversal) {
            row.extend(self.probe.reversal(state).unwrap_or([f64::NAN; 2]));
        }
        if self.wants(Measure::Jumps) {
            row.extend(self.jumps(frame));
        }
        let mut unanswered = row.iter().any(|value| value.is_nan());
        if let Some(discrete) = &mut self.discrete {
            let energy = discrete.at(system, frame);
            row.push(energy.unwrap_or(f64::NAN));
            // No step has ended at the start of a run: there is nothing to answer.
            unanswered |= energy.is_none() && frame.step > 0;
        }
        if let Some((rule, shadow)) = &mut self.shadow {
            let energy = shadow.energy(system, &self.inverse, (*rule, self.scene.run.h), state);
            unanswered |= energy.is_nan();
            row.push(energy);
        }
        unanswered
    }

    /// Sizes of the jumps of the step that ended here, `√(ΔqᵀM Δq)` and `√(ΔpᵀM⁻¹Δp)`, both ends together; none of a step that was
    /// made of shorter ones.
    fn jumps(&mut self, frame: &Frame) -> [f64; 2] {
        if frame.step == 0 {
            return [0.0; 2];
        }
        let (Some(inside), Ok(())) = (frame.inside, self.inverse.prepare(self.system(), &frame.state.q)) else {
            return [f64::NAN; 2];
        };
        let (mut squares, [q, p, work]) = ([0.0; 2], &mut self.room);
        for end in [End::Start, End::Finish] {
            inside.jump(end, q, p);
            self.scene.problem.system.mass().times(&frame.state.q, q, work);
            squares[0] += dot(q, work);
            work.copy_from_slice(p);
            self.inverse.solve(work);
            squares[1] += dot(p, work);
        }
        squares.map(f64::sqrt)
    }
}
