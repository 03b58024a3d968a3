//! Redirections, and `[[ … ]]`.

use super::Unit;
use super::resolve::resolve;
use super::targets::Source;
use super::walk::Walker;
use crate::arg::Arg;
use crate::program::{Access, Class};
use crate::reason::Code;
use crate::shell::{Redirect, RedirectKind, Simple};

impl Walker<'_> {
    /// `[[ … ]]`
    pub(super) fn test(&mut self, test: &Simple, redirects: &[Redirect]) {
        for word in &test.words {
            self.nested_pieces(&word.pieces);
        }
        let mut unit = self.unit(&test.text);
        for redirect in redirects {
            self.nested_pieces(&redirect.target.pieces);
            self.redirect(redirect, &mut unit);
        }
        for problem in test.words.iter().flat_map(|word| &word.problems) {
            unit.raise(Class::Unparseable, problem.clone());
        }
        let words = self.resolve_all(&test.words);
        if let Some(code) = risk_of_test(&words) {
            unit.raise(Class::Unparseable, code);
        }
        unit.is_free = true;
        unit.forms.push(words);
        self.keep(unit);
    }

    /// What a redirection reads or writes.
    pub(super) fn redirect(&mut self, redirect: &Redirect, unit: &mut Unit) {
        let target = resolve(&redirect.target, self.place, &self.assigned);
        let is_descriptor = |text: &str| {
            let digits = text.strip_suffix('-').unwrap_or(text);
            digits.chars().all(|c| c.is_ascii_digit())
        };
        let access = match redirect.kind {
            RedirectKind::Close | RedirectKind::HereText => return,
            RedirectKind::Read => Access::Read,
            RedirectKind::Write => Access::Edit,
            RedirectKind::DuplicateInput | RedirectKind::DuplicateOutput
                if target.as_literal().is_some_and(is_descriptor) =>
            {
                return;
            }
            RedirectKind::DuplicateInput => Access::Read,
            RedirectKind::DuplicateOutput => Access::Edit,
        };
        if let Some(path) = target.as_literal() {
            match device(path) {
                Some(Device::Harmless) => return,
                Some(Device::Network) => {
                    unit.raise(Class::Network, Code::NetworkDevice);
                    return;
                }
                Some(Device::Raw) => unit.raise(Class::Destructive, Code::RawDevice),
                None => {}
            }
        }
        if access == Access::Edit {
            let code = match target.is_dynamic() {
                true => Code::UnknownTarget,
                false => Code::WriteRedirect,
            };
            unit.raise(Class::Mutating, code);
        }
        self.operation(access, &target, Source::Redirect, unit);
    }

    /// The redirections of a group belong to all of its commands.
    pub(super) fn redirect_all(&mut self, first: usize, redirects: &[Redirect]) {
        if redirects.is_empty() {
            return;
        }
        let mut shared = self.unit("");
        for redirect in redirects {
            self.redirect(redirect, &mut shared);
        }
        let units = self.units.get_mut(first..).unwrap_or_default();
        for unit in units {
            unit.class = unit.class.max(shared.class);
            unit.reasons.extend(shared.reasons.iter().cloned());
            unit.operations.extend(shared.operations.iter().cloned());
        }
        if self.units.len() == first && !shared.operations.is_empty() {
            self.units.push(shared);
        }
    }
}

enum Device {
    /// Nothing is kept of what goes there.
    Harmless,
    /// Bash opens a connection.
    Network,
    /// A disk or memory.
    Raw,
}

fn device(path: &str) -> Option<Device> {
    let name = path.strip_prefix("/dev/")?;
    let raw = [
        "sd", "nvme", "hd", "vd", "disk", "mem", "kmem", "mmcblk", "xvd", "md", "dm-", "loop",
        "mapper",
    ];
    match name {
        "null" | "stdout" | "stderr" => Some(Device::Harmless),
        _ if name.starts_with("tcp/") || name.starts_with("udp/") => Some(Device::Network),
        _ if raw.iter().any(|beginning| name.starts_with(beginning)) => Some(Device::Raw),
        _ => None,
    }
}

/// Operators of `[[` that compare numbers: their operands are arithmetic, which can run code.
const ARITHMETIC: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

fn risk_of_test(words: &[Arg]) -> Option<Code> {
    for (at, word) in words.iter().enumerate() {
        if matches!(word.text.as_str(), "-v" | "-R") {
            return Some(Code::TestVariable);
        }
        if !ARITHMETIC.contains(&word.text.as_str()) {
            continue;
        }
        let sides = [
            at.checked_sub(1).and_then(|left| words.get(left)),
            words.get(at + 1),
        ];
        if !sides.iter().flatten().all(|side| is_number(side)) {
            return Some(Code::TestArithmetic);
        }
    }
    None
}

fn is_number(arg: &Arg) -> bool {
    if matches!(arg.text.as_str(), "$#" | "$?" | "\"$#\"" | "\"$?\"") {
        return true;
    }
    arg.as_literal().is_some_and(|text| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    })
}
