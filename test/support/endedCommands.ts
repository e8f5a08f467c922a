/** Commands in the database that end as a test says, with everything that follows from their ends. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { endingCommands, expireCommands } from "../../src/storage/commands/CommandEnds.ts"
import { beginReservations, expireReservations } from "../../src/storage/commands/ReservationEnds.ts"

export interface Answer {
  readonly status: string
  readonly result?: object
  /** ms epoch. */
  readonly at: number
  /** When it was sent to the charger's connection; undefined for a command that never was, `at` if left out. */
  readonly sentAt?: number | undefined
}

/** Ends a command as the projection of its fact does, with everything that follows. */
export const endCommand = (id: string, { at, result = {}, status, ...more }: Answer) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const sentAt = "sentAt" in more ? more.sentAt : at
    const update = sql`
      UPDATE command SET status = ${status}, result = ${JSON.stringify(result)}::text::jsonb, completed_at = ${new Date(at)},
        sent_at = ${sentAt === undefined ? null : new Date(sentAt)} WHERE id = ${id}::uuid`
    yield* endingCommands(sql, [id], update)
  })

/** Ends what is due at a time, as a process without connections: expired commands, and unused reservations. */
export const endDue = (now: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.andThen(expireCommands(sql, "without connections", now), expireReservations(sql, now))
  )

/** Ends reservations that are due at a time. */
export const endReservations = (now: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => expireReservations(sql, now))

/** Stores a command as issuing it does, with the reservation that it may begin. */
export const issueCommand = (
  id: string,
  command: {
    readonly organisationId: string
    readonly chargerId: string
    readonly type: string
    readonly given: object
    readonly at: number
    readonly by?: string
  }
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { at, by = "test", chargerId, given, organisationId, type } = command
    yield* sql`INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at)
      VALUES (${id}::uuid, ${organisationId}::uuid, ${chargerId}, ${type}, 'Pending', ${JSON.stringify(given)}::text::jsonb, '{}', ${by},
        ${new Date(at)})`
    if (type === "ReserveNow") yield* beginReservations(sql, [id])
  })
