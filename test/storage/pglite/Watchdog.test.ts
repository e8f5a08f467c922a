/** The watchdog barks at a worker that owes an answer, and at nobody else. */
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
  it("barks once, ten seconds after the last word of a worker that owes one", () => {
    const dog = make()
    dog.asked()
    dog.ticks(19)
    expect(dog.barks).toEqual([])
    dog.ticks(30)
    expect(dog.barks).toEqual([10_000])
  })

  it("is content with any answer, although others are outstanding", () => {
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

  it("asks an idle worker whether it is there, after a rest each time", () => {
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

  it("barks at an idle worker that does not answer its ping, ten seconds after it", () => {
    const dog = make()
    dog.ticks(3)
    expect(dog.pings()).toBe(1)
    dog.asked()
    dog.ticks(19)
    expect(dog.barks).toEqual([])
    dog.ticks(1)
    expect(dog.barks).toEqual([10_000])
  })

  it("takes neither a night's sleep nor its own thread's stall for the worker's silence", () => {
    const dog = make()
    dog.asked()
    dog.ticks(1, 8 * 3_600_000)
    dog.ticks(1, 30_000)
    expect(dog.barks).toEqual([])
  })

  it("waits as long as it must while it is paused, and begins anew afterwards", () => {
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
