/**
 * Computes for how many seconds a connector could be used, from its history (statuses, connections, operators' orders). The result does not depend on
 * the order in which the history is given.
 *
 * A second is *up* if the charger is connected and neither the connector nor the charger as a whole is Faulted or Unavailable. Any other second is
 * *excluded* while an operator's order to be out of service is in force. Otherwise it is *down*, for one reason: offline takes precedence over
 * faulted, and faulted over unavailable, since the statuses of an offline charger may be outdated.
 */
import type { Span } from "../values/Month.ts"
import type { ConnectorStatus } from "../site/Connector.ts"

/**
 * The longest gap between two connections that does not count as downtime. Chargers and this service restart, and mobile networks change addresses.
 * The charger is back after one to three minutes, and no driver has noticed.
 */
export const reconnectGraceMillis = 5 * 60 * 1000

/** How many months of history are kept. The same month two years ago, and the month before it, are still complete. */
export const historyMonths = 25

/** A status. The statuses of a connector are ordered by `at`, then `heardAt`, then `tie`; the last of equal times counts. */
export interface StatusPoint {
  /** ms epoch. */
  readonly at: number
  readonly heardAt: number
  readonly tie: bigint
  readonly status: ConnectorStatus
}

export interface ConnectionSpan {
  /** ms epoch. */
  readonly connectedAt: number
  /** Undefined while it is open. */
  readonly disconnectedAt: number | undefined
}

/** An accepted ChangeAvailability of the connector or of the whole charger (OCPP 1.6 §5.2). */
export interface AvailabilityOrder {
  /** ms epoch. */
  readonly at: number
  readonly operative: boolean
}

export interface AvailabilityHistory {
  /** The connector's own statuses. */
  readonly connector: ReadonlyArray<StatusPoint>
  /** The statuses of the charger as a whole (connector 0), which apply to every connector. */
  readonly whole: ReadonlyArray<StatusPoint>
  readonly connections: ReadonlyArray<ConnectionSpan>
  readonly orders: ReadonlyArray<AvailabilityOrder>
}

/** Whole seconds; total = up + down + excluded, and down = offline + faulted + unavailable. */
export interface Uptime {
  readonly totalSeconds: number
  readonly upSeconds: number
  readonly downSeconds: number
  readonly excludedSeconds: number
  readonly offlineSeconds: number
  readonly faultedSeconds: number
  readonly unavailableSeconds: number
  readonly uptimePercent: number | null
}

export type Condition = "up" | "excluded" | "offline" | "faulted" | "unavailable"

/** A time span in which a connector's condition did not change, in epoch seconds. */
export interface Spell {
  readonly from: number
  readonly to: number
  readonly condition: Condition
}

/** A value that is valid from `at` (epoch seconds) on. */
interface Step<A> {
  readonly at: number
  readonly value: A
}

/** Whole seconds keep every sum exact. A status that lasts less than a second may not be counted. */
const second = (millis: number): number => Math.floor(millis / 1000)

const byTie = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

const statusSteps = (points: ReadonlyArray<StatusPoint>): ReadonlyArray<Step<ConnectorStatus>> =>
  points
    .toSorted((a, b) => a.at - b.at || a.heardAt - b.heardAt || byTie(a.tie, b.tie))
    .map(({ at, status }) => ({ at: second(at), value: status }))

const orderSteps = (orders: ReadonlyArray<AvailabilityOrder>): ReadonlyArray<Step<boolean>> =>
  orders
    // If two orders have the same time, the one that ends the exclusion counts: excluded time is an exception.
    .toSorted((a, b) => a.at - b.at || Number(a.operative) - Number(b.operative))
    .map(({ at, operative }) => ({ at: second(at), value: !operative }))

/** When the charger was connected. Short gaps are bridged. The length of a gap that still lasts is measured up to `now`. */
const connectedSteps = (connections: ReadonlyArray<ConnectionSpan>, now: number): ReadonlyArray<Step<boolean>> => {
  const steps: Array<Step<boolean>> = []
  let end: number | undefined
  for (const { connectedAt, disconnectedAt = Infinity } of connections.toSorted(
    (a, b) => a.connectedAt - b.connectedAt
  )) {
    if (end === undefined || connectedAt - end > reconnectGraceMillis) {
      if (end !== undefined) steps.push({ at: second(end), value: false })
      steps.push({ at: second(connectedAt), value: true })
      end = disconnectedAt
    } else {
      end = Math.max(end, disconnectedAt)
    }
  }
  if (end !== undefined && now - end > reconnectGraceMillis) steps.push({ at: second(end), value: false })
  return steps
}

/** Reads the value of the steps at ascending times. */
const reader = <A>(steps: ReadonlyArray<Step<A>>) => {
  let next = 0
  return (at: number): A | undefined => {
    while (next < steps.length && steps[next]!.at <= at) next++
    return steps[next - 1]?.value
  }
}

const conditionOf = (
  connected: boolean,
  own: ConnectorStatus | undefined,
  whole: ConnectorStatus | undefined,
  ordered: boolean
): Condition => {
  const faulted = own === "Faulted" || whole === "Faulted"
  const unavailable = own === "Unavailable" || whole === "Unavailable"
  if (connected && !faulted && !unavailable) return "up"
  if (ordered) return "excluded"
  return !connected ? "offline" : faulted ? "faulted" : "unavailable"
}

/** `(total - down) / total` in percent, cut after three decimals so that 100 means no downtime at all; null if the total is 0. */
export const percentUp = (total: number, down: number): number | null =>
  total === 0 ? null : Math.floor(((total - down) * 100_000) / total) / 1000

/**
 * The conditions of a connector in the part of `span` that has passed at `now` (ms epoch), oldest first and without gaps. They begin with the first
 * known status of the connector or the first known connection of the charger, whichever is later. `history` must include the entries that were valid
 * when the span began, and the first connection after its end, which shows how long the gap before it was.
 */
export const spellsOf = (history: AvailabilityHistory, span: Span, now: number): ReadonlyArray<Spell> => {
  const own = statusSteps(history.connector)
  const whole = statusSteps(history.whole)
  const connections = connectedSteps(history.connections, now)
  const orders = orderSteps(history.orders)
  const first = own[0]?.at
  const connectedFirst = connections[0]?.at
  if (first === undefined || connectedFirst === undefined) return []
  const from = Math.max(second(span.from), first, connectedFirst)
  const to = second(Math.min(span.to, now))
  const times = [from, to, ...[own, whole, connections, orders].flatMap((steps) => steps.map(({ at }) => at))]
    .filter((at) => at >= from && at <= to)
    .toSorted((a, b) => a - b)
  const read = { own: reader(own), whole: reader(whole), connected: reader(connections), ordered: reader(orders) }
  const spells: Array<Spell> = []
  for (let i = 0; i + 1 < times.length; i++) {
    const at = times[i]!
    const condition = conditionOf(read.connected(at) ?? false, read.own(at), read.whole(at), read.ordered(at) ?? false)
    if (times[i + 1]! > at) spells.push({ from: at, to: times[i + 1]!, condition })
  }
  return spells
}

/** The uptime of one connector in `span`, from its spells in it. */
export const uptimeOf = (history: AvailabilityHistory, span: Span, now: number): Uptime => {
  const seconds: Record<Condition, number> = { up: 0, excluded: 0, offline: 0, faulted: 0, unavailable: 0 }
  for (const { condition, from, to } of spellsOf(history, span, now)) seconds[condition] += to - from
  const { excluded, faulted, offline, unavailable, up } = seconds
  const down = offline + faulted + unavailable
  const total = up + down + excluded
  return {
    totalSeconds: total,
    upSeconds: up,
    downSeconds: down,
    excludedSeconds: excluded,
    offlineSeconds: offline,
    faultedSeconds: faulted,
    unavailableSeconds: unavailable,
    uptimePercent: percentUp(total, down)
  }
}
