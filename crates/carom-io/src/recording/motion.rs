//! What is seen of the motion between nodes: rows at given times, and crossings of what is watched.

use carom::between::{Between, Moment};
use carom::error::{Failure, told};
use carom::observe::Frame;
use carom::state::State;
use carom::watch::{Crossing, Lookout, Watched};

use crate::scene::Scene;

/// The motion between nodes, as far as a scene asks for it.
pub struct Motion<'a> {
    scene: &'a Scene,
    /// Nothing if nothing is asked for.
    between: Option<Between>,
    lookout: Lookout<'a>,
    moment: Moment,
}

impl<'a> Motion<'a> {
    /// From a node on, with what was seen of the watches until then: nothing at the start of a run.
    pub fn new(scene: &'a Scene, node: &State, watched: Option<&[Watched]>) -> Result<Self, Failure> {
        let system = &*scene.problem.system;
        let asked = scene.run.interval.is_some() || !scene.watches.is_empty();
        let between = if asked { Some(Between::new(system, node)?) } else { None };
        let n = if asked { system.dim() } else { 0 };
        let mut lookout = Lookout::new(&scene.watches, n);
        watched.into_iter().for_each(|watched| lookout.recall(watched));
        Ok(Self { scene, between, lookout, moment: Moment::new(n) })
    }

    /// The velocity at the node that the motion goes on from, of a method whose own lives between nodes.
    pub fn set_node_velocity(&mut self, v: &[f64]) {
        if let Some(between) = &mut self.between {
            between.set_node_velocity(&*self.scene.problem.system, v);
        }
    }

    /// What was seen of the watches.
    pub fn watched(&self) -> &[Watched] {
        self.lookout.watched()
    }

    /// Crossings in the last step that was looked at, in time.
    pub fn crossings(&self) -> &[Crossing] {
        self.lookout.crossings()
    }

    /// Looks out for crossings in the step that led to a node.
    pub fn watch(&mut self, frame: &Frame) -> Result<(), String> {
        match &mut self.between {
            Some(between) if !self.scene.watches.is_empty() => {
                self.lookout.observe(&*self.scene.problem.system, between, frame)
            }
            _ => Ok(()),
        }
    }

    /// The row of a given number, counted from 0, if its time has come with this node: `t0` and that many intervals. A time that
    /// is that of the node, to round-off, has the node itself.
    pub fn due(&mut self, frame: &Frame, number: u64) -> Result<Option<&Moment>, String> {
        let (Some(between), Some(interval)) = (&mut self.between, self.scene.run.interval) else { return Ok(None) };
        let (t0, node) = (self.scene.problem.initial.t, frame.state.t);
        let t = t0 + number as f64 * interval;
        // Interval and step are rounded, and so are both products and both sums; expressions of either add some.
        let same = 8.0 * f64::EPSILON * (t0.abs() + node.abs());
        if t > node + same {
            return Ok(None);
        }
        if t >= node - same {
            self.moment.set_node(frame);
        } else {
            let s = (t - between.start()) / (node - between.start());
            let motion = between.at(&*self.scene.problem.system, frame, s, &mut self.moment);
            motion.map_err(|failure| format!("between the nodes, at t = {}: {failure}", told(t)))?;
            self.moment.t = t;
        }
        Ok(Some(&self.moment))
    }

    /// Keeps a node: the next step starts there.
    pub fn keep(&mut self, frame: &Frame) {
        if let Some(between) = &mut self.between {
            between.keep(frame);
        }
    }
}
