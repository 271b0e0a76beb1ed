//! How much spheres are enlarged, so that a list of pairs lasts.
//!
//! A wide skin makes the list last and makes it long. Each item gets its own: as much as it is expected to move in
//! the `life` that the list is made for, by how fast it moved before. `life` follows a balance of work: what it costs
//! to make a list against what it costs, while it lasts, to look at pairs that do not meet. Were the work per
//! question `a/K + b K^α` for a life of K questions, it would be least where the first is α times the second.
//! If a life of one question is too long already, there is no skin, and now and then another try.

/// Work in units of one listed pair that is looked at: making a list, per item and per listed pair.
const ITEM: f64 = 40.0;
const LISTED: f64 = 8.0;

/// The exponent α of the balance; between 1 and 3 for spheres in as many dimensions.
const BALANCE: f64 = 2.0;

/// The life at first, its bounds, and how it grows from try to try while it is below 1.
const FIRST: f64 = 4.0;
const BOUNDS: [f64; 2] = [0.0625, 1024.0];
const GROWTH: f64 = 1.19;

/// How much farther than expected an item may move; slow ones count with the mean speed.
const MARGIN: f64 = 1.1;

/// Most distances that may be looked at for a list with a skin, per item and as a multiple of those before.
const PER_ITEM: usize = 64;
const MULTIPLE: usize = 4;

/// Speeds of items per question, and the work since the list was made.
#[derive(Debug, Clone)]
pub(super) struct Skin {
    speeds: Vec<f64>,
    mean: f64,
    life: f64,
    /// Questions that the list has answered.
    answers: usize,
    /// Distances looked at to make it.
    looked: usize,
    /// Pairs of it, and those that did not meet, over all answers.
    listed: usize,
    excess: f64,
}

impl Default for Skin {
    fn default() -> Self {
        let (answers, looked, listed) = (0, 0, 0);
        Self { speeds: Vec::new(), mean: 0.0, life: FIRST, answers, looked, listed, excess: 0.0 }
    }
}

impl Skin {
    /// The list has given an answer with that many of its pairs.
    pub(super) fn answered(&mut self, listed: usize, met: usize) {
        self.answers += 1;
        self.listed = listed;
        self.excess += (listed - met) as f64;
    }

    /// Questions that the list has answered.
    #[cfg(test)]
    pub(super) fn answers(&self) -> usize {
        self.answers
    }

    /// Distances looked at to make the list.
    #[cfg(test)]
    pub(super) fn looked(&self) -> usize {
        self.looked
    }

    /// The list ended; since it was made, the items have moved so far.
    pub(super) fn measure(&mut self, moves: impl Iterator<Item = f64>) {
        let answers = self.answers.max(1) as f64;
        self.speeds.clear();
        self.speeds.extend(moves.map(|moved| if moved.is_finite() { moved / answers } else { 0.0 }));
        let size = self.speeds.len() as f64;
        self.mean = self.speeds.iter().map(|speed| speed / size).sum();
        if self.life < 1.0 {
            self.life *= GROWTH;
            return;
        }
        let made = ITEM * size + self.looked as f64 + LISTED * self.listed as f64;
        let balance = (made / (BALANCE * self.excess)).sqrt().clamp(0.5, 2.0);
        self.life = self.life * balance;
        self.life = if self.life < 1.0 { BOUNDS[0] } else { self.life.min(BOUNDS[1]) };
    }

    /// Other items than before.
    pub(super) fn forget(&mut self) {
        self.speeds.clear();
    }

    /// Most distances for a list of that many items with a skin; nothing if there is to be none.
    pub(super) fn budget(&self, size: usize) -> Option<usize> {
        let skin = self.life >= 1.0 && self.mean > 0.0 && self.speeds.len() == size;
        skin.then(|| PER_ITEM * size + MULTIPLE * self.looked)
    }

    /// The skin of an item.
    pub(super) fn of(&self, item: usize) -> f64 {
        MARGIN * self.life * self.speeds[item].max(self.mean)
    }

    /// A list with these skins was too much work.
    pub(super) fn refuse(&mut self) {
        self.life = if self.life >= 4.0 { 0.25 * self.life } else { BOUNDS[0] };
    }

    /// A list was made with that many distances looked at.
    pub(super) fn made(&mut self, looked: usize) {
        (self.looked, self.answers, self.excess) = (looked, 0, 0.0);
    }
}
