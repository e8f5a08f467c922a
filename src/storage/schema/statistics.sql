-- The energy of an organisation's sessions without reading all of them: a sum up to an id, which is updated when old sessions change. Newer
-- sessions are added when the total is requested, so that running sessions have no cost for the sum.

CREATE TABLE session_total (
  organisation_id uuid PRIMARY KEY,
  -- The sum includes sessions with ids up to this one.
  through uuid NOT NULL,
  energy_wh bigint NOT NULL
);
COMMENT ON TABLE session_total IS
  'Energy of an organisation''s older sessions, as they stand. One row for each organisation.';

-- What a session with its review adds to the figures (Statistics.ts: `exists`): nothing while it is held, and nothing if it is invalid.
CREATE FUNCTION session_counted_wh(s session, r session_review)
RETURNS bigint
LANGUAGE sql
STABLE
AS $function$
  SELECT CASE
    WHEN r.released_at IS NOT NULL THEN coalesce(r.energy_wh, s.energy_wh)
    WHEN s.status = 'INVALID' OR s.held_reason IS NOT NULL OR r.held_reason IS NOT NULL
      OR (s.ended_at IS NULL AND s.closed_as_of IS NOT DISTINCT FROM s.updated_at) THEN 0
    ELSE coalesce(r.energy_wh, s.energy_wh)
  END
$function$;

-- Adds the next sessions of an organisation to its sum, at most `p_limit` and none that was made after a time; returns how many it added.
-- Runs under the journal's lock, like all changes of a session or its review.
CREATE FUNCTION session_total_advance(p_organisation uuid, p_before timestamp with time zone, p_limit integer)
RETURNS integer
LANGUAGE plpgsql
AS $function$
DECLARE
  v_through uuid;
  v_count int;
  v_last uuid;
  v_wh bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(7016996765);
  SELECT t.through INTO v_through FROM session_total t WHERE t.organisation_id = p_organisation;
  SELECT count(*), (array_agg((q.s).id ORDER BY (q.s).id DESC))[1], coalesce(sum(session_counted_wh(q.s, r)), 0) INTO v_count, v_last, v_wh
  FROM (
    SELECT x AS s FROM session x
    WHERE x.organisation_id = p_organisation AND x.id <= uuid_at(p_before) AND (v_through IS NULL OR x.id > v_through)
    ORDER BY x.id LIMIT p_limit
  ) q LEFT JOIN session_review r ON r.session_id = (q.s).id;
  IF v_count > 0 THEN
    INSERT INTO session_total AS t (organisation_id, through, energy_wh) VALUES (p_organisation, v_last, v_wh)
    ON CONFLICT (organisation_id) DO UPDATE SET through = excluded.through, energy_wh = t.energy_wh + excluded.energy_wh;
  END IF;
  RETURN v_count;
END
$function$;

CREATE FUNCTION session_total_add(p_organisation uuid, p_session uuid, p_wh bigint)
RETURNS void
LANGUAGE sql
AS $function$
  UPDATE session_total t SET energy_wh = t.energy_wh + p_wh
  WHERE t.organisation_id = p_organisation AND t.through >= p_session AND p_wh <> 0
$function$;

CREATE FUNCTION session_total_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
DECLARE
  v_now session := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
  v_review session_review;
BEGIN
  SELECT * INTO v_review FROM session_review r WHERE r.session_id = v_now.id;
  PERFORM session_total_add(v_now.organisation_id, v_now.id,
    CASE WHEN TG_OP = 'DELETE' THEN 0 ELSE session_counted_wh(NEW, v_review) END
      - CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE session_counted_wh(OLD, v_review) END);
  RETURN NULL;
END
$function$;

-- Sessions are added to the sum after two days at the earliest (`SessionTotals.ts`). A younger one, as in nearly every message, does not
-- even call the function. A session with its reservation's id may be younger than its id.
CREATE TRIGGER session_total_made AFTER INSERT ON session
  FOR EACH ROW WHEN ((new.created_at < (now() - '20:00:00'::interval)) OR (new.reservation_id IS NOT NULL)) EXECUTE FUNCTION session_total_changed();
CREATE TRIGGER session_total_updated AFTER UPDATE ON session
  FOR EACH ROW WHEN ((old.created_at < (now() - '20:00:00'::interval)) OR (old.reservation_id IS NOT NULL)) EXECUTE FUNCTION session_total_changed();
CREATE TRIGGER session_total_deleted AFTER DELETE ON session
  FOR EACH ROW EXECUTE FUNCTION session_total_changed();

CREATE FUNCTION session_total_reviewed()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
DECLARE
  v_now session_review := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
  v_session session;
BEGIN
  SELECT * INTO v_session FROM session s WHERE s.id = v_now.session_id;
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM session_total_add(v_session.organisation_id, v_session.id,
    session_counted_wh(v_session, CASE WHEN TG_OP <> 'DELETE' THEN NEW END)
      - session_counted_wh(v_session, CASE WHEN TG_OP <> 'INSERT' THEN OLD END));
  RETURN NULL;
END
$function$;

CREATE TRIGGER session_total_reviewed AFTER INSERT OR DELETE OR UPDATE ON session_review
  FOR EACH ROW EXECUTE FUNCTION session_total_reviewed();
