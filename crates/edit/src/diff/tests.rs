use super::*;

fn check(old: &str, new: &str, expected: &str) {
    assert_eq!(
        unified_hunks(old, new).concat(),
        expected,
        "{old:?} -> {new:?}"
    );
}

#[test]
fn one_changed_line_has_three_lines_around_it() {
    check(
        "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
        "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
        "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
    );
}

#[test]
fn near_changes_share_a_hunk_and_far_ones_do_not() {
    check(
        "a\n1\n2\n3\n4\n5\n6\nb\n",
        "A\n1\n2\n3\n4\n5\n6\nB\n",
        "@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n",
    );
    check(
        "a\n1\n2\n3\n4\n5\n6\n7\nb\n",
        "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
        "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n",
    );
}

#[test]
fn empty_sides_and_single_lines_are_counted_as_diff_does() {
    check("", "a\n", "@@ -0,0 +1 @@\n+a\n");
    check("a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n");
    check("a\nb\n", "a\nx\nb\n", "@@ -1,2 +1,3 @@\n a\n+x\n b\n");
}

#[test]
fn a_missing_final_newline_is_marked() {
    check(
        "a\nb\n",
        "a\nb",
        "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n",
    );
    check(
        "a\nb",
        "A\nb",
        "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n",
    );
}

#[test]
fn white_space_is_never_ignored() {
    check("a\n", "a \n", "@@ -1 +1 @@\n-a\n+a \n");
    check("\ta\n", "    a\n", "@@ -1 +1 @@\n-\ta\n+    a\n");
}

#[test]
fn equal_texts_have_no_diff_and_others_have_a_header() {
    let labels = Labels { old: "f", new: "f" };
    assert_eq!(unified_diff("a\n", "a\n", labels), "");
    assert_eq!(
        unified_diff("a\n", "b\n", labels),
        "--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n"
    );
}
