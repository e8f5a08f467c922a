/**
 * Transactions of a charger that has begun more of them in a day than its budget allows (`actors/Recording`). Such a transaction is answered like any
 * other, but is only provisional: it becomes a session once it is plausible. One that ends before is negligible: it is counted, and nothing else of it
 * is kept. So a charger that begins and ends transactions all day fills no disk, and none that a driver would pay for is lost.
 */
import type { ChargerState, KnownSession } from "../charger/ChargerState.ts"
import type {
  ChargerFact,
  MeterRead,
  NegligibleTransactions,
  NegligibleTransactionsCounted,
  ProvisionalChanged,
  ProvisionalTransaction,
  ReportedStop,
  SessionEnded,
  SessionStarted
} from "../charger/Fact.ts"
import { dayOf } from "../values/Day.ts"
import { takenBy, withRegister } from "./Register.ts"
import { startedSession } from "./Started.ts"

/** A transaction is plausible from this energy or this duration on. A vehicle that charges takes more of both; a connector has at most 1,440 such a day. */
export const plausibleWh = 100
export const plausibleMillis = 60_000

/** How many run at once. When there are more, one that another start followed on its EVSE gives way, otherwise the oldest. */
export const provisionalKept = 64

/** How many are remembered after their end, so that their repeated messages are recognised. */
const endedKept = 16

/** The size of the readings that are kept of one, in characters of JSON: the first minute of any ordinary charger. */
const readingsMost = 16_384

type Provisional = ReadonlyArray<ProvisionalTransaction>

const none: Provisional = []

export const provisionalOf = ({ provisional = none }: Pick<ChargerState, "provisional">): Provisional => provisional

const idOf = ({ start }: ProvisionalTransaction): number => start.body.transactionId

/** The session that it may become, with what its readings have shown. */
export const sessionOf = ({ readings, start }: ProvisionalTransaction): KnownSession =>
  readings.reduce((session, { body }) => withRegister(session, body), startedSession(start))

const isRunning = ({ stop }: ProvisionalTransaction): boolean => stop === undefined

/** True if its stop was not received yet. That of one that had to give way may still arrive. */
export const awaitsStop = ({ stop }: ProvisionalTransaction): boolean =>
  stop === undefined || (stop.meterStopWh === undefined && stop.at === undefined)

const energyOf = (provisional: ProvisionalTransaction): number => {
  const session = sessionOf(provisional)
  return session.registerWh === undefined ? 0 : takenBy(session, session.registerWh)
}

/** When the next start on its EVSE was received; undefined if there was none. */
const followedAt = ({ start }: ProvisionalTransaction, state: ChargerState): number | undefined => {
  const { evseId } = start.body
  const isNext = (heardAt: number, evse: number) => evse === evseId && heardAt > start.heardAt
  const times = [
    ...provisionalOf(state).flatMap((other) =>
      isNext(other.start.heardAt, other.start.body.evseId) ? [other.start.heardAt] : []
    ),
    ...state.sessions.flatMap(({ heardAt, place }) => (isNext(heardAt, place.evseId) ? [heardAt] : []))
  ]
  return times.length === 0 ? undefined : Math.min(...times)
}

/** True for a running one that is plausible at `now`, by its readings or because it has lasted long enough. */
export const isPlausibleNow = (provisional: ProvisionalTransaction, state: ChargerState, now: number): boolean =>
  energyOf(provisional) >= plausibleWh ||
  (followedAt(provisional, state) ?? now) - provisional.start.heardAt >= plausibleMillis

/** True if a transaction with this end is plausible. */
export const isPlausibleEnd = ({ at, body }: SessionEnded, startedAt: number): boolean =>
  (body.energyWh ?? 0) >= plausibleWh || at - startedAt >= plausibleMillis

/** The first running one that is plausible at `now`. */
export const plausibleAmong = (state: ChargerState, now: number): ProvisionalTransaction | undefined =>
  provisionalOf(state).find((one) => isRunning(one) && isPlausibleNow(one, state, now))

/** The totals of the day after another transaction was counted. */
export const countedWith = (
  before: NegligibleTransactions | undefined,
  energyWh: number,
  now: number
): NegligibleTransactions => {
  const day = dayOf(now)
  const {
    energyWh: sum,
    firstAt,
    transactions
  } = before?.day === day ? before : { energyWh: 0, firstAt: now, transactions: 0 }
  return { day, transactions: transactions + 1, energyWh: sum + energyWh, firstAt, lastAt: now }
}

/** The change in the charger's provisional transactions, and the totals if they are to be published. */
const changed = (
  state: ChargerState,
  body: ProvisionalChanged["body"],
  now: number
): ReadonlyArray<ProvisionalChanged | NegligibleTransactionsCounted> => {
  const { chargerId, organisationId } = state
  const of = { organisationId, chargerId, at: now, heardAt: now }
  const change: ProvisionalChanged = { ...of, type: "ProvisionalChanged", key: `provisional|${chargerId}|${now}`, body }
  const { counted } = body
  if (counted === undefined || !/^10*$/.test(String(counted.transactions))) return [change]
  const key = `negligible|${organisationId}|${chargerId}|${counted.day}|${counted.transactions}`
  return [change, { ...of, type: "NegligibleTransactionsCounted", key, body: counted }]
}

/** The one that gives way if there are too many. */
const givingWay = (state: ChargerState, running: Provisional): ProvisionalTransaction | undefined =>
  running.length <= provisionalKept
    ? undefined
    : (running.find((one) => followedAt(one, state) !== undefined) ?? running[0])

/** One that was counted, without its readings, and those that are too many to be remembered. */
const counting = (
  state: ChargerState,
  list: Provisional,
  counted: ProvisionalTransaction,
  stop: ReportedStop,
  energyWh: number,
  now: number
): ProvisionalChanged["body"] => {
  const others = list.filter((one) => !isRunning(one) && one !== counted)
  return {
    kept: [{ start: counted.start, readings: [], stop }],
    gone: others.slice(0, Math.max(0, others.length + 1 - endedKept)).map(idOf),
    counted: countedWith(state.negligible, energyWh, now)
  }
}

const nothingReported: ReportedStop = { meterStopWh: undefined, at: undefined }

/** The facts of a start that is only provisional. */
export const deferred = (state: ChargerState, start: SessionStarted, now: number): ReadonlyArray<ChargerFact> => {
  const added: ProvisionalTransaction = { start, readings: [] }
  const list = [...provisionalOf(state), added]
  const most = givingWay({ ...state, provisional: list }, list.filter(isRunning))
  if (most === undefined) return changed(state, { kept: [added], begins: true, gone: [] }, now)
  const body = counting(state, list, most, nothingReported, energyOf(most), now)
  return changed(state, { ...body, kept: [added, ...body.kept], begins: true }, now)
}

/** The facts of an end that shows a transaction to be negligible. With `begins` its start was received only now, after its stop. */
export const negligible = (
  state: ChargerState,
  provisional: ProvisionalTransaction,
  end: SessionEnded,
  now: number,
  begins?: true
): ReadonlyArray<ChargerFact> => {
  const stop = end.body.reported ?? nothingReported
  const body = counting(state, provisionalOf(state), provisional, stop, end.body.energyWh ?? 0, now)
  return changed(state, { ...body, begins }, now)
}

/** The facts of readings of one that stays provisional; none if there is no room for them. */
export const readDeferred = (
  state: ChargerState,
  { readings, start }: ProvisionalTransaction,
  read: MeterRead,
  now: number
): ReadonlyArray<ChargerFact> => {
  const next = [...readings.filter(({ key }) => key !== read.key), read]
  return JSON.stringify(next).length > readingsMost
    ? []
    : changed(state, { kept: [{ start, readings: next }], gone: [] }, now)
}

/** The fact that one has become a session. */
export const noLongerProvisional = (
  state: ChargerState,
  provisional: ProvisionalTransaction,
  now: number
): ReadonlyArray<ChargerFact> => changed(state, { kept: [], gone: [idOf(provisional)] }, now)

/** The list after a change. A changed one keeps its place. */
export const provisionalAfter = (
  before: Provisional | undefined = none,
  { gone, kept }: ProvisionalChanged["body"]
): Provisional | undefined => {
  const left = before.filter((one) => !gone.includes(idOf(one)))
  const next = left.map((one) => kept.find((change) => idOf(change) === idOf(one)) ?? one)
  const fresh = kept.filter((change) => !left.some((one) => idOf(one) === idOf(change)))
  const all = [...next, ...fresh]
  return all.length === 0 ? undefined : all
}
