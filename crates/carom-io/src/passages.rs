//! Contacts that steps run through: when a run looks for them, and its note.

use carom::error::told;
use carom::measures::{Farthest, Summary};
use carom::method::AnyMethod;
use carom::observe::Frame;

use crate::scene::Scene;

/// Takes a node of a run.
pub fn observe(scene: &Scene, summary: &mut Summary, frame: &Frame) -> Result<(), String> {
    let early = match &scene.method {
        AnyMethod::Spook(config) => config.speculative,
        _ => 0.0,
    };
    let observed = summary.passages.observe(&*scene.problem.system, early, frame);
    observed.map_err(|failure| format!("contacts on the way of the step: {failure}"))
}

/// The methods that locate impacts and take the scene, in words.
fn locating(scene: &Scene) -> String {
    let problem = &scene.problem;
    let locates = |method: &AnyMethod| {
        let stepper = method.stepper(&*problem.system, &problem.initial);
        stepper.is_ok_and(|stepper| stepper.locates_events())
    };
    let all = AnyMethod::all();
    let names: Vec<String> =
        all.iter().filter(|method| locates(method)).map(|method| format!("`{}`", method.name())).collect();
    if names.is_empty() { String::new() } else { format!("; methods that locate impacts: {}", names.join(", ")) }
}

/// The note of a run that moved something farther in a step than its contact is deep.
pub fn note(scene: &Scene, summary: &Summary) -> Option<String> {
    let passages = &summary.passages;
    let farthest @ Farthest { contact, step, t, share, .. } = passages.farthest?;
    let name = scene.problem.system.contacts().name(contact);
    let way = match share.recip() {
        times if times.is_finite() => format!("moves {times:.2} times the depth of the contact"),
        _ => "moves, and the contact has no depth".to_string(),
    };
    let unnoticed = match passages.unnoticed {
        0 => "impacts can be missed".to_string(),
        1 => "one contact was passed through unnoticed".to_string(),
        count => format!("{count} times a contact was passed through unnoticed"),
    };
    let remedy = match farthest.sufficient_step() {
        step if step > 0.0 => format!("steps of at most {} avoid it", rounded_down(step)),
        _ => "no step avoids it".to_string(),
    };
    Some(format!(
        "`{name}` in step {step} from t = {}: what touches there {way}, and `{}` asks for contacts at the ends of steps only: {unnoticed}; \
         {remedy}{}",
        told(t),
        scene.method.name(),
        locating(scene)
    ))
}

/// A length of a step with two digits, not above the given one.
fn rounded_down(h: f64) -> f64 {
    let unit = 10.0_f64.powi(h.log10().floor() as i32 - 1);
    let digits = (h / unit).floor();
    // Written and read again: a product with the unit has more digits.
    format!("{digits}e{}", unit.log10().round()).parse().unwrap_or(h)
}
