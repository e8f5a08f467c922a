/** Ends of commands about a charger's local list, each with the list before and after: for tests of the rule and of the database. */
import type { LocalListEnd, ListRecord } from "../../src/domain/command/LocalListEnd.ts"
import { noon } from "./journalFacts.ts"

const minute = 60_000
const hour = 60 * minute

/** A list with an update on its way. */
export const listBefore: ListRecord = {
  version: 4,
  syncedSeq: 10,
  fillTo: 11,
  needsFull: false,
  state: "Sending",
  checkedEpoch: 3,
  checkedAt: noon - hour,
  pending: { version: 5, seq: 12, fillTo: 14, full: false },
  attempts: 1,
  nextLookAt: noon + hour,
  updatedAt: noon - hour,
  reason: "as before"
}

export type ListEnd = Omit<LocalListEnd, "commandId" | "organisationId" | "chargerId" | "completedAt">

const sent: ListEnd = {
  type: "SendLocalList",
  status: "Accepted",
  by: "platform",
  sentAt: noon - minute,
  sentEpoch: 8,
  listVersion: 5,
  answer: undefined,
  errorCode: undefined,
  reportedVersion: undefined
}
const rejected = (answer: string): ListEnd => ({ ...sent, status: "Rejected", answer })
const failed = (errorCode: string): ListEnd => ({ ...sent, status: "Failed", errorCode })
const timedOut: ListEnd = { ...sent, status: "TimedOut", errorCode: "Timeout" }
const byHand = (end: ListEnd): ListEnd => ({ ...end, by: "key:1" })

const version: ListEnd = { ...sent, type: "GetLocalListVersion", listVersion: undefined }
const reported = (reportedVersion: string): ListEnd => ({ ...version, reportedVersion })
const unanswered = (errorCode: string): ListEnd => ({ ...version, status: "Failed", errorCode })

const now = { nextLookAt: noon, updatedAt: noon }
const none = { pending: undefined }
const askAgain = { ...now, checkedEpoch: undefined, state: "Unknown" } as const
const arrived = { ...now, ...none, version: 5, syncedSeq: 12, fillTo: 14, attempts: 0, state: "InStep" } as const
const unsupported = { ...none, updatedAt: noon, state: "Unsupported" } as const
const checked = { ...now, ...none, checkedEpoch: 8, checkedAt: noon }
const says = (word: string) => `the charger answers ${word} to messages about its list`
const askedAgain = (word: string) => `the charger's last answer was ${word}; it will be asked again later`
const full = { pending: { version: 5, seq: 12, fillTo: 14, full: true } }
const whole = { ...full, needsFull: true }

export interface ListCase {
  readonly name: string
  readonly end: ListEnd
  /** The fields of the list that differ from `listBefore`. */
  readonly before?: Partial<ListRecord>
  /** The fields of the list that change, besides its reason. */
  readonly after: Partial<ListRecord>
  readonly reason?: string
}

export const listCases: ReadonlyArray<ListCase> = [
  { name: "our update accepted", end: sent, after: arrived },
  { name: "our update accepted with a status", end: { ...sent, answer: "Accepted" }, after: arrived },
  { name: "our update accepted while a whole one is needed", end: sent, before: { needsFull: true }, after: arrived },
  { name: "our whole list accepted", end: sent, before: whole, after: { ...arrived, needsFull: false } },
  {
    name: "another version accepted",
    end: { ...sent, listVersion: 6 },
    after: { ...askAgain, ...none, version: 6, needsFull: true }
  },
  {
    name: "an operator's list accepted",
    end: byHand(sent),
    after: { ...askAgain, ...none, version: 5, needsFull: true }
  },
  {
    name: "an operator's list accepted, none of ours under way",
    end: byHand(sent),
    before: none,
    after: { ...askAgain, version: 5, needsFull: true }
  },
  {
    name: "our update never sent",
    end: { ...failed("NotConnected"), sentAt: undefined },
    after: { ...none, state: "Unknown", updatedAt: noon }
  },
  {
    name: "our update held back",
    end: failed("TooManyCommands"),
    after: { ...none, state: "Unknown", updatedAt: noon }
  },
  { name: "an operator's list never sent", end: byHand({ ...failed("NotConnected"), sentAt: undefined }), after: {} },
  {
    name: "NotSupported as an answer",
    end: rejected("NotSupported"),
    after: unsupported,
    reason: says("NotSupported")
  },
  {
    name: "NotImplemented as an error",
    end: failed("NotImplemented"),
    after: unsupported,
    reason: says("NotImplemented")
  },
  {
    name: "NotSupported to an operator's",
    end: byHand(rejected("notSupported")),
    after: unsupported,
    reason: says("notSupported")
  },
  { name: "VersionMismatch", end: rejected("VersionMismatch"), after: { ...askAgain, ...none, needsFull: true } },
  {
    name: "VersionMismatch to an operator's",
    end: byHand(rejected("versionmismatch")),
    after: { ...askAgain, ...none, needsFull: true }
  },
  { name: "no answer to ours", end: timedOut, after: askAgain },
  { name: "a lost connection", end: failed("ConnectionLost"), after: askAgain },
  { name: "an unreadable answer", end: failed("UnreadableAnswer"), after: askAgain },
  {
    name: "no answer to our whole list",
    end: timedOut,
    before: whole,
    after: { ...askAgain, attempts: 2 }
  },
  {
    name: "a connection lost at our whole list",
    end: failed("ConnectionLost"),
    before: { ...whole, attempts: 20 },
    after: { ...askAgain, attempts: 20 }
  },
  {
    name: "VersionMismatch to our whole list",
    end: rejected("VersionMismatch"),
    before: { ...whole, attempts: 0 },
    after: { ...askAgain, ...none, attempts: 1 }
  },
  { name: "no answer to an operator's", end: byHand(timedOut), after: { ...askAgain, needsFull: true } },
  { name: "our update refused", end: rejected("Failed"), after: { ...none, nextLookAt: noon, needsFull: true } },
  {
    name: "our whole list refused",
    end: rejected("Failed"),
    before: full,
    after: { ...none, state: "Failed", attempts: 2, updatedAt: noon, nextLookAt: noon + minute, needsFull: true },
    reason: askedAgain("Failed")
  },
  {
    name: "our whole list refused for the tenth time",
    end: failed("InternalError"),
    before: { ...full, attempts: 9 },
    after: {
      ...none,
      state: "Failed",
      attempts: 10,
      updatedAt: noon,
      nextLookAt: noon + (512 * minute) / 2,
      needsFull: true
    },
    reason: askedAgain("InternalError")
  },
  {
    name: "our whole list refused for the thirtieth time",
    end: rejected("x".repeat(60)),
    before: { ...full, attempts: 20 },
    after: { ...none, state: "Failed", attempts: 20, updatedAt: noon, nextLookAt: noon + 6 * hour, needsFull: true },
    reason: askedAgain("x".repeat(50))
  },
  { name: "an operator's list refused", end: byHand(rejected("Failed")), after: {} },
  {
    name: "an operator's list refused where ours failed before",
    end: byHand({ ...sent, status: "Rejected" }),
    before: { ...none, state: "Failed" },
    after: {},
    reason: askedAgain("Rejected")
  },
  { name: "the version of the message on its way", end: reported("5"), after: { ...checked, ...arrived } },
  {
    name: "the version of the whole list on its way",
    end: reported("5"),
    before: whole,
    after: { ...checked, ...arrived, needsFull: false }
  },
  { name: "our version", end: reported("4"), after: { ...checked, attempts: 0, state: "InStep" } },
  {
    name: "our version where a whole one is needed",
    end: reported("4"),
    before: { needsFull: true },
    after: { ...checked, state: "Unknown" }
  },
  {
    name: "another version in the pause after a whole list",
    end: reported("0"),
    before: { ...whole, attempts: 3, updatedAt: noon - minute },
    after: { ...checked, version: 0, state: "Failed", updatedAt: noon - minute, nextLookAt: noon + minute },
    reason: "the charger has not taken the whole list and reports version 0; the list will be sent again later"
  },
  {
    name: "another version after that pause",
    end: reported("0"),
    before: { ...whole, attempts: 3, updatedAt: noon - 2 * minute },
    after: { ...checked, version: 0, state: "Unknown" }
  },
  { name: "another version", end: reported("7"), after: { ...checked, version: 7, needsFull: true, state: "Unknown" } },
  {
    name: "no list by version 0",
    end: reported("0"),
    after: { ...checked, version: 0, needsFull: true, state: "Unknown" }
  },
  {
    name: "no list by version -1",
    end: reported("-1"),
    after: { ...checked, nextLookAt: noon + hour, state: "Unsupported" },
    reason: "the charger reports with listVersion -1 that it has no list"
  },
  {
    name: "a version that is not known to the charger",
    end: unanswered("NotSupported"),
    after: { ...checked, nextLookAt: noon + hour, state: "Unsupported" },
    reason: says("NotSupported")
  },
  {
    name: "a version that is none",
    end: reported("many"),
    after: { state: "Failed", attempts: 2, updatedAt: noon, nextLookAt: noon + minute },
    reason: askedAgain("Accepted")
  },
  {
    name: "a version below -1",
    end: reported("-2"),
    after: { state: "Failed", attempts: 2, updatedAt: noon, nextLookAt: noon + minute },
    reason: askedAgain("Accepted")
  },
  {
    name: "a version that was refused",
    end: { ...reported("4"), status: "Rejected" },
    after: { state: "Failed", attempts: 2, updatedAt: noon, nextLookAt: noon + minute },
    reason: askedAgain("Rejected")
  },
  {
    name: "a version that was not asked for after all",
    end: { ...unanswered("NotConnected"), sentAt: undefined },
    after: {}
  },
  { name: "a version whose connection was lost", end: unanswered("ConnectionLost"), after: {} }
]

/** The first events for a list without a record, and whether they create one. */
export const firstEnds: ReadonlyArray<readonly [end: ListEnd, begins: boolean]> = [
  [byHand(sent), true],
  [reported("3"), true],
  [rejected("NotSupported"), true],
  [unanswered("NotImplemented"), true],
  [rejected("Failed"), false],
  [timedOut, false],
  [unanswered("InternalError"), false]
]
