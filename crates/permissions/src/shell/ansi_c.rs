//! `$'…'`: the escapes of Bash, decoded.

/// The text that the inside of `$'…'` stands for; `None` where an escape is unknown or gives a NUL.
pub(super) fn decode(inside: &str) -> Option<String> {
    let mut bytes: Vec<u8> = Vec::with_capacity(inside.len());
    let mut rest = inside.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '\\' {
            push(&mut bytes, character);
            continue;
        }
        match rest.next()? {
            'n' => bytes.push(b'\n'),
            't' => bytes.push(b'\t'),
            'r' => bytes.push(b'\r'),
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'e' | 'E' => bytes.push(27),
            'f' => bytes.push(12),
            'v' => bytes.push(11),
            same @ ('\\' | '\'' | '"' | '?') => push(&mut bytes, same),
            'x' => bytes.push(u8::try_from(digits(&mut rest, 16, 2)?).ok()?),
            'u' => push(&mut bytes, char::from_u32(digits(&mut rest, 16, 4)?)?),
            'U' => push(&mut bytes, char::from_u32(digits(&mut rest, 16, 8)?)?),
            first @ '0'..='7' => {
                let mut value = first.to_digit(8)?;
                for _ in 0..2 {
                    let Some(digit) = rest.peek().and_then(|next| next.to_digit(8)) else {
                        break;
                    };
                    value = value * 8 + digit;
                    rest.next();
                }
                bytes.push(u8::try_from(value).ok()?);
            }
            _ => return None,
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    (!text.contains('\0')).then_some(text)
}

fn push(bytes: &mut Vec<u8>, character: char) {
    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

fn digits(
    rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
    radix: u32,
    most: usize,
) -> Option<u32> {
    let mut value: Option<u32> = None;
    for _ in 0..most {
        let Some(digit) = rest.peek().and_then(|next| next.to_digit(radix)) else {
            break;
        };
        value = Some(value.unwrap_or(0).checked_mul(radix)?.checked_add(digit)?);
        rest.next();
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(inside: &str, expected: Option<&str>) {
        assert_eq!(decode(inside).as_deref(), expected, "{inside:?}");
    }

    #[test]
    fn escapes_give_their_characters() {
        check(r"a\tb\n\\\'", Some("a\tb\n\\'"));
        check(r"\x72\155", Some("rm"));
        check(r"\u0072\U0000006d", Some("rm"));
        check(r"\x72m \0101", Some("rm \u{8}1"));
        check(r"\xc3\xa9", Some("é"));
    }

    #[test]
    fn what_bash_would_cut_or_keep_is_not_decoded() {
        check(r"a\0b", None);
        check(r"\x00", None);
        check(r"\q", None);
        check(r"\cA", None);
        check(r"\x", None);
        check(r"\xff", None);
        check("a\\", None);
    }
}
