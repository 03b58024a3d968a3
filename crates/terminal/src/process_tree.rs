//! Who descends from whom, and which process is really the one that was seen before.
//!
//! A process is named by its pid and its start time: pids are reused. On Linux the answer comes from `/proc`; elsewhere
//! there is no subreaper and no `/proc`, the lists are empty, and callers fall back to process groups.
//! Deliberately absent: signalling, which belongs to the supervisor.

/// One line of the process table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) ppid: i32,
    pub(crate) pgrp: i32,
    /// Clock ticks since boot.
    pub(crate) start: u64,
    pub(crate) name: String,
    /// Dead, not yet collected by its parent.
    pub(crate) zombie: bool,
}

/// All processes below `root`, children before grandchildren, dead ones left out.
pub(crate) fn descendants(root: i32) -> Vec<Process> {
    let all = processes();
    let mut found: Vec<Process> = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        for process in all.iter().filter(|process| process.ppid == parent) {
            parents.push(process.pid);
            if !process.zombie {
                found.push(process.clone());
            }
        }
    }
    found
}

/// The process with this pid, if there is one.
pub(crate) fn process(pid: i32) -> Option<Process> {
    let text = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse_stat(&String::from_utf8_lossy(&text))
}

/// True if the system says that this very process does not run: it is not there, or only its remains are. False where
/// the system does not say.
pub(crate) fn is_gone(pid: i32, start: u64) -> bool {
    cfg!(target_os = "linux")
        && process(pid).is_none_or(|process| process.start != start || process.zombie)
}

/// Every process that can be seen.
pub(crate) fn processes() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(process)
        .collect()
}

/// Reads `/proc/<pid>/stat`. The name sits in parentheses and may itself hold any of `) (` and blanks.
fn parse_stat(text: &str) -> Option<Process> {
    let (pid, rest) = text.split_once(" (")?;
    let (name, fields) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    Some(Process {
        pid: pid.parse().ok()?,
        ppid: fields.get(1)?.parse().ok()?,
        pgrp: fields.get(2)?.parse().ok()?,
        start: fields.get(19)?.parse().ok()?,
        name: name.to_owned(),
        zombie: matches!(*fields.first()?, "Z" | "X"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        let line = "42 (a) b (c) S 7 8 9 34816 8 4194304 1 2 3 4 5 6 7 8 20 0 1 0 12345 1 2 3\n";
        let process = parse_stat(line).unwrap();
        assert_eq!(
            (process.pid, process.ppid, process.pgrp, process.start),
            (42, 7, 8, 12345)
        );
        assert_eq!(process.name, "a) b (c");
        assert!(!process.zombie);
    }

    #[test]
    fn a_torn_line_is_nobody() {
        assert_eq!(parse_stat("42 (sh) S 1"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_is_seen() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert_eq!(process(own).map(|process| process.pid), Some(own));
    }
}
