/**
 * A rollout: one command for many chargers, issued at a pace. A command batch goes through its chargers in order; a firmware campaign goes in waves,
 * within hours of the sites' local time, and pauses when chargers fail. What is to be done next follows from its plan and how many chargers are in
 * which state.
 */
import type { CommandStatus, CommandType } from "../command/Command.ts"
import { offsetSpans, timeOfDay } from "../tariff/LocalTime.ts"

export const rolloutKinds = ["CommandBatch", "FirmwareCampaign"] as const
export type RolloutKind = (typeof rolloutKinds)[number]

/** `AwaitingApproval → Running ⇄ Paused → Completed`, and `Cancelled` from each but the last. */
export const rolloutStates = ["AwaitingApproval", "Running", "Paused", "Completed", "Cancelled"] as const
export type RolloutState = (typeof rolloutStates)[number]

export const isOver = (state: RolloutState): boolean => state === "Completed" || state === "Cancelled"

/**
 * Of one charger: `Waiting → Issued → Succeeded | Failed`. `Skipped`: it needs nothing, since it runs the version already. `Unreached`: the rollout was
 * over before its turn came.
 */
export const targetStates = ["Waiting", "Issued", "Succeeded", "Failed", "Skipped", "Unreached"] as const
export type TargetState = (typeof targetStates)[number]

/** Why a rollout pauses: an operator wanted it, or as many chargers failed as its plan allows, or all of the first ones. */
export const pauseReasons = ["Operator", "Failures"] as const
export type PauseReason = (typeof pauseReasons)[number]

/** Hours of a day in the local time of each charger's site, in minutes since midnight; `to` below `from` is the next day. */
export interface DailyWindow {
  readonly fromMinute: number
  readonly toMinute: number
}

export interface RolloutPlan {
  /** Chargers that are commanded in a minute at most. */
  readonly perMinute: number
  /** How many chargers are commanded up to the end of each wave; rising, and the last one is all of them. */
  readonly waves: ReadonlyArray<number>
  /** Undefined: at any time. */
  readonly window: DailyWindow | undefined
  /** It pauses when so many have failed; undefined: never. */
  readonly pauseAfterFailures: number | undefined
  /** Chargers wait until they are connected, and others go before them. Otherwise a command to one that is not connected fails, or waits by itself. */
  readonly onlyConnected: boolean
  /** Seconds that each command may wait for its charger. */
  readonly expiresInSeconds: number | undefined
  /** The firmware that chargers run afterwards, as they report it; undefined where it is not known, or for other commands. */
  readonly version: string | undefined
}

/** How many chargers are in each state. */
export type TargetCounts = Readonly<Record<TargetState, number>>

export const noTargets: TargetCounts = { Waiting: 0, Issued: 0, Succeeded: 0, Failed: 0, Skipped: 0, Unreached: 0 }

/** How far a rollout is. */
export interface RolloutProgress {
  readonly counts: TargetCounts
  /** ms epoch of the last command; undefined before the first. */
  readonly lastIssuedAt: number | undefined
  /** Failures that an operator has seen and let it go on after. */
  readonly failuresAccepted: number
  /** ms epoch; chargers that were not reached until then are left out. */
  readonly endsAt: number
}

export type RolloutStep =
  | { readonly _tag: "Issue"; readonly atMost: number }
  | { readonly _tag: "Wait" }
  | { readonly _tag: "Pause" }
  /** Every charger has its outcome, or the time is over. */
  | { readonly _tag: "Complete" }

/** Limits of one rollout and of an organisation's. */
export const maxTargets = 10_000
export const maxOpenRollouts = 20
export const maxWaves = 10

/** How long a rollout goes on without reaching all of its chargers. */
export const defaultDays = 30
export const maxDays = 90

/** After its end a rollout is kept for so long. */
export const rolloutRetentionMillis = 400 * 86_400_000

/** How long an installation may take from the command to a result. Updates over a mobile network take hours, and some chargers wait for a session's end. */
export const installationMillis = 24 * 3_600_000

/** Chargers whose turn it is by the pace; a rollout that could not go on for a while does not catch up at once. */
const dueBy = ({ perMinute }: RolloutPlan, lastIssuedAt: number | undefined, now: number): number => {
  const most = Math.max(1, Math.ceil(perMinute / 30))
  if (lastIssuedAt === undefined) return 1
  // A tenth of a turn early is in time, so that a round which came a little early does not cost a whole one.
  return Math.min(most, Math.floor(((now - lastIssuedAt) * perMinute) / 60_000 + 0.1))
}

/** Of a running rollout. */
export const nextStep = (plan: RolloutPlan, progress: RolloutProgress, now: number): RolloutStep => {
  const { counts, endsAt, failuresAccepted, lastIssuedAt } = progress
  if (counts.Waiting === 0 || now >= endsAt) return counts.Issued === 0 ? { _tag: "Complete" } : { _tag: "Wait" }
  const newFailures = counts.Failed - failuresAccepted
  if (plan.pauseAfterFailures !== undefined && newFailures >= plan.pauseAfterFailures) return { _tag: "Pause" }
  const commanded = counts.Issued + counts.Succeeded + counts.Failed
  const wave = plan.waves.findIndex((end) => commanded < end)
  const begin = wave > 0 ? plan.waves[wave - 1]! : 0
  const end = wave < 0 ? commanded + counts.Waiting : plan.waves[wave]!
  if (wave > 0 && commanded === begin) {
    // The wave before must have ended, and not only in failures.
    if (counts.Issued > 0) return { _tag: "Wait" }
    if (counts.Succeeded === 0 && newFailures > 0) return { _tag: "Pause" }
  }
  const atMost = Math.min(end - commanded, dueBy(plan, lastIssuedAt, now))
  return atMost > 0 ? { _tag: "Issue", atMost } : { _tag: "Wait" }
}

/** The wave that a rollout is in, from 1. */
export const waveOf = ({ waves }: RolloutPlan, { Failed, Issued, Succeeded }: TargetCounts): number => {
  const commanded = Issued + Succeeded + Failed
  const wave = waves.findIndex((end) => commanded < end || (commanded === end && Issued > 0))
  return wave < 0 ? waves.length : wave + 1
}

/** A wave as it is given: a number of chargers, or a share of all. */
export type WaveSize = { readonly chargers: number } | { readonly percent: number }

/** The ends of the waves among `targets` chargers: each at least one charger more than the one before, and the last is all. */
export const waveEnds = (sizes: ReadonlyArray<WaveSize>, targets: number): ReadonlyArray<number> => {
  const ends: Array<number> = []
  for (const size of [...sizes, { percent: 100 }]) {
    const end = Math.min(
      targets,
      "chargers" in size ? size.chargers : Math.max(1, Math.ceil((targets * size.percent) / 100))
    )
    if (end > (ends.at(-1) ?? 0)) ends.push(end)
  }
  return ends
}

const minute = 60_000

/** Whether a window is open at a site now. */
export const isWindowOpen = ({ fromMinute, toMinute }: DailyWindow, timeZone: string, now: number): boolean => {
  const [span] = offsetSpans(now, now + 1, timeZone)
  const local = Math.floor(timeOfDay(now + (span?.offset ?? 0)) / minute)
  return fromMinute <= toMinute ? local >= fromMinute && local < toMinute : local >= fromMinute || local < toMinute
}

/** A charger that has its command, and what is known of both. */
export interface IssuedTarget {
  readonly issuedAt: number
  readonly status: CommandStatus
  /** `errorCode` or `status` of the charger's answer. */
  readonly answer: string | undefined
  /** The charger's last report of a download or installation. */
  readonly progress: string | undefined
  readonly firmwareBefore: string
  readonly firmwareNow: string
}

export interface TargetOutcome {
  readonly state: Extract<TargetState, "Succeeded" | "Failed" | "Skipped" | "Waiting">
  /** In a word, as the charger or the service has it; undefined for a plain success. */
  readonly detail: string | undefined
}

/** Firmware statuses that nothing follows (OCPP 1.6 §7.25, security whitepaper §5.3). */
const installed: ReadonlySet<string> = new Set(["Installed"])
const broken: ReadonlySet<string> = new Set([
  "DownloadFailed",
  "InstallationFailed",
  "InstallVerificationFailed",
  "InvalidSignature"
])
export const finalFirmwareStatuses: ReadonlyArray<string> = [...installed, ...broken]

/** A charger may run another version than it did without saying that it was installed: most boot into it and report nothing else. */
const runsNew = ({ version }: RolloutPlan, { firmwareBefore, firmwareNow }: IssuedTarget): boolean =>
  version === undefined ? firmwareNow !== firmwareBefore && firmwareNow !== "" : firmwareNow === version

/** The end of a charger's part; undefined while it goes on. */
export const outcomeOf = (
  kind: RolloutKind,
  plan: RolloutPlan,
  target: IssuedTarget,
  now: number
): TargetOutcome | undefined => {
  const { answer, issuedAt, progress, status } = target
  if (status === "Pending" || status === "Sent") return undefined
  if (kind === "FirmwareCampaign" && runsNew(plan, target)) return { state: "Succeeded", detail: undefined }
  if (status !== "Accepted") return { state: "Failed", detail: answer ?? status }
  if (kind === "CommandBatch") return { state: "Succeeded", detail: undefined }
  if (progress !== undefined && installed.has(progress)) return { state: "Succeeded", detail: undefined }
  if (progress !== undefined && broken.has(progress)) return { state: "Failed", detail: progress }
  return now - issuedAt >= installationMillis ? { state: "Failed", detail: "NoOutcome" } : undefined
}

/**
 * Commands that make sense for many chargers. Not those that mean one driver, session or reservation, nor one charger's certificate; firmware goes by
 * campaigns.
 */
export const batchTypes = [
  "Reset",
  "ChangeAvailability",
  "ChangeConfiguration",
  "GetConfiguration",
  "ClearCache",
  "TriggerMessage",
  "ExtendedTriggerMessage",
  "SetChargingProfile",
  "ClearChargingProfile",
  "SendLocalList",
  "GetLocalListVersion",
  "GetDiagnostics",
  "GetLog",
  "InstallCertificate",
  "GetInstalledCertificateIds",
  "DataTransfer"
] as const satisfies ReadonlyArray<CommandType>

/** The command of a rollout as a charger gets it now: firmware is to be fetched at once, since it is the charger's turn. */
export const orderAt = (
  { body, type }: { readonly type: CommandType; readonly body: Readonly<Record<string, unknown>> },
  now: number
): Readonly<Record<string, unknown>> => {
  const at = new Date(now).toISOString()
  if (type === "UpdateFirmware") return { ...body, retrieveDate: at }
  if (type !== "SignedUpdateFirmware") return body
  return { ...body, firmware: { ...(body["firmware"] as object), retrieveDateTime: at } }
}
