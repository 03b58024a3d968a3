//! The connections that read. They are opened when first needed, because a start needs none.

use crate::error::Error;
use crate::open::{self, Sharing};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// One for the window, one for a search beside it.
const READERS: usize = 2;

/// Lends connections to one borrower each.
pub(crate) struct ReaderPool {
    database: PathBuf,
    sharing: Sharing,
    pool: Mutex<Pool>,
    changed: Condvar,
}

struct Pool {
    idle: Vec<Connection>,
    /// Idle and lent ones.
    open: usize,
    closed: bool,
}

/// A connection on loan; it comes back even if its borrower panics.
pub(crate) struct Lent<'a> {
    pool: &'a ReaderPool,
    conn: Option<Connection>,
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change under these locks is a single step, so a panic elsewhere cannot leave half of one.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ReaderPool {
    pub(crate) fn new(database: PathBuf, sharing: Sharing) -> Self {
        Self {
            database,
            sharing,
            pool: Mutex::new(Pool {
                idle: Vec::new(),
                open: 0,
                closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// A connection, as soon as one is free.
    pub(crate) fn borrow(&self) -> Result<Lent<'_>, Error> {
        let mut pool = locked(&self.pool);
        loop {
            if pool.closed {
                return Err(Error::Closed);
            }
            if let Some(conn) = pool.idle.pop() {
                return Ok(self.lend(conn));
            }
            if pool.open < READERS {
                let conn = open::reader(&self.database, self.sharing)?;
                pool.open += 1;
                return Ok(self.lend(conn));
            }
            pool = self
                .changed
                .wait(pool)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lend(&self, conn: Connection) -> Lent<'_> {
        Lent {
            pool: self,
            conn: Some(conn),
        }
    }

    /// Refuses new borrowers and waits for those there are.
    pub(crate) fn close(&self) {
        let mut pool = locked(&self.pool);
        pool.closed = true;
        pool.open -= pool.idle.len();
        pool.idle.clear();
        self.changed.notify_all();
        while pool.open > 0 {
            pool = self
                .changed
                .wait(pool)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Lent<'_> {
    pub(crate) fn conn(&self) -> Result<&Connection, Error> {
        self.conn.as_ref().ok_or(Error::Closed)
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut pool = locked(&self.pool.pool);
        match self.conn.take() {
            Some(conn) if !pool.closed => pool.idle.push(conn),
            _ => pool.open -= 1,
        }
        self.pool.changed.notify_all();
    }
}
