//! Who owns each line of a file, folded from the versions that a session made. Pure.
//!
//! Owners travel along the lines that a change keeps. New lines belong to whoever wrote them; what came between two
//! versions, or after the last one, belongs to somebody else. A text that comes back gets the owners it had. Invariant:
//! the owners cover exactly the lines of the text. Deliberately absent: disks and stores; texts are looked up by hash.

use edit::{LineDiff, LineSource, LineSources, count_lines};
use protocol::changes::{LineOwner, OwnedLines, OwnerRun};
use protocol::log::{FileChange, FileVersion};
use std::collections::HashMap;

#[cfg(test)]
mod tests;

/// Gives the text of a hash, with LF breaks; `None` where it is not kept or no text.
pub(crate) type Texts<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// A text with its owners.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Owned {
    /// Who owns the lines, from the first to the last.
    pub(crate) runs: Vec<OwnerRun>,
    /// Lines that were there at the beginning and are gone, by who dropped them. None of them is of `base`.
    pub(crate) dropped: OwnedLines,
}

impl Owned {
    fn whole(owner: LineOwner, lines: usize) -> Self {
        let mut owned = Self::default();
        owned.push(owner, lines as u64);
        owned
    }

    pub(crate) fn push(&mut self, owner: LineOwner, lines: u64) {
        match self.runs.last_mut() {
            _ if lines == 0 => {}
            Some(last) if last.owner == owner => last.lines += lines,
            _ => self.runs.push(OwnerRun { lines, owner }),
        }
    }

    /// Lines by owner.
    pub(crate) fn lines(&self) -> OwnedLines {
        let mut lines = OwnedLines::default();
        for run in &self.runs {
            *count_of(&mut lines, run.owner) += run.lines;
        }
        lines
    }

    fn n_lines(&self) -> u64 {
        self.runs.iter().map(|run| run.lines).sum()
    }

    /// The text after a change whose lines are known to come from here.
    fn through(&self, sources: &LineSources) -> Self {
        let mut lines = Cursor::new(&self.runs);
        let mut after = Self {
            runs: Vec::new(),
            dropped: self.dropped,
        };
        for run in sources.runs() {
            let n = run.lines as u64;
            match run.source {
                LineSource::Kept => lines.take(n, |owner, n| after.push(owner, n)),
                LineSource::DroppedByModel => after.drop_lines(&mut lines, n, LineOwner::Ai),
                LineSource::DroppedByPerson => after.drop_lines(&mut lines, n, LineOwner::Human),
                LineSource::Model => after.push(LineOwner::Ai, n),
                LineSource::Person => after.push(LineOwner::Human, n),
            }
        }
        after
    }

    /// The text after a change by one owner that is only known by its two texts.
    fn compared(&self, before: &str, after: &str, by: LineOwner) -> Self {
        let mut lines = Cursor::new(&self.runs);
        let mut owned = Self {
            runs: Vec::new(),
            dropped: self.dropped,
        };
        let mut old = 0;
        for hunk in LineDiff::of_lines(before, after).hunks() {
            lines.take((hunk.old.start - old) as u64, |owner, n| {
                owned.push(owner, n)
            });
            owned.drop_lines(&mut lines, hunk.old.len() as u64, by);
            owned.push(by, hunk.new.len() as u64);
            old = hunk.old.end;
        }
        lines.take(u64::MAX, |owner, n| owned.push(owner, n));
        owned
    }

    /// The text after a change was taken out of it. Lines that come have the owners that they have in `back`, which is
    /// the whole text with the owners it had when the change was made.
    fn merged(&self, (before, after): (&str, &str), (back, owned_back): (&str, &Self)) -> Self {
        let there = owned_back.compared(back, after, LineOwner::Base);
        let (mut lines, mut lines_back) = (Cursor::new(&self.runs), Cursor::new(&there.runs));
        let mut owned = Self {
            runs: Vec::new(),
            dropped: self.dropped,
        };
        let (mut old, mut new) = (0, 0);
        for hunk in LineDiff::of_lines(before, after).hunks() {
            let n_kept = (hunk.old.start - old) as u64;
            lines.take(n_kept, |owner, n| owned.push(owner, n));
            lines_back.take((hunk.new.start - new) as u64, |_, _| {});
            lines.take(hunk.old.len() as u64, |_, _| {});
            lines_back.take(hunk.new.len() as u64, |owner, n| {
                owned.push(owner, n);
                if owner == LineOwner::Base {
                    owned.bring_back(n);
                }
            });
            (old, new) = (hunk.old.end, hunk.new.end);
        }
        lines.take(u64::MAX, |owner, n| owned.push(owner, n));
        owned
    }

    /// Lines from the beginning that are there again. Who had dropped them is only known of all together.
    fn bring_back(&mut self, mut n: u64) {
        for count in [
            &mut self.dropped.ai,
            &mut self.dropped.human,
            &mut self.dropped.other,
        ] {
            let back = n.min(*count);
            *count -= back;
            n -= back;
        }
    }

    /// Only lines from the beginning count as dropped: whoever rewrites a new line takes nothing away.
    fn drop_lines(&mut self, lines: &mut Cursor<'_>, n: u64, by: LineOwner) {
        lines.take(n, |owner, n| match owner {
            LineOwner::Base => *count_of(&mut self.dropped, by) += n,
            LineOwner::Ai | LineOwner::Human | LineOwner::Other => {}
        });
    }
}

fn count_of(lines: &mut OwnedLines, owner: LineOwner) -> &mut u64 {
    match owner {
        LineOwner::Ai => &mut lines.ai,
        LineOwner::Human => &mut lines.human,
        LineOwner::Other => &mut lines.other,
        LineOwner::Base => &mut lines.base,
    }
}

/// A place in runs of owners.
struct Cursor<'a> {
    runs: std::slice::Iter<'a, OwnerRun>,
    rest: Option<OwnerRun>,
}

impl<'a> Cursor<'a> {
    fn new(runs: &'a [OwnerRun]) -> Self {
        Self {
            runs: runs.iter(),
            rest: None,
        }
    }

    /// Goes over `n` lines, or as many as there are.
    fn take(&mut self, mut n: u64, mut see: impl FnMut(LineOwner, u64)) {
        while n > 0 {
            let Some(mut run) = self.rest.take().or_else(|| self.runs.next().copied()) else {
                return;
            };
            let taken = run.lines.min(n);
            see(run.owner, taken);
            n -= taken;
            run.lines -= taken;
            if run.lines > 0 {
                self.rest = Some(run);
            }
        }
    }
}

/// A file as it now is.
pub(crate) struct Now<'a> {
    /// Hash of its bytes; `None` if it is gone.
    pub(crate) hash: Option<&'a str>,
    /// Its text; empty if it is gone or no text.
    pub(crate) text: &'a str,
}

/// The owners of a file as it now is, after these versions of it, oldest first.
pub(crate) fn owners<'a>(
    versions: impl IntoIterator<Item = &'a FileVersion>,
    texts: &Texts<'_>,
    now: &Now<'_>,
) -> Owned {
    let mut fold = Fold {
        texts,
        known: HashMap::new(),
        newest: None,
    };
    for version in versions {
        fold.apply(version);
    }
    fold.now(now)
}

/// Who owns each line of a text that differs from an older one: only what differs is anybody's.
pub(crate) fn owners_of_change(owned: Option<&Owned>, old: &str, new: &str) -> Vec<OwnerRun> {
    let runs = owned.map(|owned| owned.runs.as_slice()).unwrap_or_default();
    let mut lines = Cursor::new(runs);
    let mut out = Owned::default();
    let mut next = 0;
    for hunk in LineDiff::of_lines(old, new).hunks() {
        let n_kept = (hunk.new.start - next) as u64;
        lines.take(n_kept, |_, _| {});
        out.push(LineOwner::Base, n_kept);
        let n_new = hunk.new.len() as u64;
        let before = out.n_lines();
        lines.take(n_new, |owner, n| {
            out.push(
                match owner {
                    LineOwner::Ai | LineOwner::Human => owner,
                    LineOwner::Other | LineOwner::Base => LineOwner::Other,
                },
                n,
            );
        });
        // Where nothing is known of the file, everything new is somebody else's.
        let n_known = out.n_lines() - before;
        out.push(LineOwner::Other, n_new - n_known);
        next = hunk.new.end;
    }
    out.push(LineOwner::Base, (count_lines(new) - next) as u64);
    out.runs
}

/// The name of a content in the fold: its hash, or that there is none.
type Name = Option<String>;

struct Fold<'t> {
    texts: &'t Texts<'t>,
    known: HashMap<Name, Owned>,
    /// What the newest version left.
    newest: Option<Name>,
}

impl Fold<'_> {
    fn apply(&mut self, version: &FileVersion) {
        let sources: Option<LineSources> =
            version.owners.as_deref().and_then(|text| text.parse().ok());
        let before = self.before(version, sources.as_ref());
        let after = self.after(version, &before, sources);
        self.known.insert(version.before_hash.clone(), before);
        self.known.insert(version.after_hash.clone(), after);
        self.newest = Some(version.after_hash.clone());
    }

    fn before(&self, version: &FileVersion, sources: Option<&LineSources>) -> Owned {
        let lines = || match sources {
            Some(sources) => sources.lines_before(),
            None => self
                .text(&version.before_hash)
                .map_or(0, |text| count_lines(&text)),
        };
        if self.newest.is_none() {
            return Owned::whole(LineOwner::Base, lines());
        }
        self.arrived(&version.before_hash)
            .unwrap_or_else(|| Owned::whole(LineOwner::Other, lines()))
    }

    fn after(&self, version: &FileVersion, before: &Owned, sources: Option<LineSources>) -> Owned {
        if let Some(sources) = sources
            && sources.lines_before() as u64 == before.n_lines()
        {
            return before.through(&sources);
        }
        if let Some(known) = self.known.get(&version.after_hash) {
            return known.clone();
        }
        if let Some(merged) = self.merged(version, before) {
            return merged;
        }
        let by = match version.change {
            FileChange::Edit | FileChange::Write | FileChange::Notebook | FileChange::Patch => {
                LineOwner::Ai
            }
            // What was put back and is not known from here was there before the session.
            FileChange::Undo | FileChange::Redo => LineOwner::Base,
            FileChange::LateWrite | FileChange::External => LineOwner::Other,
        };
        match (
            self.text(&version.before_hash),
            self.text(&version.after_hash),
        ) {
            (Some(old), Some(new)) if count_lines(&old) as u64 == before.n_lines() => {
                before.compared(&old, &new, by)
            }
            (_, Some(new)) => Owned::whole(by, count_lines(&new)),
            (_, None) => Owned::default(),
        }
    }

    /// The text after a change was taken out of it, if that is what a version is: it then names what would have been
    /// put back without what came later.
    fn merged(&self, version: &FileVersion, before: &Owned) -> Option<Owned> {
        match version.change {
            FileChange::Undo | FileChange::Redo => {}
            FileChange::Edit
            | FileChange::Write
            | FileChange::Notebook
            | FileChange::Patch
            | FileChange::LateWrite
            | FileChange::External => return None,
        }
        let back = Some(version.proposed_hash.clone()?);
        let owned_back = self.known.get(&back)?;
        let (back, old) = (self.text(&back)?, self.text(&version.before_hash)?);
        let new = self.text(&version.after_hash)?;
        let fits = count_lines(&old) as u64 == before.n_lines()
            && count_lines(&back) as u64 == owned_back.n_lines();
        fits.then(|| before.merged((&old, &new), (&back, owned_back)))
    }

    /// A content that is there although no version put it there; `None` where its text is not kept.
    fn arrived(&self, name: &Name) -> Option<Owned> {
        let newest = self.newest.as_ref()?;
        if let Some(known) = self.known.get(name) {
            return Some(known.clone());
        }
        let owned = self.known.get(newest)?;
        let new = self.text(name)?;
        Some(self.moved_on(owned, newest, &new))
    }

    fn moved_on(&self, owned: &Owned, from: &Name, new: &str) -> Owned {
        match self.text(from) {
            Some(old) if count_lines(&old) as u64 == owned.n_lines() => {
                owned.compared(&old, new, LineOwner::Other)
            }
            Some(_) | None => Owned::whole(LineOwner::Other, count_lines(new)),
        }
    }

    fn now(&self, now: &Now<'_>) -> Owned {
        let Some(newest) = &self.newest else {
            return Owned::whole(LineOwner::Base, count_lines(now.text));
        };
        let name = now.hash.map(str::to_owned);
        if let Some(known) = self.known.get(&name)
            && known.n_lines() == count_lines(now.text) as u64
        {
            return known.clone();
        }
        match self.known.get(newest) {
            Some(owned) => self.moved_on(owned, newest, now.text),
            None => Owned::whole(LineOwner::Other, count_lines(now.text)),
        }
    }

    fn text(&self, name: &Name) -> Option<String> {
        match name {
            None => Some(String::new()),
            Some(hash) => (self.texts)(hash),
        }
    }
}
