//! Files of carom: scenes, run folders, references.

pub mod document;
pub mod folder;
pub mod recording;
pub mod references;
pub mod report;
pub mod scene;
