//! The built-in scenes: the files of the folder `scenes/`, and nothing else.

/// A scene that comes with carom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name: the file's.
    pub name: &'static str,
    /// Its family: the folder's.
    pub family: &'static str,
    /// Its text.
    pub text: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/scenes.rs"));

impl BuiltIn {
    /// The scene of that name.
    pub fn named(name: &str) -> Option<&'static BuiltIn> {
        BUILT_IN.iter().find(|scene| scene.name == name)
    }
}
