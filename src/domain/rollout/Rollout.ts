/**
 * A rollout: one command for many chargers, issued at a limited rate. A command batch goes through its chargers in order. A firmware campaign goes in
 * waves, within certain hours of the sites' local time, and pauses when chargers fail. The next step follows from its plan and from how many chargers
 * are in each state.
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
 * The state of one charger: `Waiting → Issued → Succeeded | Failed`. `Skipped`: it needs nothing, because it runs the version already. `Unreached`:
 * the rollout ended before its turn.
 */
export const targetStates = ["Waiting", "Issued", "Succeeded", "Failed", "Skipped", "Unreached"] as const
export type TargetState = (typeof targetStates)[number]

/**
 * Why a rollout pauses. `Operator`: an operator paused it. `Failures`: as many chargers failed as its plan allows, or none had succeeded and some had
 * failed when a later wave was due.
 */
export const pauseReasons = ["Operator", "Failures"] as const
export type PauseReason = (typeof pauseReasons)[number]

/**
 * A time window in the local time of each charger's site, in minutes since midnight. If `toMinute` is below `fromMinute`, it ends on the next day.
 */
export interface DailyWindow {
  readonly fromMinute: number
  readonly toMinute: number
}

export interface RolloutPlan {
  /** The most chargers that get the command in one minute. */
  readonly perMinute: number
  /** How many chargers have got the command by the end of each wave. The numbers rise, and the last one is all chargers. */
  readonly waves: ReadonlyArray<number>
  /** Undefined: at any time. */
  readonly window: DailyWindow | undefined
  /** The number of failures at which the rollout pauses; undefined: never. */
  readonly pauseAfterFailures: number | undefined
  /**
   * True: a charger waits until it is connected, and others go before it. False: a command to a charger that is not connected fails, or waits by
   * itself.
   */
  readonly onlyConnected: boolean
  /** Seconds that each command may wait for its charger. */
  readonly expiresInSeconds: number | undefined
  /** The firmware version that chargers report afterwards; undefined if it is not known, or for other commands. */
  readonly version: string | undefined
}

/** How many chargers are in each state. */
export type TargetCounts = Readonly<Record<TargetState, number>>

export const noTargets: TargetCounts = { Waiting: 0, Issued: 0, Succeeded: 0, Failed: 0, Skipped: 0, Unreached: 0 }

/** The progress of a rollout. */
export interface RolloutProgress {
  readonly counts: TargetCounts
  /** ms epoch of the last command; undefined before the first. */
  readonly lastIssuedAt: number | undefined
  /** The number of failures that an operator accepted by resuming the rollout. */
  readonly failuresAccepted: number
  /** ms epoch; chargers that have not been reached by then are left out. */
  readonly endsAt: number
}

export type RolloutStep =
  | { readonly _tag: "Issue"; readonly atMost: number }
  | { readonly _tag: "Wait" }
  | { readonly _tag: "Pause" }
  /** No charger is waiting, or the time is over; and every issued command has an outcome. */
  | { readonly _tag: "Complete" }

/** Limits of one rollout, and of the open rollouts of an organisation. */
export const maxTargets = 10_000
export const maxOpenRollouts = 20
export const maxWaves = 10

/** How many days a rollout may run if it does not reach all of its chargers. */
export const defaultDays = 30
export const maxDays = 90

/** How long a rollout is stored after its end. */
export const rolloutRetentionMillis = 400 * 86_400_000

/**
 * How long an installation may take from the command to a result. Updates over a mobile network take hours, and some chargers wait for a session to
 * end.
 */
export const installationMillis = 24 * 3_600_000

/** How many chargers are due now at the plan's rate. A rollout that was held up for a while does not catch up all at once. */
const dueBy = ({ perMinute }: RolloutPlan, lastIssuedAt: number | undefined, now: number): number => {
  const most = Math.max(1, Math.ceil(perMinute / 30))
  if (lastIssuedAt === undefined) return 1
  // A tenth of an interval early still counts, so that a slightly early round does not lose a whole turn.
  return Math.min(most, Math.floor(((now - lastIssuedAt) * perMinute) / 60_000 + 0.1))
}

/** The next step of a running rollout. */
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
    // The previous wave must have ended, and not with failures only.
    if (counts.Issued > 0) return { _tag: "Wait" }
    if (counts.Succeeded === 0 && newFailures > 0) return { _tag: "Pause" }
  }
  const atMost = Math.min(end - commanded, dueBy(plan, lastIssuedAt, now))
  return atMost > 0 ? { _tag: "Issue", atMost } : { _tag: "Wait" }
}

/** The number of the present wave; the first is 1. */
export const waveOf = ({ waves }: RolloutPlan, { Failed, Issued, Succeeded }: TargetCounts): number => {
  const commanded = Issued + Succeeded + Failed
  const wave = waves.findIndex((end) => commanded < end || (commanded === end && Issued > 0))
  return wave < 0 ? waves.length : wave + 1
}

/** The size of a wave as the operator gave it: a number of chargers, or a percentage of all. */
export type WaveSize = { readonly chargers: number } | { readonly percent: number }

/**
 * The ends of the waves, as numbers of chargers out of `targets`. Each wave has at least one charger more than the previous one, and the last ends
 * with all.
 */
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

/** Whether the window is open now at a site in `timeZone`. */
export const isWindowOpen = ({ fromMinute, toMinute }: DailyWindow, timeZone: string, now: number): boolean => {
  const [span] = offsetSpans(now, now + 1, timeZone)
  const local = Math.floor(timeOfDay(now + (span?.offset ?? 0)) / minute)
  return fromMinute <= toMinute ? local >= fromMinute && local < toMinute : local >= fromMinute || local < toMinute
}

/** A charger whose command was issued, and what is known of both. */
export interface IssuedTarget {
  readonly issuedAt: number
  readonly status: CommandStatus
  /** The `errorCode` or `status` of the charger's answer. */
  readonly answer: string | undefined
  /** The last status that the charger reported for its download or installation. */
  readonly progress: string | undefined
  readonly firmwareBefore: string
  readonly firmwareNow: string
}

export interface TargetOutcome {
  readonly state: Extract<TargetState, "Succeeded" | "Failed" | "Skipped" | "Waiting">
  /** A short code from the charger or the service; undefined for a plain success. */
  readonly detail: string | undefined
}

/** Final firmware statuses (OCPP 1.6 §7.25, security whitepaper §5.3). */
const installed: ReadonlySet<string> = new Set(["Installed"])
const broken: ReadonlySet<string> = new Set([
  "DownloadFailed",
  "InstallationFailed",
  "InstallVerificationFailed",
  "InvalidSignature"
])
export const finalFirmwareStatuses: ReadonlyArray<string> = [...installed, ...broken]

/** Whether the charger now runs the new version. Most chargers boot into it and never report that it was installed. */
const runsNew = ({ version }: RolloutPlan, { firmwareBefore, firmwareNow }: IssuedTarget): boolean =>
  version === undefined ? firmwareNow !== firmwareBefore && firmwareNow !== "" : firmwareNow === version

/** The outcome for a charger; undefined while there is none yet. */
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
 * Commands that make sense for many chargers. Left out are those for one driver, session or reservation, and those for one charger's certificate.
 * Firmware is updated with campaigns.
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

/** The command of a rollout in the form in which a charger gets it now. Firmware is to be fetched at once, because it is this charger's turn. */
export const orderAt = (
  { body, type }: { readonly type: CommandType; readonly body: Readonly<Record<string, unknown>> },
  now: number
): Readonly<Record<string, unknown>> => {
  const at = new Date(now).toISOString()
  if (type === "UpdateFirmware") return { ...body, retrieveDate: at }
  if (type !== "SignedUpdateFirmware") return body
  return { ...body, firmware: { ...(body["firmware"] as object), retrieveDateTime: at } }
}
