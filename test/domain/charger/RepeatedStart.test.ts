/** Starts of chargers whose clock is wrong: which of them repeats an earlier one, and which of two transactions came first. */
import { describe, expect, it } from "vitest"
import {
  at,
  boot,
  ended,
  energy,
  evse,
  in1970,
  metered,
  minute,
  noTime,
  reading,
  started,
  status,
  token
} from "../../support/events.ts"
import { ModelService } from "../../support/modelCharger.ts"

const service = () => {
  const made = new ModelService()
  for (const uid of ["ANNA", "B", "C", "D", "E", "F"]) made.journal.tokens.set(uid.toLowerCase(), token(uid))
  return made
}

/** A power cut: the charger connects again and boots. */
const powerUp = (charger: ReturnType<ModelService["charger"]>, after = 600): void => {
  charger.now += after * 60_000
  charger.reconnect()
  charger.say(boot())
  charger.say(status({ time: noTime }))
}

const figures = (charger: ReturnType<ModelService["charger"]>) =>
  charger.sessions.map(({ end, status }) => [status, end?.body.energyWh, end?.body.heldReason])

describe("the second start of a charger whose clock shows the same time again", () => {
  const clocks = [
    { name: "begins in 1970 at each power-up", time: in1970(42), stopTime: in1970(28_842) },
    {
      name: "falls back to a factory date at each power-up",
      time: at(Date.UTC(2024, 6, 20, 3, 30, 41)),
      stopTime: at(Date.UTC(2024, 6, 20, 5, 30, 41))
    },
    {
      name: "sends a text that is no time",
      time: { at: undefined, raw: "0000-00-00T00:00:00.000Z" },
      stopTime: { at: undefined, raw: "0000-00-00T00:00:00.000Z" }
    },
    {
      name: "does not run",
      time: at(Date.UTC(2024, 0, 1)),
      stopTime: at(Date.UTC(2024, 0, 1))
    }
  ]
  for (const { name, stopTime, time } of clocks) {
    it(`is a session of its own: the clock ${name}`, () => {
      const charger = service().charger()
      const first = charger.start(started({ time, meterStartWh: 0 }))
      charger.now += 60 * 60_000
      charger.say(ended(first, { time: stopTime, meterStopWh: 300 }))
      powerUp(charger)
      const second = charger.start(started({ time, meterStartWh: 0 }))
      expect(second).not.toBe(first)
      // Until then a retry gets the same answer, also when the state was loaded again.
      expect(charger.start(started({ time, meterStartWh: 0 }))).toBe(second)
      charger.forget()
      expect(charger.start(started({ time, meterStartWh: 0 }))).toBe(second)
      charger.now += 60 * 60_000
      charger.say(ended(second, { time: stopTime, meterStopWh: 450 }))
      expect(figures(charger).map(([, energyWh]) => energyWh)).toEqual([300, 450])
      expect(charger.sessions.map(({ status }) => status)).toEqual(["Ended", "Ended"])
    })
  }

  it("is a session of its own without a new connection, once the connector has another status", () => {
    const charger = service().charger()
    const time = at(Date.UTC(2024, 0, 1))
    const first = charger.start(started({ time, meterStartWh: 0 }))
    charger.now += 60 * 60_000
    charger.say(ended(first, { time, meterStopWh: 300 }))
    // Nothing shows yet that the charger has gone on: this is the first start, sent twice.
    expect(charger.start(started({ time, meterStartWh: 0 }))).toBe(first)
    charger.say(status({ status: "Preparing", time: noTime }))
    expect(charger.start(started({ time, meterStartWh: 0 }))).not.toBe(first)
  })

  it("is a session of its own after those of other cards, whose start was forgotten since", () => {
    const charger = service().charger()
    const time = in1970(42)
    const ids: Array<number> = []
    for (const tokenUid of ["ANNA", "B", "C", "D", "E", "F", "ANNA"]) {
      const id = charger.start(started({ time, tokenUid, meterStartWh: 0 }))
      charger.say(ended(id, { time, tokenUid, meterStopWh: 300 }))
      ids.push(id)
      powerUp(charger, 60)
    }
    expect(new Set(ids).size).toBe(7)
  })
})

describe("a start that is sent again after its session has ended", () => {
  it("repeats it if the clock was right, whatever the charger has sent since", () => {
    const charger = service().charger()
    const first = charger.start(started({ time: at(charger.now) }))
    charger.now = minute(30)
    charger.say(ended(first, { time: at(minute(30)) }))
    powerUp(charger)
    expect(charger.start(started({ time: at(minute(0)) }))).toBe(first)
    expect(charger.sessions).toHaveLength(1)
  })

  it("repeats it after the queue of an offline time if the stop named no transaction", () => {
    const charger = service().charger()
    charger.now = minute(600)
    const first = charger.start(started())
    charger.say(ended(undefined))
    powerUp(charger)
    expect(charger.start(started())).toBe(first)
  })

  /** A charger sends the whole queue of an offline time, and after a power cut once more. */
  const sendTwice = (meterStartWh: number) => {
    const charger = service().charger()
    charger.now = minute(600)
    charger.say(ended(charger.start(started({ meterStartWh }))))
    powerUp(charger)
    charger.say(ended(charger.start(started({ meterStartWh }))))
    return figures(charger)
  }

  it("repeats it if its register is below that of the stop, since the meter counts on", () => {
    expect(sendTwice(1000)).toEqual([["Ended", 5000, undefined]])
  })

  it("is not billed twice if the meter restarts with each session: with the same stop, the second one is held", () => {
    expect(sendTwice(0)).toEqual([
      ["Ended", 6000, undefined],
      ["Ended", 6000, "ClockImplausible"]
    ])
  })
})

describe("a live start whose clock is behind that of the session before", () => {
  /** A session from minute 0 to 60 by a right clock, to 6000 Wh. */
  const before = (meterStartWh = 1000) => {
    const charger = service().charger()
    charger.say(status({ time: at(minute(-1)) }))
    const first = charger.start(started({ time: at(minute(0)), meterStartWh }))
    charger.now = minute(60)
    charger.say(ended(first, { time: at(minute(60)) }))
    charger.now = minute(120)
    return charger
  }

  it("is active if its register continues, has the times of receipt, and is over when its stop arrives", () => {
    const charger = before()
    const { facts } = charger.say(started({ time: at(minute(-180)), meterStartWh: 6000, tokenUid: "B" }))
    const received = charger.now
    expect(facts[0]).toMatchObject({ at: received, body: { rawAt: at(minute(-180)).raw } })
    expect(charger.state.sessions[1]).toMatchObject({ status: "Open", startedAt: received })
    const id = charger.state.sessions[1]!.transactionId
    charger.now = minute(150)
    charger.say(metered(id, [reading(at(minute(-150)), energy(8000))]))
    expect(charger.state.sessions[1]).toMatchObject({ registerWh: 8000, registerAt: charger.now })
    charger.now = minute(180)
    charger.say(ended(id, { time: at(minute(-120)), meterStopWh: 9000, tokenUid: "B" }))
    expect(charger.sessions[1]).toMatchObject({
      status: "Ended",
      end: { at: charger.now, body: { energyWh: 3000, heldReason: undefined } }
    })
  })

  it("is active if the meter counts each session, but the connector was in use again when it arrived", () => {
    const charger = before(0)
    charger.say(status({ status: "Charging", time: noTime }))
    charger.say(started({ time: at(minute(-180)), meterStartWh: 0, tokenUid: "B" }))
    expect(charger.state.sessions[1]).toMatchObject({ status: "Open", startedAt: charger.now })
  })

  it("ends the session that is still open, if its register continues there", () => {
    const charger = service().charger()
    const first = charger.start(started({ time: at(minute(0)) }))
    charger.say(metered(first, [reading(at(minute(10)), energy(4000))]))
    charger.now = minute(120)
    charger.say(started({ time: at(minute(-180)), meterStartWh: 4000, tokenUid: "B" }))
    expect(charger.sessions.map(({ status }) => status)).toEqual(["Superseded", "Open"])
  })

  it("is still an old one from the charger's memory if its register is the older one", () => {
    const charger = before()
    charger.say(started({ time: at(minute(-180)), meterStartWh: 500, tokenUid: "B" }))
    expect(charger.state.sessions[1]).toMatchObject({ status: "Superseded", startedAt: minute(-180) })
  })

  it("is active again the next time, after another session whose clock was contradicted", () => {
    const charger = before()
    for (const [n, meterStartWh] of [6000, 9000].entries()) {
      const id = charger.start(started({ time: at(minute(-180 + n * 10)), meterStartWh, tokenUid: "B" }))
      expect(charger.state.sessions.at(-1)).toMatchObject({ status: "Open", startedAt: charger.now })
      charger.now += 30 * 60_000
      charger.say(ended(id, { time: at(minute(-175 + n * 10)), meterStopWh: meterStartWh + 3000, tokenUid: "B" }))
    }
    expect(figures(charger)).toEqual([
      ["Ended", 5000, undefined],
      ["Ended", 3000, undefined],
      ["Ended", 3000, undefined]
    ])
  })

  it("is not compared with sessions of other connectors", () => {
    const charger = before()
    charger.say(started({ time: at(minute(-180)), meterStartWh: 6000, tokenUid: "B", place: evse(2) }))
    expect(charger.state.sessions[1]).toMatchObject({ status: "Open", startedAt: minute(-180) })
  })
})
