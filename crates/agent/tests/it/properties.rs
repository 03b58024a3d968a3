//! What holds whatever happens: random inputs, fitting and not, against a world that keeps count.
//!
//! The invariants are I1–I12 of the loop. `PROPTEST_CASES` raises the number of runs.

use crate::chaos::{Act, World};
use proptest::prelude::*;
use proptest::test_runner::Config;

/// Runs of this property where nothing else is asked for.
const CASES: u32 = 10_000;
/// Acts of one run.
const ACTS: std::ops::Range<usize> = 1..160;

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_invariants_hold_whatever_happens(acts in prop::collection::vec(act(), ACTS)) {
        let mut world = World::new();
        for act in &acts {
            world.perform(*act);
        }
        world.finish();
    }
}

fn config() -> Config {
    let default = Config::default();
    let cases = default.cases.max(CASES);
    Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..default
    }
}

fn act() -> impl Strategy<Value = Act> {
    let person = prop_oneof![
        4 => any::<u8>().prop_map(Act::Say),
        1 => Just(Act::Continue),
        1 => Just(Act::SendQueued),
        1 => any::<u8>().prop_map(Act::Unqueue),
        1 => any::<u8>().prop_map(Act::EditQueued),
        4 => Just(Act::Cancel),
        1 => any::<u8>().prop_map(Act::Kill),
        1 => Just(Act::RetryNow),
        1 => any::<u8>().prop_map(Act::SetMode),
        3 => Just(Act::Compact),
        3 => any::<u8>().prop_map(Act::Rewind),
        1 => any::<u8>().prop_map(Act::ShellEnds),
    ];
    prop_oneof![
        80 => any::<u16>().prop_map(Act::Next),
        12 => Just(Act::Acknowledge),
        10 => person,
        2 => any::<u8>().prop_map(Act::Late),
        1 => Just(Act::ThroughJson),
        1 => Just(Act::Crash),
    ]
}
