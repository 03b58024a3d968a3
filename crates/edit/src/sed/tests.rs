use super::{SedRefusal, parse_sed};
use proptest::prelude::*;
use serde_json::Value;

fn applied(command: &str, before: &[u8]) -> Result<Vec<u8>, SedRefusal> {
    parse_sed(command)?.apply(before)
}

fn cases() -> Vec<Value> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/fixtures/cases/sed-cases.json"
    );
    let file: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    file["cases"].as_array().unwrap().clone()
}

#[test]
fn every_case_comes_out_as_it_must() {
    let mut n_checked = 0;
    for case in cases() {
        let Some(before) = case["before"].as_str().filter(|_| case["fs"] == "regular") else {
            continue;
        };
        n_checked += 1;
        let (id, command) = (&case["id"], case["command"].as_str().unwrap());
        let after = applied(command, before.as_bytes());
        match case["expect"].as_str().unwrap() {
            "after" => {
                let expected = case["after"].as_str().unwrap();
                let after = after.map(|bytes| String::from_utf8(bytes).unwrap());
                assert_eq!(after.as_deref(), Ok(expected), "{id} {command}");
            }
            _ => assert!(after.is_err(), "{id} {command}: {after:?}"),
        }
    }
    assert_eq!(n_checked, 157);
}

#[track_caller]
fn check(command: &str, before: &str, expected: &str) {
    let after = applied(command, before.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(after.as_deref(), Ok(expected), "{command}");
}

#[track_caller]
fn check_refused(command: &str, before: &[u8], reason: &str) {
    let refusal = applied(command, before).unwrap_err();
    assert_eq!(refusal.to_string(), reason, "{command}");
}

#[test]
fn what_stands_in_the_way_is_named() {
    check_refused("ls -i f", b"", "not a single sed -i");
    check_refused("sed -n p f", b"", "not a single sed -i");
    check_refused("sed -i s/a/b/ f | cat", b"", "not a single sed -i");
    check_refused("echo $(ls) -i", b"", "not a single sed -i");
    check_refused("sed -i s/a/b/ *.c", b"", "dynamic_argument");
    check_refused("sed -i s/a/b/ f g", b"", "file_count");
    check_refused("sed -i.bak s/a/b/ f", b"", "backup_suffix");
    check_refused("sed -i -n s/a/b/p f", b"", "option:-n");
    check_refused("sed -i 1p f", b"", "script:command p");
    check_refused("sed -i s/a/b/ f", b"a\0", "file:binary");
    check_refused("sed -i s/a/b/ f", b"\xFF", "file:not_utf8");
}

#[test]
fn words_are_read_as_bash_reads_them() {
    check(r#"sed -i "s/\"a\\.b\"/\$x/" 'a b'"#, "\"a.b\"\n", "$x\n");
    check(r"sed -i s/a\ b/c/ f", "a b\n", "c\n");
    check(r"sed -i 's/'a'/'\''/' f", "a\n", "'\n");
    check_refused("sed -i $s/a/b/ f", b"", "dynamic_argument");
    check_refused(r#"sed -i "s/a/$b/" f"#, b"", "dynamic_argument");
    check(r#"sed -i "s/a$/b/" f"#, "aa\n", "ab\n");
}

#[test]
fn a_long_line_is_not_walked_forever() {
    let line = "a".repeat(200_000);
    check_refused(
        r"sed -i 's/a*b\|a/x/g' f",
        line.as_bytes(),
        "file:too_much_work",
    );
    let untouched = applied("sed -i 's/a*b/x/' f", line.as_bytes());
    assert!(untouched == Ok(line.into_bytes()));
}

#[test]
fn a_pattern_that_needs_too_much_is_refused() {
    check_refused(
        "sed -i -E 's/(a|b)*a(a|b){250}(a|b){250}/x/' f",
        b"a\n",
        "script:regex too large",
    );
}

proptest! {
    #[test]
    fn no_command_line_panics(command in "sed -i[E ]{1,2}'[]\\[sdaic0-9,$!/\\\\|(){}.*+?^&g; nwé-]{0,24}' f", before in "[ab\r\n é]{0,12}") {
        if let Ok(after) = applied(&command, before.as_bytes()) {
            prop_assert!(String::from_utf8(after).is_ok());
        }
    }

    #[test]
    fn a_pattern_that_matches_nothing_changes_nothing(before in "[ab\r\n é]{0,40}") {
        prop_assert_eq!(applied("sed -i s/z/y/g f", before.as_bytes()), Ok(before.into_bytes()));
    }
}
