/** When a rollout commands its next chargers, waits, pauses or completes, and when a charger counts as successful. */
import { expect, describe, it } from "vitest"
import { Conflict } from "../../../src/domain/Errors.ts"
import { afterDecision } from "../../../src/domain/rollout/Decisions.ts"
import {
  isWindowOpen,
  type IssuedTarget,
  nextStep,
  noTargets,
  orderAt,
  outcomeOf,
  type RolloutPlan,
  type TargetCounts,
  waveEnds,
  waveOf
} from "../../../src/domain/rollout/Rollout.ts"

const now = Date.UTC(2026, 10, 23, 12)
const plan: RolloutPlan = {
  perMinute: 60,
  waves: [1, 10, 100],
  window: undefined,
  pauseAfterFailures: 3,
  onlyConnected: true,
  expiresInSeconds: undefined,
  version: undefined
}
const long = now - 3_600_000

const step = (
  counts: Partial<TargetCounts>,
  {
    failuresAccepted = 0,
    lastIssuedAt = long,
    ...changed
  }: Partial<RolloutPlan> & {
    readonly failuresAccepted?: number
    readonly lastIssuedAt?: number | undefined
  } = {}
) =>
  nextStep(
    { ...plan, ...changed },
    { counts: { ...noTargets, ...counts }, lastIssuedAt, failuresAccepted, endsAt: now + 1000 },
    now
  )

describe("a rollout", () => {
  it("begins with one charger, and continues at its configured rate", () => {
    expect(
      nextStep(
        plan,
        { counts: { ...noTargets, Waiting: 100 }, lastIssuedAt: undefined, failuresAccepted: 0, endsAt: now + 1 },
        now
      )
    ).toEqual({ _tag: "Issue", atMost: 1 })
    const counts = { Waiting: 80, Succeeded: 20 }
    expect(step(counts, { lastIssuedAt: now - 1000 })).toEqual({ _tag: "Issue", atMost: 1 })
    expect(step(counts, { lastIssuedAt: now - 2000 })).toEqual({ _tag: "Issue", atMost: 2 })
    expect(step(counts, { lastIssuedAt: now - 500 })).toEqual({ _tag: "Wait" })
    expect(step(counts, { perMinute: 6, lastIssuedAt: now - 8000 })).toEqual({ _tag: "Wait" })
    expect(step(counts, { perMinute: 6, lastIssuedAt: now - 10_000 })).toEqual({ _tag: "Issue", atMost: 1 })
  })

  it("does not catch up at once after an hour without a database", () => {
    expect(step({ Waiting: 80, Succeeded: 20 })).toEqual({ _tag: "Issue", atMost: 2 })
  })

  it("begins a wave when the previous one has ended", () => {
    expect(step({ Waiting: 99, Issued: 1 })).toEqual({ _tag: "Wait" })
    expect(step({ Waiting: 99, Succeeded: 1 })).toEqual({ _tag: "Issue", atMost: 2 })
    expect(step({ Waiting: 91, Issued: 2, Succeeded: 7 })).toEqual({ _tag: "Issue", atMost: 1 })
    expect(step({ Waiting: 90, Issued: 1, Succeeded: 9 })).toEqual({ _tag: "Wait" })
    expect(waveOf(plan, { ...noTargets, Waiting: 90, Issued: 1, Succeeded: 9 })).toBe(2)
    expect(waveOf(plan, { ...noTargets, Waiting: 90, Succeeded: 10 })).toBe(3)
  })

  it("pauses when all of the first wave failed, or as many as its plan allows", () => {
    expect(step({ Waiting: 99, Failed: 1 })).toEqual({ _tag: "Pause" })
    expect(step({ Waiting: 50, Succeeded: 47, Failed: 2 })._tag).toBe("Issue")
    expect(step({ Waiting: 50, Succeeded: 47, Failed: 3 })).toEqual({ _tag: "Pause" })
    expect(step({ Waiting: 50, Succeeded: 47, Failed: 3 }, { pauseAfterFailures: undefined })._tag).toBe("Issue")
  })

  it("counts only new failures once an operator has accepted the earlier ones", () => {
    expect(step({ Waiting: 99, Failed: 1 }, { failuresAccepted: 1 })._tag).toBe("Issue")
    expect(step({ Waiting: 50, Succeeded: 45, Failed: 5 }, { failuresAccepted: 3 })._tag).toBe("Issue")
    expect(step({ Waiting: 50, Succeeded: 44, Failed: 6 }, { failuresAccepted: 3 })).toEqual({ _tag: "Pause" })
  })

  it("completes when no charger is waiting or in progress, or its time is over", () => {
    expect(step({ Succeeded: 98, Failed: 2 })).toEqual({ _tag: "Complete" })
    expect(step({ Issued: 1, Succeeded: 99 })).toEqual({ _tag: "Wait" })
    const late = {
      counts: { ...noTargets, Waiting: 5, Succeeded: 5 },
      lastIssuedAt: long,
      failuresAccepted: 0,
      endsAt: now
    }
    expect(nextStep(plan, late, now)).toEqual({ _tag: "Complete" })
  })
})

it("has waves that grow until the last one covers all chargers", () => {
  expect(waveEnds([], 40)).toEqual([40])
  expect(waveEnds([{ chargers: 1 }, { percent: 10 }], 40)).toEqual([1, 4, 40])
  expect(waveEnds([{ chargers: 1 }, { percent: 10 }], 5)).toEqual([1, 5])
  expect(waveEnds([{ percent: 50 }, { chargers: 3 }, { percent: 100 }], 10)).toEqual([5, 10])
  expect(waveEnds([{ chargers: 500 }], 10)).toEqual([10])
})

describe("a time window", () => {
  const at = (hour: number, minute = 0) => Date.UTC(2026, 10, 23, hour, minute)
  const night = { fromMinute: 22 * 60, toMinute: 5 * 60 }

  it("applies in each site's local time, and may span midnight", () => {
    expect(isWindowOpen(night, "Europe/Stockholm", at(20, 59))).toBe(false)
    expect(isWindowOpen(night, "Europe/Stockholm", at(21))).toBe(true)
    expect(isWindowOpen(night, "Europe/Stockholm", at(3, 59))).toBe(true)
    expect(isWindowOpen(night, "Europe/Stockholm", at(4))).toBe(false)
    expect(isWindowOpen(night, "Asia/Tokyo", at(21))).toBe(false)
    expect(isWindowOpen({ fromMinute: 60, toMinute: 1440 }, "UTC", at(23, 59))).toBe(true)
    expect(isWindowOpen({ fromMinute: 60, toMinute: 1440 }, "UTC", at(0, 59))).toBe(false)
  })
})

describe("the outcome for a charger", () => {
  const target: IssuedTarget = {
    issuedAt: now - 60_000,
    status: "Accepted",
    answer: undefined,
    progress: undefined,
    firmwareBefore: "1.0",
    firmwareNow: "1.0"
  }
  const of = (
    changed: Partial<IssuedTarget>,
    kind: "CommandBatch" | "FirmwareCampaign" = "FirmwareCampaign",
    version?: string
  ) => outcomeOf(kind, { ...plan, version }, { ...target, ...changed }, now)

  it("is the end of its command in a batch", () => {
    expect(of({ status: "Sent" }, "CommandBatch")).toBeUndefined()
    expect(of({}, "CommandBatch")).toEqual({ state: "Succeeded", detail: undefined })
    expect(of({ status: "Rejected", answer: "Rejected" }, "CommandBatch")).toEqual({
      state: "Failed",
      detail: "Rejected"
    })
    expect(of({ status: "TimedOut" }, "CommandBatch")).toEqual({ state: "Failed", detail: "TimedOut" })
  })

  it("is what the charger reports in a campaign, or the firmware version it returns with", () => {
    expect(of({})).toBeUndefined()
    expect(of({ progress: "Downloading" })).toBeUndefined()
    expect(of({ progress: "Installed" })?.state).toBe("Succeeded")
    expect(of({ progress: "InstallationFailed" })).toEqual({ state: "Failed", detail: "InstallationFailed" })
    expect(of({ firmwareNow: "1.1" })?.state).toBe("Succeeded")
    expect(of({ firmwareNow: "1.1" }, "FirmwareCampaign", "2.0")).toBeUndefined()
    expect(of({ firmwareNow: "2.0", status: "TimedOut" }, "FirmwareCampaign", "2.0")?.state).toBe("Succeeded")
    expect(of({ status: "Rejected", answer: "InvalidCertificate" })).toEqual({
      state: "Failed",
      detail: "InvalidCertificate"
    })
  })

  it("is a failure when nothing was received for a day", () => {
    expect(of({ issuedAt: now - 86_400_000 })).toEqual({ state: "Failed", detail: "NoOutcome" })
  })
})

it("a firmware order", () => {
  const at = "2026-11-23T12:00:00.000Z"
  expect(orderAt({ type: "UpdateFirmware", body: { fileId: "f" } }, now)).toEqual({ fileId: "f", retrieveDate: at })
  expect(orderAt({ type: "SignedUpdateFirmware", body: { firmware: { signature: "s" } } }, now)).toEqual({
    firmware: { signature: "s", retrieveDateTime: at }
  })
  expect(orderAt({ type: "Reset", body: { resetType: "Soft" } }, now)).toEqual({ resetType: "Soft" })
})

describe("an operator", () => {
  const of = (state: "AwaitingApproval" | "Running" | "Paused" | "Completed" | "Cancelled") => ({
    state,
    pauseReason: undefined,
    createdByPerson: "lea"
  })
  const code = (answer: unknown) => (answer instanceof Conflict ? answer.code : answer)

  it("may not approve their own rollout", () => {
    expect(code(afterDecision(of("AwaitingApproval"), "approve", "lea"))).toBe("second_person_needed")
    expect(afterDecision(of("AwaitingApproval"), "approve", "kim")).toMatchObject({ state: "Running" })
    expect(afterDecision(of("Running"), "approve", "kim")).toBeUndefined()
    expect(code(afterDecision(of("AwaitingApproval"), "resume", "lea"))).toBe("not_approved")
  })

  it("can pause, resume and cancel a rollout until it is over; a repeated decision changes nothing", () => {
    expect(afterDecision(of("Running"), "pause", "kim")).toMatchObject({ state: "Paused", pauseReason: "Operator" })
    expect(afterDecision(of("Paused"), "pause", "kim")).toBeUndefined()
    expect(afterDecision(of("Paused"), "resume", "kim")).toMatchObject({ state: "Running", acceptsFailures: true })
    expect(afterDecision(of("Running"), "cancel", "kim")).toMatchObject({ state: "Cancelled" })
    expect(afterDecision(of("Cancelled"), "cancel", "kim")).toBeUndefined()
    expect(code(afterDecision(of("Completed"), "cancel", "kim"))).toBe("rollout_over")
    expect(code(afterDecision(of("Cancelled"), "resume", "kim"))).toBe("rollout_over")
  })
})
