import { assert, it } from "@effect/vitest"
import {
  abandoned,
  connectionLost,
  notConnected,
  type OpenCommand,
  overdue
} from "../../../src/domain/command/Unanswered.ts"

const open = (status: "Pending" | "Sent", more: Partial<OpenCommand> = {}): OpenCommand => ({
  status,
  expiresAt: undefined,
  sentEpoch: undefined,
  ...more
})

it("ends a sent command when another connection, or none, is open", () => {
  const sent = open("Sent", { sentEpoch: 7, expiresAt: 9 })
  assert.isUndefined(abandoned(sent, 7))
  assert.strictEqual(abandoned(sent, 8), connectionLost)
  assert.strictEqual(abandoned(sent, undefined), connectionLost)
  assert.strictEqual(abandoned(open("Sent"), undefined), connectionLost)
})

it("ends a waiting command when no connection is open, unless it may wait for one", () => {
  assert.strictEqual(abandoned(open("Pending"), undefined), notConnected)
  assert.isUndefined(abandoned(open("Pending"), 7))
  assert.isUndefined(abandoned(open("Pending", { expiresAt: 9 }), undefined))
})

it("ends a command that has expired before it was sent", () => {
  assert.isUndefined(overdue(open("Pending"), 9))
  assert.isUndefined(overdue(open("Pending", { expiresAt: 10 }), 9))
  assert.deepInclude(overdue(open("Pending", { expiresAt: 9 }), 9), { status: "Expired" })
  assert.isUndefined(overdue(open("Sent", { expiresAt: 9 }), 9))
})
