/**
 * Closes sessions whose end was never reported. It checks sessions without recent activity at regular intervals; the
 * domain decides which to close. No caller waits for it, and the next round makes up for one that was cut short.
 */
import { Clock, Effect, Layer } from "effect"
import { type Closing, Closings } from "../../domain/session/Closings.ts"
import { closingOf, freeMillis } from "../../domain/session/Closing.ts"
import { neverWas } from "../../domain/session/Refused.ts"
import { rounds } from "./BackgroundLoop.ts"

export interface SessionCloserOptions {
  readonly everyMillis: number
  /** Sessions that one statement reads. */
  readonly sessionsAtOnce: number
}

export const defaultCloserOptions: SessionCloserOptions = { everyMillis: 60_000, sessionsAtOnce: 500 }

/** One round over all sessions; returns the ids of those that were closed. */
export const closeUnended = ({ sessionsAtOnce: limit }: SessionCloserOptions) =>
  Effect.gen(function* () {
    const closings = yield* Closings
    const now = yield* Clock.currentTimeMillis
    const closed: Array<string> = []
    let after: string | undefined
    do {
      const page = yield* closings.quiet({ before: now - freeMillis, after, limit })
      const ripe = page.flatMap((session): ReadonlyArray<Closing> => {
        const reason = closingOf(session, now)
        return reason === undefined ? [] : [{ ...session, reason, neverWas: neverWas(session) }]
      })
      closed.push(...(yield* closings.close(ripe, now)))
      after = page.length < limit ? undefined : page.at(-1)?.sessionId
    } while (after !== undefined)
    return closed
  })

/** Runs the loop until the scope closes. */
export const layer = (options: SessionCloserOptions = defaultCloserOptions): Layer.Layer<never, never, Closings> => {
  const round = Effect.gen(function* () {
    const { length } = yield* closeUnended(options)
    if (length > 0) yield* Effect.logInfo(`closed sessions whose end was never reported: ${length}`)
    return false
  })
  return Layer.effectDiscard(rounds({ name: "unended sessions", everyMillis: options.everyMillis, round }))
}
