/** Uptime over random histories: the parts add up, order does not matter, and a second-by-second evaluation agrees. */
import { expect, it } from "vitest"
import type { ConnectorStatus } from "../../../src/domain/site/Connector.ts"
import { type AvailabilityHistory, reconnectGraceMillis, uptimeOf } from "../../../src/domain/charger/Uptime.ts"
import { addAvailability, availabilityOf, noAvailability } from "../../../src/domain/charger/Series.ts"
import { Random } from "../../support/random.ts"

const statuses: ReadonlyArray<ConnectorStatus> = ["Available", "Charging", "Faulted", "Unavailable"]

/** A span of some hours, in seconds from 1970, with what happened before, in and after it. */
const scenario = (random: Random) => {
  const from = 100_000
  const to = from + random.between(0, 9_000)
  const time = () => random.between(from - 5_000, to + 5_000) * 1000 + random.between(0, 999)
  const many = <A>(most: number, make: () => A) => Array.from({ length: random.between(0, most) }, make)
  const point = () => ({
    at: time(),
    heardAt: random.between(0, 2),
    tie: BigInt(random.between(0, 1e9)),
    status: random.pick(statuses)
  })
  const connections = many(8, () => {
    const connectedAt = time()
    return { connectedAt, disconnectedAt: random.chance(0.1) ? undefined : connectedAt + random.between(0, 3_000_000) }
  })
  const history: AvailabilityHistory = {
    connector: many(12, point),
    whole: many(4, point),
    connections,
    orders: many(4, () => ({ at: time(), operative: random.chance(0.5) }))
  }
  return { history, span: { from: from * 1000, to: to * 1000 }, now: random.between(from - 100, to + 6_000) * 1000 }
}

/** The condition in one second, looked up anew each time. */
const conditionAt = ({ connections, connector, orders, whole }: AvailabilityHistory, second: number, now: number) => {
  const latest = (points: AvailabilityHistory["whole"]) =>
    points
      .filter(({ at }) => Math.floor(at / 1000) <= second)
      .toSorted((a, b) => a.at - b.at || a.heardAt - b.heardAt || Number(a.tie - b.tie))
      .at(-1)?.status
  const own = latest(connector)
  const all = [own, latest(whole)]
  const ends = connections.map(({ disconnectedAt = Infinity }) => disconnectedAt)
  const begun = connections.filter(({ connectedAt }) => Math.floor(connectedAt / 1000) <= second)
  const last = Math.max(...begun.map(({ disconnectedAt = Infinity }) => disconnectedAt))
  const next = Math.min(
    now > last ? now : Infinity,
    ...connections.map((one) => one.connectedAt).filter((at) => at > last)
  )
  const returns = connections.some(({ connectedAt }) => connectedAt > last)
  const end = returns ? Math.min(...connections.map((one) => one.connectedAt).filter((at) => at > last)) : next
  const bridged = end - last <= reconnectGraceMillis || (!returns && now - last <= reconnectGraceMillis)
  const connected = ends.length > 0 && (Math.floor(last / 1000) > second || bridged)
  const ordered = orders
    .filter(({ at }) => Math.floor(at / 1000) <= second)
    .toSorted((a, b) => a.at - b.at || Number(a.operative) - Number(b.operative))
    .at(-1)
  if (own === undefined || begun.length === 0) return "uncounted"
  if (connected && !all.includes("Faulted") && !all.includes("Unavailable")) return "up"
  if (ordered?.operative === false) return "excluded"
  return !connected ? "offline" : all.includes("Faulted") ? "faulted" : "unavailable"
}

const seeds = Array.from({ length: 300 }, (_, n) => n + 1)

it.each(seeds)(
  "uptime parts add up, order does not matter and a second-by-second evaluation agrees (seed %i)",
  (seed) => {
    const random = new Random(seed)
    const { history, now, span } = scenario(random)
    const found = uptimeOf(history, span, now)
    const {
      downSeconds,
      excludedSeconds,
      faultedSeconds,
      offlineSeconds,
      totalSeconds,
      unavailableSeconds,
      upSeconds
    } = found
    expect(upSeconds + downSeconds + excludedSeconds).toBe(totalSeconds)
    expect(offlineSeconds + faultedSeconds + unavailableSeconds).toBe(downSeconds)
    const shuffled: AvailabilityHistory = {
      connector: random.shuffled(history.connector),
      whole: random.shuffled(history.whole),
      connections: random.shuffled(history.connections),
      orders: random.shuffled(history.orders)
    }
    expect(uptimeOf(shuffled, span, now)).toEqual(found)
    // The steps of a series add up to the same seconds, also when the last step is not whole.
    const range = { ...span, stepMillis: 300_000 }
    const sums = noAvailability(range, now)
    addAvailability(sums, shuffled, range, now)
    expect(sums.total.reduce((all, one) => all + one, 0)).toBe(totalSeconds)
    expect(sums.down.reduce((all, one) => all + one, 0)).toBe(downSeconds)
    expect(availabilityOf(sums, range).overall).toBe(found.uptimePercent)
    const counted: Record<string, number> = {}
    // Every seventh seed only, since evaluating each second is slow.
    if (seed % 7 !== 0) return
    for (let second = span.from / 1000; second < Math.min(span.to, now) / 1000; second++) {
      const condition = conditionAt(history, second, now)
      counted[condition] = (counted[condition] ?? 0) + 1
    }
    expect({
      upSeconds: counted["up"] ?? 0,
      excludedSeconds: counted["excluded"] ?? 0,
      offlineSeconds: counted["offline"] ?? 0,
      faultedSeconds: counted["faulted"] ?? 0,
      unavailableSeconds: counted["unavailable"] ?? 0
    }).toEqual({ upSeconds, excludedSeconds, offlineSeconds, faultedSeconds, unavailableSeconds })
  }
)
