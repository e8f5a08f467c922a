-- What waits for operators, as last published.

CREATE TABLE work_published (
  organisation_id uuid PRIMARY KEY REFERENCES organisation (id),
  -- The number of items in each queue, counted up to 1,000.
  counts jsonb NOT NULL,
  published_at timestamptz NOT NULL
);
COMMENT ON TABLE work_published IS
  'Lengths of the work queues as the last event work.changed had them. One row for each organisation; without one nothing waited yet.';
