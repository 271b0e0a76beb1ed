#![no_main]

use carom_fuzz::{change, check, sow};
use carom_tests::fuzz::{corpus, target};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(init: sow("set", corpus::sets()), |data: &[u8]| check(target::set, data));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { change(data, size, max_size, seed) });
