//! What the documents state of methods and no other test has: named in docs/evidence.md.

mod contacts;
mod linear;
mod smooth;
