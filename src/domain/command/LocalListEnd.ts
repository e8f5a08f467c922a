/**
 * Updates what is known about a charger's local list when a command about it ends, for any issuer (OCPP 1.6 §5.15, §6.30, §7.47). A list counts as up
 * to date only if the charger confirms it: by accepting our message, or by the version that it reports.
 */
import type { CommandEnd } from "./CommandEnd.ts"
import type { LocalListState, PendingList } from "./LocalLists.ts"

/** The stored state of a charger's list. */
export interface ListRecord {
  readonly version: number
  readonly syncedSeq: number
  readonly fillTo: number
  readonly needsFull: boolean
  readonly state: Exclude<LocalListState, "Manual">
  /** The connection on which the charger reported its version, and when (ms epoch). */
  readonly checkedEpoch: number | undefined
  readonly checkedAt: number | undefined
  /** The state of the list once the charger accepts the message that was sent. */
  readonly pending: PendingList | undefined
  /** How many messages in a row have failed. */
  readonly attempts: number
  /** ms epoch. */
  readonly nextLookAt: number
  readonly updatedAt: number
  readonly reason: string | undefined
}

export interface LocalListEnd extends CommandEnd {
  readonly type: "SendLocalList" | "GetLocalListVersion"
  /** The version of a SendLocalList. */
  readonly listVersion: number | undefined
  /** The version in the answer to a GetLocalListVersion, as the charger spelt it. */
  readonly reportedVersion: string | undefined
}

const second = 1000
const pauseMin = 30 * second
const pauseMax = 6 * 60 * 60 * second
const attemptsMax = 20

/** The longest part of a charger's answer that is shown. */
const shownMax = 50

/** Chargers without lists answer with either code (OCPP-J 1.6 §4.2.3). */
const isUnsupported = (word: string): boolean =>
  word.toLowerCase() === "notsupported" || word.toLowerCase() === "notimplemented"

const wordOf = ({ answer, errorCode }: LocalListEnd): string => answer ?? errorCode ?? ""

/** True if the end matters even for a charger without a stored list. */
export const beginsList = (end: LocalListEnd): boolean => end.status === "Accepted" || isUnsupported(wordOf(end))

/** The pause after this many failed messages, which doubles with each. */
const pauseAfter = (attempts: number): number => Math.min(pauseMax, pauseMin * 2 ** (attempts - 1))

const nextAttempt = ({ attempts }: ListRecord): number => Math.min(attempts + 1, attemptsMax)

/** Records a failure and schedules the next try. */
const failed = (list: ListRecord, now: number): ListRecord => ({
  ...list,
  state: "Failed",
  attempts: nextAttempt(list),
  updatedAt: now,
  nextLookAt: now + pauseAfter(nextAttempt(list))
})

const sent = (list: ListRecord, end: LocalListEnd): ListRecord => {
  const { completedAt: now, status } = end
  const { pending } = list
  const ours =
    end.by === "platform" && pending !== undefined && pending.version === end.listVersion ? pending : undefined
  const word = wordOf(end).toLowerCase()
  if (end.sentAt === undefined || word === "toomanycommands") {
    return ours === undefined ? list : { ...list, pending: undefined, state: "Unknown", updatedAt: now }
  }
  if (status === "Accepted" && ours !== undefined) {
    return {
      ...list,
      version: ours.version,
      syncedSeq: ours.seq,
      fillTo: ours.fillTo,
      needsFull: list.needsFull && !ours.full,
      attempts: 0,
      state: "InStep",
      pending: undefined,
      nextLookAt: now,
      updatedAt: now
    }
  }
  if (isUnsupported(word)) return { ...list, state: "Unsupported", pending: undefined, updatedAt: now }
  // A whole list that the charger may not have counts as a failure: some chargers restart whenever they get one.
  const attempts = ours?.full === true && status !== "Accepted" ? nextAttempt(list) : list.attempts
  const asked = {
    ...list,
    attempts,
    checkedEpoch: undefined,
    state: "Unknown",
    nextLookAt: now,
    updatedAt: now
  } as const
  // An operator sent a list, or the charger has an unexpected version: its version is queried, and it gets the whole list.
  if (status === "Accepted" || word === "versionmismatch") return { ...asked, needsFull: true, pending: undefined }
  // The charger's version will show whether it received the message. It is queried without a delay, since the lost connection was delay enough.
  if (status === "TimedOut" || word === "connectionlost" || word === "unreadableanswer") {
    return { ...asked, needsFull: list.needsFull || ours === undefined }
  }
  if (ours === undefined) return list
  // After a refused update the whole list is sent at once; a refused whole list is tried again later.
  const next = ours.full ? failed(list, now) : { ...list, nextLookAt: now }
  return { ...next, needsFull: true, pending: undefined }
}

const versionReported = (list: ListRecord, end: LocalListEnd): ListRecord => {
  const { completedAt: now, errorCode = "", reportedVersion = "" } = end
  const reported = /^-?\d{1,9}$/.test(reportedVersion) ? Number(reportedVersion) : undefined
  const checked = { ...list, checkedEpoch: end.sentEpoch, checkedAt: now, pending: undefined, updatedAt: now }
  if (reported === -1 || isUnsupported(errorCode)) return { ...checked, state: "Unsupported" }
  if (end.status === "Accepted" && reported !== undefined && reported >= 0) {
    const { pending } = list
    // The charger reports the version of the message that was sent, so it has received it.
    if (pending !== undefined && reported === pending.version) {
      return {
        ...checked,
        version: reported,
        syncedSeq: pending.seq,
        fillTo: pending.fillTo,
        needsFull: list.needsFull && !pending.full,
        state: "InStep",
        attempts: 0,
        nextLookAt: now
      }
    }
    if (reported === list.version && !list.needsFull) {
      return { ...checked, attempts: 0, state: "InStep", nextLookAt: now }
    }
    // Another version shows that the list is not what we sent, so it is sent whole again: at once, or after the pause if that has just failed.
    const again = { ...checked, version: reported, needsFull: true }
    const pausedUntil = list.attempts === 0 ? now : list.updatedAt + pauseAfter(list.attempts)
    return pausedUntil <= now
      ? { ...again, state: "Unknown", nextLookAt: now }
      : { ...again, state: "Failed", updatedAt: list.updatedAt, nextLookAt: pausedUntil }
  }
  return end.sentAt !== undefined && errorCode.toLowerCase() !== "connectionlost" ? failed(list, now) : list
}

const reasonOf = ({ checkedAt, state, version }: ListRecord, end: LocalListEnd): string | undefined => {
  const word = wordOf(end)
  switch (state) {
    case "Unsupported":
      return isUnsupported(word)
        ? `the charger answers ${word} to messages about its list`
        : "the charger reports with listVersion -1 that it has no list"
    case "Failed": {
      if (end.type === "GetLocalListVersion" && checkedAt === end.completedAt) {
        return `the charger has not taken the whole list and reports version ${version}; the list will be sent again later`
      }
      const shown = Array.from(word === "" ? end.status : word)
        .slice(0, shownMax)
        .join("")
      return `the charger's last answer was ${shown}; it will be asked again later`
    }
    default:
      return undefined
  }
}

/** The list after the end of a command about it. */
export const listAfter = (list: ListRecord, end: LocalListEnd): ListRecord => {
  const next = end.type === "SendLocalList" ? sent(list, end) : versionReported(list, end)
  const { listVersion } = end
  // This includes a list that an operator sent: the charger now has its version.
  const isStored = end.type === "SendLocalList" && end.status === "Accepted" && listVersion !== undefined
  return { ...next, version: isStored ? listVersion : next.version, reason: reasonOf(next, end) }
}
