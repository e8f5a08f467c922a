import { describe, expect, it } from "vitest"
import { Progress } from "../../src/main/Progress.ts"

/** The written text, and a clock that is set by hand. */
const makeProgress = (isTerminal: boolean, total?: number) => {
  const written: Array<string> = []
  let now = 0
  const progress = new Progress({ write: (text) => void written.push(text), isTerminal, now: () => now }, total)
  const at = (millis: number, done: number): void => {
    now = millis
    progress.at(done)
  }
  return { progress, written, at }
}

describe("the progress of long work", () => {
  it("is one changing line on a terminal, updated no faster than can be read", () => {
    const { at, progress, written } = makeProgress(true, 200_000)
    at(100, 100)
    at(250, 12_500)
    at(300, 15_000)
    at(1000, 50_000)
    progress.end(200_000, "cdrs.csv")
    expect(written).toEqual([
      "\r\u001b[K12,500 of 200,000 records (6 %), 50,000/s",
      "\r\u001b[K50,000 of 200,000 records (25 %), 50,000/s",
      "\r\u001b[K200,000 of 200,000 records (100 %), 200,000/s, in cdrs.csv\n"
    ])
  })

  it("is an occasional line in a log, without a percentage if the total is unknown", () => {
    const { at, progress, written } = makeProgress(false)
    at(9999, 10)
    at(10_000, 1000)
    at(11_000, 1100)
    progress.end(1100, "cdrs.csv")
    expect(written).toEqual(["1,000 records, 100/s\n", "1,100 records, 100/s, in cdrs.csv\n"])
  })

  it("continues to count when there are more records than the total", () => {
    const { at, written } = makeProgress(false, 10)
    at(10_000, 12)
    expect(written).toEqual(["12 of 12 records (100 %), 1/s\n"])
  })
})
