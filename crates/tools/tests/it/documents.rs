//! Pictures and PDF documents. Needs Poppler's programs (`poppler-utils`), as reading a document does.

use crate::kit::{Kit, text};
use protocol::message::Part;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use tool_api::{StopCause, ToolResult};
use tools::PdfPrograms;

/// A 1 × 1 picture, by its first bytes a GIF.
const PIXEL: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// A document with one line on each page; no line for an empty text.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len())
        .map(|at| format!("{} 0 R", 4 + 2 * at))
        .collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!(
            "<< /Type /Pages /Kids [{}] /Count {} >>",
            kids.join(" "),
            pages.len()
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    for (at, words) in pages.iter().enumerate() {
        let drawn = match *words {
            "" => "0 0 10 10 re f".to_owned(),
            words => format!("BT /F1 12 Tf 72 700 Td ({words}) Tj ET"),
        };
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
            5 + 2 * at
        ));
        objects.push(format!(
            "<< /Length {} >>\nstream\n{drawn}\nendstream",
            drawn.len()
        ));
    }
    let mut out = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.push_str(&format!("{} 0 obj\n{object}\nendobj\n", at + 1));
    }
    let start = out.len();
    out.push_str(&format!(
        "xref\n0 {}\n0000000000 65535 f \n",
        objects.len() + 1
    ));
    for place in places {
        out.push_str(&format!("{place:010} 00000 n \n"));
    }
    out.push_str(&format!(
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n",
        objects.len() + 1
    ));
    out.into_bytes()
}

async fn read(kit: &Kit, path: &str, pages: Option<&str>) -> ToolResult {
    let mut args = json!({ "file_path": path });
    if let Some(pages) = pages {
        args["pages"] = Value::from(pages);
    }
    kit.run("read_file", args).await
}

/// Code and reason of a failure.
fn failure(result: &ToolResult) -> (&str, Option<&str>) {
    let failure = result.failure.as_ref().unwrap();
    (&failure.code, failure.reason.as_deref())
}

#[tokio::test]
async fn a_picture_reaches_the_model_as_a_picture() {
    let kit = Kit::new();
    let path = kit.write("photo.jpg", PIXEL);
    let result = kit.run("read_file", json!({ "file_path": path })).await;
    assert_eq!(result.failure, None);
    let [Part::Text { text }, Part::Image { image }] = result.content.as_slice() else {
        panic!("a text and a picture expected, got {:?}", result.content);
    };
    assert_eq!(text, "[picture; image/gif; 1 × 1 pixels]");
    assert_eq!(
        (image.mime.as_str(), image.width, image.height),
        ("image/gif", 1, 1)
    );
    assert!(kit.backup.holds(PIXEL), "where requests find it");
    let args = json!({"file_path": path, "old_string": "GIF", "new_string": "PNG"});
    assert_eq!(
        kit.prepare("edit", args).await.err().unwrap(),
        "EDIT_REQUIRES_PRIOR_READ",
        "a picture is no base for an edit"
    );
}

#[tokio::test]
async fn the_pages_of_a_document_are_text() {
    let kit = Kit::new();
    let path = kit.write(
        "-paper.pdf",
        pdf(&["first page", "second page", "third page"]),
    );
    let result = read(&kit, &path, None).await;
    assert_eq!(result.failure, None);
    let all = text(&result);
    assert!(
        all.starts_with("[PDF; pages 1-3 of 3]\n[page 1]\n"),
        "{all}"
    );
    assert!(
        all.contains("first page\n[page 2]\n") && all.contains("third page"),
        "{all}"
    );
    let result = read(&kit, &path, Some("2")).await;
    let one = text(&result);
    assert!(
        one.starts_with("[PDF; pages 2-2 of 3]\n[page 2]\n"),
        "{one}"
    );
    assert!(!one.contains("first") && !one.contains("third"), "{one}");
    let result = read(&kit, &path, Some("3-9")).await;
    assert!(
        text(&result).starts_with("[PDF; pages 3-3 of 3]"),
        "{}",
        text(&result)
    );
    assert_eq!(
        failure(&read(&kit, &path, Some("4")).await),
        ("OFFSET_OUT_OF_RANGE", None)
    );
    assert_eq!(
        kit.prepare("read_file", json!({"file_path": path, "pages": "1-21"}))
            .await
            .err()
            .unwrap(),
        "INVALID_TOOL_PARAMS"
    );
}

#[tokio::test]
async fn a_long_document_is_read_in_parts() {
    let kit = Kit::new();
    let path = kit.write("long.pdf", pdf(&["words"; 21]));
    let result = read(&kit, &path, None).await;
    assert_eq!(failure(&result), ("FILE_TOO_LARGE", Some("pages")));
    assert!(text(&result).contains("21 pages"), "{}", text(&result));
    assert_eq!(read(&kit, &path, Some("2-21")).await.failure, None);
}

#[tokio::test]
async fn documents_without_text_say_why() {
    let kit = Kit::new();
    let path = kit.write("scan.pdf", pdf(&[""]));
    let result = read(&kit, &path, None).await;
    assert_eq!(
        failure(&result),
        ("READ_CONTENT_FAILURE", Some("image_only"))
    );
    let path = kit.write("broken.pdf", "%PDF-1.7\nnothing of the kind\n");
    let result = read(&kit, &path, None).await;
    assert_eq!(failure(&result), ("READ_CONTENT_FAILURE", Some("damaged")));
}

/// A kit whose programs for documents are this script.
fn with_script(kit: &Kit, script: &str) -> Kit {
    let program = kit.write("program", format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    Kit::with(PdfPrograms {
        pdftotext: program.into(),
        pdfinfo: "no-such-program".into(),
        text_time: Duration::from_millis(300),
        ..PdfPrograms::default()
    })
}

#[tokio::test]
async fn failures_of_the_program_are_told_apart() {
    let check = async |script: &str, reason: &str| {
        let other = Kit::new();
        let kit = with_script(&other, script);
        let path = kit.write("paper.pdf", pdf(&["words"]));
        let result = read(&kit, &path, None).await;
        assert_eq!(
            failure(&result),
            ("READ_CONTENT_FAILURE", Some(reason)),
            "{script}"
        );
    };
    check(
        "echo 'Command Line Error: Incorrect password' >&2; exit 1",
        "password",
    )
    .await;
    check("exec sleep 60", "timeout").await;
    check("echo 'Syntax Error: no trailer' >&2; exit 1", "damaged").await;
    check("head -c 200000 /dev/zero >&2; exit 1", "damaged").await;
    let kit = Kit::with(PdfPrograms {
        pdftotext: "no-such-program".into(),
        pdfinfo: "no-such-program".into(),
        ..PdfPrograms::default()
    });
    let path = kit.write("paper.pdf", pdf(&["words"]));
    let result = read(&kit, &path, None).await;
    assert_eq!(
        failure(&result),
        ("READ_CONTENT_FAILURE", Some("tool_missing"))
    );
    assert!(text(&result).contains("poppler-utils"), "{}", text(&result));
}

#[tokio::test]
async fn more_text_than_is_shown_is_cut() {
    let other = Kit::new();
    let kit = with_script(&other, "yes words");
    let path = kit.write("paper.pdf", pdf(&["words"]));
    let result = read(&kit, &path, None).await;
    assert_eq!(result.failure, None);
    assert!(text(&result).contains("[text cut after 100000 characters"));
    assert!(text(&result).len() < 101_000);
}

#[tokio::test]
async fn a_large_document_of_unknown_length_needs_pages() {
    let other = Kit::new();
    let kit = with_script(&other, "echo words");
    let mut bytes = pdf(&["words"]);
    bytes.resize(3_000_001, b'\n');
    let path = kit.write("paper.pdf", bytes);
    assert_eq!(
        failure(&read(&kit, &path, None).await),
        ("FILE_TOO_LARGE", Some("pages"))
    );
    assert_eq!(read(&kit, &path, Some("1")).await.failure, None);
}

#[tokio::test]
async fn a_cancelled_read_ends_its_program() {
    let other = Kit::new();
    let kit = with_script(&other, "exec sleep 60");
    let path = kit.write("paper.pdf", pdf(&["words"]));
    kit.cancel.cancel();
    let result = read(&kit, &path, None).await;
    assert_eq!(result.stopped, Some(StopCause::Cancelled));
}
