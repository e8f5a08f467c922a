-- Views of the console that people have saved.

CREATE TABLE saved_view (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL,
  operator_id uuid NOT NULL,
  name text NOT NULL,
  -- Path and query of a page.
  path text NOT NULL,
  -- Whether all operators of the organisation see it.
  shared boolean NOT NULL,
  created_at timestamptz NOT NULL,
  FOREIGN KEY (organisation_id, operator_id) REFERENCES membership (organisation_id, operator_id) ON DELETE CASCADE,
  UNIQUE (organisation_id, operator_id, name)
);
COMMENT ON TABLE saved_view IS
  'Pages with their filters, kept by operators under a name: at most 50 of each person.';
-- The views that everyone in the organisation sees.
CREATE INDEX saved_view_shared ON saved_view (organisation_id) WHERE shared;
