//! The problems and solvers against the reference numbers of Lacoursière and Linde's experiments.

mod check;
mod exact;
mod history;
mod negative;
mod pgs_small;
mod pgs_squeezed;
mod pgs_walls;
mod sliding_rate;
mod splitting;
