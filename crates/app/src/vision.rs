//! Which models can look at pictures, as far as their names tell.
//!
//! A model that cannot gets a note instead of a picture. Guessing "yes" wrongly makes a provider refuse every request
//! from then on, so a name that is not known counts as "no"; the settings of a provider overrule it.

/// Parts of the names of families that see, all in lower case.
const SEEING: &[&str] = &[
    "gpt-4o",
    "gpt-4.1",
    "gpt-4-turbo",
    "gpt-5",
    "o3",
    "o4-mini",
    "claude",
    "gemini",
    "gemma-3",
    "gemma3",
    "llava",
    "pixtral",
    "mistral-medium",
    "mistral-small3",
    "mistral-small-3",
    "llama-4",
    "llama4",
    "llama3.2-vision",
    "-vision",
    "-vl",
    "qwen2.5vl",
    "qwen3.5",
    "internvl",
    "minicpm-v",
    "moondream",
    "glm-4v",
    "glm-4.5v",
    "glm-4.6v",
    "grok-4",
    "kimi-k2.5",
];
/// Members of those families that do not.
const BLIND: &[&str] = &[
    "o3-mini",
    "gemma-3-1b",
    "gemma3:1b",
    "claude-2",
    "claude-instant",
];

/// Whether a model of this name can look at pictures.
pub(crate) fn is_seeing(model: &str) -> bool {
    let name = model.to_lowercase();
    // What comes before the last slash is who serves it.
    let name = name.rsplit('/').next().unwrap_or(&name);
    let is_one_of = |parts: &[&str]| parts.iter().any(|part| has_part(name, part));
    is_one_of(SEEING) && !is_one_of(BLIND)
}

/// A part that begins a word: `o3` is no part of `foo3`.
fn has_part(name: &str, part: &str) -> bool {
    name.match_indices(part).any(|(at, _)| {
        let before = name.get(..at).unwrap_or_default();
        part.starts_with('-') || !before.ends_with(|c: char| c.is_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(model: &str, sees: bool) {
        assert_eq!(is_seeing(model), sees, "{model}");
    }

    #[test]
    fn names_tell_whether_a_model_sees() {
        check("gpt-4o-mini", true);
        check("openai/gpt-5.1", true);
        check("o3", true);
        check("o3-mini", false);
        check("foo3", false);
        check("anthropic/claude-sonnet-4.5", true);
        check("Qwen3-VL-8B-Instruct", true);
        check("qwen3-coder", false);
        check("gemma3:27b", true);
        check("gemma3:1b", false);
        check("deepseek-chat", false);
        check("scripted", false);
    }
}
