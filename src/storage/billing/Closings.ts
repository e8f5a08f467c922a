/** The port `Closings` over SQL, for all organisations at once. If two nodes close the same session, it is closed once. */
import { Effect, Layer, Schema } from "effect"
import { type Closing, Closings } from "../../domain/session/Closings.ts"
import { type OpenSession, stillOccupied } from "../../domain/session/Closing.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { boolArray, textArray, timestamptzArray, uuidArray } from "../kernel/Arrays.ts"
import { ConnectorStatus } from "../charging/ChargerRows.ts"
import { factOf, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { Millis, optional, rowsOf, Whole } from "../kernel/Rows.ts"
import { isClosed, lastKnownEnd } from "../charging/SessionRows.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { authorizationStatuses } from "../../domain/token/Authorization.ts"

const openRows = rowsOf(
  Schema.Struct({
    sessionId: Schema.String,
    organisationId: Schema.String,
    heardAt: Millis,
    quietSince: Millis,
    closeSilentHours: Schema.Int,
    authorization: Schema.Literals(authorizationStatuses),
    energyWh: Whole,
    upSince: optional(Millis),
    downSince: optional(Millis),
    status: optional(ConnectorStatus),
    statusHeardAt: optional(Millis)
  })
)

const connectionOf = (upSince: number | undefined, downSince: number | undefined): OpenSession["connection"] => {
  if (upSince !== undefined) return { _tag: "Up", since: upSince }
  return downSince === undefined ? { _tag: "None" } : { _tag: "Down", since: downSince }
}

/** Leaves out sessions at a connector that is currently reported as occupied, which are nearly all. */
const silent = ({ sql }: Recording): Closings["Service"]["quiet"] =>
  Effect.fn("Closings.quiet")(function* ({ after, before, limit }) {
    const rows = yield* guarded(
      openRows(sql`
        WITH still AS MATERIALIZED (
          SELECT s.* FROM session s
          WHERE s.ended_at IS NULL AND NOT ${isClosed(sql)} AND s.updated_at < ${new Date(before)}
            ${after === undefined || !isUuid(after) ? sql`` : sql`AND s.id > ${after}`}
        )
        SELECT s.id AS "sessionId", s.organisation_id AS "organisationId", s.created_at AS "heardAt",
          date_trunc('milliseconds', s.updated_at) AS "quietSince", o.close_silent_hours AS "closeSilentHours",
          s.authorization_status AS "authorization", s.energy_wh AS "energyWh",
          CASE WHEN c.up THEN n.connected_at END AS "upSince",
          CASE WHEN NOT c.up THEN coalesce(n.closed_at, l.lease_until, n.connected_at) END AS "downSince",
          k.status, k.heard_at AS "statusHeardAt"
        FROM still s
        JOIN organisation o ON o.id = s.organisation_id
        LEFT JOIN connection n ON n.charger_id = s.charger_id AND n.organisation_id = s.organisation_id
        LEFT JOIN node l ON l.node_id = n.node_id
        LEFT JOIN connector k ON n.charger_id IS NOT NULL AND k.charger_id = s.charger_id AND k.evse_id = s.evse_id
          AND k.connector_id = s.connector_id
        CROSS JOIN LATERAL (
          SELECT CASE WHEN n.charger_id IS NOT NULL THEN n.closed_at IS NULL AND coalesce(l.lease_until > now(), false) END AS up
        ) c
        WHERE NOT (coalesce(c.up, false) AND k.status IS NOT NULL AND k.status = ANY (${textArray([...stillOccupied])}))
        ORDER BY s.id LIMIT ${limit}`)
    )
    return rows.map(({ downSince, status, statusHeardAt, upSince, ...rest }): OpenSession => ({
      ...rest,
      connection: connectionOf(upSince, downSince),
      connector: status === undefined || statusHeardAt === undefined ? undefined : { status, heardAt: statusHeardAt }
    }))
  })

const closedRows = rowsOf(
  Schema.Struct({
    sessionId: Schema.String,
    organisationId: Schema.String,
    reason: Schema.String,
    endedAt: Millis,
    energyWh: Whole,
    neverWas: Schema.Boolean
  })
)

const close = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Closings.close")(function* (closings: ReadonlyArray<Closing>, now: number) {
    if (closings.length === 0) return []
    const write = Effect.gen(function* () {
      const closed = yield* closedRows(sql`
        UPDATE session s SET closed_as_of = s.updated_at, close_reason = x.reason, superseded = x.never_was,
          status = CASE WHEN x.never_was THEN 'INVALID' ELSE s.status END,
          ended_at = CASE WHEN x.never_was THEN ${lastKnownEnd(sql)} END, stop_reason = CASE WHEN x.never_was THEN x.reason END,
          updated_at = CASE WHEN x.never_was THEN greatest(s.updated_at, ${new Date(now)}) ELSE s.updated_at END
        FROM unnest(${uuidArray(closings.map((one) => one.sessionId))}, ${timestamptzArray(closings.map((one) => one.quietSince))},
          ${textArray(closings.map((one) => one.reason))}, ${boolArray(closings.map((one) => one.neverWas))})
          AS x(id, quiet_since, reason, never_was)
        WHERE s.id = x.id AND s.ended_at IS NULL AND NOT ${isClosed(sql)}
          AND date_trunc('milliseconds', s.updated_at) = x.quiet_since
        RETURNING s.id AS "sessionId", s.organisation_id AS "organisationId", s.close_reason AS reason,
          ${lastKnownEnd(sql)} AS "endedAt", s.energy_wh AS "energyWh", s.superseded AS "neverWas"`)
      const facts = closed.map(({ neverWas, organisationId, ...known }) => {
        const after = neverWas ? { ...known, neverWas } : known
        const by = { organisationId, actor: "platform" }
        const fact = factOf("SessionClosed", `session:${after.sessionId}`, secrets.uuid(now), { by, now })
        return { ...fact, body: { by: "platform", after } }
      })
      return { result: closed.map(({ sessionId }) => sessionId), facts }
    })
    return yield* journaled(write)
  })

export const layer: Layer.Layer<Closings, never, RecordingServices> = Layer.effect(
  Closings,
  Effect.map(recording, (records) => Closings.of({ quiet: silent(records), close: close(records) }))
)
