/** Metrics of the journal's writer: how much it commits, how long that takes, how many commits wait and how many failed. */
import { type Context, Metric } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"

const facts = Metric.counter("journal_facts_total", {
  description: "Facts of chargers that were committed to the database, including repeated ones",
  incremental: true
})

const batch = Metric.histogram("journal_commit_duration_seconds", {
  description: "Duration of a transaction of the journal; everything received meanwhile goes into the next one",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

const waiting = Metric.gauge("journal_waiting_commits", {
  description: "Commits of chargers that are waiting for the next transaction"
})

const reasons: ReadonlyArray<StorageUnavailable["reason"] | "refused"> = ["busy", "down", "full", "unknown", "refused"]

const failures = new Map(
  reasons.map((reason) => [
    reason,
    Metric.counter("journal_failed_commits_total", {
      description: "Commits of chargers that failed, by reason; their chargers were asked to send the message again",
      incremental: true,
      attributes: { reason }
    })
  ])
)

export const journalMetrics = [facts, batch, waiting, ...failures.values()]

/** Functions that record the metrics in the given context. */
export const journalMeasures = (context: Context.Context<never>) => ({
  committed: (count: number, millis: number): void => {
    facts.updateUnsafe(count, context)
    batch.updateUnsafe(millis / 1000, context)
  },
  waiting: (count: number): void => waiting.updateUnsafe(count, context),
  failed: (count: number, reason: StorageUnavailable["reason"] | "refused"): void =>
    failures.get(reason)?.updateUnsafe(count, context)
})

export type JournalMeasures = ReturnType<typeof journalMeasures>
