-- What runs or ran a shell: the process that can be proven to be it after a restart, and where its files lie. No fact
-- says this, so it is not derived. The row of a command somebody waited for goes when nothing of it runs any more; the
-- row of a background shell stays as long as the shell is listed. `is_gone`: nothing of it can be running.
CREATE TABLE shell_run(
  session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  shell_id TEXT NOT NULL, command TEXT NOT NULL, cwd TEXT NOT NULL,
  foreground INTEGER NOT NULL, started_at INTEGER NOT NULL, ended_at INTEGER,
  pid INTEGER NOT NULL, pid_start INTEGER NOT NULL, host_pid INTEGER NOT NULL, host_start INTEGER NOT NULL,
  boot_id TEXT NOT NULL, spool_dir TEXT NOT NULL,
  signal TEXT, raw_bytes INTEGER NOT NULL, dropped_from INTEGER, dropped_to INTEGER,
  leftovers INTEGER NOT NULL, is_gone INTEGER NOT NULL,
  PRIMARY KEY(session_id, shell_id)) WITHOUT ROWID;
CREATE INDEX shell_run_present ON shell_run(session_id) WHERE is_gone=0;
