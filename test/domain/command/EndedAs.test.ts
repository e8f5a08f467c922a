/** A command after its end, as its caller sees it without a lookup, which is skipped only if nothing else can be known. */
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
  it("is the charger's answer and the time it arrived", () =>
    expect(endedAs(sent, accepted)).toEqual({ ...sent, ...accepted }))

  it("has no time of sending if the command did not go out after all", () =>
    expect(endedAs(sent, heldBack)).toEqual({ ...sent, ...heldBack, sentAt: undefined }))

  it("is recognised as an answer, whatever the charger writes into it", () => {
    const odd = { ...accepted, result: { status: "Accepted", errorCode: "NotAccepted" } }
    expect(endedAs(sent, odd)?.sentAt).toBe(sent.sentAt)
  })

  it("is looked up when the time of sending is not known", () =>
    expect(endedAs({ ...sent, status: "Pending", sentAt: undefined }, accepted)).toBeUndefined())

  it.each(["RemoteStart", "RemoteStop", "GetDiagnostics", "UpdateFirmware"] as const)(
    "is looked up for a %s, of which more may be known by then",
    (type) => expect(endedAs({ ...sent, type }, accepted)).toBeUndefined()
  )
})
