//! Contacts that a step runs through: what methods that ask for gaps at nodes alone can miss.
//!
//! The way of a step is the straight one from node to node, and where a contact gave an impulse also the one that the velocity at the start
//! leads along: the step would have gone there. An impact on a way that is longer than the contact is deep need not show at any node, and one
//! that shows past the middle of the contact is pushed out on the far side. Where
//! the system does not know how deep its contacts are, gaps along the way from node to node tell which of them were passed through
//! ([`way`]). Methods that locate impacts are left out.
//!
//! Memory: a node and the gaps before it. Cost of a step: none where no contact can be passed through; that of
//! [`passages`](crate::system::Contacts::passages), or a few operations per gap, and one evaluation of all gaps where one changes fast for
//! its size.

mod way;

use serde::{Deserialize, Serialize};

use crate::error::Failure;
use crate::observe::Frame;
use crate::steppers::shared::near::{Near, normal_impulse};
use crate::system::{ContactId, Depths, Passage, System};
use way::{Room, Way};

/// The step that ran farthest through a contact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Farthest {
    /// The contact.
    pub contact: ContactId,
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

/// What a run has run through.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Passages {
    /// Whether the system has said that no contact can be passed through.
    impossible: bool,
    /// The node that the next step starts from; none has been seen where `nodes` is 0.
    nodes: u64,
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    gap: Vec<f64>,
    /// The gaps of the node before, and whether a contact gave an impulse since.
    earlier: Vec<f64>,
    active: bool,
    halved_steps: u64,
    /// The step that ran farthest through a contact; `None` if none ran farther than the contact is deep.
    pub farthest: Option<Farthest>,
    /// How many contacts were passed through without an impulse.
    pub unnoticed: u64,
    #[serde(skip)]
    room: Room,
    /// The contacts along the last way; of a system with few, all are in the gaps of the nodes.
    #[serde(skip)]
    near: Near,
}

impl Passages {
    /// Whether these can be the passages of a system with so many coordinates and contacts, whose first node was taken.
    pub fn fit(&self, dim: usize, contacts: usize) -> bool {
        let either = |part: &[f64], full: usize| part.len() == full || (self.nodes == 0 && part.is_empty());
        self.nodes < super::summary::MOST_COUNTED
            && either(&self.q, dim)
            && either(&self.v, dim)
            && (self.gap.is_empty() || either(&self.gap, contacts))
            && (self.earlier.is_empty() || self.earlier.len() == contacts)
            && self.farthest.is_none_or(|farthest| farthest.contact.place() < contacts)
    }

    /// Takes a node of a run whose method gives impulses to gaps below `early` before they close.
    pub fn observe<S: System + ?Sized>(&mut self, system: &S, early: f64, frame: &Frame) -> Result<(), Failure> {
        if self.impossible || system.contacts().count() == 0 || frame.locates_events {
            return Ok(());
        }
        // The steps inside one that was made of shorter ones are not known.
        let judged = if self.nodes > 0 && self.halved_steps == frame.halved_steps {
            self.judge(system, early, frame)
        } else {
            Ok(())
        };
        if system.contacts().is_constant() {
            std::mem::swap(&mut self.earlier, &mut self.gap);
            keep(&mut self.gap, frame.gap);
        }
        keep(&mut self.q, &frame.state.q);
        keep(&mut self.v, frame.node_v);
        (self.t, self.nodes, self.active) = (frame.state.t, self.nodes + 1, is_active(frame));
        self.halved_steps = frame.halved_steps;
        judged
    }

    fn judge<S: System + ?Sized>(&mut self, system: &S, early: f64, frame: &Frame) -> Result<(), Failure> {
        let (t, contacts) = (self.t, system.contacts());
        let h = frame.state.t - t;
        let course = crate::system::Way { t: [t, frame.state.t], q: [&self.q, &frame.state.q] };
        let whole = contacts.is_constant();
        if !whole {
            self.near.look(system, course, early);
        }
        let Self { impossible, v, farthest, unnoticed, room, near, .. } = self;
        let (ids, gap, next) = match whole {
            true => (frame.contacts, &self.gap[..], frame.gap),
            false => (near.ids(), &near.gap[..], &near.next[..]),
        };
        let mut take = |contact: ContactId, share: f64| {
            if farthest.is_none_or(|known| share < known.share) {
                *farthest = Some(Farthest { contact, step: frame.step, t, h, share });
            }
        };
        let is_free = |place: usize| next[place] > 0.0 && normal_impulse(frame.contact_impulse, ids[place]) == 0.0;
        let is_open = |place: usize| gap[place] > early && is_free(place);
        let place = |contact: ContactId| if whole { Ok(contact.place()) } else { ids.binary_search(&contact) };
        // A method that gives impulses early sees the contact over that much more of the way.
        let share = |Passage { contact, travel, depth }: Passage| {
            let (place, share) = (place(contact).ok()?, (depth + early) / travel);
            (gap[place] > early && share < 1.0).then_some((place, share))
        };
        let depths = contacts.passages(course, (ids, gap), &mut |passage| {
            if let Some((place, share)) = share(passage) {
                take(passage.contact, share);
                *unnoticed += u64::from(is_open(place));
            }
        });
        *impossible = depths == Depths::Infinite;
        if depths != Depths::Unknown {
            if depths == Depths::Known && is_active(frame) {
                room.ahead(course.q[0], v, h);
                let ahead = crate::system::Way { q: [course.q[0], &room.q], ..course };
                contacts.passages(ahead, (ids, gap), &mut |passage| {
                    if let Some((_, share)) = share(passage) {
                        take(passage.contact, share);
                    }
                });
            }
            if depths == Depths::Infinite {
                return Ok(());
            }
        }
        let mut way = Way::new(system, course, room);
        // What touches at the start may change sides too: a contact that is held at a node does not always turn the velocity.
        for place in (0..ids.len()).filter(|&place| gap[place] <= early || !is_free(place)) {
            if let Some(share) = way.share_past_the_middle(ids[place])? {
                take(ids[place], share);
                *unnoticed += 1;
            }
        }
        if depths == Depths::Known {
            return Ok(());
        }
        // Before anything is known of a gap, or after a jump of velocities, nothing can be said of its changes.
        let smooth = self.nodes > 1 && !self.active && !is_active(frame) && whole;
        let slow = |place: usize| smooth && changes_slowly([self.earlier[place], gap[place], next[place]]);
        if (0..ids.len()).all(|place| slow(place) || !is_open(place)) {
            return Ok(());
        }
        way.halve(ids);
        for place in (0..ids.len()).filter(|&place| is_open(place) && !slow(place)) {
            if way.may_close(place, [gap[place], next[place]])
                && let Some(share) = way.share_inside(ids[place])?
            {
                take(ids[place], share);
                *unnoticed += 1;
            }
        }
        Ok(())
    }
}

/// A copy in place, once there is room.
#[inline]
fn keep(to: &mut Vec<f64>, from: &[f64]) {
    if to.len() == from.len() {
        to.copy_from_slice(from);
    } else {
        *to = from.to_vec();
    }
}

#[inline]
fn is_active(frame: &Frame) -> bool {
    frame.report.active || frame.report.impacts > 0
}

/// Whether a gap at three nodes in a row changes by less than a quarter of itself in each step: one that closes and opens again in the second
/// step, as a distance does, changes by more than itself in the first.
#[inline]
fn changes_slowly([earlier, start, end]: [f64; 3]) -> bool {
    4.0 * (start - earlier).abs().max((end - start).abs()) < start.min(end)
}
