/**
 * The directory of chargers in the database: their identities, their current connections, and the state that their actors start from. All
 * operations are batched: when a city's chargers reconnect at once, a thousand of them cost a few statements.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { ChargerState, KnownSession } from "../../domain/charger/ChargerState.ts"
import type { OrphanReadings } from "../../domain/charger/Decision.ts"
import {
  type ChargerCredentials,
  ChargerDirectory,
  type ConnectionClosing,
  type ConnectionOpening
} from "../../domain/charger/ChargerDirectory.ts"
import { journalRung } from "../kernel/Facts.ts"
import type { Notifications } from "../kernel/Notifications.ts"
import { float8Array, int4Array, textArray, timestamptzArray } from "../kernel/Arrays.ts"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { Secrets } from "../../domain/values/Secrets.ts"
import { StorageHealth } from "../../domain/values/StorageHealth.ts"
import { makeBatched } from "../kernel/Batched.ts"
import { findSessions, loadStates } from "./ChargerStateRows.ts"
import { abandonCommands } from "../commands/CommandEnds.ts"
import { settleCredentials } from "../commands/CredentialEnds.ts"
import { rowOf } from "../kernel/Rows.ts"
import { Sample } from "./SessionReadings.ts"
import { CardMemory, type CardMemoryLimits } from "./CardMemory.ts"
import { findStarts, findTokens } from "./TokenLookups.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"

export interface ChargerDirectoryOptions extends CardMemoryLimits {
  readonly nodeId: string
  /** The most keys in one statement. */
  readonly maxBatch: number
  /** How many lookups may wait before new ones are refused as busy. */
  readonly maxQueue: number
}

/** The most pending passwords and profiles of one charger. Each comes from a command whose outcome is unknown; more would be a bug. */
const pendingAtMost = 8

const Credentials = Schema.Struct({
  charger_id: Schema.String,
  organisation_id: Schema.String,
  security_profile: Schema.Literals([0, 1, 2, 3]),
  password_verifier: Schema.NullOr(Schema.Uint8Array),
  registered_serial: Schema.NullOr(Schema.String),
  pending_verifiers: Schema.NullOr(Schema.Array(Schema.String)),
  pending_profiles: Schema.NullOr(Schema.Array(Schema.Literals([1, 2, 3])))
})
const decodeCredentials = Schema.decodeUnknownSync(Credentials)

const credentials = (sql: SqlClient.SqlClient) => (ids: ReadonlyArray<string>) =>
  Effect.map(
    guarded(sql<Record<string, unknown>>`
      SELECT c.charger_id, c.organisation_id, c.security_profile::int AS security_profile, c.password_verifier, c.registered_serial,
        p.pending_verifiers, p.pending_profiles
      FROM charger c LEFT JOIN LATERAL (
        SELECT jsonb_agg(encode(verifier, 'hex')) FILTER (WHERE verifier IS NOT NULL) AS pending_verifiers,
          jsonb_agg(security_profile::int) FILTER (WHERE security_profile > c.security_profile) AS pending_profiles
        FROM (SELECT * FROM charger_pending x WHERE x.charger_id = c.charger_id ORDER BY x.command_id DESC LIMIT ${pendingAtMost}::int) newest
      ) p ON true
      WHERE c.charger_id = ANY (${textArray(ids)})`),
    (rows) => {
      const found = new Map<string, ChargerCredentials>()
      for (const row of rows) {
        const c = decodeCredentials(row)
        found.set(c.charger_id, {
          chargerId: c.charger_id,
          organisationId: c.organisation_id,
          securityProfile: c.security_profile,
          passwordVerifier: c.password_verifier ?? undefined,
          pending: [
            ...(c.pending_verifiers ?? []).map((hex) => ({
              passwordVerifier: new Uint8Array(Buffer.from(hex, "hex")),
              securityProfile: undefined
            })),
            ...(c.pending_profiles ?? []).map((securityProfile) => ({ passwordVerifier: undefined, securityProfile }))
          ],
          registeredSerialNumber: c.registered_serial ?? undefined
        })
      }
      return ids.map((id) => found.get(id))
    }
  )

interface Reading {
  readonly sql: SqlClient.SqlClient
  readonly secrets: Secrets["Service"]
}

/** Assigns epochs to a batch of openings, then reads the states. If a charger is twice in a batch, it gets one epoch, and one opening wins. */
const open =
  ({ nodeId, secrets, sql }: Reading & { readonly nodeId: string }) =>
  (openings: ReadonlyArray<ConnectionOpening>) =>
    Effect.gen(function* () {
      const distinct = [...new Map(openings.map((o) => [o.chargerId, o])).values()]
      for (const { at, chargerId, settles } of distinct) {
        if (settles === undefined) continue
        const { passwordVerifier, securityProfile } = settles
        yield* guardedWrite(settleCredentials(sql, { chargerId, at, passwordVerifier, securityProfile }))
      }
      const ids = distinct.map((o) => o.chargerId)
      const opened = sql`
      SELECT charger_id, epoch FROM connection_open(${textArray(ids)},
        ${textArray(distinct.map((o) => o.ocppVersion))}, ${int4Array(distinct.map((o) => o.securityProfile))},
        ${textArray(distinct.map((o) => o.remoteAddress))}, ${timestamptzArray(distinct.map((o) => o.at))}, ${nodeId})`
      yield* guardedWrite(sql.withTransaction(Effect.andThen(opened, abandonCommands(sql, ids))))
      const states = yield* guarded(loadStates({ sql, secrets }, ids))
      return openings.map((o) => states.get(o.chargerId))
    })

const reload = (reading: Reading) => (wanted: ReadonlyArray<{ readonly chargerId: string; readonly epoch: number }>) =>
  Effect.map(
    guarded(
      loadStates(
        reading,
        wanted.map((w) => w.chargerId)
      )
    ),
    // The actor keeps its own epoch: if a newer one exists, the journal drops the actor's state facts.
    (states) =>
      wanted.map(({ chargerId, epoch }): ChargerState | undefined => {
        const state = states.get(chargerId)
        return state === undefined ? undefined : { ...state, epoch }
      })
  )

/** Ends connections in a batch. If one connection is closed more than once, the first close counts; the statement would use any of them. */
const close = (sql: SqlClient.SqlClient) => (closings: ReadonlyArray<ConnectionClosing>) => {
  const firsts = new Map<string, ConnectionClosing>()
  for (const closing of closings) {
    const key = `${closing.epoch} ${closing.chargerId}`
    if (!firsts.has(key)) firsts.set(key, closing)
  }
  const ends = [...firsts.values()]
  const ids = ends.map((c) => c.chargerId)
  const closed = sql`
    SELECT connection_close(${textArray(ids)}, ${float8Array(ends.map((c) => c.epoch))},
      ${timestamptzArray(ends.map((c) => c.at))}, ${textArray(ends.map((c) => c.reason))})`
  return Effect.as(
    guardedWrite(sql.withTransaction(Effect.andThen(closed, abandonCommands(sql, ids)))),
    closings.map(() => undefined)
  )
}

interface SessionWanted {
  readonly chargerId: string
  readonly transactionId: number
}

const findKnown = (sql: SqlClient.SqlClient) => (wanted: ReadonlyArray<SessionWanted>) =>
  Effect.map(guarded(findSessions(sql, wanted)), (found) =>
    wanted.map((w): KnownSession | undefined => found.get(`${w.chargerId} ${w.transactionId}`))
  )

const orphanRow = rowOf(
  Schema.Struct({
    readings: Schema.NullOr(
      Schema.Array(
        Schema.Struct({
          at: Schema.optional(Schema.Finite),
          rawAt: Schema.optional(Schema.String),
          samples: Schema.Array(Sample)
        })
      )
    )
  })
)

const findOrphan = (sql: SqlClient.SqlClient) => (chargerId: string, orphanId: string) =>
  Effect.map(
    guarded(
      orphanRow(sql`
        SELECT o.readings FROM orphan o
        JOIN charger c ON c.charger_id = o.charger_id AND c.organisation_id = o.organisation_id
        WHERE o.id = ${orphanId} AND o.charger_id = ${chargerId}`)
    ),
    (row): OrphanReadings => ({
      readings: (row?.readings ?? []).map(({ at, rawAt, samples }) => ({ at, rawAt, samples }))
    })
  )

/**
 * Allows the writes of connections while the disk is nearly full and the session is read-only: it makes the transaction writable, if there
 * is as much space as `writableByConnections` requires.
 */
const alsoWhenFull =
  (sql: SqlClient.SqlClient, health: StorageHealth["Service"]) =>
  <A>(write: Effect.Effect<A, StorageUnavailable>): Effect.Effect<A, StorageUnavailable> =>
    Effect.catch(write, (error) =>
      error.reason === "full"
        ? Effect.andThen(
            health.writableByConnections,
            guardedWrite(sql.withTransaction(Effect.andThen(sql`SET TRANSACTION READ WRITE`, write)))
          )
        : Effect.fail(error)
    )

/** Provides `ChargerDirectory`. */
export const layer = (
  options: ChargerDirectoryOptions
): Layer.Layer<ChargerDirectory, never, SqlClient.SqlClient | StorageHealth | Notifications | Secrets> =>
  Layer.effect(
    ChargerDirectory,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const inReserve = alsoWhenFull(sql, yield* StorageHealth)
      const rung = yield* journalRung
      const reading = { sql, secrets: yield* Secrets }
      const opening = open({ ...reading, nodeId: options.nodeId })
      const closing = close(sql)
      const bounds = { maxBatch: options.maxBatch, maxQueue: options.maxQueue }
      const memory = new CardMemory(options, yield* Effect.context<never>())
      const token = yield* makeBatched({ ...bounds, run: findTokens(sql, memory) })
      const start = yield* makeBatched({ ...bounds, run: findStarts(sql, memory) })
      const session = yield* makeBatched({ ...bounds, run: findKnown(sql) })
      const reloads = yield* makeBatched({ ...bounds, run: reload(reading) })
      return ChargerDirectory.of({
        credentials: yield* makeBatched({ ...bounds, run: credentials(sql) }),
        open: yield* makeBatched({
          ...bounds,
          run: (openings: ReadonlyArray<ConnectionOpening>) => Effect.tap(inReserve(opening(openings)), rung)
        }),
        reload: (chargerId, epoch) => reloads({ chargerId, epoch }),
        close: yield* makeBatched({
          ...bounds,
          run: (closings: ReadonlyArray<ConnectionClosing>) => Effect.tap(inReserve(closing(closings)), rung)
        }),
        findToken: (wanted) => (wanted.start === undefined ? token(wanted) : start(wanted)),
        findOrphan: findOrphan(sql),
        findSession: (chargerId, transactionId) => session({ chargerId, transactionId }),
        takeTransactionNumbers: (size) =>
          Effect.map(
            guardedWrite(sql<{ from: number }>`
              UPDATE number_block SET next = next + ${size}::int WHERE name = 'transaction' RETURNING (next - ${size}::int)::float8 AS "from"`),
            (rows) => rows[0]!.from
          )
      })
    })
  )
