/**
 * Compares what was acknowledged to chargers with what is stored, after a fault and while chargers go on. The database is read between two snapshots
 * of the history. What was acknowledged at the first snapshot must be stored, once and as it was sent; what is stored must have been sent by the
 * second. A message that was sent and not acknowledged may be stored or not (Jepsen's `info`).
 */
import type { Reading, Transaction } from "./History.ts"

/** A session as it is stored, through whichever interface it was read. Times are ms epoch. */
export interface StoredSession {
  readonly id: string
  readonly chargerId: string
  /** In OCPP 1.6 each connector is an EVSE of its own: this is the connector's number at the charger. */
  readonly evseId: number
  readonly transactionId: number
  readonly tokenUid: string
  readonly status: string
  readonly startedAt: number
  readonly endedAt: number | undefined
  readonly meterStartWh: number
  readonly meterStopWh: number | undefined
  readonly energyWh: number
  readonly stopReason: string | undefined
}

export interface StoredReading {
  readonly at: number
  readonly energyWh: number | undefined
}

export interface Stored {
  readonly sessions: ReadonlyArray<StoredSession>
  /** By session id; sessions without an entry were not checked. */
  readonly readings: ReadonlyMap<string, ReadonlyArray<StoredReading>>
}

/** More of the same kind add no information. */
const maxShown = 20

const nameOf = (t: { readonly chargerId: string; readonly startedAt: number }): string =>
  `${t.chargerId} ${new Date(t.startedAt).toISOString()}`

/** Sessions by charger and start; duplicates are added to `broken`. */
const byName = (sessions: ReadonlyArray<StoredSession>, broken: Array<string>): ReadonlyMap<string, StoredSession> => {
  const found = new Map<string, StoredSession>()
  for (const session of sessions) {
    const name = nameOf(session)
    if (found.has(name)) broken.push(`${name}: the session is there twice (${found.get(name)?.id} and ${session.id})`)
    found.set(name, session)
  }
  return found
}

const differences = (
  name: string,
  pairs: Readonly<Record<string, readonly [told: unknown, stored: unknown]>>
): ReadonlyArray<string> =>
  Object.entries(pairs)
    .filter(([, [told, stored]]) => told !== stored)
    .map(([field, [told, stored]]) => `${name}: ${field} was ${String(told)} and is stored as ${String(stored)}`)

/** Compares `stored` with what the acknowledged start and stop of `told` promise; returns the differences. */
const checkSession = (told: Transaction, later: Transaction, stored: StoredSession): ReadonlyArray<string> => {
  const name = nameOf(told)
  const { stop } = told
  const ended =
    stop !== undefined && stop.told.acknowledged > 0
      ? differences(name, {
          status: ["COMPLETED", stored.status],
          endedAt: [stop.at, stored.endedAt],
          meterStopWh: [stop.meterStopWh, stored.meterStopWh],
          energyWh: [stop.meterStopWh - told.meterStartWh, stored.energyWh],
          stopReason: [stop.reason, stored.stopReason]
        })
      : []
  const running =
    (later.stop?.told.sent ?? 0) === 0
      ? differences(name, { status: ["ACTIVE", stored.status], endedAt: [undefined, stored.endedAt] })
      : []
  return [
    ...differences(name, {
      evseId: [told.connectorId, stored.evseId],
      tokenUid: [told.idTag, stored.tokenUid],
      meterStartWh: [told.meterStartWh, stored.meterStartWh]
    }),
    ...[...told.transactionIds].flatMap((id) => differences(name, { transactionId: [id, stored.transactionId] })),
    ...ended,
    ...running
  ]
}

const checkReadings = (
  name: string,
  told: ReadonlyArray<Reading>,
  later: ReadonlyArray<Reading>,
  stored: ReadonlyArray<StoredReading>
): ReadonlyArray<string> => {
  const broken: Array<string> = []
  const count = new Map<number, number>()
  for (const { at } of stored) count.set(at, (count.get(at) ?? 0) + 1)
  for (const [at, times] of count) if (times > 1) broken.push(`${name}: the reading of ${at} is there ${times} times`)
  const known = new Map(later.map((reading) => [reading.at, reading]))
  for (const { at, energyWh } of stored) {
    const said = known.get(at)
    if (said === undefined || said.told.sent === 0) broken.push(`${name}: a reading of ${at} that was never sent`)
    else if (said.wh !== energyWh)
      broken.push(`${name}: the reading of ${at} was ${said.wh} Wh and is ${String(energyWh)}`)
  }
  for (const {
    at,
    told: { acknowledged }
  } of told) {
    if (acknowledged > 0 && !count.has(at)) broken.push(`${name}: the acknowledged reading of ${at} is missing`)
  }
  return broken
}

/**
 * All broken promises, at most twenty. `before` and `after` are the history before and after `stored` was read. With
 * `since` (ms epoch), `stored` only has later starts.
 */
export const brokenPromises = (
  before: ReadonlyArray<Transaction>,
  stored: Stored,
  after: ReadonlyArray<Transaction>,
  since = 0
): ReadonlyArray<string> => {
  const broken: Array<string> = []
  const sessions = byName(stored.sessions, broken)
  const later = new Map(after.map((transaction) => [nameOf(transaction), transaction]))
  for (const session of stored.sessions) {
    const said = later.get(nameOf(session))
    if (said === undefined || said.start.sent === 0) broken.push(`${nameOf(session)}: a session that was never started`)
  }
  for (const told of before) {
    if (told.startedAt < since) continue
    const name = nameOf(told)
    const session = sessions.get(name)
    const now = later.get(name) ?? told
    if (session === undefined) {
      if (told.start.acknowledged > 0) broken.push(`${name}: the acknowledged start is missing`)
      continue
    }
    broken.push(...checkSession(told, now, session))
    const readings = stored.readings.get(session.id)
    if (readings !== undefined) broken.push(...checkReadings(name, told.readings, now.readings, readings))
  }
  return broken.slice(0, maxShown)
}

/** Counts of a history, which show how much a run has proved. */
export const figures = (transactions: ReadonlyArray<Transaction>) => {
  let [acknowledged, retried] = [0, 0]
  for (const { readings, start, stop } of transactions) {
    const all = [start, ...readings.map((reading) => reading.told), ...(stop === undefined ? [] : [stop.told])]
    for (const told of all) {
      if (told.acknowledged > 0) acknowledged++
      if (told.sent > 1) retried++
    }
  }
  return { transactions: transactions.length, acknowledged, retried }
}
