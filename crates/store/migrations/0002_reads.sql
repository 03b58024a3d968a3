-- What the model was shown of which file: one row per file, at the content that was shown last. No fact says this, so
-- it is not derived; a row that is lost costs one reading. `seen` are the 1-based lines, such as `1-40 52-52`.
CREATE TABLE file_read(
  session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  path TEXT NOT NULL, turn INTEGER NOT NULL,
  dev INTEGER NOT NULL, ino INTEGER NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL,
  hash TEXT, shown_as TEXT NOT NULL CHECK(shown_as IN('text','non_text')),
  seen TEXT NOT NULL, is_full INTEGER NOT NULL,
  hashed_at_ns INTEGER NOT NULL, read_at_ns INTEGER NOT NULL, written_at_ns INTEGER,
  PRIMARY KEY(session_id, path)) WITHOUT ROWID;
-- The lines of a session were those of every edit that landed; now they are those that still stand.
UPDATE session SET net=(
  SELECT json_object(
    'ai_added', coalesce(sum(body->>'$.stat.net.ai_added'),0),
    'human_added', coalesce(sum(body->>'$.stat.net.human_added'),0),
    'ai_removed', coalesce(sum(body->>'$.stat.net.ai_removed'),0),
    'human_removed', coalesce(sum(body->>'$.stat.net.human_removed'),0),
    'ai_added_undone', coalesce(sum(body->>'$.stat.net.ai_added_undone'),0),
    'ai_removed_undone', coalesce(sum(body->>'$.stat.net.ai_removed_undone'),0))
  FROM item WHERE item.session_id=session.id AND kind='tool' AND status='ok'
    AND coalesce(body->>'$.edit.state','')<>'undone')
WHERE id IN(SELECT session_id FROM item WHERE kind='tool' AND body->>'$.edit.state'='undone');
