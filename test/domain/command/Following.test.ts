/** Which of the RemoteStarts sent to its charger a session follows. */
import { describe, expect, it } from "vitest"
import { followed, follows, type UnfollowedStart } from "../../../src/domain/command/Following.ts"

const noon = Date.UTC(2026, 4, 20, 12)
const minute = 60_000
const start = { tokenUid: "CARD-1", evseId: 2, heardAt: noon, queuedAt: undefined }

const command = (more: Partial<UnfollowedStart> = {}): UnfollowedStart => ({
  commandId: "1",
  sentAt: noon - minute,
  status: "Accepted",
  errorCode: undefined,
  tokenUid: "card-1",
  evseId: 2,
  ...more
})

describe("a session follows a RemoteStart by our clock", () => {
  it.each([
    ["sent 15 minutes before", -15 * minute, true],
    ["sent longer before", -15 * minute - 1, false],
    ["sent up to a second after it, by another node's clock", 1000, true],
    ["sent later than that", 1001, false]
  ])("%s: %i ms, %s", (_, after, expected) => {
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
  ] as const)("that the charger may have carried out: %s %s, %s", (status, errorCode, expected) => {
    expect(follows(start, command({ status, errorCode }))).toBe(expected)
  })

  it.each([
    ["in the queue of a charger that was offline, from long before the command", -40 * minute, false],
    ["in the queue, a little more than 15 minutes before the command", -16 * minute - 1, false],
    ["in the queue, with a clock that is at most 15 minutes behind", -16 * minute, true],
    ["after a command that was sent before the connection was lost", 0, true]
  ])("that it can have obeyed: %s, %i ms, %s", (_, before, expected) => {
    expect(follows({ ...start, queuedAt: noon + before }, command())).toBe(expected)
  })

  it("for its card, in any letter case, at its EVSE or at any", () => {
    expect(follows(start, command({ tokenUid: "Card-1" }))).toBe(true)
    expect(follows(start, command({ tokenUid: "CARD-2" }))).toBe(false)
    const at = [1, 2, 0, undefined].map((evseId) => follows(start, command({ evseId })))
    expect(at).toEqual([false, true, true, true])
  })

  it("that was sent first, if there are several", () => {
    const [early, late] = [command({ commandId: "2", sentAt: noon - 2 * minute }), command({ commandId: "1" })]
    expect(followed(start, [late, early])?.commandId).toBe("2")
    expect(followed(start, [early, late])?.commandId).toBe("2")
    expect(followed(start, [command({ commandId: "4" }), command({ commandId: "3" })])?.commandId).toBe("3")
    expect(followed(start, [command({ evseId: 1, sentAt: noon - 3 * minute }), early])?.commandId).toBe("2")
    expect(followed(start, [])).toBeUndefined()
  })
})
