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

describe("what a partner hears of its command", () => {
  it.each(commands)("%s: yes is yes, no answer is TIMEOUT, and what was lost or broken is FAILED", (kind) => {
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

  it("has a word for each of the charger's own", () => {
    const words: ReadonlyArray<readonly [PartnerCallbackKind, string, string]> = [
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
    for (const [kind, word, outcome] of words) {
      expect(outcomeOf(end(kind, "Rejected", said(word))), `${kind} ${word}`).toBe(outcome)
    }
  })

  it("says of a start why, as far as the connector tells", () => {
    const refused = (connectorStatus: string | undefined) =>
      outcomeOf(end("StartSession", "Rejected", { ...said("Rejected"), connectorStatus }))
    expect(["Faulted", "Unavailable"].map(refused)).toEqual(["EVSE_INOPERATIVE", "EVSE_INOPERATIVE"])
    const taken = ["Charging", "SuspendedEV", "SuspendedEVSE", "Finishing", "Reserved"]
    expect(new Set(taken.map(refused))).toEqual(new Set(["EVSE_OCCUPIED"]))
    expect(["Available", "Preparing", undefined].map(refused)).toEqual(["REJECTED", "REJECTED", "REJECTED"])
  })
})

describe("what a partner hears of its charging profile", () => {
  it("knows yes, no and that there is none", () => {
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
