/** Connections as a test opens them, and what is stored of them. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ChargerDirectory, type ConnectionOpening } from "../../src/domain/charger/ChargerDirectory.ts"
import { noon, type Seeded } from "./journalFacts.ts"

export const opening = (
  seeded: Seeded,
  chargerId: string,
  more: Partial<ConnectionOpening> = {}
): ConnectionOpening => ({
  chargerId,
  organisationId: seeded.organisationId,
  ocppVersion: "1.6",
  securityProfile: 0,
  remoteAddress: "192.0.2.7",
  at: noon,
  ...more
})

/** Opens a connection of a charger that exists. */
export const openedEpoch = (seeded: Seeded, chargerId: string, more: Partial<ConnectionOpening> = {}) =>
  Effect.gen(function* () {
    const directory = yield* ChargerDirectory
    const state = yield* directory.open(opening(seeded, chargerId, more))
    if (state === undefined) return assert.fail(`${chargerId} is not registered`)
    return state.epoch
  })

export const connectionOf = (chargerId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<Record<string, unknown>>`
      SELECT node_id AS node, epoch::float8 AS epoch, ocpp_version AS version, security_profile::int AS profile,
        remote_address AS address, closed_at IS NULL AS open
      FROM connection WHERE charger_id = ${chargerId}`
    return row
  })

/** The journal's facts about a charger's connections, in its order. */
export const comings = (chargerId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ type: string; epoch: number; reason: string | null }>`
      SELECT type, (body ->> 'epoch')::float8 AS epoch, body ->> 'reason' AS reason FROM journal
      WHERE subject = ${`charger:${chargerId}`} AND type IN ('ChargerConnected', 'ChargerDisconnected') ORDER BY position`
    return rows.map(({ epoch, reason, type }) => (reason === null ? [type, epoch] : [type, epoch, reason]))
  })

/** Removes a charger and registers its id for another organisation. */
export const registerAnew = (chargerId: string, seeded: Seeded) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`DELETE FROM charger WHERE charger_id = ${chargerId}`
    yield* sql`INSERT INTO charger (charger_id, organisation_id, site_id, name, security_profile, created_at, updated_at)
      VALUES (${chargerId}, ${seeded.organisationId}::uuid, ${seeded.siteId}::uuid, 'Charger', 0, now(), now())`
  })
