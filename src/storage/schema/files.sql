-- Files that chargers upload to us or download from us. Contents are in blob storage; the row's state says whether a file is complete.

CREATE TABLE file (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL,
  -- Null for firmware, which is the organisation's own.
  charger_id text,
  kind text NOT NULL CHECK (kind IN ('Diagnostics', 'Log', 'Firmware')),
  name text NOT NULL DEFAULT '',
  state text NOT NULL DEFAULT 'Waiting' CHECK (state IN ('Waiting', 'Stored')),
  size bigint NOT NULL DEFAULT 0,
  sha256 text,
  token_verifier bytea UNIQUE,
  created_at timestamptz NOT NULL,
  completed_at timestamptz,
  -- The key of the content, new for each attempt, so that two simultaneous uploads do not overwrite each other.
  blob text
);
COMMENT ON TABLE file IS
  'Files that chargers upload (diagnostics, logs) and firmware that they download. Deleted by the files'' retention.';
CREATE INDEX file_age ON file (created_at);
CREATE INDEX file_charger ON file (charger_id, id);
CREATE INDEX file_organisation ON file (organisation_id, id);

CREATE TABLE file_doomed (
  blob text PRIMARY KEY,
  due_at timestamptz NOT NULL
);
COMMENT ON TABLE file_doomed IS
  'Blobs that no file owns from due_at on: those of deleted files, and uploads that never completed. Swept.';
CREATE INDEX file_doomed_due ON file_doomed (due_at);

CREATE TABLE file_download (
  token_verifier bytea PRIMARY KEY,
  organisation_id uuid NOT NULL,
  file_id uuid NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  charger_id text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
COMMENT ON TABLE file_download IS
  'Permissions to download one file, given to a charger with a command. Deleted when they expire.';
CREATE INDEX file_download_expiry ON file_download (expires_at);
CREATE INDEX file_download_file ON file_download (file_id);
