use super::*;
use protocol::diff::{CellMode, DiffStat, Eol, NotebookCell};

fn diff(path: &str, cell_type: Option<&str>) -> FileDiff {
    FileDiff {
        file_path: path.to_owned(),
        display_path: path.to_owned(),
        is_new: false,
        unified_diff: String::new(),
        base_text: None,
        new_text: None,
        stat: DiffStat::default(),
        layer: "L1".to_owned(),
        encoding: "utf-8".to_owned(),
        encoding_guessed: false,
        bom: false,
        eol: Eol::Lf,
        warnings: Vec::new(),
        changed_by_user: false,
        notebook: cell_type.map(|cell_type| NotebookCell {
            mode: CellMode::Replace,
            number: 1,
            n_cells: 1,
            id: None,
            cell_type: cell_type.to_owned(),
            raw_diff: String::new(),
        }),
    }
}

#[test]
fn a_copy_has_a_name_that_says_its_language_and_runs_nothing() {
    let check = |path: &str, cell: Option<&str>, editor: &str, name: &str| {
        assert_eq!(copy_name(&diff(path, cell), editor), name, "{path}");
    };
    check("/w/src/prices.py", None, "code --wait", "prices.py");
    check("/w/numbers.ipynb", Some("code"), "vi", "numbers.ipynb.py");
    check("/w/n.ipynb", Some("markdown"), "vi", "n.ipynb.md");
    // The system's opener starts what has such a name.
    check("/w/start.desktop", None, " ", "start.desktop.txt");
    check("/w/prices.py", None, "", "prices.py.txt");
    let long = format!("/w/{}.rs", "长".repeat(90));
    let name = copy_name(&diff(&long, None), "vi");
    assert!(
        name.ends_with(".rs") && name.len() <= MAX_NAME_BYTES,
        "{name}"
    );
}

/// A copy in a folder of its own.
fn copy(folder: &Path) -> Copy {
    Copy {
        session_id: SessionId("s".to_owned()),
        proposal_id: ProposalId("p".to_owned()),
        folder: folder.to_owned(),
        file: folder.join("a.txt"),
        known: Mutex::new(None),
    }
}

#[test]
fn each_save_is_seen_once_and_only_text_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let copy = copy(folder.path());
    copy.write("from the window\n").unwrap();
    assert_eq!(copy.look(), None, "the window's own text is no save");

    let mut saves = 0;
    let mut check = |bytes: &[u8], expected: SavedOutside| {
        saves += 1;
        // Editors save by a new file under the old name.
        let fresh = folder.path().join(format!("new-{saves}"));
        fs::write(&fresh, bytes).unwrap();
        fs::rename(fresh, &copy.file).unwrap();
        assert_eq!(copy.look(), Some(expected));
        assert_eq!(copy.look(), None);
    };
    let text = |text: &str| SavedOutside::Text {
        text: text.to_owned(),
    };
    check(b"one\r\ntwo\r\n", text("one\ntwo\n"));
    check(b"\xEF\xBB\xBFwith a mark", text("with a mark"));
    check(b"", text(""));
    check(b"latin \xE9", SavedOutside::NotText);
    check(b"null\0", SavedOutside::NotText);
    check(
        &vec![b'x'; MAX_SAVED_BYTES as usize + 1],
        SavedOutside::TooLarge,
    );
    check(b"small again", text("small again"));

    fs::remove_file(&copy.file).unwrap();
    assert_eq!(copy.look(), None, "a file on its way is no save");
}

#[cfg(unix)]
#[test]
fn copies_are_private_and_go_at_the_next_start() {
    use std::os::unix::fs::PermissionsExt;
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join(FOLDER).join("one");
    make_folder(&folder).unwrap();
    let copy = copy(&folder);
    copy.write("secret").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&copy.file), 0o600);
    forget_copies(data.path());
    assert!(!data.path().join(FOLDER).exists());
    forget_copies(data.path());
}

#[test]
fn an_editor_that_cannot_start_says_what_to_change() {
    let check = |editor: &str, part: &str| {
        let error = open_editor(editor, Path::new("a.txt")).unwrap_err();
        assert_eq!(error.code, ErrorCode::BadRequest);
        assert!(error.message.contains(part), "{}", error.message);
    };
    check("\"unclosed", "quotes");
    check("\"\"", "does not start");
    check("no-such-editor-anywhere --wait", "does not start");
}
