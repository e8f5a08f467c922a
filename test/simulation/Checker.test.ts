/** The checker is only useful if it detects every kind of broken promise: each case breaks one. */
import { describe, expect, it } from "vitest"
import { brokenPromises, type Stored, type StoredSession } from "./Checker.ts"
import type { Transaction } from "./History.ts"

const attempts = (acknowledged: number, sent = 1) => ({ sent, acknowledged })

const transaction = (change: Partial<Transaction> = {}): Transaction => ({
  chargerId: "CP-1",
  connectorId: 1,
  idTag: "CARD",
  startedAt: 1_000,
  meterStartWh: 100,
  start: attempts(1),
  transactionIds: new Set([7]),
  readings: [{ at: 2_000, wh: 150, attempts: attempts(1) }],
  stop: { at: 3_000, meterStopWh: 300, reason: "Local", attempts: attempts(1) },
  ...change
})

const session = (change: Partial<StoredSession> = {}): StoredSession => ({
  id: "s",
  chargerId: "CP-1",
  evseId: 1,
  transactionId: 7,
  tokenUid: "CARD",
  status: "COMPLETED",
  startedAt: 1_000,
  endedAt: 3_000,
  meterStartWh: 100,
  meterStopWh: 300,
  energyWh: 200,
  stopReason: "Local",
  ...change
})

const reading = { at: 2_000, energyWh: 150 }
const stored = (sessions: ReadonlyArray<StoredSession>, readings = [reading]): Stored => ({
  sessions,
  readings: new Map(sessions.map(({ id }) => [id, readings]))
})
const check = (history: ReadonlyArray<Transaction>, found: Stored) => brokenPromises(history, found, history).join("\n")

describe("brokenPromises", () => {
  it("finds nothing when everything acknowledged is stored once", () => {
    expect(check([transaction()], stored([session()]))).toBe("")
  })

  it("allows unacknowledged messages to be stored or not", () => {
    const start = { start: attempts(0), transactionIds: new Set<number>(), readings: [], stop: undefined }
    expect(check([transaction(start)], stored([]))).toBe("")
    const running = session({ status: "ACTIVE", endedAt: undefined, meterStopWh: undefined, energyWh: 0 })
    expect(check([transaction(start)], stored([running], []))).toBe("")
    const stop = transaction({ stop: { at: 3_000, meterStopWh: 300, reason: "Local", attempts: attempts(0) } })
    expect(check([stop], stored([session()]))).toBe("")
    expect(check([stop], stored([{ ...running, energyWh: 50 }]))).toBe("")
  })

  it("finds a lost start, stop and reading", () => {
    expect(check([transaction()], stored([]))).toContain("the acknowledged start is missing")
    expect(check([transaction()], stored([session({ status: "ACTIVE", endedAt: undefined })]))).toContain("status was")
    expect(check([transaction()], stored([session()], []))).toContain("the acknowledged reading of 2000 is missing")
  })

  it("finds duplicates", () => {
    expect(check([transaction()], stored([session(), session({ id: "t" })]))).toContain("there twice")
    expect(check([transaction()], stored([session()], [reading, reading]))).toContain("there 2 times")
  })

  it("finds data that was never sent", () => {
    expect(check([], stored([session()]))).toContain("never started")
    expect(check([transaction({ start: attempts(0, 0) })], stored([session()]))).toContain("never started")
    expect(check([transaction()], stored([session()], [reading, { at: 9, energyWh: 1 }]))).toContain("never sent")
    const open = transaction({ stop: undefined })
    expect(check([open], stored([session()]))).toContain("status was ACTIVE and is stored as COMPLETED")
  })

  it("finds wrong energy, time, register and transaction id", () => {
    for (const change of [
      { energyWh: 201 },
      { endedAt: 3_001 },
      { meterStartWh: 99 },
      { transactionId: 8 },
      { evseId: 2 },
      { tokenUid: "OTHER" },
      { stopReason: "Remote" }
    ]) {
      expect(check([transaction()], stored([session(change)])), JSON.stringify(change)).toContain("is stored as")
    }
    expect(check([transaction()], stored([session()], [{ at: 2_000, energyWh: 151 }]))).toContain("and is 151")
  })
})
