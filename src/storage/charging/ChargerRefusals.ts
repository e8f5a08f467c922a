/**
 * The port `ChargerRefusals` over SQL. Refusals are facts of the journal, written in the background for all chargers together. Those of a
 * registered charger belong to its organisation. Those of an unregistered id belong to the service's only organisation, like the list of
 * unknown chargers; with several organisations they are not recorded.
 */
import { Effect, Latch, Layer, Metric } from "effect"
import { ChargerRefusals } from "../../domain/charger/ChargerRefusals.ts"
import { type AppendedFact, appendOnce, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { writeBehind } from "../kernel/WrittenBehind.ts"
import { type RefusalLimits, RefusalMemory, type WaitingRefusal } from "./RefusalMemory.ts"

export interface RefusalsOptions extends RefusalLimits {
  readonly flushEveryMillis: number
  /** The most facts in one transaction. */
  readonly maxBatch: number
}

const unrecorded = Metric.counter("charger_refusals_unrecorded_total", {
  description: "Refused connections of chargers that were not published because there were too many",
  incremental: true
})

export const refusalMetrics = [unrecorded]

/** A charger is recorded at most once a minute for one reason, however many processes it tries and however often a write is repeated. */
const minuteMillis = 60_000

const factOf = (refusal: WaitingRefusal, organisationId: string): AppendedFact => {
  const { at, attempts, chargerId, network, reason } = refusal
  return {
    key: `refused:${chargerId}:${reason}:${Math.floor(at / minuteMillis)}`,
    organisationId,
    type: "ChargerRefused",
    subject: `charger:${chargerId}`,
    at,
    heardAt: at,
    body: { reason, network, attempts }
  }
}

/** The service's only organisation; undefined if there are several. */
const onlyOrganisation = ({ sql }: Recording) =>
  Effect.map(guarded(sql<{ id: string }>`SELECT o.id FROM organisation o LIMIT 2`), (found) =>
    found.length === 1 ? found[0]?.id : undefined
  )

const write = (recording: Recording, batch: ReadonlyArray<WaitingRefusal>) =>
  Effect.gen(function* () {
    const isAnyUnknown = batch.some(({ organisationId }) => organisationId === undefined)
    const only = isAnyUnknown ? yield* onlyOrganisation(recording) : undefined
    const facts = batch.flatMap((refusal) => {
      const organisationId = refusal.organisationId ?? only
      return organisationId === undefined ? [] : [factOf(refusal, organisationId)]
    })
    if (facts.length === 0) return
    yield* recording.journaled(
      Effect.succeed({ result: undefined, facts: [], after: appendOnce(recording.sql, facts) })
    )
  })

/** Provides `ChargerRefusals`; waiting refusals are written when the layer is closed. */
export const layer = (options: RefusalsOptions): Layer.Layer<ChargerRefusals, never, RecordingServices> =>
  Layer.effect(
    ChargerRefusals,
    Effect.gen(function* () {
      const records = yield* recording
      const context = yield* Effect.context<never>()
      const memory = new RefusalMemory(options)
      const pending = Latch.makeUnsafe(false)
      const flushing = writeBehind({
        name: "charger refusals",
        everyMillis: options.flushEveryMillis,
        waiting: () => memory.size,
        pending,
        write: Effect.suspend(() => {
          const batch = memory.take(options.maxBatch)
          return write(records, batch).pipe(
            Effect.tapError(() => Effect.sync(() => memory.again(batch))),
            Effect.catchDefect((defect) => Effect.logWarning("charger refusals: could not be written", defect)),
            Effect.as(batch.length)
          )
        })
      })
      yield* Effect.asVoid(flushing)
      return ChargerRefusals.of({
        refused: (refusal) => {
          if (!memory.refused(refusal)) unrecorded.updateUnsafe(1, context)
          if (memory.size > 0) pending.openUnsafe()
        }
      })
    })
  )
