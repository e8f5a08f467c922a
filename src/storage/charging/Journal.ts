/**
 * The journal's writer: all commits of this process's chargers that are waiting are written in one transaction. A flush takes everything
 * that waits, and the next one starts when it has ended. So batches grow with the load, and no commit waits for a timer.
 */
import { Effect, Layer, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { FactRefused, StorageUnavailable } from "../../domain/Errors.ts"
import { inHalves } from "../../domain/values/InHalves.ts"
import type { ChargerFact, CommandAnswered, ProgressReported, ProvisionalChanged } from "../../domain/charger/Fact.ts"
import { type CommitResult, Journal, journalOf } from "../../domain/charger/Journal.ts"
import { Secrets } from "../../domain/values/Secrets.ts"
import { StorageHealth } from "../../domain/values/StorageHealth.ts"
import { existingSession, type ExistingRow } from "./ChargerStateRows.ts"
import { journalParameters } from "./JournalBatch.ts"
import { apart, provisionalDocument, recordedOf } from "./Provisional.ts"
import { type JournalMeasures, journalMeasures } from "./JournalMetrics.ts"
import { endingCommands } from "../commands/CommandEnds.ts"
import { isFollowed } from "../commands/EndedCommands.ts"
import { endedPayload } from "../commands/EndedPayload.ts"
import { followProgress } from "../commands/TransferProgress.ts"
import { commandEndedChannel, journalChannel, Notifications } from "../kernel/Notifications.ts"
import { guardedWrite, isDataError } from "../kernel/SqlErrors.ts"

export interface JournalOptions {
  /** The most facts in one transaction. It limits how long a commit, and those behind it, can take. */
  readonly maxBatchFacts: number
  /** How many commits may wait before new ones are refused as busy. */
  readonly maxWaiting: number
  /** How long a commit may wait while the database is unreachable, in ms. */
  readonly patienceMillis: number
}

type CommitError = StorageUnavailable | FactRefused

interface Waiting {
  readonly facts: ReadonlyArray<ChargerFact>
  /** The facts that end commands. */
  readonly ended: ReadonlyArray<CommandAnswered>
  /** The ids of those commands whose end changes more than the command. */
  readonly ends: ReadonlyArray<string>
  /** Whether the facts include the progress of a transfer. */
  readonly reports: boolean
  /** Changes of provisional transactions, which are stored with the facts. */
  readonly provisional: ReadonlyArray<ProvisionalChanged>
  readonly since: number
  readonly done: (result: CommitResult) => void
  /** Whether `done` was called: if a part of a halved batch fails, the parts before it have their results already. */
  settled: boolean
}

const settle = (waiting: Waiting, result: CommitResult): void => {
  waiting.settled = true
  waiting.done(result)
}

const unsettled = (batch: ReadonlyArray<Waiting>): ReadonlyArray<Waiting> => batch.filter(({ settled }) => !settled)

const allRecorded: Array<ReadonlyArray<boolean>> = Array.from({ length: 9 }, (_, n) =>
  Array.from({ length: n }, () => true)
)

/**
 * Gives each commit of a batch its part of the result. `fresh` has the ordinals of the new facts in the whole batch, from 1; null means
 * that all were new.
 */
const distribute = (
  batch: ReadonlyArray<Waiting>,
  fresh: ReadonlyArray<number> | null,
  existing: ReadonlyArray<ExistingRow>
): void => {
  const isNew = fresh === null ? undefined : new Set(fresh)
  let from = 0
  for (const waiting of batch) {
    const n = waiting.facts.length
    const start = from
    from += n
    if (isNew === undefined) {
      const recorded = allRecorded[n] ?? waiting.facts.map(() => true)
      settle(waiting, Result.succeed({ recorded, existing: undefined }))
      continue
    }
    const row = existing.find((s) => s.ord > start && s.ord <= start + n)
    settle(
      waiting,
      Result.succeed({
        recorded: waiting.facts.map((_, i) => isNew.has(start + i + 1)),
        existing: row === undefined ? undefined : existingSession(row)
      })
    )
  }
}

/** The new progress reports of the batch. */
const newReports = (
  batch: ReadonlyArray<Waiting>,
  fresh: ReadonlyArray<number> | null
): ReadonlyArray<ProgressReported> => {
  const isNew = fresh === null ? undefined : new Set(fresh)
  return batch
    .flatMap(({ facts }) => facts)
    .flatMap((fact, i) => (fact.type === "ProgressReported" && (isNew === undefined || isNew.has(i + 1)) ? [fact] : []))
}

/**
 * Writes a batch with one statement. Only the few batches with a fact that has further consequences need a transaction. Returns whether all
 * facts were new.
 */
const write = (
  sql: SqlClient.SqlClient,
  secrets: Secrets["Service"],
  batch: ReadonlyArray<Waiting>
): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.suspend(() => {
    const p = journalParameters(
      batch.map((waiting) => waiting.facts),
      secrets
    )
    const ends = batch.flatMap((waiting) => waiting.ends)
    const provisional = provisionalDocument(batch.flatMap((waiting) => waiting.provisional))
    const statement = sql<{ fresh: ReadonlyArray<number> | null; standing: ReadonlyArray<ExistingRow> | null }>`
      SELECT fresh, standing FROM journal_commit(${p.keys}, ${p.organisations}, ${p.types}, ${p.chargers}, ${p.at}, ${p.heard},
        ${p.bodies}, ${p.epochs}, ${p.requires}, ${p.meterOrd}, ${p.meterSessions}, ${p.meterEvses}, ${p.meterConnectors}, ${p.meterAt},
        ${p.meterRawAt}, ${p.meterEnergy}, ${p.meterSamples}, ${p.registerOrd}, ${p.registerSessions}, ${p.registerWh}, ${p.registerAt},
        ${p.registerEnergy}, ${p.registerPower}, ${p.registerPowerAt}, ${p.refused}::text::jsonb, ${p.starts}::text::jsonb, ${p.ends}::text::jsonb, ${p.statuses}::text::jsonb, ${p.boots}::text::jsonb,
        ${p.configurations}::text::jsonb, ${p.orphans}::text::jsonb, ${provisional}::text::jsonb)`
    const isReport = batch.some(({ reports }) => reports)
    const reported = Effect.tap(statement, (rows) => followProgress(sql, newReports(batch, rows[0]?.fresh ?? null)))
    const stored =
      ends.length > 0
        ? endingCommands(sql, ends, isReport ? reported : statement)
        : isReport
          ? sql.withTransaction(reported)
          : statement
    return Effect.map(stored, (rows) => {
      const fresh = rows[0]?.fresh ?? null
      distribute(batch, fresh, rows[0]?.standing ?? [])
      return fresh === null
    })
  })

const noEnds: ReadonlyArray<never> = []

const endsOf = (facts: ReadonlyArray<ChargerFact>): Pick<Waiting, "ended" | "ends"> => {
  if (!facts.some(({ type }) => type === "CommandAnswered")) return { ended: noEnds, ends: noEnds }
  const ended = facts.filter((fact) => fact.type === "CommandAnswered")
  const ends = ended.flatMap(({ body: { commandId, type } }) => (isFollowed(type) ? [commandId] : []))
  return { ended, ends }
}

const noChanges: ReadonlyArray<never> = []

const waitingFor = (all: ReadonlyArray<ChargerFact>, done: (result: CommitResult) => void): Waiting => {
  const { journaled: facts, provisional } = apart(all) ?? { journaled: all, provisional: noChanges }
  const reports = facts.some(({ type }) => type === "ProgressReported")
  const ofAll = (result: CommitResult): void =>
    done(Result.map(result, (outcome) => ({ ...outcome, recorded: recordedOf(all, outcome.recorded) })))
  return {
    facts,
    ...endsOf(facts),
    reports,
    provisional,
    since: Date.now(),
    done: facts === all ? done : ofAll,
    settled: false
  }
}

/**
 * How many waiting commits go into the next batch. The consequences of a fact are stored after all facts of its batch, so a later commit of
 * the same charger has to wait for the next batch.
 */
const batchLength = (queue: ReadonlyArray<Waiting>, maxFacts: number): number => {
  const following = new Set<string | undefined>()
  let facts = 0
  for (const [n, next] of queue.entries()) {
    const chargerId = next.facts[0]?.chargerId
    facts += next.facts.length
    if (n > 0 && (facts > maxFacts || following.has(chargerId))) return n
    if (next.ends.length > 0 || next.reports) following.add(chargerId)
  }
  return queue.length
}

/** Fails those commits of a batch that have no result yet. */
const failAll = (batch: ReadonlyArray<Waiting>, error: CommitError, measures: JournalMeasures): void => {
  const failed = unsettled(batch)
  if (failed.length > 0) measures.failed(failed.length, error._tag === "FactRefused" ? "refused" : error.reason)
  for (const waiting of failed) settle(waiting, Result.fail(error))
}

const timed = <A, E>(
  audit: Effect.Effect<A, E>,
  batch: ReadonlyArray<Waiting>,
  measures: JournalMeasures
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const began = performance.now()
    const count = batch.reduce((sum, { facts }) => sum + facts.length, 0)
    return Effect.tap(audit, () => Effect.sync(() => measures.committed(count, performance.now() - began)))
  })

/**
 * Writes a batch. A value that the database refuses is found by halving the batch, with each part in its own transaction. So a bad value of
 * one charger does not fail the commits of others.
 */
const flush = (
  sql: SqlClient.SqlClient,
  secrets: Secrets["Service"],
  batch: ReadonlyArray<Waiting>,
  measures: JournalMeasures,
  { ahead, ring }: Notifications["Service"]
): Effect.Effect<void, StorageUnavailable> =>
  inHalves(batch, (part) =>
    guardedWrite(
      timed(write(sql, secrets, part), part, measures).pipe(
        Effect.tap((allNew) =>
          Effect.sync(() => {
            // Includes how the command ended only if it is certain that this fact ended it.
            const payload = (fact: CommandAnswered) => (allNew ? endedPayload(fact) : fact.body.commandId)
            for (const { ended } of part) for (const fact of ended) ahead(commandEndedChannel, payload(fact))
          })
        ),
        Effect.andThen(ring(journalChannel)),
        Effect.as(true),
        Effect.catch((error) => {
          if (!isDataError(error)) return Effect.fail(error)
          if (part.length === 1) {
            failAll(part, new FactRefused({ message: "the database cannot hold a value of this message" }), measures)
          }
          return Effect.succeed(false)
        })
      )
    )
  )

const busy = new StorageUnavailable({
  reason: "busy",
  message: "too many commits are waiting for the database; try again"
})

const died = new StorageUnavailable({ reason: "unknown", message: "the journal failed; see the log" })

/** Provides `Journal` with the database function `journal_commit`. */
export const layer = (
  options: JournalOptions
): Layer.Layer<Journal, never, SqlClient.SqlClient | StorageHealth | Notifications | Secrets> =>
  Layer.effect(
    Journal,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secrets = yield* Secrets
      const health = yield* StorageHealth
      const notifications = yield* Notifications
      const measures = journalMeasures(yield* Effect.context<never>())
      const queue: Array<Waiting> = []
      let wake: (() => void) | undefined

      const take = (): ReadonlyArray<Waiting> => {
        const taken = queue.splice(0, batchLength(queue, options.maxBatchFacts))
        measures.waiting(queue.length)
        return taken
      }

      const waitForWork = Effect.callback<void>((resume) => {
        if (queue.length > 0) return resume(Effect.void)
        wake = () => {
          wake = undefined
          resume(Effect.void)
        }
      })

      /** Fails the commits that have waited long enough, and keeps the others for the next try. */
      const retryAgain = (batch: ReadonlyArray<Waiting>, error: StorageUnavailable): Effect.Effect<void> =>
        Effect.suspend(() => {
          const now = Date.now()
          const patient =
            error.reason === "down"
              ? unsettled(batch).filter((waiting) => now - waiting.since < options.patienceMillis)
              : []
          failAll(
            batch.filter((waiting) => !patient.includes(waiting)),
            error,
            measures
          )
          if (patient.length === 0) return Effect.void
          queue.unshift(...patient)
          measures.waiting(queue.length)
          return Effect.sleep(retryMillis)
        })

      const cycle = Effect.gen(function* () {
        yield* waitForWork
        const batch = take()
        yield* health.writable.pipe(
          Effect.andThen(flush(sql, secrets, batch, measures, notifications)),
          Effect.catch((error) => retryAgain(batch, error)),
          Effect.catchDefect((defect) =>
            Effect.andThen(
              Effect.logError("journal: a batch failed because of a defect", defect),
              Effect.sync(() => failAll(batch, died, measures))
            )
          )
        )
      })
      yield* Effect.forkScoped(Effect.forever(cycle))

      const commitThen: Journal["Service"]["commitThen"] = (facts, done) => {
        if (queue.length >= options.maxWaiting) {
          measures.failed(1, "busy")
          return done(Result.fail(busy))
        }
        queue.push(waitingFor(facts, done))
        measures.waiting(queue.length)
        wake?.()
      }
      return journalOf(commitThen)
    })
  )

/**
 * The time between tries while the database is unreachable: short enough that chargers hardly notice a restart, and long enough for the
 * database to start.
 */
const retryMillis = 250
