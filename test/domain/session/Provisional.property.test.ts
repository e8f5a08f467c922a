/**
 * Random histories of a charger within and beyond its daily number of transactions, with repeated messages, lost answers and crashes. What a driver
 * would pay for is always a session, and everything else is counted: the energy of both is what the charger reported.
 */
import { expect, it } from "vitest"
import { plausibleMillis, plausibleWh } from "../../../src/domain/session/Provisional.ts"
import { at, ended, energy, evse, metered, minute, reading, started } from "../../support/events.ts"
import { type ModelCharger, ModelService } from "../../support/modelCharger.ts"
import { forSeeds, type Random } from "../../support/random.ts"

const rooms = ["All", "Plausible"] as const

/** One transaction on one of three connectors, whole: what the meter counted, for how long, and what happens meanwhile. */
const transactionOf = (random: Random) => ({
  evseId: random.between(1, 3),
  wh: random.chance(0.5) ? random.between(0, 250) : random.between(90, 110),
  seconds: random.chance(0.5) ? random.between(1, 180) : random.between(55, 65),
  room: random.pick(rooms),
  roomAtStop: random.pick(rooms),
  reads: random.chance(0.5),
  between: random.pick(["nothing", "crash", "reconnect", "lost", "heartbeat"] as const),
  repeatsStart: random.chance(0.3),
  repeatsStop: random.chance(0.3)
})

const totals = (charger: ModelCharger) => {
  const days = [...(charger.service.journal.negligible.get(charger.chargerId)?.values() ?? [])]
  return {
    counted: days.reduce((sum, { transactions }) => sum + transactions, 0),
    countedWh: days.reduce((sum, { energyWh }) => sum + energyWh, 0),
    sessions: charger.sessions.length,
    sessionsWh: charger.sessions.reduce((sum, { end }) => sum + (end?.body.energyWh ?? 0), 0)
  }
}

it("keeps every plausible transaction as a session and counts the others, each exactly once", () => {
  forSeeds(100, (random) => {
    const service = new ModelService()
    const charger = service.charger()
    const registers = new Map<number, number>()
    let clock = minute(0)
    let sent = 0
    const plausible: Array<number> = []
    const length = random.between(1, 40)
    for (let n = 0; n < length; n++) {
      const one = transactionOf(random)
      const { evseId, seconds, wh } = one
      const from = registers.get(evseId) ?? 1000
      clock = Math.max(clock, charger.now) + 1000
      charger.now = clock
      service.room = one.room
      const start = started({ place: evse(evseId), meterStartWh: from, time: at(clock) })
      const id = charger.start(start)
      const answeredAgain = one.repeatsStart ? charger.start(start) : id
      expect(answeredAgain).toBe(id)
      if (one.between === "crash") charger.forget()
      if (one.between === "reconnect") charger.reconnect()
      if (one.between === "lost") charger.loseNextOutcome = true
      if (one.reads) charger.say(metered(id, [reading(at(clock + 500), energy(from + Math.floor(wh / 2)))]))
      if (one.between === "heartbeat") charger.say({ _tag: "HeartbeatReceived" })
      clock += seconds * 1000
      charger.now = Math.max(charger.now, clock)
      service.room = one.roomAtStop
      const stop = ended(id, { meterStopWh: from + wh, time: at(clock) })
      charger.say(stop)
      if (one.repeatsStop) charger.say(stop)
      registers.set(evseId, from + wh)
      sent += wh
      if (wh >= plausibleWh || seconds * 1000 >= plausibleMillis) plausible.push(id)
    }
    const { counted, countedWh, sessions, sessionsWh } = totals(charger)
    const kept = charger.sessions.filter(({ end }) => end !== undefined).map(({ start }) => start.body.transactionId)
    expect(plausible.filter((id) => !kept.includes(id))).toEqual([])
    expect(sessions + counted).toBe(length)
    expect(sessionsWh + countedWh).toBe(sent)
    expect((charger.state.provisional ?? []).filter(({ stop }) => stop === undefined)).toEqual([])
    expect(service.journal.orphans).toEqual([])
  })
})
