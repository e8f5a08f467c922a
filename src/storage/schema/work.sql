-- What waits for operators, as it was published last.

CREATE TABLE work_published (
  organisation_id uuid PRIMARY KEY REFERENCES organisation (id),
  -- Items by queue, each counted to 1,000 at most.
  counts jsonb NOT NULL,
  published_at timestamptz NOT NULL
);
COMMENT ON TABLE work_published IS
  'Lengths of the work queues as the last event work.changed had them. One row for each organisation; without one nothing waited yet.';
