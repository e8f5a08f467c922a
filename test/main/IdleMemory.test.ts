/** When the service stops for a collection: after a burst, after a long rest, and never under load. */
import { assert, describe, it } from "@effect/vitest"
import { type Look, oftenMillis, seldomMillis, Worth } from "../../src/main/IdleMemory.ts"

const mebibyte = 1024 * 1024
const resting: Look = { sinceMillis: oftenMillis, heapBytes: 100 * mebibyte, cpuMillis: 5, connected: 0 }

/** The checks, counted from the first, at which there is a collection that leaves `left`. */
const collections = (worth: Worth, looks: ReadonlyArray<Look>, left = 60 * mebibyte) =>
  looks.flatMap((look, n) => {
    if (!worth.isNow(look)) return []
    worth.collected(left)
    return [n]
  })

const times = (count: number, look: Partial<Look> = {}): ReadonlyArray<Look> =>
  Array.from({ length: count }, () => ({ ...resting, ...look }))

/** One after the collection that follows its start. */
const started = () => {
  const worth = new Worth()
  assert.deepStrictEqual(collections(worth, times(6)), [3])
  return worth
}

describe("memory is released", () => {
  it("two seconds after the start, and two seconds after the last charger of a burst, despite their messages", () => {
    const burst = times(4).map((look, n) => ({
      ...look,
      connected: 200 * n,
      heapBytes: 300 * mebibyte,
      cpuMillis: 500
    }))
    const after = times(20, { connected: 600, heapBytes: 250 * mebibyte, cpuMillis: 200 })
    assert.deepStrictEqual(collections(started(), [...burst, ...after], 150 * mebibyte), [7])
  })

  it("after chargers that were disconnected have all come back", () => {
    const heapBytes = 200 * mebibyte
    const worth = started()
    assert.deepStrictEqual(collections(worth, times(5, { connected: 1000, heapBytes })), [4])
    const storm = [...times(1, { connected: 0, heapBytes }), ...times(8, { connected: 1000, heapBytes })]
    assert.deepStrictEqual(collections(worth, storm), [5])
  })

  it("not while half of a core is busy, not after a few chargers, and not for little", () => {
    const heapBytes = 200 * mebibyte
    const grown = { connected: 5000, heapBytes }
    assert.deepStrictEqual(collections(started(), times(200, { ...grown, cpuMillis: 260 })), [])
    assert.deepStrictEqual(collections(started(), times(200, { ...grown, connected: 400, cpuMillis: 60 })), [])
    assert.deepStrictEqual(
      collections(started(), times(200, { ...grown, heapBytes: 120 * mebibyte, cpuMillis: 60 })),
      []
    )
  })

  it("after half a minute of rest, where that is worth it", () => {
    assert.deepStrictEqual(collections(started(), times(100, { heapBytes: 80 * mebibyte })), [57])
    assert.deepStrictEqual(collections(started(), times(200, { heapBytes: 70 * mebibyte })), [])
    const interrupted = times(200, { heapBytes: 80 * mebibyte }).map((look, n) =>
      n % 50 === 0 ? { ...look, cpuMillis: 60 } : look
    )
    assert.deepStrictEqual(collections(started(), interrupted), [])
  })

  it("with frequent checks while chargers connect and for ten seconds after, and rare ones otherwise", () => {
    const worth = started()
    const pauses = (looks: ReadonlyArray<Look>) =>
      looks.map((look) => {
        worth.isNow(look)
        return worth.nextMillis
      })
    assert.deepStrictEqual(new Set(pauses(times(13))), new Set([oftenMillis]))
    assert.deepStrictEqual(new Set(pauses(times(50))), new Set([seldomMillis]))
    // A burst that began since the last check: frequent checks from now on, and it is over two seconds after the last charger.
    const grown = { connected: 600, heapBytes: 250 * mebibyte, cpuMillis: 200 }
    const first = { ...resting, ...grown, sinceMillis: seldomMillis }
    assert.isFalse(worth.isNow(first))
    assert.strictEqual(worth.nextMillis, oftenMillis)
    assert.deepStrictEqual(collections(worth, times(10, grown), 150 * mebibyte), [3])
  })
})
