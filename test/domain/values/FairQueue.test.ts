import { Effect, Fiber, Latch } from "effect"
import { expect, it } from "vitest"
import { FairQueue } from "../../../src/domain/values/FairQueue.ts"

/** Work that takes until the test ends it, by name; `begun` has the names in the order in which they got a place. */
const desk = (options: { atOnce?: number; waiting?: number; waitingPerName?: number } = {}) => {
  const queue = new FairQueue({ atOnce: 1, waiting: 10, waitingPerName: 3, ...options }, "refused" as const)
  const begun: Array<string> = []
  const ends: Array<Latch.Latch> = []
  const ask = (name: string, isPreferred = false) =>
    Effect.runFork(
      queue.within(
        name,
        isPreferred,
        Effect.suspend(() => {
          begun.push(name)
          const end = Latch.makeUnsafe(false)
          ends.push(end)
          return Effect.as(end.await, "done" as const)
        })
      )
    )
  const end = async () => {
    ends.shift()?.openUnsafe()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const outcome = (fiber: ReturnType<typeof ask>) =>
    Effect.runPromise(Effect.match(Fiber.join(fiber), { onFailure: (e) => e, onSuccess: (a) => a }))
  return { ask, begun, end, outcome }
}

it("names get places one after the other, however much each of them asks for", async () => {
  const { ask, begun, end } = desk()
  for (const name of ["A", "A", "A", "A", "B", "C", "B"]) ask(name)
  for (let n = 0; n < 6; n++) await end()
  expect(begun).toEqual(["A", "A", "B", "C", "A", "B", "A"])
})

it("preferred work goes before all other", async () => {
  const { ask, begun, end } = desk()
  for (const name of ["A", "A", "B"]) ask(name)
  ask("known", true)
  for (let n = 0; n < 3; n++) await end()
  expect(begun).toEqual(["A", "known", "A", "B"])
})

it("one name may not wait for too much, and who waits for most gives way when the queue is full", async () => {
  const { ask, begun, end, outcome } = desk({ waiting: 4 })
  const [, ...waiting] = ["A", "A", "A", "A"].map((name) => ask(name))
  expect(await outcome(ask("A"))).toBe("refused")
  ask("B")
  ask("C")
  // The last of A gave way to C; now no one waits for two more than D would.
  expect(await outcome(waiting[2]!)).toBe("refused")
  expect(await outcome(ask("A"))).toBe("refused")
  ask("D")
  expect(await outcome(waiting[1]!)).toBe("refused")
  expect(await outcome(ask("E"))).toBe("refused")
  for (let n = 0; n < 4; n++) await end()
  expect(begun).toEqual(["A", "A", "B", "C", "D"])
})

it("who leaves the queue frees its place there, and what has begun keeps its own until it ends", async () => {
  const { ask, begun, end } = desk({ atOnce: 2 })
  const first = ask("A")
  ask("B")
  const gone = ask("C")
  ask("D")
  await Effect.runPromise(Fiber.interrupt(gone))
  const interrupting = Effect.runFork(Fiber.interrupt(first))
  expect(begun).toEqual(["A", "B"])
  await end()
  await Effect.runPromise(Fiber.join(interrupting))
  expect(begun).toEqual(["A", "B", "D"])
  await end()
  await end()
  ask("E")
  expect(begun).toEqual(["A", "B", "D", "E"])
})
