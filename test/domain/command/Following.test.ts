/** Which RemoteStart a session follows, of those that were sent to its charger. */
import { describe, expect, it } from "vitest"
import { followed, follows, type UnfollowedStart } from "../../../src/domain/command/Following.ts"

const noon = Date.UTC(2026, 4, 20, 12)
const minute = 60_000
const start = { tokenUid: "CARD-1", evseId: 2, heardAt: noon }

const command = (more: Partial<UnfollowedStart> = {}): UnfollowedStart => ({
  commandId: "1",
  sentAt: noon - minute,
  status: "Accepted",
  errorCode: undefined,
  tokenUid: "card-1",
  evseId: 2,
  ...more
})

describe("a session follows a RemoteStart", () => {
  it.each([
    ["of a quarter of an hour ago", -15 * minute, true],
    ["of longer ago", -15 * minute - 1, false],
    ["that another node's clock has sent in a second", 1000, true],
    ["that was sent after it", 1001, false]
  ])("%s: by our clock", (_, after, expected) => {
    expect(follows(start, command({ sentAt: noon + after }))).toBe(expected)
  })

  it.each([
    ["Sent", undefined, true],
    ["Accepted", undefined, true],
    ["TimedOut", "Timeout", true],
    ["Failed", "ConnectionLost", true],
    ["Failed", "InternalError", false],
    ["Rejected", undefined, false],
    ["Pending", undefined, false],
    ["Expired", "Expired", false]
  ] as const)("that may have been obeyed: %s %s", (status, errorCode, expected) => {
    expect(follows(start, command({ status, errorCode }))).toBe(expected)
  })

  it("of its card, in whatever case, at its EVSE or at any", () => {
    expect(follows(start, command({ tokenUid: "Card-1" }))).toBe(true)
    expect(follows(start, command({ tokenUid: "CARD-2" }))).toBe(false)
    const at = [1, 2, 0, undefined].map((evseId) => follows(start, command({ evseId })))
    expect(at).toEqual([false, true, true, true])
  })

  it("that was sent first, of several", () => {
    const [early, late] = [command({ commandId: "2", sentAt: noon - 2 * minute }), command({ commandId: "1" })]
    expect(followed(start, [late, early])?.commandId).toBe("2")
    expect(followed(start, [early, late])?.commandId).toBe("2")
    expect(followed(start, [command({ commandId: "4" }), command({ commandId: "3" })])?.commandId).toBe("3")
    expect(followed(start, [command({ evseId: 1, sentAt: noon - 3 * minute }), early])?.commandId).toBe("2")
    expect(followed(start, [])).toBeUndefined()
  })
})
