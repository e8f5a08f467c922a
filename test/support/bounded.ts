/** A time limit for shared work of tests: if it hangs, the file that requested it fails with one sentence, and no other file waits for it. */
import { Effect, Fiber } from "effect"

/** Dies with `sentence` after the time limit, even if the effect cannot be interrupted; a hanging effect is left running. */
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
