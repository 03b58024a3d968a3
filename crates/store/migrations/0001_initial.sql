-- `event` is the truth. `item`, `item_fts`, `shell` and the counters of `session` are derived from it, in the same
-- transaction. Times are milliseconds since 1970, UTC; order comes from `seq`, never from a time.
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE session(
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL DEFAULT 'main' CHECK(kind IN('main','subagent')),
  title TEXT NOT NULL DEFAULT '',
  title_source TEXT NOT NULL DEFAULT 'default' CHECK(title_source IN('default','auto','user')),
  workspace TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  archived_at INTEGER, deleted_at INTEGER,
  parent_session_id TEXT REFERENCES session(id) ON DELETE CASCADE, parent_call_id TEXT,
  forked_from_id TEXT, forked_from_seq INTEGER,
  provider_id TEXT NOT NULL, model TEXT NOT NULL, mode TEXT NOT NULL DEFAULT 'default',
  state TEXT NOT NULL DEFAULT 'idle' CHECK(state IN('idle','running')),
  writer_epoch INTEGER NOT NULL DEFAULT 0,
  last_seq INTEGER NOT NULL DEFAULT 0, last_turn INTEGER NOT NULL DEFAULT 0, item_count INTEGER NOT NULL DEFAULT 0,
  tok_in INTEGER NOT NULL DEFAULT 0, tok_out INTEGER NOT NULL DEFAULT 0,
  tok_cache_read INTEGER NOT NULL DEFAULT 0, tok_cache_write INTEGER NOT NULL DEFAULT 0,
  cost_micros INTEGER, last_outcome TEXT, net TEXT NOT NULL DEFAULT '{}', draft TEXT NOT NULL DEFAULT '');
CREATE INDEX session_recent ON session(updated_at DESC) WHERE deleted_at IS NULL AND kind='main';
CREATE INDEX session_parent ON session(parent_session_id) WHERE parent_session_id IS NOT NULL;
CREATE INDEX session_running ON session(id) WHERE state='running';
CREATE INDEX session_deleted ON session(deleted_at) WHERE deleted_at IS NOT NULL;
CREATE TABLE event(
  rowid INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL CHECK(seq>0), ts INTEGER NOT NULL, turn INTEGER NOT NULL,
  kind TEXT NOT NULL, v INTEGER NOT NULL DEFAULT 1,
  payload TEXT NOT NULL CHECK(json_valid(payload)),
  UNIQUE(session_id, seq));
-- The rare kinds that opening a session looks up without reading the whole log.
CREATE INDEX event_state ON event(session_id, kind, seq) WHERE kind IN('turn_started','todo_changed','queue_changed','compaction','rewound','rewind_undone');
CREATE TRIGGER event_append_only BEFORE UPDATE ON event
  BEGIN SELECT RAISE(ABORT,'event log is append-only'); END;
CREATE TABLE item(
  rowid INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL, turn INTEGER NOT NULL, step INTEGER NOT NULL DEFAULT 0, ts INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN('user','assistant','tool','summary','notice')),
  call_id TEXT, name TEXT, status TEXT, result_seq INTEGER,
  hidden_by INTEGER, excluded INTEGER NOT NULL DEFAULT 0, pruned INTEGER NOT NULL DEFAULT 0,
  est_tokens INTEGER NOT NULL DEFAULT 0,
  body TEXT NOT NULL CHECK(json_valid(body)),
  text TEXT NOT NULL DEFAULT '',
  UNIQUE(session_id, seq));
CREATE INDEX item_visible ON item(session_id, seq) WHERE hidden_by IS NULL;
CREATE INDEX item_call ON item(session_id, call_id) WHERE call_id IS NOT NULL;
CREATE INDEX item_open ON item(session_id, seq) WHERE kind='tool' AND result_seq IS NULL;
CREATE VIRTUAL TABLE item_fts USING fts5(text, content='item', content_rowid='rowid', tokenize='trigram remove_diacritics 1');
-- Rows up to `upto` are in the search index, later ones are not: indexing a row costs more than writing it, so it is
-- done for many at once, when nobody waits or before a search.
CREATE TABLE search_state(id INTEGER PRIMARY KEY CHECK(id=1), upto INTEGER NOT NULL);
INSERT INTO search_state(id,upto) VALUES(1,0);
CREATE TRIGGER item_ai AFTER INSERT ON item WHEN new.rowid<=(SELECT upto FROM search_state) BEGIN
  INSERT INTO item_fts(rowid,text) VALUES(new.rowid,new.text); END;
CREATE TRIGGER item_ad AFTER DELETE ON item WHEN old.rowid<=(SELECT upto FROM search_state) BEGIN
  INSERT INTO item_fts(item_fts,rowid,text) VALUES('delete',old.rowid,old.text); END;
CREATE TRIGGER item_au AFTER UPDATE OF text ON item WHEN old.rowid<=(SELECT upto FROM search_state) BEGIN
  INSERT INTO item_fts(item_fts,rowid,text) VALUES('delete',old.rowid,old.text);
  INSERT INTO item_fts(rowid,text) VALUES(new.rowid,new.text); END;
CREATE TABLE shell(
  session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  shell_id TEXT NOT NULL, command TEXT NOT NULL, state TEXT NOT NULL, exit_code INTEGER,
  started_at INTEGER NOT NULL, ended_at INTEGER,
  PRIMARY KEY(session_id, shell_id)) WITHOUT ROWID;
CREATE INDEX shell_running ON shell(session_id) WHERE state='running';
CREATE TABLE live_partial(
  session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  request INTEGER NOT NULL, block INTEGER NOT NULL,
  kind TEXT NOT NULL, meta TEXT NOT NULL DEFAULT '{}', text TEXT NOT NULL, updated_at INTEGER NOT NULL,
  PRIMARY KEY(session_id, request, block)) WITHOUT ROWID;
-- Drafts other than the composer's, which is `session.draft`.
CREATE TABLE draft(
  session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY(session_id, key)) WITHOUT ROWID;
-- `dropped_at`: the bytes were given up to make room; the row stays because versions of files still name it.
CREATE TABLE blob(
  sha256 TEXT PRIMARY KEY, size INTEGER NOT NULL, mime TEXT, created_at INTEGER NOT NULL, dropped_at INTEGER, data BLOB);
CREATE TABLE blob_ref(
  session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  sha256 TEXT NOT NULL REFERENCES blob(sha256), why TEXT NOT NULL,
  PRIMARY KEY(session_id, sha256, why)) WITHOUT ROWID;
CREATE INDEX blob_ref_sha ON blob_ref(sha256);
CREATE TABLE file_version(
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  turn INTEGER NOT NULL, call_id TEXT, path TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN('edit','write','notebook','patch','undo','redo','late_write','external')),
  before_hash TEXT REFERENCES blob(sha256), proposed_hash TEXT, after_hash TEXT,
  mode INTEGER, in_place INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, diff_stat TEXT);
CREATE INDEX file_version_path ON file_version(session_id, path, id);
CREATE INDEX file_version_turn ON file_version(session_id, turn);
CREATE INDEX file_version_before ON file_version(before_hash) WHERE before_hash IS NOT NULL;
CREATE TABLE file_commit(
  id INTEGER PRIMARY KEY, session_id TEXT NOT NULL,
  target TEXT NOT NULL, temp_name TEXT NOT NULL, base TEXT, new TEXT, mode INTEGER);
CREATE TABLE turn_file(
  session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  turn INTEGER NOT NULL, path TEXT NOT NULL, hash TEXT,
  PRIMARY KEY(session_id, turn, path)) WITHOUT ROWID;
INSERT INTO item_fts(item_fts,rank) VALUES('secure-delete',1);
INSERT INTO meta(key,value) VALUES('min_reader','1');
PRAGMA application_id=1111772999;
