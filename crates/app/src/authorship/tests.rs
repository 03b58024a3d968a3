//! The worked examples of the counts, chains of changes, and what holds for every chain.

use super::*;
use edit::diff_stat;
use proptest::prelude::*;
use protocol::diff::DiffStat;
use std::cell::RefCell;

/// A file with a history; hashes are the texts themselves.
#[derive(Default)]
struct File {
    versions: Vec<FileVersion>,
    lost: RefCell<Vec<String>>,
}

fn name(text: Option<&str>) -> Option<String> {
    text.map(|text| format!("#{text}"))
}

impl File {
    fn add(&mut self, change: FileChange, before: Option<&str>, after: Option<&str>) -> &mut Self {
        self.versions.push(FileVersion {
            path: "/w/f".to_owned(),
            change,
            before_hash: name(before),
            proposed_hash: None,
            after_hash: name(after),
            mode: None,
            in_place: false,
            stat: DiffStat::default(),
            owners: None,
        });
        self
    }

    /// The model proposes, the person may change it.
    fn edit(&mut self, base: Option<&str>, proposed: &str, after: &str) -> &mut Self {
        self.add(FileChange::Edit, base, Some(after));
        let sources = LineSources::of(base.unwrap_or_default(), proposed, after);
        if let Some(last) = self.versions.last_mut() {
            last.owners = Some(sources.to_string());
        }
        self
    }

    fn owned(&self, now: &str) -> Owned {
        let texts = |hash: &str| {
            let lost = self.lost.borrow().iter().any(|lost| lost == hash);
            hash.strip_prefix('#').filter(|_| !lost).map(str::to_owned)
        };
        let hash = format!("#{now}");
        let state = Now {
            hash: Some(&hash),
            text: now,
        };
        owners(&self.versions, &texts, &state)
    }

    /// Owners as one letter per line.
    fn letters(&self, now: &str) -> String {
        letters(&self.owned(now).runs)
    }
}

fn letters(runs: &[OwnerRun]) -> String {
    let letter = |owner| match owner {
        LineOwner::Ai => "a",
        LineOwner::Human => "h",
        LineOwner::Other => "o",
        LineOwner::Base => ".",
    };
    runs.iter()
        .map(|run| letter(run.owner).repeat(usize::try_from(run.lines).unwrap()))
        .collect()
}

fn text(words: &str) -> String {
    words.split(' ').map(|word| format!("{word}\n")).collect()
}

#[test]
fn the_worked_examples_of_one_edit() {
    let check = |o: &str, a: &str, f: &str, expected: &str| {
        let mut file = File::default();
        let (o, a, f) = (text(o), text(a), text(f));
        file.edit(Some(&o), &a, &f);
        assert_eq!(file.letters(&f), expected);
    };
    check("a b c", "a B c", "a B c", ".a.");
    check("a c", "a b1 b2 c", "a b1 c", ".a.");
    check("a b c", "a B c", "a b c", "...");
    check("a b c", "a B c", "a B2 c", ".h.");
    check("a b c", "a c", "a b c", "...");
    check("a b c d", "a b1 b2 b3 d", "a b1 human d tail", ".ah.h");
}

#[test]
fn what_a_merge_brings_back_is_whose_it_was() {
    let mut file = File::default();
    let (v0, v1, v2) = (
        text("1 2 3 4 5 6"),
        text("1 two 3 4 5 6"),
        text("1 2b 3 4 5 6"),
    );
    file.edit(Some(&v0), &v1, &v1);
    file.edit(Some(&v1), &v2, &v2);
    // Somebody else's line is there when the second edit is taken back.
    let (now, merged) = (text("1 2b 3 4 mine 5 6"), text("1 two 3 4 mine 5 6"));
    file.add(FileChange::Undo, Some(&now), Some(&merged));
    file.versions.last_mut().unwrap().proposed_hash = name(Some(&v1));
    assert_eq!(file.letters(&merged), ".a..o..");
    assert_eq!(file.owned(&merged).dropped.ai, 1);
    let (again, without) = (text("0 1 two 3 4 mine 5 6"), text("0 1 2 3 4 mine 5 6"));
    file.add(FileChange::Undo, Some(&again), Some(&without));
    file.versions.last_mut().unwrap().proposed_hash = name(Some(&v0));
    assert_eq!(file.letters(&without), "o....o..");
    assert_eq!(
        file.owned(&without).dropped.ai,
        0,
        "the line is there again"
    );
}

#[test]
fn owners_travel_along_a_chain() {
    let mut file = File::default();
    let (v0, v1, v2, v3) = (
        text("1 2 3"),
        text("1 two 3"),
        text("1 two mine 3"),
        text("0 1 two mine 3"),
    );
    file.edit(Some(&v0), &v1, &v1);
    assert_eq!(file.letters(&v1), ".a.");
    file.edit(Some(&v1), &text("1 two its 3"), &v2);
    assert_eq!(file.letters(&v2), ".ah.");
    assert_eq!(file.letters(&v3), "o.ah.", "an editor added a line since");
    let v4 = text("0 1 two mine 3 4");
    file.edit(Some(&v3), &v4, &v4);
    assert_eq!(
        file.letters(&v4),
        "o.ah.a",
        "what came between two edits stays somebody else's"
    );
}

#[test]
fn a_new_file_is_all_the_models() {
    let mut file = File::default();
    let made = text("x y");
    file.edit(None, &made, &made);
    assert_eq!(file.letters(&made), "aa");
    file.add(FileChange::Undo, Some(&made), None);
    assert_eq!(file.letters(""), "");
    file.add(FileChange::Redo, None, Some(&made));
    assert_eq!(file.letters(&made), "aa");
}

#[test]
fn a_text_that_comes_back_has_the_owners_it_had() {
    let mut file = File::default();
    let (v0, v1, v2) = (text("1 2"), text("one 2"), text("one two"));
    file.edit(Some(&v0), &v1, &v1).edit(Some(&v1), &v2, &v2);
    file.add(FileChange::Undo, Some(&v2), Some(&v1));
    assert_eq!(file.letters(&v1), "a.");
    file.add(FileChange::Redo, Some(&v1), Some(&v2));
    assert_eq!(file.letters(&v2), "aa");
    file.add(FileChange::Undo, Some(&v2), Some(&v0));
    let owned = file.owned(&v0);
    assert_eq!(letters(&owned.runs), "..");
    assert_eq!(
        owned.dropped,
        OwnedLines::default(),
        "nothing is gone any more"
    );
}

#[test]
fn a_command_and_the_repository_are_neither_the_model_nor_the_person() {
    let mut file = File::default();
    let (v0, v1, v2, v3) = (
        text("1 2"),
        text("one 2"),
        text("one 2 log"),
        text("old 2 log"),
    );
    file.edit(Some(&v0), &v1, &v1);
    file.add(FileChange::External, Some(&v1), Some(&v2));
    assert_eq!(file.letters(&v2), "a.o");
    file.add(FileChange::Undo, Some(&v2), Some(&v3));
    assert_eq!(
        file.letters(&v3),
        "..o",
        "a line that was put back from the repository"
    );
}

#[test]
fn lines_that_are_gone_are_counted_for_whoever_dropped_them() {
    let mut file = File::default();
    let (v0, v1) = (text("1 2 3 4"), text("1"));
    file.edit(Some(&v0), &text("1 3 4"), &text("1 4"));
    file.add(FileChange::External, Some(&text("1 4")), Some(&v1));
    let dropped = file.owned(&v1).dropped;
    assert_eq!((dropped.ai, dropped.human, dropped.other), (1, 1, 1));
}

#[test]
fn only_what_differs_is_anybodys() {
    let mut file = File::default();
    let (v0, v1) = (text("1 2 3"), text("1 two 3 4"));
    file.edit(Some(&v0), &v1, &v1);
    let now = text("1 two 3 4 5");
    let committed = text("0 1 2 3");
    let runs = owners_of_change(Some(&file.owned(&now)), &committed, &now);
    assert_eq!(letters(&runs), ".a.ao");
    assert_eq!(letters(&owners_of_change(None, &committed, &now)), ".o.oo");
}

fn some_text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d", ""]), 0..10)
        .prop_map(|lines| lines.join("\n"))
}

#[derive(Debug, Clone)]
enum Step {
    Edit(String, String),
    Outside(String),
    Command(String),
    Undo(usize),
    Lose(usize),
}

fn some_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (some_text(), some_text()).prop_map(|(a, f)| Step::Edit(a, f)),
        1 => some_text().prop_map(Step::Outside),
        1 => some_text().prop_map(Step::Command),
        2 => any::<prop::sample::Index>().prop_map(|index| Step::Undo(index.index(8))),
        1 => any::<prop::sample::Index>().prop_map(|index| Step::Lose(index.index(8))),
    ]
}

proptest! {
    #[test]
    fn owners_cover_exactly_the_lines_of_the_file(
        start in some_text(), steps in prop::collection::vec(some_step(), 0..8), end in some_text()
    ) {
        let mut file = File::default();
        let mut now = start;
        for step in steps {
            match step {
                Step::Edit(proposed, after) => {
                    file.edit(Some(&now), &proposed, &after);
                    now = after;
                }
                Step::Outside(after) => now = after,
                Step::Command(after) => {
                    file.add(FileChange::External, Some(&now), Some(&after));
                    now = after;
                }
                Step::Undo(index) => {
                    let back = file.versions.get(index).and_then(|version| version.before_hash.clone());
                    if let Some(back) = back {
                        let back = back.trim_start_matches('#').to_owned();
                        file.add(FileChange::Undo, Some(&now), Some(&back));
                        now = back;
                    }
                }
                Step::Lose(index) => {
                    let lost = file.versions.get(index).and_then(|version| version.after_hash.clone());
                    file.lost.borrow_mut().extend(lost);
                }
            }
            let n_lines: u64 = file.owned(&now).runs.iter().map(|run| run.lines).sum();
            prop_assert_eq!(n_lines, count_lines(&now) as u64);
        }
        let n_lines: u64 = file.owned(&end).runs.iter().map(|run| run.lines).sum();
        prop_assert_eq!(n_lines, count_lines(&end) as u64);
        let shown: u64 = owners_of_change(Some(&file.owned(&end)), &now, &end).iter().map(|run| run.lines).sum();
        prop_assert_eq!(shown, count_lines(&end) as u64);
    }

    #[test]
    fn one_edit_owns_what_its_net_counts_say(
        (o, a, f) in (some_text(), some_text(), some_text())
    ) {
        let mut file = File::default();
        file.edit(Some(&o), &a, &f);
        let owned = file.owned(&f);
        let (lines, net) = (owned.lines(), diff_stat(&o, &a, &f).net);
        prop_assert_eq!((lines.ai, lines.human), (net.ai_added, net.human_added));
        prop_assert_eq!((owned.dropped.ai, owned.dropped.human), (net.ai_removed, net.human_removed));
        prop_assert_eq!(lines.other, 0);
    }
}
