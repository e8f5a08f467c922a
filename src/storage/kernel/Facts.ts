/**
 * How records are written: in one transaction that first takes the journal's lock, then changes the record and appends the fact that says
 * who changed what. Every writer takes the lock first, so positions become visible in order and writers cannot deadlock.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { Precondition } from "../../domain/operator/Precondition.ts"
import { Secrets } from "../../domain/values/Secrets.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { StorageHealth } from "../../domain/values/StorageHealth.ts"
import type { CommandAnswered, CommandIssued } from "../../domain/charger/Fact.ts"
import { storedBody } from "../../domain/event/RecordDifference.ts"
import type { RecordFact, ServiceFact } from "../../domain/event/RecordFact.ts"
import { budgetOf, overBudget, rowBytes, WriteBudget } from "../../domain/operator/WriteBudget.ts"
import { textArray, timestamptzArray, uuidArray } from "./Arrays.ts"
import { locks } from "./Locks.ts"
import { journalChannel, Notifications } from "./Notifications.ts"
import { countUse, refusedForBudget, type Use } from "./OrganisationUse.ts"
import { guardedWrite } from "./SqlErrors.ts"

/** What a write returns: its result and its facts. No facts if nothing changed. */
export interface Written<A> {
  readonly result: A
  readonly facts: ReadonlyArray<JournaledFact>
  /** Bytes that the write has stored for long in addition to the facts: versions of a tariff, the chargers of a batch. */
  readonly bytes?: number | undefined
  /** Runs in the same transaction after the facts are appended. */
  readonly after?: Effect.Effect<void, SqlError> | undefined
}

/** Commands are issued by people as well as by a charger's actor. */
type JournaledFact =
  | RecordFact
  | ServiceFact
  | ((Omit<CommandIssued, "chargerId"> | Omit<CommandAnswered, "chargerId">) & { readonly subject: string })

/** A fact of any kind, in the form in which it is appended. */
export interface AppendedFact {
  readonly key: string
  readonly organisationId: string
  readonly type: string
  readonly subject: string
  /** ms epoch. */
  readonly at: number
  readonly heardAt: number
  readonly body: object
}

/** The statement that appends facts in their order. A write may include it in a statement of its own, which saves a round trip. */
export const appending = (sql: SqlClient.SqlClient, facts: ReadonlyArray<AppendedFact>) => sql`
  INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
  SELECT substring(sha256(convert_to(f.key, 'UTF8')) for 16), f.organisation_id, f.type, f.subject, f.at, f.heard_at, f.body::json
  FROM unnest(
    ${textArray(facts.map((fact) => fact.key))},
    ${uuidArray(facts.map((fact) => fact.organisationId))},
    ${textArray(facts.map((fact) => fact.type))},
    ${textArray(facts.map((fact) => fact.subject))},
    ${timestamptzArray(facts.map((fact) => fact.at))},
    ${timestamptzArray(facts.map((fact) => fact.heardAt))},
    ${textArray(facts.map((fact) => JSON.stringify(storedBody(fact.type, fact.body))))}
  ) WITH ORDINALITY AS f(key, organisation_id, type, subject, at, heard_at, body, ord) ORDER BY f.ord`

/** Appends facts in their order, except those that the journal already has. Must run in a transaction that holds the journal's lock. */
export const appendOnce = (sql: SqlClient.SqlClient, facts: ReadonlyArray<AppendedFact>) =>
  facts.length === 0 ? Effect.void : Effect.asVoid(sql`${appending(sql, facts)} ON CONFLICT (key) DO NOTHING`)

/**
 * To be run after each write of facts: it wakes the readers of the journal, which otherwise poll only rarely. Within a transaction of the
 * caller it waits for the commit. The readers would find nothing before it, and would not be woken again.
 */
export const journalRung = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { ring } = yield* Notifications
  return sql.afterCommit(ring(journalChannel))
})

/** What a fact needs in the journal, and what a new record needs itself. */
export const factBytes = ({ body, type }: Pick<AppendedFact, "body" | "type">): number => {
  const bytes = rowBytes + Buffer.byteLength(JSON.stringify(storedBody(type, body)))
  return "after" in body && !("before" in body) ? 2 * bytes : bytes
}

const authorOf = (body: object): string => ("by" in body && typeof body.by === "string" ? body.by : "")

/** What facts add to the use of their author's budget; undefined for authors without one. One urgent fact makes the whole write urgent. */
const budgetedUse = (facts: ReadonlyArray<AppendedFact>, bytes: number): Use | undefined => {
  const counted = facts.flatMap((fact) => {
    const kind = budgetOf(fact, authorOf(fact.body))
    return kind === undefined ? [] : [{ fact, kind }]
  })
  const chosen = counted.find(({ kind }) => kind === "access") ?? counted[0]
  if (chosen === undefined) return undefined
  const { at, body, organisationId } = chosen.fact
  return {
    organisationId,
    kind: chosen.kind,
    author: authorOf(body),
    bytes: counted.reduce((sum, { fact }) => sum + factBytes(fact), bytes),
    at
  }
}

/** What writing repositories use. */
export interface Recording {
  readonly sql: SqlClient.SqlClient
  /** To be checked before a write that appends no fact. */
  readonly writable: Effect.Effect<void, StorageUnavailable>
  readonly secrets: Secrets["Service"]
  /**
   * Runs a write in a transaction of the journal and appends its facts in the same transaction: both are stored, or neither is. Every other
   * writer waits for the lock, so the write reads the current state. A record is therefore read, compared and changed within it.
   * If the author's budget of the day is used up, the write ends as a defect, a `TooMany`, as with `Precondition`: no error handler in
   * between can recover from it, and the interfaces answer with it.
   */
  readonly journaled: <A, E>(
    write: Effect.Effect<Written<A>, E>
  ) => Effect.Effect<A, Exclude<E, SqlError> | StorageUnavailable>
  /**
   * Appends facts within a write that needs them before its own statements, and counts them, with `bytes` that are stored besides, against
   * the budget of their author.
   */
  readonly append: (facts: ReadonlyArray<AppendedFact>, bytes: number) => Effect.Effect<void, SqlError>
  /** Runs a write that is one statement: a database function that takes the journal's lock and appends the fact itself. */
  readonly journaledStatement: <A, E>(
    statement: Effect.Effect<A, E>
  ) => Effect.Effect<A, Exclude<E, SqlError> | StorageUnavailable>
}

/** What a repository's layer needs for {@link recording}. */
export type RecordingServices = SqlClient.SqlClient | Secrets | StorageHealth | Notifications

export const recording: Effect.Effect<Recording, never, RecordingServices> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const health = yield* StorageHealth
  const secrets = yield* Secrets
  const rung = yield* journalRung
  const { auditBytesPerDay } = yield* WriteBudget
  const append: Recording["append"] = (facts, bytes) => {
    const use = budgetedUse(facts, bytes)
    if (use === undefined) return Effect.asVoid(appending(sql, facts))
    return Effect.flatMap(countUse(sql, use, appending(sql, facts)), (used) => {
      const refusal = overBudget(use.kind, auditBytesPerDay, used, use.at)
      return refusal === undefined ? Effect.void : Effect.orDie(refusedForBudget(use.kind, refusal))
    })
  }
  // Notifies even if the caller is interrupted. Otherwise readers would notice the commit only at their next slow poll.
  const journaledStatement: Recording["journaledStatement"] = (statement) =>
    Effect.andThen(health.writable, Effect.ensuring(guardedWrite(statement), rung))
  const journaled: Recording["journaled"] = (write) => {
    const transaction = Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${locks.journal})`
      yield* yield* Precondition
      const { after = Effect.void, bytes = 0, facts, result } = yield* write
      if (facts.length > 0) yield* append(facts, bytes)
      yield* after
      return result
    })
    return journaledStatement(sql.withTransaction(transaction))
  }
  return { sql, secrets, append, journaled, journaledStatement, writable: health.writable }
})

/** The fields that every fact of a record has. `id` makes the key unique: two changes of one record at the same instant are two facts. */
export const factOf = <T extends (RecordFact | ServiceFact)["type"]>(
  type: T,
  subject: string,
  id: string,
  { by, now }: { readonly by: Pick<AuditContext["by"], "organisationId" | "actor">; readonly now: number }
) => ({ key: `${type}:${id}`, organisationId: by.organisationId, type, subject, at: now, heardAt: now })
