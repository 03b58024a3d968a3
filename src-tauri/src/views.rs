//! Which views of the page are fed by which task.
//!
//! A view is named by the id of its channel, which is unique in a page. Forgetting a view ends its task. A page that
//! is loaded anew has no views, so all are forgotten then; a channel of the old page could not be heard any more.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tauri::async_runtime::JoinHandle;

/// The tasks that feed the views, by channel, each with what steers it.
pub(crate) struct Views<T> {
    by_channel: Mutex<HashMap<u32, View<T>>>,
}

struct View<T> {
    task: JoinHandle<()>,
    control: T,
}

impl<T> Default for Views<T> {
    fn default() -> Self {
        Self {
            by_channel: Mutex::default(),
        }
    }
}

impl<T> Views<T> {
    /// Keeps the task that feeds a view.
    pub(crate) fn keep(&self, channel_id: u32, task: JoinHandle<()>, control: T) {
        if let Some(replaced) = self.lock().insert(channel_id, View { task, control }) {
            replaced.task.abort();
        }
    }

    /// Steers the task of a view; nothing happens if there is none.
    pub(crate) fn steer(&self, channel_id: u32, act: impl FnOnce(&T)) {
        if let Some(view) = self.lock().get(&channel_id) {
            act(&view.control);
        }
    }

    /// Ends the task of a view; nothing happens if there is none.
    pub(crate) fn forget(&self, channel_id: u32) {
        if let Some(view) = self.lock().remove(&channel_id) {
            view.task.abort();
        }
    }

    /// Ends the tasks of all views.
    pub(crate) fn forget_all(&self) {
        for (_, view) in self.lock().drain() {
            view.task.abort();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, View<T>>> {
        self.by_channel
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use tokio::sync::oneshot;

    /// A task that never ends by itself, and a receiver that hears when it is dropped.
    fn endless_task() -> (JoinHandle<()>, oneshot::Receiver<()>) {
        let (alive, dropped) = oneshot::channel::<()>();
        let task = tauri::async_runtime::spawn(async move {
            let _alive = alive;
            pending::<()>().await;
        });
        (task, dropped)
    }

    fn ended(dropped: oneshot::Receiver<()>) -> bool {
        tauri::async_runtime::block_on(dropped).is_err()
    }

    #[test]
    fn forgetting_a_view_ends_its_task_alone() {
        let views = Views::default();
        let (first, first_dropped) = endless_task();
        let (second, mut second_dropped) = endless_task();
        views.keep(1, first, ());
        views.keep(2, second, ());
        views.forget(1);
        assert!(ended(first_dropped), "the task of view 1 ends");
        assert!(
            second_dropped
                .try_recv()
                .is_err_and(|e| e == oneshot::error::TryRecvError::Empty),
            "view 2 goes on"
        );
        views.forget_all();
        assert!(ended(second_dropped), "a new page has no views");
    }

    #[test]
    fn a_channel_that_is_used_again_replaces_its_view() {
        let views = Views::default();
        let (first, first_dropped) = endless_task();
        let (second, _second_dropped) = endless_task();
        views.keep(7, first, "first");
        views.keep(7, second, "second");
        assert!(
            ended(first_dropped),
            "the older task would feed the view twice"
        );
        let mut seen = None;
        views.steer(7, |control| seen = Some(*control));
        assert_eq!(seen, Some("second"));
    }
}
