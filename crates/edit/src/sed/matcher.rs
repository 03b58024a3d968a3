//! The leftmost and longest match, by automata.
//!
//! One pass over a line from its end finds where matches start; from there the longest is walked. Every step is counted,
//! so no text and no pattern can take long. Deliberately absent: other rules of which match counts.

use super::SedRefusal;
use super::pattern::Pattern;
use regex_automata::dfa::Automaton;
use regex_automata::dfa::dense::{self, DFA};
use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::{Anchored, Input, MatchKind, dfa::StartKind};
use std::ops::Range;

/// An automaton that would be larger is not built.
const MAX_AUTOMATON_BYTES: usize = 16 * 1024 * 1024;
/// Steps of automata for one file; less than a second.
const MAX_STEPS: u64 = 100_000_000;

/// What is left of the steps for one file.
pub(super) struct Budget(u64);

impl Budget {
    pub(super) fn new() -> Self {
        Self(MAX_STEPS)
    }

    fn spend(&mut self, steps: usize) -> Result<(), SedRefusal> {
        let left = self.0.checked_sub(steps as u64);
        self.0 = left.ok_or_else(|| SedRefusal::because("file:too_much_work"))?;
        Ok(())
    }
}

/// One regular expression.
pub(super) struct Matcher {
    longest: DFA<Vec<u32>>,
    /// Runs backwards and tells where matches start.
    starts: DFA<Vec<u32>>,
    groups: Option<PikeVM>,
}

impl std::fmt::Debug for Matcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Matcher").finish_non_exhaustive()
    }
}

impl Matcher {
    /// Finds matches only.
    pub(super) fn spans(pattern: &Pattern) -> Result<Self, SedRefusal> {
        let forward = thompson::Config::new();
        let reverse = thompson::Config::new().reverse(true);
        Ok(Self {
            longest: automaton(&pattern.source, forward, StartKind::Anchored)?,
            starts: automaton(&pattern.source, reverse, StartKind::Unanchored)?,
            groups: None,
        })
    }

    /// Finds what groups caught, too.
    pub(super) fn groups(pattern: &Pattern) -> Result<Self, SedRefusal> {
        if !pattern.has_certain_groups {
            let reason = "captures with alternation or repeated group";
            return Err(SedRefusal::script(reason));
        }
        let groups = PikeVM::builder()
            .thompson(thompson::Config::new().nfa_size_limit(Some(MAX_AUTOMATON_BYTES)))
            .build(&pattern.source)
            .map_err(|_| too_large())?;
        Ok(Self {
            groups: Some(groups),
            ..Self::spans(pattern)?
        })
    }

    /// Whether there is a match.
    pub(super) fn is_match(&self, line: &str, budget: &mut Budget) -> Result<bool, SedRefusal> {
        Ok(!self.starts(line, budget)?.is_empty())
    }

    /// Where matches start, the last one first.
    pub(super) fn starts(&self, line: &str, budget: &mut Budget) -> Result<Vec<usize>, SedRefusal> {
        let dfa = &self.starts;
        let mut found = Vec::new();
        let mut note = |state: StateID, at: usize| -> Result<bool, SedRefusal> {
            if dfa.is_match_state(state) && line.is_char_boundary(at) {
                found.push(at);
            }
            goes_on(dfa, state)
        };
        budget.spend(line.len() + 1)?;
        let input = Input::new(line);
        let mut state = dfa.start_state_reverse(&input).map_err(|_| too_large())?;
        for (at, byte) in line.bytes().enumerate().rev() {
            state = dfa.next_state(state, byte);
            // An automaton knows of a match one byte late.
            if !note(state, at + 1)? {
                return Ok(found);
            }
        }
        note(dfa.next_eoi_state(state), 0)?;
        Ok(found)
    }

    /// Where the longest match that starts here ends.
    pub(super) fn longest(
        &self,
        line: &str,
        start: usize,
        budget: &mut Budget,
    ) -> Result<usize, SedRefusal> {
        let dfa = &self.longest;
        let input = Input::new(line).range(start..).anchored(Anchored::Yes);
        let mut state = dfa.start_state_forward(&input).map_err(|_| too_large())?;
        let mut end = None;
        let mut at = start;
        for byte in line.bytes().skip(start) {
            state = dfa.next_state(state, byte);
            if dfa.is_match_state(state) {
                end = Some(at);
            }
            at += 1;
            if !goes_on(dfa, state)? {
                break;
            }
        }
        budget.spend(at - start + 1)?;
        if at == line.len() && dfa.is_match_state(dfa.next_eoi_state(state)) {
            end = Some(at);
        }
        end.ok_or_else(|| SedRefusal::script("match"))
    }

    /// What the groups caught in this match; the whole match is the first.
    pub(super) fn caught(
        &self,
        line: &str,
        whole: &Range<usize>,
        budget: &mut Budget,
    ) -> Result<Vec<Range<usize>>, SedRefusal> {
        let Some(engine) = &self.groups else {
            return Ok(vec![whole.clone()]);
        };
        let states = engine.get_nfa().states().len();
        budget.spend(states.saturating_mul(whole.len() + 1))?;
        let input = Input::new(line)
            .range(whole.clone())
            .anchored(Anchored::Yes);
        let mut captures = engine.create_captures();
        engine.captures(&mut engine.create_cache(), input, &mut captures);
        if captures.get_match().map(|found| found.range()) != Some(whole.clone()) {
            return Err(SedRefusal::script("captures"));
        }
        let range = |span: Option<regex_automata::Span>| span.map_or(0..0, |span| span.range());
        Ok(captures.iter().map(range).collect())
    }
}

fn automaton(
    source: &str,
    config: thompson::Config,
    start: StartKind,
) -> Result<DFA<Vec<u32>>, SedRefusal> {
    let nfa = thompson::Compiler::new()
        .configure(
            config
                .which_captures(WhichCaptures::None)
                .nfa_size_limit(Some(MAX_AUTOMATON_BYTES)),
        )
        .build(source)
        .map_err(|_| too_large())?;
    dense::Builder::new()
        .configure(
            dense::Config::new()
                .match_kind(MatchKind::All)
                .start_kind(start)
                .dfa_size_limit(Some(MAX_AUTOMATON_BYTES))
                .determinize_size_limit(Some(MAX_AUTOMATON_BYTES)),
        )
        .build_from_nfa(&nfa)
        .map_err(|_| too_large())
}

/// Whether more input can lead to a match.
fn goes_on(dfa: &DFA<Vec<u32>>, state: StateID) -> Result<bool, SedRefusal> {
    match dfa.is_quit_state(state) {
        true => Err(too_large()),
        false => Ok(!dfa.is_dead_state(state)),
    }
}

fn too_large() -> SedRefusal {
    SedRefusal::script("regex too large")
}
