//! A command line taken apart: the folder, the options, the script and the one file.

use super::SedRefusal;
use super::pattern::Syntax;
use super::words::words;

/// What names the program.
const NAMES: [&str; 2] = ["sed", "gsed"];
/// Where the system keeps it.
const FOLDERS: [&str; 4] = [
    "/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
    "/opt/homebrew/bin/",
];
/// The `sed` of macOS takes the suffix of a backup as a word of its own, and the empty one means none.
const SUFFIX_IS_A_WORD: bool = cfg!(target_os = "macos");

/// What a command line says.
pub(super) struct Parsed {
    pub(super) folder: Option<String>,
    pub(super) file: String,
    pub(super) script: String,
    pub(super) syntax: Syntax,
}

pub(super) fn parse(command: &str) -> Result<Parsed, SedRefusal> {
    let commands = match words(command) {
        // A word that bash works out matters only where a change could have been shown.
        Err(SedRefusal::Unsupported { .. }) if !starts_like_sed(command) => {
            return Err(SedRefusal::OtherCommand);
        }
        commands => commands?,
    };
    let (folder, arguments) = match commands.as_slice() {
        [sed] => (None, sed),
        [cd, sed] => (Some(folder(cd)?), sed),
        _ => return Err(SedRefusal::OtherCommand),
    };
    let Some((program, arguments)) = arguments.split_first() else {
        return Err(SedRefusal::OtherCommand);
    };
    if !is_sed(program) || !arguments.iter().any(|word| may_mean_in_place(word)) {
        return Err(SedRefusal::OtherCommand);
    }
    let mut options = Options::default();
    options.read(arguments)?;
    options.finish(folder)
}

fn is_sed(word: &str) -> bool {
    let bare = FOLDERS
        .iter()
        .find_map(|folder| word.strip_prefix(folder))
        .unwrap_or(word);
    NAMES.contains(&bare)
}

/// Whether a reader of the first words expects a file to change in place.
fn starts_like_sed(command: &str) -> bool {
    let mut words = command.split_whitespace();
    words.next().is_some_and(is_sed) && words.any(may_mean_in_place)
}

fn may_mean_in_place(word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(long) => long.starts_with("in-place"),
        None => word.starts_with('-') && word.contains('i'),
    }
}

fn folder(words: &[String]) -> Result<String, SedRefusal> {
    match words {
        [cd, folder] if cd == "cd" && !folder.is_empty() && !folder.starts_with('-') => {
            Ok(folder.clone())
        }
        _ => Err(SedRefusal::OtherCommand),
    }
}

#[derive(Default)]
struct Options {
    is_in_place: bool,
    is_extended: bool,
    expressions: Vec<String>,
    operands: Vec<String>,
}

impl Options {
    fn read(&mut self, arguments: &[String]) -> Result<(), SedRefusal> {
        let mut arguments = arguments.iter().map(String::as_str).peekable();
        while let Some(word) = arguments.next() {
            let waits_for = match word {
                "--" => {
                    self.operands.extend(arguments.map(str::to_owned));
                    return Ok(());
                }
                "-" => self.operand(word),
                _ if word.starts_with("--") => self.long(word)?,
                _ if word.starts_with('-') => self.cluster(word)?,
                _ => self.operand(word),
            };
            match waits_for {
                WaitsFor::Nothing => {}
                WaitsFor::Script => {
                    let script = arguments.next();
                    let script = script.ok_or_else(|| SedRefusal::because("missing_script"))?;
                    self.expressions.push(script.to_owned());
                }
                WaitsFor::Suffix => {
                    if SUFFIX_IS_A_WORD {
                        arguments.next_if_eq(&"");
                    }
                }
            }
        }
        Ok(())
    }

    fn operand(&mut self, word: &str) -> WaitsFor {
        self.operands.push(word.to_owned());
        WaitsFor::Nothing
    }

    fn long(&mut self, word: &str) -> Result<WaitsFor, SedRefusal> {
        match word {
            "--in-place" => {
                self.is_in_place = true;
                return Ok(WaitsFor::Suffix);
            }
            "--regexp-extended" => self.is_extended = true,
            "--expression" => return Ok(WaitsFor::Script),
            "--separate" | "--unbuffered" | "--binary" | "--sandbox" => {}
            _ => match word.strip_prefix("--expression=") {
                Some(script) => self.expressions.push(script.to_owned()),
                None => {
                    let name = word.split('=').next().unwrap_or(word);
                    return Err(SedRefusal::because(format!("option:{name}")));
                }
            },
        }
        Ok(WaitsFor::Nothing)
    }

    fn cluster(&mut self, word: &str) -> Result<WaitsFor, SedRefusal> {
        let mut letters = word.chars();
        letters.next();
        while let Some(letter) = letters.next() {
            match letter {
                'E' | 'r' => self.is_extended = true,
                's' | 'u' | 'b' => {}
                'i' if letters.as_str().is_empty() => {
                    self.is_in_place = true;
                    return Ok(WaitsFor::Suffix);
                }
                'i' => return Err(SedRefusal::because("backup_suffix")),
                'e' if letters.as_str().is_empty() => return Ok(WaitsFor::Script),
                'e' => {
                    self.expressions.push(letters.as_str().to_owned());
                    return Ok(WaitsFor::Nothing);
                }
                other => return Err(SedRefusal::because(format!("option:-{other}"))),
            }
        }
        Ok(WaitsFor::Nothing)
    }

    fn finish(mut self, folder: Option<String>) -> Result<Parsed, SedRefusal> {
        if !self.is_in_place {
            return Err(SedRefusal::OtherCommand);
        }
        if self.expressions.is_empty() {
            if self.operands.is_empty() {
                return Err(SedRefusal::because("missing_script"));
            }
            self.expressions.push(self.operands.remove(0));
        }
        let Ok([file]) = <[String; 1]>::try_from(self.operands) else {
            return Err(SedRefusal::because("file_count"));
        };
        if file.is_empty() || file == "-" {
            return Err(SedRefusal::because("file_operand"));
        }
        Ok(Parsed {
            folder,
            file,
            script: self.expressions.join("\n"),
            syntax: match self.is_extended {
                true => Syntax::Extended,
                false => Syntax::Basic,
            },
        })
    }
}

/// What belongs to an option and comes as the next word.
enum WaitsFor {
    Nothing,
    Script,
    Suffix,
}
