import { describe, expect, it } from "vitest"
import { beginsAsStop, shortenedStop } from "../../../src/ocpp/rpc/LongStop.ts"

const readings = (n: number) =>
  Array.from({ length: n }, (_, i) => ({ timestamp: `t${i}`, sampledValue: [{ value: `${i}, ]}["`, unit: "Wh" }] }))
const stop = (payload: object) => JSON.stringify([2, "7", "StopTransaction", payload])

/** The payload of a shortened stop, and the numbers of its readings. */
const shortened = (payload: object, most: number) => {
  const found = shortenedStop(stop(payload), most)
  if (found === undefined) return undefined
  const [, , , read] = JSON.parse(found.text) as [
    number,
    string,
    string,
    { transactionData: ReturnType<typeof readings> }
  ]
  const { transactionData, ...rest } = read
  return { ...found, rest, kept: transactionData.map(({ timestamp }) => Number(timestamp.slice(1))) }
}

describe("a StopTransaction that is too long", () => {
  it.each(["first", "last"])(
    "keeps its first and last readings and every other field, with the readings %s",
    (where) => {
      const rest = { transactionId: 7, idTag: 'a"b', meterStop: 9, timestamp: "t" }
      const data = { transactionData: readings(1_000) }
      const found = shortened(where === "first" ? { ...data, ...rest } : { ...rest, ...data }, 20_000)
      expect(found?.rest).toEqual(rest)
      const kept = found?.kept ?? []
      expect(kept.length + (found?.dropped ?? 0)).toBe(1_000)
      expect([kept[0], kept.at(-1)]).toEqual([0, 999])
      // In one piece at each end, of about the same length.
      const gap = kept.findIndex((n, i) => n !== i)
      expect(kept.slice(gap)).toEqual(
        Array.from({ length: kept.length - gap }, (_, i) => 1_000 - kept.length + gap + i)
      )
      expect(Math.abs(kept.length - 2 * gap)).toBeLessThan(10)
      expect(found?.text.length).toBeGreaterThan(15_000)
      expect(found?.text.length).toBeLessThanOrEqual(20_000)
    }
  )

  it.each([
    ["it has no readings", { transactionId: 7, idTag: "x".repeat(30_000) }],
    ["another field is too long", { idTag: "x".repeat(30_000), transactionData: readings(1_000) }],
    ["one reading is too long", { transactionData: [{ value: "x".repeat(30_000) }, ...readings(2)] }],
    ["the list has another name", { transactionDatas: readings(1_000) }],
    ["the list is a part of something else", { more: { transactionData: readings(1_000) } }]
  ])("cannot be shortened if %s", (_, payload) => {
    expect(shortenedStop(stop(payload), 20_000)).toBeUndefined()
  })

  it("is recognised by its beginning, with any id that is accepted", () => {
    for (const id of ['"7"', "7", `"${"x".repeat(1024)}"`, '"a\\"b"']) {
      expect(beginsAsStop(` [ 2 , ${id} , "StopTransaction" , {"transactionId":1`)).toBe(true)
    }
    for (const text of [
      '[2,"7","MeterValues",{',
      '[3,"7","StopTransaction",{',
      '{"a":',
      '[2,"7","StopTransaction"',
      ""
    ]) {
      expect(beginsAsStop(text)).toBe(false)
    }
  })

  it("of four MiB of any characters takes no more than one pass", () => {
    for (const part of ["[", "{", '"', ",", '"transactionData":[', '\\"', "[],"]) {
      const text = `[2,"7","StopTransaction",{"transactionData":[${part.repeat((4 << 20) / part.length)}`
      const began = performance.now()
      shortenedStop(text, 1 << 20)
      expect(performance.now() - began).toBeLessThan(1_000)
    }
  })
})
