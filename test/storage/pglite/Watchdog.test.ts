/** The watchdog reports a worker that owes an answer, and no other. */
import { describe, expect, it } from "vitest"
import { makeWatchdog, restMillis, tickMillis } from "../../../src/storage/pglite/Watchdog.ts"

const make = (onPing = () => {}) => {
  const barks: Array<number> = []
  let pings = 0
  const watchdog = makeWatchdog({
    limitMillis: 10_000,
    ping: () => {
      pings += 1
      onPing()
    },
    onSilent: (millis) => barks.push(millis)
  })
  return {
    ...watchdog,
    barks,
    pings: () => pings,
    ticks: (n: number, elapsed = tickMillis) => {
      for (let i = 0; i < n; i++) watchdog.tick(elapsed)
    }
  }
}

describe("makeWatchdog", () => {
  it("reports once, ten seconds after the last message of a worker that owes an answer", () => {
    const dog = make()
    dog.asked()
    dog.ticks(19)
    expect(dog.barks).toEqual([])
    dog.ticks(30)
    expect(dog.barks).toEqual([10_000])
  })

  it("accepts any answer, even when others are outstanding", () => {
    const dog = make()
    dog.asked()
    dog.asked()
    for (let n = 0; n < 10; n++) {
      dog.ticks(19)
      dog.asked()
      dog.heard()
    }
    expect(dog.barks).toEqual([])
    dog.ticks(20)
    expect(dog.barks).toEqual([10_000])
  })

  it("pings an idle worker after a rest each time", () => {
    const dog = make(() => {
      dog.asked()
      dog.heard()
    })
    dog.asked()
    dog.heard()
    const waits: Array<number> = []
    for (let n = 0; n < 6; n++) waits.push(dog.tick(waits.at(-1) ?? tickMillis))
    expect(waits).toEqual([restMillis, tickMillis, restMillis, tickMillis, restMillis, tickMillis])
    expect(dog.pings()).toBe(3)
    expect(dog.barks).toEqual([])
  })

  it("reports an idle worker that does not answer its ping, ten seconds after it", () => {
    const dog = make()
    dog.ticks(3)
    expect(dog.pings()).toBe(1)
    dog.asked()
    dog.ticks(19)
    expect(dog.barks).toEqual([])
    dog.ticks(1)
    expect(dog.barks).toEqual([10_000])
  })

  it("does not mistake a sleeping machine or a stall of its own thread for silence of the worker", () => {
    const dog = make()
    dog.asked()
    dog.ticks(1, 8 * 3_600_000)
    dog.ticks(1, 30_000)
    expect(dog.barks).toEqual([])
  })

  it("reports nothing while it is paused, and starts again afterwards", () => {
    const dog = make()
    dog.asked()
    dog.ticks(19)
    const first = dog.pause()
    const second = dog.pause()
    dog.ticks(1_000)
    first()
    first()
    dog.ticks(1_000)
    expect(dog.barks).toEqual([])
    second()
    dog.ticks(19)
    expect(dog.barks).toEqual([])
    dog.ticks(1)
    expect(dog.barks).toEqual([10_000])
  })
})
