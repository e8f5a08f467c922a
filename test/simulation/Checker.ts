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
  pairs: Readonly<Record<string, readonly [sent: unknown, stored: unknown]>>
): ReadonlyArray<string> =>
  Object.entries(pairs)
    .filter(([, [sent, stored]]) => sent !== stored)
    .map(([field, [sent, stored]]) => `${name}: ${field} was ${String(sent)} and is stored as ${String(stored)}`)

/** Compares `stored` with what the acknowledged start and stop of `before` promise; returns the differences. */
const checkSession = (before: Transaction, after: Transaction, stored: StoredSession): ReadonlyArray<string> => {
  const name = nameOf(before)
  const { stop } = before
  const ended =
    stop !== undefined && stop.attempts.acknowledged > 0
      ? differences(name, {
          status: ["COMPLETED", stored.status],
          endedAt: [stop.at, stored.endedAt],
          meterStopWh: [stop.meterStopWh, stored.meterStopWh],
          energyWh: [stop.meterStopWh - before.meterStartWh, stored.energyWh],
          stopReason: [stop.reason, stored.stopReason]
        })
      : []
  const running =
    (after.stop?.attempts.sent ?? 0) === 0
      ? differences(name, { status: ["ACTIVE", stored.status], endedAt: [undefined, stored.endedAt] })
      : []
  return [
    ...differences(name, {
      evseId: [before.connectorId, stored.evseId],
      tokenUid: [before.idTag, stored.tokenUid],
      meterStartWh: [before.meterStartWh, stored.meterStartWh]
    }),
    ...[...before.transactionIds].flatMap((id) => differences(name, { transactionId: [id, stored.transactionId] })),
    ...ended,
    ...running
  ]
}

const checkReadings = (
  name: string,
  before: ReadonlyArray<Reading>,
  after: ReadonlyArray<Reading>,
  stored: ReadonlyArray<StoredReading>
): ReadonlyArray<string> => {
  const broken: Array<string> = []
  const count = new Map<number, number>()
  for (const { at } of stored) count.set(at, (count.get(at) ?? 0) + 1)
  for (const [at, times] of count) if (times > 1) broken.push(`${name}: the reading of ${at} is there ${times} times`)
  const known = new Map(after.map((reading) => [reading.at, reading]))
  for (const { at, energyWh } of stored) {
    const said = known.get(at)
    if (said === undefined || said.attempts.sent === 0) broken.push(`${name}: a reading of ${at} that was never sent`)
    else if (said.wh !== energyWh)
      broken.push(`${name}: the reading of ${at} was ${said.wh} Wh and is ${String(energyWh)}`)
  }
  for (const {
    at,
    attempts: { acknowledged }
  } of before) {
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
  const afterByName = new Map(after.map((transaction) => [nameOf(transaction), transaction]))
  for (const session of stored.sessions) {
    const said = afterByName.get(nameOf(session))
    if (said === undefined || said.start.sent === 0) broken.push(`${nameOf(session)}: a session that was never started`)
  }
  for (const transaction of before) {
    if (transaction.startedAt < since) continue
    const name = nameOf(transaction)
    const session = sessions.get(name)
    const now = afterByName.get(name) ?? transaction
    if (session === undefined) {
      if (transaction.start.acknowledged > 0) broken.push(`${name}: the acknowledged start is missing`)
      continue
    }
    broken.push(...checkSession(transaction, now, session))
    const readings = stored.readings.get(session.id)
    if (readings !== undefined) broken.push(...checkReadings(name, transaction.readings, now.readings, readings))
  }
  return broken.slice(0, maxShown)
}

/** Counts of a history, which show how much a run has proved. */
export const figures = (transactions: ReadonlyArray<Transaction>) => {
  let [acknowledged, retried] = [0, 0]
  for (const { readings, start, stop } of transactions) {
    const all = [start, ...readings.map((reading) => reading.attempts), ...(stop === undefined ? [] : [stop.attempts])]
    for (const attempts of all) {
      if (attempts.acknowledged > 0) acknowledged++
      if (attempts.sent > 1) retried++
    }
  }
  return { transactions: transactions.length, acknowledged, retried }
}
