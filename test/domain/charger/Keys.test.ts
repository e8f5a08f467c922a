import { describe, expect, it } from "vitest"
import {
  contentKey,
  meterKey,
  occurrenceKey,
  orphanStopKey,
  startKey,
  stopKey
} from "../../../src/domain/charger/Keys.ts"
import { minute, organisationId, state } from "../../support/events.ts"

const envelope = { messageId: "1", raw: "" }

describe("a business key", () => {
  it("of one charger never equals another's, whatever its messages contain", () => {
    const colon = state({ chargerId: "A:1" })
    const plain = state({ chargerId: "A" })
    expect(startKey(colon, 2, "x", 0, "now", undefined, envelope, 0)).not.toBe(
      startKey(plain, 1, "2|x", 0, "now", undefined, envelope, 0)
    )
    expect(stopKey(colon, 1)).not.toBe(stopKey(plain, 1))
    expect(contentKey("csr", plain, "1|x")).not.toBe(contentKey("csr", state({ chargerId: "A~1" }), "x"))
    for (const key of [stopKey(plain, 1), meterKey(plain, 1, undefined, "d"), contentKey("csr", plain, "pem")]) {
      expect(key).toContain(`|${organisationId}|A|`)
    }
  })

  it("of the same charger id in another organisation is different", () => {
    expect(stopKey(state(), 1)).not.toBe(stopKey(state({ organisationId: "other" }), 1))
  })

  it("of a start ignores letter case of the token, and ignores the message id when there is a time", () => {
    const key = startKey(state(), 1, "ANNA", 5, "t", undefined, envelope, 0)
    expect(startKey(state(), 1, "anna", 5, "t", undefined, { messageId: "2", raw: "" }, 99)).toBe(key)
    expect(startKey(state(), 1, "ANNA", 5, undefined, undefined, envelope, 0)).not.toBe(
      startKey(state(), 1, "ANNA", 5, undefined, undefined, envelope, 99)
    )
  })

  it("of an occurrence differs by kind, connection, message and time", () => {
    const keys = [
      occurrenceKey("boot", state(), "1", minute(0)),
      occurrenceKey("boot", state({ epoch: 8 }), "1", minute(0)),
      occurrenceKey("boot", state(), "2", minute(0)),
      occurrenceKey("boot", state(), "1", minute(1)),
      occurrenceKey("status", state(), "1", minute(0))
    ]
    expect(new Set(keys).size).toBe(keys.length)
  })

  it("of a stop without a session ignores letter case of the token and the message id", () => {
    const stop = { rawTransactionId: "-1", tokenUid: "ANNA", rawAt: "t", meterStopWh: 5 }
    const key = orphanStopKey(state(), stop, envelope, 0)
    expect(orphanStopKey(state(), { ...stop, tokenUid: "anna" }, { messageId: "2", raw: "" }, 99)).toBe(key)
    expect(orphanStopKey(state(), { ...stop, rawAt: "u" }, envelope, 0)).not.toBe(key)
  })
})
