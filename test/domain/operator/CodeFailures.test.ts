/** Wrong codes of a second factor delay the guesser from every network, but not the person on a known device, or with a recovery code. */
import { describe, expect, it } from "vitest"
import {
  type CodeAttempt,
  type CodeCount,
  codeNotice,
  type CodeOutcome,
  decideCode,
  elsewhere,
  longestCodeMillis
} from "../../../src/domain/operator/CodeFailures.ts"

const noon = Date.UTC(2026, 4, 20, 12)
const second = 1000
const hour = 3600 * second

/** An account whose codes are tried, with its stored counts and a clock. */
class Tried {
  counts: ReadonlyArray<CodeCount> = []
  now = noon

  give(proved: CodeAttempt["proved"], device?: string, network = "198.51.100.0/24"): CodeOutcome {
    const { outcome, removed, stored } = decideCode(this.counts, { device, network, proved }, this.now)
    const kept = this.counts.filter(({ place }) => place !== stored?.place && !removed.includes(place))
    this.counts = stored === undefined ? kept : [...kept, stored]
    return outcome
  }

  /** Guesses as fast as the delays allow until `end`; the number of guesses. */
  guessUntil(end: number, device?: string): number {
    for (let guesses = 0; ; guesses++) {
      const outcome = this.give(undefined, device, `198.51.${guesses % 256}.0/24`)
      if (outcome._tag === "Delayed") {
        if (this.now + outcome.millis >= end) return guesses
        this.now += outcome.millis
        this.give(undefined, device)
      }
    }
  }
}

const right = { _tag: "Right" }

describe("wrong codes", () => {
  it("are delayed from the fifth on, whatever network each comes from: 1 s, doubled by each, up to an hour", () => {
    const tried = new Tried()
    const waits: Array<number> = []
    for (let n = 1; n <= 20; n++) {
      expect(tried.give(undefined, undefined, `198.51.${n}.0/24`)).toEqual({ _tag: "Wrong", failures: n })
      const next = tried.give("Totp", undefined, `203.0.${n}.0/24`)
      if (next._tag !== "Delayed") continue
      waits.push(next.millis / second)
      tried.now += next.millis
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600, 3600, 3600])
    expect(tried.give("Totp")).toEqual(right)
  })

  it("number at most 50 in the first day and 24 in each further one, for an attacker with any number of networks", () => {
    const tried = new Tried()
    const first = tried.guessUntil(noon + 24 * hour)
    const second = tried.guessUntil(noon + 48 * hour)
    expect([first <= 50, second <= 25]).toEqual([true, true])
  })

  it("elsewhere do not delay the person on a known device, nor with a recovery code", () => {
    const tried = new Tried()
    for (let n = 0; n < 6; n++) {
      tried.give(undefined)
      tried.now += longestCodeMillis
    }
    tried.give(undefined)
    expect(tried.give("Totp")._tag).toBe("Delayed")
    expect(tried.give("Totp", "laptop")).toEqual(right)
    expect(tried.give("RecoveryCode")).toEqual(right)
    // Neither gives the attacker another few tries.
    expect(tried.give(undefined)._tag).toBe("Delayed")
  })

  it("on a known device count there only, until a right one", () => {
    const tried = new Tried()
    for (let n = 1; n <= 5; n++) expect(tried.give(undefined, "laptop")).toEqual({ _tag: "Wrong", failures: n })
    expect(tried.give("Totp", "laptop")).toEqual({ _tag: "Delayed", millis: second })
    expect(tried.give("Totp")).toEqual(right)
    tried.now += second
    expect(tried.give("Totp", "laptop")).toEqual(right)
    expect(tried.counts).toEqual([])
    expect(tried.give(undefined, "laptop")).toEqual({ _tag: "Wrong", failures: 1 })
  })

  it("have at most eleven counts for an account: further devices count as unknown", () => {
    const tried = new Tried()
    for (let n = 0; n < 30; n++) tried.give(undefined, `device ${n}`)
    expect(tried.counts.map(({ place }) => place).filter((place) => place !== elsewhere)).toHaveLength(10)
    expect(tried.give(undefined, "device 29")._tag).toBe("Delayed")
    expect(tried.give(undefined, "device 3")).toEqual({ _tag: "Wrong", failures: 2 })
  })

  it("are forgotten after a day without another, and deleted after seven", () => {
    const tried = new Tried()
    for (let n = 0; n < 5; n++) tried.give(undefined)
    tried.now += 24 * hour + 1
    expect(tried.give(undefined)).toEqual({ _tag: "Wrong", failures: 1 })
    tried.now += 7 * 24 * hour + 1
    expect(tried.give("Totp", "laptop")).toEqual(right)
    expect(tried.counts).toEqual([])
  })

  it("are reported to the person for seven days, with their number, last time and network, except those on the device in use", () => {
    const tried = new Tried()
    expect(codeNotice(tried.counts, "laptop", noon)).toBeUndefined()
    tried.give(undefined, "laptop")
    expect(codeNotice(tried.counts, "laptop", noon)).toBeUndefined()
    tried.give(undefined, undefined, "203.0.113.0/24")
    tried.now += hour
    tried.give(undefined, undefined, "192.0.2.0/24")
    const notice = { failures: 2, at: noon + hour, network: "192.0.2.0/24" }
    expect(codeNotice(tried.counts, "laptop", tried.now)).toEqual(notice)
    expect(codeNotice(tried.counts, "laptop", tried.now + 7 * 24 * hour)).toEqual(notice)
    expect(codeNotice(tried.counts, "laptop", tried.now + 7 * 24 * hour + 1)).toBeUndefined()
  })
})
