//! Which facts of a log were taken back. Pure.

use protocol::log::{LogEvent, LogRow};
use std::collections::HashSet;

/// The parts of a log that were taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hidden(Vec<(u64, u64)>);

impl Hidden {
    pub(crate) fn of(rows: &[LogRow]) -> Self {
        let undone: HashSet<u64> = rows
            .iter()
            .filter_map(|row| match &row.event {
                Some(LogEvent::RewindUndone { rewind_seq }) => Some(*rewind_seq),
                _ => None,
            })
            .collect();
        let ranges = rows.iter().filter_map(|row| match &row.event {
            Some(LogEvent::Rewound { to_seq }) if !undone.contains(&row.seq) => {
                Some((*to_seq, row.seq))
            }
            _ => None,
        });
        Self(ranges.collect())
    }

    pub(crate) fn covers(&self, seq: u64) -> bool {
        self.0.iter().any(|(from, to)| (*from..*to).contains(&seq))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(events: Vec<(u64, LogEvent)>) -> Vec<LogRow> {
        let row = |(seq, event)| LogRow {
            seq,
            ts: 0,
            turn: 1,
            event: Some(event),
        };
        events.into_iter().map(row).collect()
    }

    #[test]
    fn a_rewind_covers_what_lies_between_its_aim_and_itself_until_it_is_undone() {
        let mut events = vec![(9, LogEvent::Rewound { to_seq: 5 })];
        let check = |events: &Vec<(u64, LogEvent)>, expected: &[u64]| {
            let hidden = Hidden::of(&log(events.clone()));
            let covered: Vec<u64> = (1..20).filter(|seq| hidden.covers(*seq)).collect();
            assert_eq!(covered, expected);
        };
        check(&events, &[5, 6, 7, 8]);
        events.push((12, LogEvent::Rewound { to_seq: 11 }));
        check(&events, &[5, 6, 7, 8, 11]);
        events.push((13, LogEvent::RewindUndone { rewind_seq: 9 }));
        check(&events, &[11]);
    }
}
