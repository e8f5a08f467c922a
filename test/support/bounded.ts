/**
 * A limit for what tests have done for them: whatever hangs fails the file that asked for it with one sentence, and holds up no other.
 */
import { Effect, Fiber } from "effect"

/** Dies with `sentence` once the time is over, also where the effect cannot be interrupted; what hangs is left behind. */
export const bounded =
  (seconds: number, sentence: string) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.callback<A, E>((resume) => {
      const fiber = Effect.runFork(effect)
      const timer = setTimeout(() => {
        resume(Effect.die(new Error(`${sentence} within ${seconds} s`)))
        fiber.interruptUnsafe()
      }, seconds * 1000)
      fiber.addObserver((exit) => {
        clearTimeout(timer)
        resume(exit)
      })
      return Effect.andThen(
        Effect.sync(() => clearTimeout(timer)),
        Fiber.interrupt(fiber)
      )
    })
