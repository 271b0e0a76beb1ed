//! Contacts that a step runs through: what methods that ask for gaps at nodes alone can miss.
//!
//! In every step two straight ways are taken: the one that the velocity at the start leads along, and the one from node to node. An impact on
//! one of them that is longer than the contact is deep need not show at any node. Where the system does not know how deep its contacts are,
//! gaps along the way from node to node tell which of them were passed through ([`way`]). Methods that locate impacts are left out.
//!
//! Memory: one node. Cost of a step: that of [`passages`](crate::system::Constraints::passages) twice, or one evaluation of all gaps.

mod way;

use serde::{Deserialize, Serialize};

use crate::error::Failure;
use crate::observe::Frame;
use crate::system::{Passage, System};
use way::{Room, Way};

/// The step that ran farthest through a contact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Farthest {
    /// The contact.
    pub contact: usize,
    /// Number of the step.
    pub step: u64,
    /// When it started.
    pub t: f64,
    /// Its length.
    pub h: f64,
    /// Depth of the contact as a part of the way: below 1.
    pub share: f64,
}

impl Farthest {
    /// Length of steps in which the same speed makes half the depth. With it nodes miss only impacts flatter than 30 degrees to the
    /// surface. 0 for a contact without depth, such as points on a line.
    pub fn sufficient_step(&self) -> f64 {
        0.5 * self.h * self.share
    }
}

/// A node that a step starts from.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Node {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    gap: Vec<f64>,
    halved_steps: u64,
}

/// What a run has run through.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Passages {
    before: Option<Node>,
    /// The step that ran farthest through a contact; `None` if none ran farther than the contact is deep.
    pub farthest: Option<Farthest>,
    /// How many contacts were passed through without an impulse.
    pub unnoticed: u64,
    #[serde(skip)]
    room: Room,
}

impl Passages {
    /// Takes a node of a run whose method gives impulses to gaps below `early` before they close.
    pub fn observe<S: System + ?Sized>(&mut self, system: &S, early: f64, frame: &Frame) -> Result<(), Failure> {
        if frame.gap.is_empty() || frame.locates_events {
            return Ok(());
        }
        let mut node = match self.before.take() {
            Some(node) => {
                // The steps inside one that was made of shorter ones are not known.
                if node.halved_steps == frame.halved_steps {
                    self.judge(system, early, &node, frame)?;
                }
                node
            }
            None => Node::default(),
        };
        let copy = |to: &mut Vec<f64>, from: &[f64]| {
            to.clear();
            to.extend_from_slice(from);
        };
        (node.t, node.halved_steps) = (frame.state.t, frame.halved_steps);
        copy(&mut node.q, &frame.state.q);
        copy(&mut node.v, frame.node_v);
        copy(&mut node.gap, frame.gap);
        self.before = Some(node);
        Ok(())
    }

    fn judge<S: System + ?Sized>(
        &mut self,
        system: &S,
        early: f64,
        node: &Node,
        frame: &Frame,
    ) -> Result<(), Failure> {
        let h = frame.state.t - node.t;
        let (end, Self { farthest, unnoticed, room, .. }) = (&frame.state.q, self);
        let mut take = |contact: usize, share: f64| {
            if farthest.is_none_or(|known| share < known.share) {
                *farthest = Some(Farthest { contact, step: frame.step, t: node.t, h, share });
            }
        };
        let is_open = |contact: usize| {
            let impulse = frame.contact_impulse.get(contact).copied().unwrap_or(0.0);
            node.gap[contact] > early && frame.gap[contact] > 0.0 && impulse == 0.0
        };
        // A method that gives impulses early sees the contact over that much more of the way.
        let share = |passage: &Passage| (passage.depth + early) / passage.travel;
        room.ahead(&node.q, &node.v, h);
        let known = system.passages([&node.q, &room.q], &node.gap, &mut |passage| {
            if node.gap[passage.contact] > early && share(&passage) < 1.0 {
                take(passage.contact, share(&passage));
            }
        });
        if known {
            system.passages([&node.q, end], &node.gap, &mut |passage| {
                if node.gap[passage.contact] > early && share(&passage) < 1.0 {
                    take(passage.contact, share(&passage));
                    *unnoticed += u64::from(is_open(passage.contact));
                }
            });
            return Ok(());
        }
        let mut way = Way::new(system, [&node.q, end], room);
        way.look_at_the_middle();
        for contact in 0..frame.gap.len() {
            if is_open(contact)
                && way.may_close(contact, [node.gap[contact], frame.gap[contact]])
                && let Some(share) = way.share_inside(contact)?
            {
                take(contact, share);
                *unnoticed += 1;
            }
        }
        Ok(())
    }
}
