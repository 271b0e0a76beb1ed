//! The commands, one file each.

pub mod check;
pub mod cite;
pub mod export;
pub mod methods;
pub mod order;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod scenes;
pub mod show;
pub mod solve;
pub mod sweep;
