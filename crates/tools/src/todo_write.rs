//! `todo_write`: the list of steps the agent shows the person.
//!
//! Each call replaces the whole list. An unchanged list is no event.

use crate::args::parse;
use async_trait::async_trait;
use protocol::confirmation::Preview;
use protocol::todo::{Todo, TodoStatus};
use protocol::tool_call::{Display, ToolFailure, ToolKind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use tool_api::{
    ExecContext, Invocation, PathFields, Permission, QuestionBody, Schema, Tool, ToolResult,
};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new(json!({
        "type": "object", "additionalProperties": false, "required": ["todos"],
        "properties": {"todos": {"type": "array", "maxItems": 100, "description": "The whole list, in order.",
            "items": {"type": "object", "additionalProperties": false, "required": ["id", "content", "status"],
                "properties": {
                    "id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "Unique in the list."},
                    "content": {"type": "string", "minLength": 1, "maxLength": 500, "description": "What is to be done."},
                    "status": {"type": "string", "enum": ["pending", "in_progress", "completed"]}}}}}
    }))
});

/// The list of one session, shared with whoever restores it.
pub type TodoList = Arc<Mutex<Vec<Todo>>>;

/// The tool.
pub struct TodoWrite {
    list: TodoList,
}

impl TodoWrite {
    /// Writes to this list.
    #[must_use]
    pub fn new(list: TodoList) -> Self {
        Self { list }
    }
}

#[derive(Deserialize)]
struct Args {
    todos: Vec<Todo>,
}

impl Tool for TodoWrite {
    fn name(&self) -> &'static str {
        "todo_write"
    }
    fn description(&self) -> &'static str {
        include_str!("todo_write/description.md")
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Think
    }
    fn schema(&self) -> &Schema {
        &SCHEMA
    }
    fn path_fields(&self) -> PathFields {
        PathFields::None("the list holds words, not paths")
    }
    fn build(&self, args: Value) -> Result<Box<dyn Invocation>, ToolFailure> {
        let Args { todos } = parse(&args)?;
        let mut seen = BTreeSet::new();
        for todo in &todos {
            if todo.id.trim().is_empty() || todo.content.trim().is_empty() {
                return Err(refused(
                    "every item needs an id and a content that are not blank",
                ));
            }
            if !seen.insert(todo.id.as_str()) {
                return Err(refused(&format!(
                    "the id {:?} occurs twice; make ids unique",
                    todo.id
                )));
            }
        }
        Ok(Box::new(Call {
            args,
            todos,
            list: self.list.clone(),
        }))
    }
}

fn refused(message: &str) -> ToolFailure {
    ToolFailure {
        code: "INVALID_TOOL_PARAMS".to_owned(),
        reason: None,
        message: message.to_owned(),
    }
}

struct Call {
    args: Value,
    todos: Vec<Todo>,
    list: TodoList,
}

#[async_trait]
impl Invocation for Call {
    fn args(&self) -> &Value {
        &self.args
    }
    fn subject(&self) -> String {
        let done = count(&self.todos, TodoStatus::Completed);
        format!("{done} of {}", self.todos.len())
    }
    fn default_permission(&self) -> Permission {
        Permission::Allow
    }
    fn question(&self) -> QuestionBody {
        let body = self
            .todos
            .iter()
            .map(|todo| todo.content.clone())
            .collect::<Vec<_>>()
            .join("\n");
        QuestionBody {
            proposal_id: "todo".into(),
            preview: Preview::Info {
                title: "todo_write".to_owned(),
                body,
            },
            warnings: Vec::new(),
            confirm_reasons: Vec::new(),
            modifiable: false,
        }
    }
    async fn execute(self: Box<Self>, _ctx: ExecContext) -> ToolResult {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let display = display(&list, &self.todos);
        if *list == self.todos {
            return ToolResult::text("No change.", display);
        }
        list.clone_from(&self.todos);
        let mut result = ToolResult::text(summary(&self.todos), display);
        result.todos = Some(self.todos);
        result
    }
}

fn count(todos: &[Todo], status: TodoStatus) -> usize {
    todos.iter().filter(|todo| todo.status == status).count()
}

fn summary(todos: &[Todo]) -> String {
    let done = count(todos, TodoStatus::Completed);
    let active = count(todos, TodoStatus::InProgress);
    let mut text = format!(
        "Todo list saved: {done}/{} done, {active} in progress.",
        todos.len()
    );
    if active > 1 {
        text.push_str(" More than one step is in progress; keep one.");
    }
    text
}

fn display(before: &[Todo], after: &[Todo]) -> Display {
    let old = |id: &str| before.iter().find(|todo| todo.id == id);
    let created = after.iter().filter(|todo| old(&todo.id).is_none()).count();
    let done = after
        .iter()
        .filter(|todo| {
            todo.status == TodoStatus::Completed
                && old(&todo.id).is_none_or(|was| was.status != TodoStatus::Completed)
        })
        .count();
    Display::Todos {
        todos: after.to_vec(),
        done: u32::try_from(done).unwrap_or(u32::MAX),
        created: u32::try_from(created).unwrap_or(u32::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{context, text_of};

    async fn write(list: &TodoList, todos: Value) -> ToolResult {
        let call = TodoWrite::new(list.clone())
            .build(json!({ "todos": todos }))
            .unwrap();
        call.execute(context()).await
    }

    #[tokio::test]
    async fn the_list_is_replaced_and_counted() {
        let list = TodoList::default();
        let result = write(
            &list,
            json!([{"id": "1", "content": "read", "status": "completed"},
            {"id": "2", "content": "fix", "status": "in_progress"}]),
        )
        .await;
        assert_eq!(
            text_of(&result),
            "Todo list saved: 1/2 done, 1 in progress."
        );
        assert_eq!(list.lock().unwrap().len(), 2);
        assert!(matches!(
            result.display,
            Display::Todos {
                done: 1,
                created: 2,
                ..
            }
        ));
    }

    #[tokio::test]
    async fn an_unchanged_list_is_no_event() {
        let list = TodoList::default();
        let todos = json!([{"id": "1", "content": "read", "status": "pending"}]);
        assert!(write(&list, todos.clone()).await.todos.is_some());
        let again = write(&list, todos).await;
        assert_eq!(text_of(&again), "No change.");
        assert!(again.todos.is_none());
    }

    #[tokio::test]
    async fn two_active_steps_are_named() {
        let result = write(
            &TodoList::default(),
            json!([{"id": "1", "content": "a", "status": "in_progress"},
            {"id": "2", "content": "b", "status": "in_progress"}]),
        )
        .await;
        assert!(text_of(&result).ends_with("More than one step is in progress; keep one."));
    }

    #[test]
    fn blank_and_double_ids_are_refused() {
        let tool = TodoWrite::new(TodoList::default());
        for todos in [
            json!([{"id": " ", "content": "a", "status": "pending"}]),
            json!([{"id": "1", "content": "\t", "status": "pending"}]),
            json!([{"id": "1", "content": "a", "status": "pending"}, {"id": "1", "content": "b", "status": "pending"}]),
        ] {
            let failure = tool.build(json!({ "todos": todos })).err().unwrap();
            assert_eq!(failure.code, "INVALID_TOOL_PARAMS");
        }
    }
}
