/** How a 1.6 charger is answered, checked in full. */
import { describe, expect, it } from "vitest"
import type { Reply } from "../../../src/domain/charger/Reply.ts"
import { v16 } from "../../../src/ocpp/v16/V16.ts"

const now = Date.UTC(2026, 10, 20, 10, 0, 0, 5)
const expiresAt = Date.UTC(2027, 0, 1)

describe("an answer", () => {
  const rows: ReadonlyArray<readonly [string, Reply, Record<string, unknown>]> = [
    [
      "BootNotification",
      { _tag: "BootAnswered", status: "Accepted", intervalSeconds: 300 },
      { status: "Accepted", currentTime: "2026-11-20T10:00:00.005Z", interval: 300 }
    ],
    ["Heartbeat", { _tag: "HeartbeatAnswered" }, { currentTime: "2026-11-20T10:00:00.005Z" }],
    ["StatusNotification", { _tag: "Acknowledged" }, {}],
    [
      "Authorize",
      { _tag: "AuthorizationAnswered", verdict: { status: "Accepted", expiresAt, parentUid: "P" } },
      { idTagInfo: { status: "Accepted", expiryDate: "2027-01-01T00:00:00.000Z", parentIdTag: "P" } }
    ],
    [
      "Authorize",
      { _tag: "AuthorizationAnswered", verdict: { status: "Invalid", expiresAt: undefined, parentUid: undefined } },
      { idTagInfo: { status: "Invalid" } }
    ],
    [
      "StartTransaction",
      {
        _tag: "StartAnswered",
        transactionId: 77,
        verdict: { status: "ConcurrentTx", expiresAt: undefined, parentUid: undefined }
      },
      { transactionId: 77, idTagInfo: { status: "ConcurrentTx" } }
    ],
    ["StopTransaction", { _tag: "StopAnswered", verdict: undefined }, {}],
    [
      "StopTransaction",
      { _tag: "StopAnswered", verdict: { status: "Accepted", expiresAt: undefined, parentUid: undefined } },
      { idTagInfo: { status: "Accepted" } }
    ],
    ["StopTransaction", { _tag: "Acknowledged" }, {}],
    ["MeterValues", { _tag: "Acknowledged" }, {}],
    ["DataTransfer", { _tag: "DataAnswered", status: "UnknownVendorId" }, { status: "UnknownVendorId" }],
    ["SignCertificate", { _tag: "CertificateAnswered", status: "Rejected" }, { status: "Rejected" }],
    ["SecurityEventNotification", { _tag: "Acknowledged" }, {}]
  ]
  it.each(rows)("to %s %j", (action, reply, payload) => {
    expect(v16.encodeReply(action, reply, now)).toEqual({ _tag: "Result", payload })
  })

  it("leaves out a parent that is longer than an idTag may be", () => {
    const reply: Reply = {
      _tag: "AuthorizationAnswered",
      verdict: { status: "Accepted", expiresAt: undefined, parentUid: "P".repeat(21) }
    }
    expect(v16.encodeReply("Authorize", reply, now)).toEqual({
      _tag: "Result",
      payload: { idTagInfo: { status: "Accepted" } }
    })
  })

  it("is never a success for a start without a transaction id", () => {
    expect(v16.encodeReply("StartTransaction", { _tag: "Acknowledged" }, now)).toMatchObject({ _tag: "Error" })
  })
})
