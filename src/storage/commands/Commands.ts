/**
 * The port `Commands` over SQL. The table `command` is each charger's queue, and keeps the results. A command is issued and taken under the
 * journal's lock, so that none can be added between the end of a connection and the end of the commands that were sent over it.
 */
import { Clock, Effect, Latch, Layer, Schedule, Schema, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { ChargerCommand } from "../../domain/command/ChargerCommand.ts"
import { checkRaise } from "../../domain/charger/SecurityRaise.ts"
import { beyondCaps, capMillis, cappedWith, type CommandCaps, isCapped } from "../../domain/command/CommandCaps.ts"
import { isBudgeted, refusable, rowBytes, shareOf, WriteBudget } from "../../domain/operator/WriteBudget.ts"
import { type Command, goesAtOnce, isTerminal, type NewCommand } from "../../domain/command/Command.ts"
import { type Ended, endedAs } from "../../domain/command/EndedAs.ts"
import { disruptiveTypes } from "../../domain/command/Kinds.ts"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { type CommandFilter, Commands } from "../../domain/command/Commands.ts"
import { setsPassword } from "../../domain/command/SecretParts.ts"
import { notConnected } from "../../domain/command/Unanswered.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { textArray } from "../kernel/Arrays.ts"
import { expireCommands, followEnds, nextExpiry } from "./CommandEnds.ts"
import { followSent } from "./CredentialEnds.ts"
import { credentialColumns, credentialFields } from "./EndedCommands.ts"
import { readEndedPayload } from "./EndedPayload.ts"
import { type Refusal, refusals } from "./CommandRefusals.ts"
import { commandColumns, commandOf, CommandRow, selectCommands } from "./CommandRows.ts"
import { pagedList, UuidKey } from "../kernel/Cursor.ts"
import { putCallback } from "./PartnerCallbacks.ts"
import { openedCommand, sealedCommand } from "./SealedCommands.ts"
import { beginReservations, expireReservations } from "./ReservationEnds.ts"
import { factBytes, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { commandEndedChannel, commandWaitingChannel, journalChannel, Notifications } from "../kernel/Notifications.ts"
import { dateOf } from "../kernel/OrganisationUse.ts"
import { rowOf, rowsOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"
import { makeWaiters, type Waiters } from "../kernel/Waiters.ts"

export interface CommandsOptions extends CommandCaps {
  /** This process. */
  readonly nodeId: string
  /**
   * Whether the service serves wss, and requests client certificates. A charger that is raised to a profile which the service does not
   * serve could not reconnect.
   */
  readonly tls: boolean
  readonly clientCertificates: boolean
  /** How often expired commands are ended; `expiresIn` has a resolution of seconds. Default 1,000. */
  readonly sweepEveryMillis?: number | undefined
}

const CommandedCharger = Schema.Struct({
  connected: Schema.Boolean,
  securityProfile: Schema.Literals([0, 1, 2, 3]),
  hasPassword: Schema.Boolean,
  unsettledPasswords: Schema.Int,
  waiting: Schema.Int,
  fullAt: Schema.NullOr(Schema.Finite)
})
const chargerRow = rowOf(CommandedCharger)
const Taken = Schema.Struct({
  id: Schema.String,
  command: Schema.Unknown,
  sealed: Schema.NullOr(Schema.String),
  isHeld: Schema.Boolean,
  hasNext: Schema.Boolean
})
const takenRows = rowsOf(Taken)
const sentRows = rowsOf(Schema.Struct({ ...Taken.fields, ...credentialFields }))
const commandRow = rowOf(CommandRow)
const commandRows = rowsOf(CommandRow)
const pages = pagedList("commands", UuidKey, (row: typeof CommandRow.Type) => row.id)
const encodeCommand = Schema.encodeSync(Schema.fromJsonString(ChargerCommand))
const decodeCommand = Schema.decodeUnknownSync(ChargerCommand)

const notFound = (chargerId: string) => new NotFound({ kind: "charger", id: chargerId })

/** The parameters for counting the chargers that the caller has commanded in the last minute; only if this command counts. */
const capOf = (options: CommandsOptions, { command }: NewCommand, { by, now }: AuditContext) => {
  const { like, unlike } = cappedWith(by.actor)
  const types = isCapped(command, by.actor) ? textArray(disruptiveTypes) : null
  return { like, unlike, types, since: new Date(now - capMillis), most: options.chargersPerMinute }
}

/** Reads, in one statement, what must be known about a charger before it is sent a command. */
const commanded = (sql: SqlClient.SqlClient, options: CommandsOptions, input: NewCommand, audit: AuditContext) => {
  const own = scopedTo(sql, audit.by.organisationId)
  const cap = capOf(options, input, audit)
  return chargerRow(own`
    SELECT EXISTS (SELECT 1 FROM connection n WHERE n.charger_id = c.charger_id AND n.closed_at IS NULL) AS connected,
      c.security_profile::int AS "securityProfile", c.password_verifier IS NOT NULL AS "hasPassword",
      ((SELECT count(*) FROM charger_pending p WHERE p.charger_id = c.charger_id AND p.verifier IS NOT NULL)
        + (SELECT count(*) FROM command m WHERE m.charger_id = c.charger_id AND m.status = 'Pending' AND m.password_verifier IS NOT NULL)
      )::int AS "unsettledPasswords",
      (SELECT count(*)::int FROM command m
        WHERE ${own.rowsOf("m")} AND m.charger_id = c.charger_id AND m.status IN ('Pending', 'Sent')) AS waiting,
      (extract(epoch FROM command_cap_reached(${own.id}::uuid, ${input.chargerId}, ${cap.like}, ${cap.unlike}, ${cap.types}::text[], ${cap.since},
        ${cap.most}::int)) * 1000)::float8 AS "fullAt"
    FROM charger c WHERE ${own.rowsOf("c")} AND c.charger_id = ${input.chargerId}`)
}

/** A command in its stored form. */
const prepare = (secrets: Recording["secrets"], input: NewCommand, { by, now }: AuditContext) => {
  const { command, parameters } = input
  const id = input.id ?? secrets.uuid(now)
  const { sealed = null, shown } = sealedCommand(secrets, command)
  const verifier = setsPassword(command) ? secrets.verifier("charger-password", command.value) : null
  const expiresAt = input.expiresInSeconds === undefined ? null : now + input.expiresInSeconds * 1000
  const body = { by: by.actor, commandId: id, type: command._tag, parameters, command: shown, expiresAt }
  const bytes = Buffer.byteLength(JSON.stringify(body)) + (sealed?.length ?? 0) + rowBytes
  return { id, shown: encodeCommand(shown), verifier, sealed, expiresAt, body, bytes }
}

/**
 * Stores a command as sent, with one statement. Returns undefined and stores nothing if the command has to wait for its turn or may be
 * refused.
 */
const send = (
  { journaledStatement, sql }: Recording,
  options: CommandsOptions,
  input: NewCommand & { readonly sentBy: number },
  audit: AuditContext,
  { body, bytes, expiresAt, id, sealed, shown }: ReturnType<typeof prepare>,
  bytesPerDay: number
) => {
  const { by, now } = audit
  const own = scopedTo(sql, by.organisationId)
  const cap = capOf(options, input, audit)
  const counted = isBudgeted(by.actor) ? bytes + factBytes({ type: "CommandIssued", body }) : null
  return journaledStatement(
    refusingValues(
      commandRow(own`
        SELECT ${commandColumns(sql)} FROM command_send(${own.id}::uuid, ${input.chargerId}, ${input.sentBy}::float8::bigint, ${new Date(now)}, ${id}::uuid,
          ${input.command._tag}, ${shown}::text::jsonb, ${sealed}, ${JSON.stringify(input.parameters)}::text::jsonb, ${by.actor},
          ${expiresAt === null ? null : new Date(expiresAt)}, ${input.sessionId ?? null}::uuid, ${input.fileId ?? null}::uuid,
          ${JSON.stringify(body)}::text::json, ${cap.like}, ${cap.unlike}, ${cap.types}::text[], ${cap.since}, ${cap.most}::int,
          ${dateOf(now)}::text::date, ${counted}::float8::bigint, ${bytesPerDay}::float8, ${shareOf(bytesPerDay)}::float8) m`)
    )
  )
}

const issue = (
  records: Recording,
  options: CommandsOptions,
  bytesPerDay: number,
  refused: (refusal: Refusal) => Effect.Effect<void>
) => {
  const { journaled, secrets, sql } = records
  return Effect.fn("Commands.issue")(function* (input: NewCommand, audit: AuditContext) {
    yield* storable({ parameters: input.parameters, command: input.command })
    const { by, now } = audit
    const own = scopedTo(sql, by.organisationId)
    const prepared = prepare(secrets, input, audit)
    const { sentBy } = input
    if (sentBy !== undefined && goesAtOnce(input)) {
      const sent = yield* send(records, options, { ...input, sentBy }, audit, prepared, bytesPerDay)
      if (sent !== undefined) return commandOf(sent)
    }
    const { expiresAt, id, sealed, shown, verifier } = prepared
    const base = { organisationId: by.organisationId, subject: `charger:${input.chargerId}`, at: now, heardAt: now }
    const write = Effect.gen(function* () {
      if (input.id !== undefined) {
        const [known] = yield* own`SELECT 1 FROM command m WHERE ${own.rowsOf("m")} AND m.id = ${id}`
        if (known !== undefined) return { result: undefined, facts: [] }
      }
      const charger = yield* commanded(sql, options, input, audit)
      if (charger === undefined) return yield* notFound(input.chargerId)
      const { clientCertificates, tls } = options
      const lockOut = checkRaise({ ...charger, tls, clientCertificates }, input.command)
      if (lockOut !== undefined) return yield* new Conflict({ code: "would_lock_out", message: lockOut })
      const refusal = beyondCaps(options, charger, now)
      if (refusal !== undefined) return yield* refusal
      const issued = { ...base, type: "CommandIssued" as const, key: `command-issued|${id}`, body: prepared.body }
      const row = yield* commandRow(own`
        INSERT INTO command AS m (id, organisation_id, charger_id, type, status, command, sealed, password_verifier, parameters, issued_by,
          created_at, expires_at, session_id, file_id)
        VALUES (${id}, ${own.id}, ${input.chargerId}, ${input.command._tag}, 'Pending', ${shown}::text::jsonb, ${sealed},
          ${verifier}, ${JSON.stringify(input.parameters)}::text::jsonb, ${by.actor}, ${new Date(now)},
          ${expiresAt === null ? null : new Date(expiresAt)}, ${input.sessionId ?? null},
          ${input.fileId ?? null})
        RETURNING ${commandColumns(sql)}`)
      // After the row: without it, the fact would make one.
      yield* records.append([issued], prepared.bytes)
      if (input.command._tag === "ReserveNow") yield* beginReservations(sql, [id])
      if (charger.connected || expiresAt !== null) {
        const { chargerId, callback } = input
        if (callback !== undefined) yield* putCallback(own, secrets, { id, chargerId }, callback, now)
        return { result: row, facts: [] }
      }
      const body = { commandId: id, type: input.command._tag, ...notConnected }
      const key = `command-answered|${id}`
      const facts = [{ ...base, type: "CommandAnswered" as const, key, body }]
      return { result: undefined, facts, after: followEnds(sql, [id]) }
    })
    const { chargersPerMinute } = options
    const row = yield* refusable(journaled(refusingValues(write))).pipe(
      Effect.tapError((error) =>
        "code" in error
          ? refused({ code: error.code, chargerId: input.chargerId, writing: audit, chargersPerMinute })
          : Effect.void
      )
    )
    // Commands that were known already, or ended at once, are read in their current state.
    return row === undefined ? yield* find(sql, by.organisationId, id) : commandOf(row)
  })
}

const find = (sql: SqlClient.SqlClient, organisationId: string, id: string) =>
  Effect.gen(function* () {
    const own = scopedTo(sql, organisationId)
    const row = isUuid(id)
      ? yield* guarded(commandRow(own`${selectCommands(sql)} WHERE ${own.rowsOf("m")} AND m.id = ${id}`))
      : undefined
    return row === undefined ? yield* new NotFound({ kind: "command", id }) : commandOf(row)
  })

const list = (sql: SqlClient.SqlClient) =>
  Effect.fn("Commands.list")(function* (organisationId: string, request: PageRequest & CommandFilter) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    const { chargerId, fileId, status } = request
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        ${selectCommands(sql)} WHERE ${own.rowsOf("m")}
          ${chargerId === undefined ? sql`` : sql`AND m.charger_id = ${chargerId}`}
          ${status === undefined ? sql`` : sql`AND m.status = ${status}`}
          ${fileId === undefined ? sql`` : sql`AND m.file_id = ${fileId}`}
          ${after === undefined ? sql`` : sql`AND m.id < ${after}`}
        ORDER BY m.id DESC LIMIT ${pages.rows(request)}`,
        rows: commandRows,
        item: commandOf
      })
    )
  })

/**
 * Takes the next command to send. If a command is marked as sent over this connection although no call is in progress, the answer of an
 * earlier statement was lost. Then it was never sent, and is returned again.
 */
const take = ({ journaled, secrets, sql, writable }: Recording) => {
  /** In a transaction of its own, since a command's credentials are stored when it is taken. */
  const withCredentials = (chargerId: string, epoch: number, now: number) =>
    journaled(
      Effect.gen(function* () {
        const [taken] = yield* sentRows(sql`
          SELECT m.id, m.command, m.sealed, false AS "isHeld", t."hasNext", ${credentialColumns(sql)}
          FROM command_take(${chargerId}, ${epoch}::float8::bigint, ${new Date(now)}, true) t JOIN command m ON m.id = t.id`)
        if (taken !== undefined) yield* followSent(sql, taken)
        return { result: taken, facts: [] }
      })
    )
  return Effect.fn("Commands.take")(function* (chargerId: string, epoch: number, now: number) {
    yield* writable
    const [taken] = yield* guardedWrite(
      takenRows(sql`SELECT * FROM command_take(${chargerId}, ${epoch}::float8::bigint, ${new Date(now)}, false)`)
    )
    const row = taken?.isHeld === true ? yield* withCredentials(chargerId, epoch, now) : taken
    if (row === undefined) return undefined
    const command = row.sealed === null ? undefined : openedCommand(secrets, row.sealed)
    return { id: row.id, command: command ?? decodeCommand(row.command), hasNext: row.hasNext }
  })
}

const waitingRows = rowsOf(Schema.Struct({ chargerId: Schema.String }))

/** Connected chargers with a waiting command; retried until the database answers. */
const chargersWaiting = (sql: SqlClient.SqlClient) =>
  guarded(
    waitingRows(sql`
      SELECT DISTINCT m.charger_id AS "chargerId" FROM command m
      JOIN connection n ON n.charger_id = m.charger_id AND n.closed_at IS NULL WHERE m.status = 'Pending'`)
  ).pipe(
    Effect.map((rows) => rows.map(({ chargerId }) => chargerId)),
    Effect.retry(Schedule.spaced("2 seconds")),
    Effect.orDie
  )

/**
 * Waits until a command has ended: reads it, waits for the notification of its end, and reads it again. A notification may be lost, so it
 * is also read every 2 s. The first read is skipped for a command that was just issued, and the last one if the notification says how the
 * command ended.
 */
const wait = (sql: SqlClient.SqlClient, waiters: Waiters<Ended>) => {
  const ended = Effect.fnUntraced(function* (organisationId: string, id: string, until: number, issued?: Command) {
    let known = issued
    while (true) {
      const notification = waiters.next(id)
      const command = known ?? (yield* find(sql, organisationId, id))
      known = undefined
      const left = until - (yield* Clock.currentTimeMillis)
      if (isTerminal(command.status) || left <= 0) return command
      const how = yield* notification.within(Math.min(left, 2_000))
      const end = how && endedAs(command, how)
      if (end !== undefined) return end
    }
  })
  return Effect.fn("Commands.wait")(function* (organisationId: string, id: string, millis: number, issued?: Command) {
    const until = (yield* Clock.currentTimeMillis) + millis
    return yield* Effect.ensuring(
      ended(organisationId, id, until, issued),
      Effect.sync(() => waiters.forget(id))
    )
  })
}

/** How often commands are checked if there is no new fact and nothing expires: a node may have stopped without a notification. */
const idleSweepMillis = 15_000

/**
 * Ends what has expired. Every command and reservation comes with a fact, so no check is needed until there is a new fact, or until the
 * first waiting command expires.
 */
const sweeping = (
  { sql, writable }: Recording,
  notifications: Notifications["Service"],
  { nodeId, sweepEveryMillis: everyMillis = 1_000 }: CommandsOptions
) =>
  Effect.gen(function* () {
    const committed = Latch.makeUnsafe(true)
    const commits = notifications.listen(journalChannel)
    yield* Effect.forkScoped(Stream.runForEach(commits, () => Effect.sync(() => committed.openUnsafe())))
    const sweep = Effect.gen(function* () {
      committed.closeUnsafe()
      const now = yield* Clock.currentTimeMillis
      const ended = Effect.zipWith(
        expireCommands(sql, nodeId, now),
        expireReservations(sql, now),
        (some, more) => some || more
      )
      yield* writable
      if (yield* guardedWrite(ended)) yield* notifications.ring(journalChannel)
      const next = yield* guarded(nextExpiry(sql))
      return next === undefined ? idleSweepMillis : Math.min(Math.max(next - now, everyMillis), idleSweepMillis)
    })
    const round = Effect.catch(sweep, () => Effect.succeed(everyMillis))
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.flatMap(round, (millis) =>
          Effect.sleep(everyMillis).pipe(
            Effect.andThen(
              Effect.timeoutOrElse(committed.await, {
                duration: Math.max(0, millis - everyMillis),
                orElse: () => Effect.void
              })
            )
          )
        )
      )
    )
  })

export const layer = (options: CommandsOptions): Layer.Layer<Commands, never, RecordingServices | Notifications> =>
  Layer.effect(
    Commands,
    Effect.gen(function* () {
      const records = yield* recording
      const { sql } = records
      const { auditBytesPerDay } = yield* WriteBudget
      const notifications = yield* Notifications
      const waiters = makeWaiters<Ended>()
      yield* Effect.forkScoped(
        Stream.runForEach(notifications.listen(commandEndedChannel), (word) =>
          Effect.sync(() => {
            const { how, id } = readEndedPayload(word)
            waiters.ended(id, how)
          })
        )
      )
      yield* sweeping(records, notifications, options)
      return Commands.of({
        issue: issue(records, options, auditBytesPerDay, refusals(yield* Effect.context<never>())),
        get: (organisationId, id) => find(sql, organisationId, id),
        list: list(sql),
        wait: wait(sql, waiters),
        take: take(records),
        waiting: Stream.flatMap(notifications.listen(commandWaitingChannel), (chargerId) =>
          // An empty id means that notifications may have been missed.
          chargerId === "" ? Stream.fromIterableEffect(chargersWaiting(sql)) : Stream.succeed(chargerId)
        ),
        takeNumber: Effect.map(
          guardedWrite(
            sql<{
              n: number
            }>`UPDATE number_block SET next = next % 2147483646 + 1 WHERE name = 'command' RETURNING next::float8 AS n`
          ),
          (rows) => rows[0]!.n
        )
      })
    })
  )
