//! What a step of `spook` keeps for the next one: impulses to start from, and which contacts were held.

use crate::steppers::ForeignMemory;
use crate::system::ContactId;

/// Numbers of a contact in the memory.
const WIDTH: usize = 4;

/// The impulses of a contact in the last step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kept {
    /// Which.
    pub id: ContactId,
    /// Along the normal and the directions of sliding.
    pub impulses: [f64; 3],
}

impl Kept {
    /// The impulse along the normal of a contact among those that were kept, ascending.
    pub fn of(all: &[Self], id: ContactId) -> f64 {
        all.binary_search_by_key(&id, |kept| kept.id).map_or(0.0, |place| all[place].impulses[0])
    }
}

/// The memory of a step.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// Whether a step was made.
    pub made: bool,
    /// Impulses of the equalities and of the rows of velocities.
    pub joints: Vec<f64>,
    /// Of the contacts that had rows, ascending.
    pub contacts: Vec<Kept>,
    /// All of it as numbers.
    numbers: Vec<f64>,
    /// How many contacts there can be.
    most: usize,
}

impl Memory {
    /// Of a system with so many equalities and rows of velocities, and at most so many contacts; before the first step.
    pub fn new(joints: usize, most: usize) -> Self {
        let mut new = Self { joints: vec![0.0; joints], most, ..Self::default() };
        new.write();
        new
    }

    /// Writes the numbers down.
    pub fn write(&mut self) {
        self.numbers.clear();
        self.numbers.push(f64::from(u8::from(self.made)));
        self.numbers.extend_from_slice(&self.joints);
        for Kept { id, impulses } in &self.contacts {
            self.numbers.push(id.0 as f64);
            self.numbers.extend_from_slice(impulses);
        }
    }

    /// As numbers, for snapshots: whether a step was made, the impulses of joints, and of every contact its number and impulses.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// Takes over numbers of a step of the same method on the same system.
    pub fn read(&mut self, numbers: &[f64]) -> Result<(), ForeignMemory> {
        let (head, count) = (1 + self.joints.len(), numbers.len());
        let foreign = |found: String| {
            let expected =
                format!("{head} numbers and {WIDTH} for each of some contacts, ascending below {}", self.most);
            ForeignMemory { found, expected }
        };
        if count < head || !(count - head).is_multiple_of(WIDTH) {
            return Err(foreign(format!("{count} numbers")));
        }
        if let Some(value) = numbers.iter().find(|value| !value.is_finite()) {
            return Err(ForeignMemory { found: format!("the number {value}"), expected: "finite numbers".into() });
        }
        let of_contacts = numbers[head..].chunks_exact(WIDTH);
        let known =
            of_contacts.clone().all(|kept| kept[0] >= 0.0 && kept[0].fract() == 0.0 && kept[0] < self.most as f64);
        let ascends = of_contacts.clone().zip(of_contacts.clone().skip(1)).all(|(a, b)| a[0] < b[0]);
        if !known || !ascends || !(numbers[0] == 0.0 || numbers[0] == 1.0) {
            return Err(foreign("other numbers".into()));
        }
        self.made = numbers[0] == 1.0;
        self.joints.copy_from_slice(&numbers[1..head]);
        self.contacts.clear();
        self.contacts.extend(
            of_contacts.map(|kept| Kept { id: ContactId(kept[0] as u64), impulses: [kept[1], kept[2], kept[3]] }),
        );
        self.write();
        Ok(())
    }
}
