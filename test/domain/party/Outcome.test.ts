import { describe, expect, it } from "vitest"
import type { PartnerCallbackKind } from "../../../src/domain/command/PartnerCallback.ts"
import { type PartnerCallbackEnd, outcomeOf, profileOutcomeOf } from "../../../src/domain/command/Outcome.ts"

const end = (
  kind: PartnerCallbackKind,
  status: PartnerCallbackEnd["status"],
  more: Partial<PartnerCallbackEnd> = {}
): PartnerCallbackEnd => ({
  kind,
  status,
  result: undefined,
  connectorStatus: undefined,
  ...more
})
const said = (status: string) => ({ result: { status } })
const failed = (errorCode: string) => ({ result: { errorCode } })

const commands: ReadonlyArray<PartnerCallbackKind> = [
  "StartSession",
  "StopSession",
  "ReserveNow",
  "CancelReservation",
  "UnlockConnector"
]

describe("the result of a command that a partner receives", () => {
  it.each(commands)("%s: ACCEPTED if accepted, TIMEOUT without an answer, FAILED if lost or broken", (kind) => {
    expect(outcomeOf(end(kind, "Accepted", said("Accepted")))).toBe("ACCEPTED")
    for (const status of ["TimedOut", "Sent", "Pending"] as const) expect(outcomeOf(end(kind, status))).toBe("TIMEOUT")
    for (const code of ["ConnectionLost", "NotConnected", "InternalError", "TooManyCommands", "UnreadableAnswer"]) {
      expect(outcomeOf(end(kind, "Failed", failed(code)))).toBe("FAILED")
    }
    expect(outcomeOf(end(kind, "Expired", failed("Expired")))).toBe("FAILED")
    for (const code of ["NotImplemented", "NotSupported", "notsupported"]) {
      expect(outcomeOf(end(kind, "Failed", failed(code)))).toBe("NOT_SUPPORTED")
    }
  })

  it("maps each status of the charger", () => {
    const statuses: ReadonlyArray<readonly [PartnerCallbackKind, string, string]> = [
      ["StartSession", "Rejected", "REJECTED"],
      ["StopSession", "Rejected", "REJECTED"],
      ["ReserveNow", "Occupied", "EVSE_OCCUPIED"],
      ["ReserveNow", "occupied ", "EVSE_OCCUPIED"],
      ["ReserveNow", "Faulted", "EVSE_INOPERATIVE"],
      ["ReserveNow", "Unavailable", "EVSE_INOPERATIVE"],
      ["ReserveNow", "Rejected", "REJECTED"],
      ["CancelReservation", "Rejected", "UNKNOWN_RESERVATION"],
      ["UnlockConnector", "UnlockFailed", "FAILED"],
      ["UnlockConnector", "NotSupported", "NOT_SUPPORTED"]
    ]
    for (const [kind, status, outcome] of statuses) {
      expect(outcomeOf(end(kind, "Rejected", said(status))), `${kind} ${status}`).toBe(outcome)
    }
  })

  it("gives the reason of a refused start, as far as the connector's status shows it", () => {
    const refused = (connectorStatus: string | undefined) =>
      outcomeOf(end("StartSession", "Rejected", { ...said("Rejected"), connectorStatus }))
    expect(["Faulted", "Unavailable"].map(refused)).toEqual(["EVSE_INOPERATIVE", "EVSE_INOPERATIVE"])
    const taken = ["Charging", "SuspendedEV", "SuspendedEVSE", "Finishing", "Reserved"]
    expect(new Set(taken.map(refused))).toEqual(new Set(["EVSE_OCCUPIED"]))
    expect(["Available", "Preparing", undefined].map(refused)).toEqual(["REJECTED", "REJECTED", "REJECTED"])
  })
})

describe("the result of a charging profile that a partner receives", () => {
  it("is ACCEPTED or REJECTED, or UNKNOWN when there was no profile to clear", () => {
    for (const kind of ["SetProfile", "ActiveProfile", "ClearProfile"] as const) {
      expect(profileOutcomeOf(end(kind, "Accepted"))).toBe("ACCEPTED")
      for (const status of ["Rejected", "Failed", "TimedOut", "Sent", "Expired"] as const) {
        expect(profileOutcomeOf(end(kind, status, said("Rejected")))).toBe("REJECTED")
      }
    }
    expect(profileOutcomeOf(end("ClearProfile", "Rejected", said("Unknown")))).toBe("UNKNOWN")
    expect(profileOutcomeOf(end("SetProfile", "Rejected", said("Unknown")))).toBe("REJECTED")
  })
})
