//! Whether a scene conserves energy, and if not, what changes it.

use crate::method::AnyMethod;
use crate::system::{Material, Softness, System};

/// What of a scene puts energy in or takes it out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conservation {
    /// In words, each once; empty where the scene conserves energy.
    pub broken_by: Vec<String>,
}

/// Whether a constraint that gives way has a damper of its own.
fn damped(softness: Softness) -> bool {
    softness.gives_way() && softness.damping.is_some_and(|damping| damping > 0.0)
}

impl Conservation {
    /// Of a system that a method runs on: the method may replace restitution and friction of all contacts.
    pub fn of<S: System + ?Sized>(method: &AnyMethod, system: &S) -> Self {
        let mut broken_by: Vec<String> = system
            .forces()
            .iter()
            .flat_map(|forces| forces.terms())
            .map(|term| format!("force `{term}`"))
            .collect();
        let time = system.time_dependence();
        let (contacts, mut equalities) = (system.contacts(), 0..system.equalities().count());
        let soft = method.abilities().soft_contacts;
        let (mut lossy, mut rubs, mut damps) = (false, false, false);
        contacts.materials(&mut |contact, Material { restitution, friction, softness }| {
            let yields = soft && softness.gives_way();
            lossy |= !yields && method.restitution_of_all().unwrap_or(restitution) < 1.0;
            rubs |= method.friction_of_all().unwrap_or(friction) > 0.0 && contacts.directions(contact) > 0;
            damps |= damped(softness);
        });
        let motor = system.nonholonomic().is_some_and(|rows| (0..rows.rows()).any(|row| rows.is_motor(row)));
        let damper = damps || equalities.any(|row| damped(system.equalities().softness(row)));
        let further = [
            (time.potential, "a potential that depends on time"),
            (time.equalities, "constraints that move"),
            (motor, "motors"),
            (time.contacts, "surfaces that move"),
            (lossy, "restitution below 1"),
            (rubs, "friction"),
            (damper, "damping of soft constraints"),
        ];
        broken_by.extend(further.iter().filter(|(there, _)| *there).map(|(_, what)| (*what).to_string()));
        Self { broken_by }
    }

    /// Whether the scene conserves energy.
    pub fn holds(&self) -> bool {
        self.broken_by.is_empty()
    }
}
