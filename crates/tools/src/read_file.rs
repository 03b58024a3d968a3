//! `read_file`: numbered lines of a text file, the cells of a notebook, a picture, the text of a document.

mod pdf;

use crate::args::parse;
use crate::files_deps::FileDeps;
use crate::search::{blocking, failed, failure, permission};
use async_trait::async_trait;
use files::{
    NotebookPage, PdfFile, PdfPages, Picture, ReadContext, ReadLimits, ReadOutcome, ReadRange,
    Resolved, TextPage, UNCHANGED_TEXT, read_file,
};
use protocol::message::{ImageRef, Part};
use protocol::tool_call::{Display, ToolFailure, ToolKind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;
use tool_api::{
    ExecContext, Invocation, PathField, PathFields, PathRole, Permission, QuestionBody, Schema,
    Tool, ToolResult,
};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new(json!({
        "type": "object", "additionalProperties": false, "required": ["file_path"],
        "properties": {
            "file_path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "Absolute path."},
            "offset": {"type": "integer", "minimum": 0, "description": "First line, from 1; of a notebook the first cell."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 10000, "description": "Lines, or cells of a notebook; 2000 if absent."},
            "pages": {"type": "string", "minLength": 1, "maxLength": 20, "description": "For a PDF: N or N-M, from 1, at most 20 pages."}}
    }))
});

/// The tool.
pub struct ReadFile {
    deps: FileDeps,
}

impl ReadFile {
    /// Reads with these.
    #[must_use]
    pub fn new(deps: FileDeps) -> Self {
        Self { deps }
    }
}

#[derive(Deserialize)]
struct Args {
    file_path: String,
    offset: Option<usize>,
    limit: Option<usize>,
    pages: Option<String>,
}

impl Tool for ReadFile {
    fn name(&self) -> &'static str {
        "read_file"
    }
    fn description(&self) -> &'static str {
        include_str!("read_file/description.md")
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }
    fn schema(&self) -> &Schema {
        &SCHEMA
    }
    fn path_fields(&self) -> PathFields {
        PathFields::Fields(&[PathField {
            property: "file_path",
            role: PathRole::File,
        }])
    }
    fn build(&self, args: Value) -> Result<Box<dyn Invocation>, ToolFailure> {
        let Args {
            file_path,
            offset,
            limit,
            pages,
        } = parse(&args)?;
        let pages = pages.as_deref().map(parse_pages).transpose()?;
        let target = self.deps.resolve(&file_path)?;
        // Line 0 is taken as line 1: some models count from nought.
        let range = ReadRange {
            offset: offset.map(|line| line.max(1)),
            limit,
        };
        Ok(Box::new(Call {
            args,
            target,
            range,
            pages,
            deps: self.deps.clone(),
        }))
    }
}

struct Call {
    args: Value,
    target: Resolved,
    range: ReadRange,
    pages: Option<PdfPages>,
    deps: FileDeps,
}

#[async_trait]
impl Invocation for Call {
    fn args(&self) -> &Value {
        &self.args
    }
    fn subject(&self) -> String {
        self.deps.display_path(&self.target.path)
    }
    fn default_permission(&self) -> Permission {
        if self.deps.is_output(&self.target.path) {
            return Permission::Allow;
        }
        permission(self.target.location)
    }
    fn question(&self) -> QuestionBody {
        crate::question::info("read_file", &self.args)
    }
    async fn execute(self: Box<Self>, ctx: ExecContext) -> ToolResult {
        let (target, range, pages) = (self.target.clone(), self.range, self.pages);
        let deps = self.deps.clone();
        let read = blocking(ctx.cancel.clone(), move |_| {
            let context = ReadContext {
                cache: &deps.cache,
                roots: &deps.roots,
                ignore_name: &deps.ignore_name,
                limits: ReadLimits::default(),
                now_ns: (deps.now_ns)(),
            };
            let outcome = read_file(&target, range, pages, &context)?;
            Ok(match outcome {
                ReadOutcome::Unchanged => Read::Unchanged,
                ReadOutcome::Page(page) => Read::Lines(page),
                ReadOutcome::Notebook(page) => Read::Cells(page),
                ReadOutcome::Picture(picture) => Read::Picture(keep(*picture, &deps)),
                ReadOutcome::Pdf(file) => Read::Pdf(file),
            })
        })
        .await;
        let read = match read {
            Ok(Ok(read)) => read,
            Ok(Err(error)) => return failed(&error),
            Err(failure) => return ToolResult::failed(failure),
        };
        match read {
            Read::Unchanged => self.unchanged(),
            Read::Lines(page) => self.lines(&page),
            Read::Cells(page) => self.cells(&page),
            Read::Picture(kept) => self.picture(kept),
            Read::Pdf(file) => {
                let read = pdf::read(&self.target.path, file, self.pages, (&self.deps.pdf, &ctx));
                self.document(read.await)
            }
        }
    }
}

/// What was read; a picture is in the store already.
enum Read {
    Unchanged,
    Lines(Box<TextPage>),
    Cells(Box<NotebookPage>),
    Picture(Result<(Picture, String), ToolFailure>),
    Pdf(PdfFile),
}

/// Puts a picture where requests find it.
fn keep(picture: Picture, deps: &FileDeps) -> Result<(Picture, String), ToolFailure> {
    match (deps.keep_picture)(picture.bytes.clone()) {
        Ok(sha256) => Ok((picture, sha256)),
        Err(error) => Err(ToolFailure {
            code: "READ_CONTENT_FAILURE".to_owned(),
            reason: Some("not_kept".to_owned()),
            message: format!("the picture was read but could not be kept: {error}. Tell the user"),
        }),
    }
}

fn parse_pages(text: &str) -> Result<PdfPages, ToolFailure> {
    PdfPages::parse(text).ok_or_else(|| {
        failure(&files::Error::InvalidParams {
            problem: format!(
                "pages must be N or N-M, counted from 1, at most {} pages, not {text:?}",
                PdfPages::MAX
            ),
        })
    })
}

impl Call {
    /// A text for the model. Says first if another spelling of the path was read.
    fn told(&self, text: &str) -> String {
        match self.target.variant {
            None => text.to_owned(),
            Some(variant) => format!("[read {} {}]\n{text}", self.subject(), variant.as_str()),
        }
    }

    fn lines(&self, page: &TextPage) -> ToolResult {
        let display = Display::FileRead {
            path: self.subject(),
            first_line: page.first_line as u64,
            last_line: (page.first_line + page.n_lines).saturating_sub(1) as u64,
            total_lines: page.total.n,
        };
        ToolResult::text(self.told(&page.text), display)
    }

    fn cells(&self, page: &NotebookPage) -> ToolResult {
        let last = (page.first_cell + page.n_shown).saturating_sub(1);
        let display = Display::Text {
            text: format!(
                "{}: cells {}–{last} of {}",
                self.subject(),
                page.first_cell.min(last),
                page.n_cells
            ),
        };
        ToolResult::text(self.told(&page.text), display)
    }

    fn unchanged(&self) -> ToolResult {
        let display = Display::FileRead {
            path: self.subject(),
            first_line: 0,
            last_line: 0,
            total_lines: 0,
        };
        ToolResult::text(UNCHANGED_TEXT, display)
    }

    fn document(&self, read: Result<pdf::PdfText, pdf::Ended>) -> ToolResult {
        match read {
            Ok(shown) => {
                let display = Display::Text {
                    text: format!("{}: {}", self.subject(), shown.what),
                };
                ToolResult::text(
                    self.told(&format!("[PDF; {}]\n{}", shown.what, shown.text)),
                    display,
                )
            }
            Err(pdf::Ended::Failed(failure)) => ToolResult::failed(failure),
            Err(pdf::Ended::Cancelled) => failed(&files::Error::Cancelled),
        }
    }

    fn picture(&self, kept: Result<(Picture, String), ToolFailure>) -> ToolResult {
        let (picture, sha256) = match kept {
            Ok(kept) => kept,
            Err(failure) => return ToolResult::failed(failure),
        };
        let what = describe(&picture);
        let display = Display::Text {
            text: format!("{}: {what}", self.subject()),
        };
        let mut result = ToolResult::text(self.told(&format!("[picture; {what}]")), display);
        result.content.push(Part::Image {
            image: ImageRef {
                sha256,
                mime: picture.mime.to_owned(),
                width: picture.width,
                height: picture.height,
            },
        });
        result
    }
}

fn describe(picture: &Picture) -> String {
    let Picture {
        mime,
        width,
        height,
        ..
    } = picture;
    match picture.scaled_from {
        None => format!("{mime}; {width} × {height} pixels"),
        Some(from) => format!(
            "{mime}; {} × {} pixels, scaled down to {width} × {height}",
            from.width, from.height
        ),
    }
}
