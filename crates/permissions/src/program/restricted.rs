//! Programs that only read in some of their forms.

use super::options::{Given, Line, Opt};
use super::{Access, Class, Effect, awk, find, parse, sed};
use crate::arg::Arg;
use crate::reason::{Code, Reason};

/// They take the terminal and can write or run from there.
const INTERACTIVE: &[&str] = &[
    "less", "more", "vi", "vim", "nvim", "nano", "emacs", "ed", "top", "htop", "view", "pico",
];

pub(super) fn contains(name: &str) -> bool {
    classify(name, &[]).is_some()
}

pub(super) fn classify(name: &str, args: &[Arg]) -> Option<Effect> {
    if INTERACTIVE.contains(&name) {
        return Some(Effect::because(Class::Mutating, Code::Interactive));
    }
    let effect = match name {
        "rg" => ripgrep(args),
        "fd" | "fdfind" => fd(args),
        "sort" => sort(args),
        "uniq" => {
            second_operand_is_output(args, ("fsw", &["skip-fields", "skip-chars", "check-chars"]))
        }
        "xxd" => xxd(args),
        "tree" => tree(args),
        "base64" | "base32" => base64(args),
        "tar" => tar(args),
        "unzip" => unzip(args),
        "date" => date(args),
        "hostname" => only_short(args, "fsiIdA"),
        "printf" => printf(args),
        "test" | "[" => test(args),
        "file" => forbid(args, ("C", &["compile"]), Code::FileCompile),
        "man" => man(args),
        "yq" => writes_by(args, "is", &["inplace", "in-place", "split-exp"]),
        "dmesg" => writes_by(
            args,
            "cCDEn",
            &[
                "clear",
                "read-clear",
                "console-off",
                "console-on",
                "console-level",
            ],
        ),
        "systemctl" => systemctl(args),
        "ip" => ip(args),
        "mount" => read_only_if(args.is_empty()),
        "sysctl" => read_only_if(args.iter().all(is_plain_setting)),
        "kill" => read_only_if(args.len() <= 2 && args.first().is_some_and(|arg| arg.is("-l"))),
        "crontab" => read_only_if(matches!(args, [only] if only.is("-l"))),
        _ => {
            return awk::classify(name, args)
                .or_else(|| sed::classify(name, args))
                .or_else(|| find::classify(name, args));
        }
    };
    Some(effect)
}

fn read_only_if(reads: bool) -> Effect {
    Effect::of(match reads {
        true => Class::ReadOnly,
        false => Class::Mutating,
    })
}

/// An argument known only when it runs could be any option of the program.
fn reads(line: &Line<'_>) -> Effect {
    match line.may_hide_option {
        true => Effect::because(Class::Unparseable, Code::DynamicOption),
        false => Effect::of(Class::ReadOnly),
    }
}

fn forbid(args: &[Arg], options: (&str, &[&str]), code: Code) -> Effect {
    let line = parse(args, ("", &[]));
    let mut effect = reads(&line);
    if line.has(options.0, options.1) {
        effect.raise(Class::Unparseable, code);
    }
    effect
}

fn writes_by(args: &[Arg], letters: &str, longs: &[&str]) -> Effect {
    let line = parse(args, ("", &[]));
    let mut effect = reads(&line);
    if line.has(letters, longs) {
        effect.class = effect.class.max(Class::Mutating);
        effect.add_all(Access::Edit, line.operands.iter().copied());
    }
    effect
}

fn only_short(args: &[Arg], letters: &str) -> Effect {
    let is_plain = |arg: &Arg| {
        arg.as_literal().is_some_and(|text| {
            text.strip_prefix('-')
                .is_some_and(|own| !own.is_empty() && own.chars().all(|c| letters.contains(c)))
        })
    };
    read_only_if(args.iter().all(is_plain))
}

fn ripgrep(args: &[Arg]) -> Effect {
    let line = parse(
        args,
        ("ABCEMTdefgjmrt", &["regexp", "glob", "type", "file"]),
    );
    let mut effect = reads(&line);
    for option in &line.options {
        match option {
            Opt::Long(name @ ("pre" | "hostname-bin"), _) => {
                effect.raise(Class::Unparseable, Reason::about(Code::RipgrepExec, *name));
            }
            // A later `--no-pre` or `--pre-glob` runs nothing, but nobody needs them alone.
            Opt::Long(name, _) if name.starts_with("pre") || name.starts_with("hostname") => {
                effect.raise(Class::Unparseable, Reason::about(Code::RipgrepExec, *name));
            }
            Opt::Long(name, _) if name.starts_with("search-z") => {
                effect.raise(Class::Unparseable, Code::RipgrepArchive);
            }
            Opt::Short('z', _) => effect.raise(Class::Unparseable, Code::RipgrepArchive),
            Opt::Short(..) | Opt::Long(..) => {}
        }
    }
    effect
}

fn fd(args: &[Arg]) -> Effect {
    let line = parse(
        args,
        (
            "deEtSocj",
            &[
                "extension",
                "exclude",
                "type",
                "size",
                "owner",
                "max-depth",
                "color",
            ],
        ),
    );
    let mut effect = reads(&line);
    let runs = |option: &Opt<'_>| {
        option.is_short("xX")
            || matches!(option, Opt::Long(name, _) if name.starts_with("exe") || name.starts_with("list-d"))
    };
    if line.options.iter().any(runs) {
        effect.raise(Class::Unparseable, Code::FdExec);
    }
    effect
}

fn sort(args: &[Arg]) -> Effect {
    let line = parse(
        args,
        (
            "kotST",
            &[
                "key",
                "output",
                "field-separator",
                "buffer-size",
                "temporary-directory",
            ],
        ),
    );
    let mut effect = reads(&line);
    if line.has_long("compress-program")
        && !line
            .options
            .iter()
            .any(|o| matches!(o, Opt::Long("c" | "check", _)))
    {
        effect.raise(Class::Unparseable, Code::SortCompress);
    }
    for option in &line.options {
        if option.is_short("o") || option.is_long("output") {
            writes_option(option, &mut effect);
        }
    }
    effect.add_all(Access::Read, line.operands.iter().copied());
    effect
}

fn writes_option(option: &Opt<'_>, effect: &mut Effect) {
    effect.class = effect.class.max(Class::Mutating);
    let target = option.value().map(Given::to_arg);
    effect.add(
        Access::Edit,
        &target.unwrap_or_else(|| Arg::unknown("?", true)),
    );
}

fn second_operand_is_output(args: &[Arg], valued: (&str, &[&str])) -> Effect {
    let line = parse(args, valued);
    let mut effect = reads(&line);
    if let Some(output) = line.operands.get(1) {
        effect.class = effect.class.max(Class::Mutating);
        effect.add(Access::Edit, output);
    }
    effect.add_all(Access::Read, line.operands.first().copied());
    effect
}

fn xxd(args: &[Arg]) -> Effect {
    let mut effect = second_operand_is_output(args, ("cglnoRs", &[]));
    let reverts = |arg: &Arg| {
        arg.as_literal()
            .is_some_and(|text| text.starts_with('-') && text.contains('r'))
    };
    if args.iter().any(reverts) {
        effect.class = effect.class.max(Class::Mutating);
    }
    effect
}

fn tree(args: &[Arg]) -> Effect {
    let line = parse(args, ("LPIoTH", &["filelimit", "charset"]));
    let mut effect = reads(&line);
    for option in line.options.iter().filter(|option| option.is_short("o")) {
        writes_option(option, &mut effect);
    }
    // `-R` with `-H` writes a page into every folder.
    if line.has_short("R") {
        effect.class = effect.class.max(Class::Mutating);
    }
    effect.add_all(Access::Read, line.operands.iter().copied());
    effect
}

fn base64(args: &[Arg]) -> Effect {
    let line = parse(args, ("biow", &["output", "wrap", "break", "input"]));
    let mut effect = reads(&line);
    for option in &line.options {
        if option.is_short("o") || option.is_long("output") {
            writes_option(option, &mut effect);
        }
    }
    effect.add_all(Access::Read, line.operands.iter().copied());
    effect
}

/// Long options of tar by which it runs programs.
const TAR_RUNS: &[&str] = &[
    "to-command",
    "use-compress-program",
    "checkpoint-action",
    "info-script",
    "new-volume-script",
    "rsh-command",
    "rmt-command",
];

fn tar(args: &[Arg]) -> Effect {
    let line = parse(
        args,
        (
            "fCbHVTXgKNFI",
            &["file", "directory", "files-from", "exclude"],
        ),
    );
    let mut effect = reads(&line);
    let runs = |option: &Opt<'_>| {
        option.is_short("IF")
            || matches!(option, Opt::Long(name, _) if TAR_RUNS.iter().any(|full| {
                full.starts_with(name) || name.starts_with(full)
            }))
    };
    let letters = old_style_letters(args);
    if line.options.iter().any(runs) || letters.contains(['I', 'F']) {
        effect.raise(Class::Unparseable, Code::TarExec);
    }
    // `host:archive` is fetched by another program.
    let is_remote = |arg: &Arg| arg.as_literal().is_some_and(|text| text.contains(':'));
    if line
        .options
        .iter()
        .filter_map(|option| option.value())
        .any(|value| is_remote(&value.to_arg()))
        || (letters.contains('f') && args.get(1).is_some_and(is_remote))
    {
        effect.raise(Class::Unparseable, Code::TarExec);
    }
    let short = |wanted: &str| line.has_short(wanted) || letters.contains(|c| wanted.contains(c));
    let lists = short("t") || line.has_long("list");
    let changes = short("cruxA")
        || [
            "create",
            "append",
            "update",
            "extract",
            "get",
            "concatenate",
            "catenate",
            "delete",
            "index-file",
            "volno-file",
            "remove-files",
        ]
        .iter()
        .any(|full| {
            line.options.iter().any(
                |o| matches!(o, Opt::Long(name, _) if full.starts_with(name) && !name.is_empty()),
            )
        });
    if !lists || changes {
        effect.class = effect.class.max(Class::Mutating);
    }
    effect.add_all(Access::Mention, line.operands.iter().copied());
    effect
}

/// `tar tzf x`: the first argument is a bundle of letters without its minus.
fn old_style_letters(args: &[Arg]) -> &str {
    args.first()
        .and_then(Arg::as_literal)
        .filter(|first| !first.starts_with('-'))
        .unwrap_or_default()
}

fn unzip(args: &[Arg]) -> Effect {
    let line = parse(args, ("xdP", &[]));
    let mut effect = reads(&line);
    if !line.has_short("lZt") {
        effect.class = effect.class.max(Class::Mutating);
    }
    effect.add_all(Access::Read, line.operands.first().copied());
    effect
}

fn date(args: &[Arg]) -> Effect {
    let line = parse(args, ("dfrs", &["date", "file", "reference", "set"]));
    let is_format = |arg: &&Arg| {
        arg.text.starts_with('+') || arg.text.starts_with("\"+") || arg.text.starts_with("'+")
    };
    let sets = line.has("s", &["set"]) || !line.operands.iter().all(is_format);
    let mut effect = read_only_if(!sets && !line.may_hide_option);
    for option in &line.options {
        if option.is_short("f") || option.is_long("file") {
            effect.add_all(Access::Read, option.value().map(Given::to_arg).as_ref());
        }
    }
    effect
}

fn printf(args: &[Arg]) -> Effect {
    let format = match args {
        [first, second, ..] if first.is("--") => second,
        [first, ..] => first,
        [] => return Effect::of(Class::ReadOnly),
    };
    let Some(text) = format.as_literal() else {
        return Effect::because(Class::Unparseable, Code::DynamicOption);
    };
    // `-v` assigns, and so does `%n`.
    let assigns = (text.starts_with('-') && !args.first().is_some_and(|first| first.is("--")))
        || has_count_conversion(text);
    match assigns {
        true => Effect::because(Class::Unparseable, Code::PrintfVariable),
        false => {
            let mut effect = Effect::of(Class::ReadOnly);
            effect.is_free = true;
            effect
        }
    }
}

fn has_count_conversion(format: &str) -> bool {
    let mut conversions = format.replace("%%", "");
    conversions.retain(|c| !c.is_ascii_digit() && !"#-+ .*'lhjzt".contains(c));
    conversions.contains("%n")
}

/// Operators of `[` between two words.
const BETWEEN: &[&str] = &[
    "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef", "-a",
    "-o", "]",
];

fn test(args: &[Arg]) -> Effect {
    if args.iter().any(|arg| arg.is_one_of(&["-v", "-R"])) {
        return Effect::because(Class::Unparseable, Code::TestVariable);
    }
    // A word known only when it runs may be `-v`, unless it stands where only an operand can.
    let is_operand = |at: usize| {
        let next = args.get(at + 1);
        next.is_none_or(|arg| arg.is_one_of(BETWEEN))
    };
    let is_fine = |at: usize, arg: &Arg| match &arg.value {
        crate::arg::Value::Literal(_) => true,
        crate::arg::Value::Glob { .. } => false,
        crate::arg::Value::Dynamic(dynamic) => !dynamic.splits && is_operand(at),
    };
    match args.iter().enumerate().all(|(at, arg)| is_fine(at, arg)) {
        true => {
            let mut effect = Effect::of(Class::ReadOnly);
            effect.is_free = true;
            effect
        }
        false => Effect::because(Class::Unparseable, Code::TestDynamic),
    }
}

fn man(args: &[Arg]) -> Effect {
    let line = parse(args, ("", &[]));
    let mut effect = reads(&line);
    if !line.options.is_empty() {
        effect.raise(Class::Unparseable, Code::ManOption);
    }
    effect
}

fn systemctl(args: &[Arg]) -> Effect {
    let line = parse(args, ("Hptn", &["host"]));
    let reads = line
        .operands
        .first()
        .and_then(|verb| verb.as_literal())
        .is_some_and(|verb| {
            matches!(verb, "status" | "show" | "cat")
                || verb.starts_with("is-")
                || verb.starts_with("list-")
        });
    read_only_if(reads && !line.may_hide_option && !line.has("HM", &["host", "machine"]))
}

fn ip(args: &[Arg]) -> Effect {
    if args.iter().any(|arg| arg.is("exec")) {
        return Effect::because(Class::Unparseable, Code::OpaqueWrapper);
    }
    let line = parse(args, ("", &[]));
    let shows = line.operands.get(1).is_some_and(|verb| verb.is("show"));
    let is_plain = line.options.iter().all(|option| option.is_short("46oshdj"));
    read_only_if(shows && is_plain && !line.may_hide_option)
}

fn is_plain_setting(arg: &Arg) -> bool {
    arg.as_literal()
        .is_some_and(|text| !text.starts_with('-') && !text.contains('='))
}
