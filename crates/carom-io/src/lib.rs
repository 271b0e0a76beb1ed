//! Files of carom: scenes, experiments, run folders, references.

pub mod catalogue;
pub mod document;
pub mod estimate;
pub mod experiment;
pub mod figure;
pub mod folder;
pub mod html_report;
mod passages;
pub mod recording;
pub mod references;
pub mod report;
pub mod scene;
pub mod trial;
