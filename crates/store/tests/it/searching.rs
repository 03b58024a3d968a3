//! Search, with whatever a person may type.

use crate::support::*;
use protocol::command::SearchHit;
use protocol::ids::SessionId;
use protocol::tool_call::CallStatus;
use store::{MARK_END, MARK_START, NewSession, Query, Store};

fn query(text: &str) -> Query {
    Query {
        text: text.to_owned(),
        workspace: None,
        session_id: None,
        limit: 50,
    }
}

async fn find(store: &Store, text: &str) -> Vec<SearchHit> {
    store.search(query(text)).await.unwrap()
}

fn say(store: &Store, id: &SessionId, texts: &[&str]) {
    store.append(id, 1, vec![started()]).wait().unwrap();
    for text in texts {
        store.append(id, 1, vec![user(text)]).wait().unwrap();
    }
    store
        .append(id, 1, vec![ended(protocol::session::Outcome::Completed)])
        .wait()
        .unwrap();
}

/// A store whose rows are `texts`, under a title that no test looks for.
fn store_of(dir: &std::path::Path, texts: &[&str]) -> (Store, SessionId) {
    let (store, _) = open(dir);
    let id = session(&store);
    store.rename_session(&id, "T").wait().unwrap();
    let owned: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let inner = (store.clone(), id.clone());
    std::thread::spawn(move || {
        let texts: Vec<&str> = owned.iter().map(String::as_str).collect();
        say(&inner.0, &inner.1, &texts);
    })
    .join()
    .unwrap();
    (store, id)
}

fn made(texts: &'static [&'static str]) -> (tempfile::TempDir, Store, SessionId) {
    std::thread::spawn(move || {
        let dir = tempfile::tempdir().unwrap();
        let (store, id) = store_of(dir.path(), texts);
        (dir, store, id)
    })
    .join()
    .unwrap()
}

#[tokio::test]
async fn words_are_found_in_every_script() {
    let (_dir, store, _) = made(&[
        "Die Größe des Fensters",
        "a naïve approach",
        "全文搜索很快",
        "call parse_http_header() now",
        "she said \"stop*\" NEAR the -end",
        "100% of a_b",
    ]);
    let check = async |text: &str, expected: &[&str]| {
        let hits = find(&store, text).await;
        let found: Vec<String> = hits
            .iter()
            .map(|hit| hit.snippet.replace([MARK_START, MARK_END], ""))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    };
    check("größe", &["Die Größe des Fensters"]).await;
    check("grosse", &[]).await;
    check("naive", &["a naïve approach"]).await;
    check("搜索很", &["全文搜索很快"]).await;
    check("搜索", &["全文搜索很快"]).await;
    check("http_hea", &["call parse_http_header() now"]).await;
    check("header now call", &["call parse_http_header() now"]).await;
    check("header window", &[]).await;
    check("\"stop*\"", &["she said \"stop*\" NEAR the -end"]).await;
    check("stop* NEAR -end", &["she said \"stop*\" NEAR the -end"]).await;
    check("0%", &["100% of a_b"]).await;
    check("a_b", &["100% of a_b"]).await;
    check("a_c", &[]).await;
    check("appr ve", &["a naïve approach"]).await;
}

#[tokio::test]
async fn no_query_is_ever_an_error() {
    let (_dir, store, _) = made(&["some text"]);
    let long = "x".repeat(10_000);
    let many = "word ".repeat(5_000);
    for text in [
        "",
        " ",
        "\"",
        "\"\"",
        "'",
        "*",
        "a*",
        "NEAR",
        "NEAR(",
        "AND",
        "a OR b",
        "-",
        "--",
        "(",
        ")",
        "^abc",
        "text:",
        "{a b}: c",
        "\\",
        "%",
        "_",
        "\u{0}",
        "a\u{0}b\u{0}c",
        "\u{2}\u{3}",
        "日",
        "日本",
        "🦀",
        "🦀🦀🦀",
        "\u{301}\u{301}\u{301}",
        &long,
        &many,
    ] {
        let found = store.search(query(text)).await;
        assert!(found.is_ok(), "{text:.20?}: {found:?}");
    }
}

#[tokio::test]
async fn hits_come_newest_first_with_marks_and_a_limit() {
    let (_dir, store, id) = made(&["needle one", "other", "needle two", "a NEEDLE three"]);
    let hits = find(&store, "needle").await;
    let seqs: Vec<Option<u64>> = hits.iter().map(|hit| hit.seq).collect();
    assert_eq!(seqs, [Some(7), Some(6), Some(4)]);
    assert_eq!(
        hits[0].snippet,
        format!("a {MARK_START}NEEDLE{MARK_END} three")
    );
    assert_eq!(
        (&hits[0].session_id, hits[0].workspace.as_str()),
        (&id, "/w")
    );
    let few = store
        .search(Query {
            limit: 2,
            ..query("needle")
        })
        .await
        .unwrap();
    assert_eq!(few, hits[..2]);
}

#[tokio::test]
async fn titles_are_found_before_rows() {
    let (_dir, store, id) = made(&["fix the parser"]);
    store.rename_session(&id, "Parser work").await.unwrap();
    let hits = find(&store, "parser").await;
    assert_eq!(hits.len(), 2);
    assert_eq!((hits[0].seq, hits[1].seq), (None, Some(4)));
    assert_eq!(
        hits[0].snippet,
        format!("{MARK_START}Parser{MARK_END} work")
    );
}

#[tokio::test]
async fn a_search_can_be_kept_to_a_folder_or_a_session() {
    let (_dir, store, first) = made(&["needle here"]);
    let other = NewSession {
        workspace: "/w-2".to_owned(),
        ..new_session("/w")
    };
    let second = store.create_session(other).await.unwrap().session_id;
    store
        .append(&second, 1, vec![started(), user("needle there")])
        .await
        .unwrap();
    let in_folder = Query {
        workspace: Some("/w".to_owned()),
        ..query("needle")
    };
    let hits = store.search(in_folder).await.unwrap();
    assert_eq!(
        hits.iter().map(|hit| &hit.session_id).collect::<Vec<_>>(),
        [&first]
    );
    let in_session = Query {
        session_id: Some(second.clone()),
        ..query("needle")
    };
    let hits = store.search(in_session).await.unwrap();
    assert!(hits.iter().all(|hit| hit.session_id == second));
    assert_eq!(hits.len(), 2, "its title and its row");
    store.delete_session(&second).await.unwrap();
    assert_eq!(
        find(&store, "needle").await.len(),
        1,
        "what is deleted is not found"
    );
}

#[tokio::test]
async fn calls_are_found_by_name_arguments_and_result() {
    let (_dir, store, id) = made(&[]);
    let events = vec![
        started(),
        says(1, "", &["c1"]),
        read_call("c1"),
        runs("c1"),
        result("c1", CallStatus::Ok, "the secret ingredient"),
    ];
    store.append(&id, 2, events).await.unwrap();
    for text in ["read_file", "src/a.rs", "ingredient"] {
        assert_eq!(find(&store, text).await.len(), 1, "{text}");
    }
}

#[tokio::test]
async fn a_damaged_index_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_owned();
    let inner = path.clone();
    std::thread::spawn(move || store_of(&inner, &["needle one", "needle two"]))
        .join()
        .unwrap();
    let (store, _) = open(&path);
    assert_eq!(find(&store, "needle").await.len(), 2);
    store.close();
    let conn = rusqlite::Connection::open(path.join(store::DATABASE_FILE)).unwrap();
    let changed = conn
        .execute("UPDATE item_fts_data SET block=x'00112233' WHERE id>10", [])
        .unwrap();
    assert!(changed > 0);
    drop(conn);
    let (store, report) = open(&path);
    assert_eq!(report.set_aside, None);
    assert_eq!(find(&store, "needle").await.len(), 2);
    assert_eq!(*store.state().borrow(), protocol::event::StoreState::Ok);
}

#[tokio::test]
async fn a_long_session_is_indexed_as_it_grows() {
    let (dir, store, id) = made(&[]);
    let many = (0..5000).map(|n| user(&format!("message number {n}")));
    let events = std::iter::once(started()).chain(many).collect();
    store.append(&id, 2, events).await.unwrap();
    // Answered only after what the writer does behind the operation before it.
    store.append(&id, 2, vec![user("the last")]).await.unwrap();
    store.close();
    let conn = rusqlite::Connection::open(dir.path().join(store::DATABASE_FILE)).unwrap();
    let upto: i64 = conn
        .query_row("SELECT upto FROM search_state", [], |row| row.get(0))
        .unwrap();
    assert!(
        upto > 900,
        "without a search it is only so far behind: {upto}"
    );
    conn.execute_batch("INSERT INTO item_fts(item_fts, rank) VALUES('integrity-check', 0)")
        .unwrap();
    drop(conn);
    let (store, _) = open(dir.path());
    assert_eq!(
        find(&store, "\"number 4999\"").await.len(),
        0,
        "quotes are part of a word"
    );
    assert_eq!(find(&store, "4999").await.len(), 1);
    assert_eq!(find(&store, "message").await.len(), 50);
}

#[test]
fn rows_are_indexed_when_nobody_has_written_for_a_moment() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let events = std::iter::once(started())
        .chain((0..100).map(|n| user(&format!("message {n}"))))
        .collect();
    store.append(&id, 1, events).wait().unwrap();
    let conn = rusqlite::Connection::open(dir.path().join(store::DATABASE_FILE)).unwrap();
    let behind = || -> i64 {
        let sql = "SELECT (SELECT max(rowid) FROM item) - upto FROM search_state";
        conn.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    let started = std::time::Instant::now();
    while behind() > 0 {
        assert!(
            started.elapsed().as_secs() < 30,
            "still {} rows behind",
            behind()
        );
        std::thread::yield_now();
    }
}
