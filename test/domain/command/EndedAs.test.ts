/** A command after its end, as its caller sees it without looking it up: only where nothing else can be known of it. */
import { describe, expect, it } from "@effect/vitest"
import type { Command } from "../../../src/domain/command/Command.ts"
import { endedAs } from "../../../src/domain/command/EndedAs.ts"

const sent: Command = {
  id: "c-1",
  organisationId: "o",
  chargerId: "CP-1",
  type: "Reset",
  status: "Sent",
  parameters: { resetType: "Soft" },
  by: "key:one",
  createdAt: 1_000,
  expiresAt: undefined,
  sentAt: 1_000,
  completedAt: undefined,
  result: undefined,
  sessionId: undefined,
  effect: undefined,
  fileId: undefined,
  progress: undefined
}
const accepted = { status: "Accepted", result: { status: "Accepted" }, completedAt: 3_000 } as const
const heldBack = { status: "Failed", result: { errorCode: "NotAccepted" }, completedAt: 3_000 } as const

describe("the end of a command that was sent", () => {
  it("is the charger's answer, and when it came", () =>
    expect(endedAs(sent, accepted)).toEqual({ ...sent, ...accepted }))

  it("says of one that did not go out after all that it was never sent", () =>
    expect(endedAs(sent, heldBack)).toEqual({ ...sent, ...heldBack, sentAt: undefined }))

  it("takes an answer for an answer, whatever the charger writes into it", () => {
    const odd = { ...accepted, result: { status: "Accepted", errorCode: "NotAccepted" } }
    expect(endedAs(sent, odd)?.sentAt).toBe(sent.sentAt)
  })

  it("is looked up where it is not known when it was sent", () =>
    expect(endedAs({ ...sent, status: "Pending", sentAt: undefined }, accepted)).toBeUndefined())

  it.each(["RemoteStart", "RemoteStop", "GetDiagnostics", "UpdateFirmware"] as const)(
    "is looked up for a %s, of which more may be known by then",
    (type) => expect(endedAs({ ...sent, type }, accepted)).toBeUndefined()
  )
})
