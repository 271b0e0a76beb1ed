//! How much spheres are enlarged, so that a list of pairs lasts.
//!
//! A wide skin makes the list last and makes it long. Each item gets its own: as much as it is expected to move in
//! the `life` that the list is made for, by how fast it moved before. `life` follows a balance of work: what a list
//! without skin costs against what the skin adds, in making the list and in looking at pairs that do not meet. Were the
//! work per question `a/K + b K^α` for a life of K questions, it would be least where the first is α times the second.
//! Where a list with a skin has been no gain there is none, and now and then another try.

/// Work of making a list per item and per listed pair, in units of one pair looked at.
const ITEM: f64 = 100.0;
const LISTED: f64 = 8.0;

/// The exponent α of the balance; between 1 and 3 for spheres in as many dimensions.
const BALANCE: f64 = 2.0;

/// The life at first and at every new try, its bounds, and how it grows from list to list while it is below 1.
const FIRST: f64 = 4.0;
const BOUNDS: [f64; 2] = [0.0625, 1024.0];
const GROWTH: f64 = 1.19;

/// How much farther than expected an item may move; slow ones count with the mean speed.
const MARGIN: f64 = 1.1;

/// Most distances that may be looked at for a list with a skin: the work of a list without one, so many times.
const MOST: f64 = 3.0;

/// Speeds of items per question, and the work since the list was made.
#[derive(Debug, Clone)]
pub(super) struct Skin {
    speeds: Vec<f64>,
    mean: f64,
    life: f64,
    /// Questions that the list has answered.
    answers: usize,
    /// Distances looked at to make it, and pairs of it.
    looked: usize,
    listed: usize,
    /// Pairs that did not meet, over all answers.
    excess: f64,
    /// Work per item of the last list that had no skin.
    bare: f64,
    has_skin: bool,
}

impl Default for Skin {
    fn default() -> Self {
        Self {
            speeds: Vec::new(),
            mean: 0.0,
            life: FIRST,
            answers: 0,
            looked: 0,
            listed: 0,
            excess: 0.0,
            bare: 0.0,
            has_skin: false,
        }
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
        let made = ITEM + (self.looked as f64 + LISTED * self.listed as f64) / size;
        if !self.has_skin {
            self.bare = made;
            if self.life < 1.0 {
                let life = self.life * GROWTH;
                self.life = if life < 1.0 { life } else { FIRST };
            }
            return;
        }
        let added = (made - self.bare).max(0.0) + self.excess / size;
        if self.bare + added > answers * self.bare {
            self.life = BOUNDS[0];
            return;
        }
        let balance = (self.bare / (BALANCE * added)).sqrt().clamp(0.5, 2.0);
        self.life = (self.life * balance).clamp(1.0, BOUNDS[1]);
    }

    /// Other items than before.
    pub(super) fn forget(&mut self) {
        self.speeds.clear();
    }

    /// Most distances for a list of that many items with a skin; nothing if there is to be none.
    pub(super) fn budget(&self, size: usize) -> Option<usize> {
        let skin = self.life >= 1.0 && self.mean > 0.0 && self.bare > 0.0 && self.speeds.len() == size;
        skin.then_some((MOST * self.bare * size as f64) as usize)
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
    pub(super) fn made(&mut self, looked: usize, has_skin: bool) {
        (self.looked, self.has_skin, self.answers, self.excess) = (looked, has_skin, 0, 0.0);
    }
}
