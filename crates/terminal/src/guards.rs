//! Small rules about commands that can be told from their text alone.
//!
//! Each answers only where no reading of the text could be another; what needs the grammar of the shell is left to
//! those who have it. Deliberately absent: permission.

/// Waiting below this is nobody's problem.
const SLEEP_MIN_SECONDS: f64 = 2.0;
/// Longest wait that a reason excuses.
const SLEEP_MAX_SECONDS: f64 = 600.0;
/// Shortest reason, in characters.
const REASON_MIN_CHARS: usize = 8;
const REASON_MARK: &str = "# intentional-sleep:";

/// What the model is told instead of waiting.
const SLEEP_BLOCKED: &str = "Blocked: standalone sleep. Run the waiting command in the background, or add a comment \
    \"# intentional-sleep: <reason>\" (up to 10 minutes).";
const SELF_KILL_BLOCKED: &str =
    "Blocked: this would stop the app itself. Use task_stop or a specific pid.";

/// Programs that answer "no" with exit code 1.
const ANSWERING: [&str; 10] = [
    "grep", "egrep", "fgrep", "rg", "diff", "cmp", "test", "[", "[[", "pgrep",
];
/// Programs that pass the exit code of the one they run.
const WRAPPERS: [&str; 3] = ["command", "time", "nohup"];
/// Programs that end others by name.
const NAME_KILLERS: [&str; 3] = ["pkill", "killall", "taskkill"];

/// What to say to a foreground command that only waits, if it does.
#[must_use]
pub fn sleep_guard(command: &str) -> Option<&'static str> {
    let rest = command.trim_start().strip_prefix("sleep")?;
    rest.starts_with([' ', '\t']).then_some(())?;
    let end = rest.find([';', '\n', '#', '&', '|']).unwrap_or(rest.len());
    let (durations, after) = rest.split_at(end);
    let seconds = durations
        .split_ascii_whitespace()
        .map(seconds)
        .sum::<Option<f64>>()?;
    let goes_on = after.is_empty()
        || [";", "\n", "#", "&&", "||"]
            .iter()
            .any(|end| after.starts_with(end));
    let excused = after
        .trim()
        .strip_prefix(REASON_MARK)
        .is_some_and(|reason| {
            !reason.contains('\n')
                && reason.trim().chars().count() >= REASON_MIN_CHARS
                && seconds <= SLEEP_MAX_SECONDS
        });
    (seconds >= SLEEP_MIN_SECONDS && goes_on && !excused).then_some(SLEEP_BLOCKED)
}

/// A duration as `sleep` takes it.
fn seconds(word: &str) -> Option<f64> {
    let units = [('s', 1.0), ('m', 60.0), ('h', 3600.0), ('d', 86_400.0)];
    let unit = units
        .iter()
        .find_map(|(unit, factor)| Some((word.strip_suffix(*unit)?, *factor)));
    let (number, factor) = unit.unwrap_or((word, 1.0));
    number
        .starts_with(|first: char| first.is_ascii_digit() || first == '.')
        .then_some(())?;
    Some(number.parse::<f64>().ok()? * factor)
}

/// What to say to a command that ends processes by a name this program also has, if it does. `own_names` are the names
/// of this program's executables.
#[must_use]
pub fn self_kill_guard(command: &str, own_names: &[&str]) -> Option<&'static str> {
    let separators = ['|', ';', '&', '\n', '(', ')', '`', '{', '}', '$'];
    let kills = command
        .split(|c: char| separators.contains(&c) || c.is_whitespace())
        .any(|word| word == "kill");
    let hits = command.split(separators).any(|part| {
        let mut words = part
            .split_whitespace()
            .map(|word| word.trim_matches(['\'', '"']));
        let by_name = words.any(|word| NAME_KILLERS.contains(&word) || kills && word == "pgrep");
        by_name
            && words
                .filter(|word| !word.starts_with('-'))
                .any(|pattern| matches_any(pattern, own_names))
    });
    hits.then_some(SELF_KILL_BLOCKED)
}

/// Patterns match anywhere in a name; anchors and wildcards around the literal part do not change that much.
fn matches_any(pattern: &str, names: &[&str]) -> bool {
    let literal = pattern
        .trim_matches(['^', '$', '.', '*'])
        .trim_end_matches(".exe");
    !literal.is_empty()
        && names
            .iter()
            .any(|name| name.contains(literal) || literal.contains(name))
}

/// True if exit code 1 of this command is an answer, such as "not found", and not an error. False whenever the text
/// does not say for sure.
#[must_use]
pub fn one_is_an_answer(command: &str) -> bool {
    let Some(words) = last_command(command) else {
        return false;
    };
    let mut words = words.iter().map(String::as_str);
    let program = words.find(|word| !WRAPPERS.contains(word) && !is_assignment(word));
    match program.map(|program| program.rsplit('/').next().unwrap_or(program)) {
        Some("git") => match words.next() {
            Some("grep") => true,
            Some("diff") => words.any(|word| matches!(word, "--quiet" | "--exit-code")),
            Some(_) | None => false,
        },
        Some(program) => ANSWERING.contains(&program),
        None => false,
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// The words of the last simple command; `None` if the text holds anything but words, quotes and separators.
fn last_command(command: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in command.trim().chars() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some('\''), _) => word.get_or_insert_default().push(character),
            (_, '\\' | '`' | '$') => return None,
            (Some(_), _) => word.get_or_insert_default().push(character),
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, '(' | ')' | '{' | '}' | '#' | '!') => return None,
            (None, '|' | ';' | '&' | '\n') => {
                words.clear();
                word = None;
            }
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_alone_is_blocked() {
        let check = |command: &str, blocked| {
            assert_eq!(sleep_guard(command).is_some(), blocked, "{command:?}")
        };
        check("sleep 5", true);
        check("  sleep 2; ls", true);
        check("sleep 1m && curl localhost", true);
        check("sleep 1 1.5", true);
        check("sleep 30 || true", true);
        check("sleep 10\nls", true);
        check("sleep 5 # wait", true);
        check("sleep 1", false);
        check("sleep 1.9s; ls", false);
        check("sleep 5 & echo started", false);
        check("sleep 5 | cat", false);
        check("sleep $N", false);
        check("sleeper 5", false);
        check("make && sleep 5", false);
        check("sleep 5 # intentional-sleep: rate limit resets", false);
        check("sleep 600 # intentional-sleep: rate limit resets", false);
        check("sleep 601 # intentional-sleep: rate limit resets", true);
        check("sleep 5 # intentional-sleep: short", true);
        check("sleep 5 # intentional-sleep: rate limit resets\nls", true);
    }

    #[test]
    fn ending_this_program_by_name_is_blocked() {
        let own = ["benchdog-desktop", "benchdog"];
        let check = |command: &str, blocked| {
            assert_eq!(
                self_kill_guard(command, &own).is_some(),
                blocked,
                "{command:?}"
            )
        };
        check("pkill benchdog", true);
        check("pkill -f 'bench'", true);
        check("make; killall -9 benchdog-desktop", true);
        check("kill $(pgrep benchdog)", true);
        check("pgrep -f ^benchdog | xargs kill", true);
        check("taskkill /F /IM benchdog.exe", true);
        check("sudo pkill benchdog", true);
        check("pgrep benchdog", false);
        check("pkill node", false);
        check("kill 4711", false);
        check("grep -r benchdog .", false);
        check("echo done; pkill vite", false);
    }

    #[test]
    fn exit_code_one_is_an_answer_only_of_those_who_answer() {
        let check = |command: &str, expected| {
            assert_eq!(one_is_an_answer(command), expected, "{command:?}")
        };
        check("grep -rn foo src", true);
        check("cat a | grep 'x; rm'", true);
        check("cd src && rg foo", true);
        check("LC_ALL=C /usr/bin/diff a b", true);
        check("command time cmp a b", true);
        check("[ -f x ]", true);
        check("git diff --quiet", true);
        check("git -C x diff --quiet", false);
        check("git grep foo", true);
        check("git diff", false);
        check("grep foo x | wc -l", false);
        check("grep foo $(ls)", false);
        check("if grep x y; then exit 1; fi", false);
        check("make", false);
        check("echo 'unclosed", false);
        check("", false);
    }
}
