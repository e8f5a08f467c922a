/**
 * Sessions that wait for an operator, so that they are found among millions: those that are held, and those whose record does not say what they
 * cost now. What somebody has looked at is marked, since it waits no more and stays for good.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const held = [
  `ALTER TABLE session ADD COLUMN reviewed boolean NOT NULL DEFAULT false`,
  `UPDATE session s SET reviewed = true FROM session_review r WHERE r.session_id = s.id AND r.released_at IS NOT NULL`,
  `CREATE FUNCTION session_mark_reviewed() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    UPDATE session SET reviewed = true WHERE id = NEW.session_id AND NOT reviewed;
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER session_reviewed AFTER INSERT OR UPDATE ON session_review FOR EACH ROW
    WHEN (NEW.released_at IS NOT NULL) EXECUTE FUNCTION session_mark_reviewed()`,
  // None of these columns changes with a reading: it stays an update within its page. One that was closed and has been heard of since is looked at.
  `CREATE INDEX session_held ON session (organisation_id, id)
    WHERE NOT reviewed AND status <> 'INVALID' AND (held_reason IS NOT NULL OR (closed_as_of IS NOT NULL AND ended_at IS NULL))`,
  `CREATE INDEX session_review_held ON session_review (organisation_id, session_id)
    WHERE held_reason IS NOT NULL AND released_at IS NULL`
]

const differing = [
  `CREATE FUNCTION session_price_differs(p_session uuid, p_price jsonb) RETURNS boolean LANGUAGE sql STABLE AS $function$
    SELECT EXISTS (
      SELECT 1 FROM cdr d LEFT JOIN session_review r ON r.session_id = d.session_id
      WHERE d.session_id = p_session AND d.credits IS NULL AND d.revision = coalesce(r.revision, 0)
        AND NOT EXISTS (SELECT 1 FROM cdr c WHERE c.credits = d.id)
        AND (d.body #> '{total,exclVat}' <> p_price -> 'exclVat' OR d.body #> '{total,inclVat}' <> p_price -> 'inclVat')
    )
  $function$`,
  `ALTER TABLE session_price ADD COLUMN differs boolean NOT NULL DEFAULT false`,
  `UPDATE session_price p SET differs = true
    WHERE p.session_id IN (SELECT d.session_id FROM cdr d) AND session_price_differs(p.session_id, p.price)`,
  `CREATE INDEX session_price_differing ON session_price (organisation_id, session_id) WHERE differs`,
  // A price is kept after a record, and a record issued after a price: whichever comes, the two are compared.
  `CREATE FUNCTION session_price_compare() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    NEW.differs := session_price_differs(NEW.session_id, NEW.price);
    RETURN NEW;
  END
  $function$`,
  `CREATE TRIGGER session_price_compare BEFORE INSERT OR UPDATE OF price ON session_price FOR EACH ROW
    EXECUTE FUNCTION session_price_compare()`,
  `CREATE FUNCTION cdr_compare() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    UPDATE session_price p SET differs = NOT p.differs
    WHERE p.session_id = NEW.session_id AND p.differs <> session_price_differs(p.session_id, p.price);
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER cdr_compare AFTER INSERT ON cdr FOR EACH ROW EXECUTE FUNCTION cdr_compare()`
]

export const waiting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...held, ...differing]) yield* sql.unsafe(statement)
})
