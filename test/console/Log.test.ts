/** A charger's frames as a conversation: paired by id and direction, with repeated readings folded. */
import { expect, it } from "vitest"
import { exchanges, fitsLog, gist, joined, took } from "../../console/src/live/log.ts"
import type { Message } from "../../console/src/api/types.ts"

let n = 0
const at = (second: number) => new Date(Date.UTC(2026, 10, 23, 12, 0, second)).toISOString()
const message = (
  second: number,
  direction: "in" | "out",
  kind: Message["kind"],
  action: string,
  messageId: string,
  frame: unknown
): Message => ({
  id: String(n++),
  at: at(second),
  direction,
  kind,
  action,
  messageId,
  frame: typeof frame === "string" ? frame : JSON.stringify(frame),
  cutFrom: null
})

it("pairs each answer with its own call, also if both sides use the same message id", () => {
  const list = exchanges([
    message(4, "in", "CALLRESULT", "Reset", "7", [3, "7", { status: "Accepted" }]),
    message(3, "out", "CALL", "Reset", "7", [2, "7", "Reset", { type: "Soft" }]),
    message(2, "out", "CALLRESULT", "Authorize", "7", [3, "7", { idTagInfo: { status: "Blocked" } }]),
    message(1, "in", "CALL", "Authorize", "7", [2, "7", "Authorize", { idTag: "CARD" }])
  ])
  expect(list.map(({ answer, asked }) => [asked.action, answer === undefined ? "" : gist(answer)])).toEqual([
    ["Reset", "Accepted"],
    ["Authorize", "Blocked"]
  ])
  expect(list.map(took)).toEqual([1000, 1000])
})

const reading = (second: number) =>
  message(second, "in", "CALL", "MeterValues", `m${second}`, [
    2,
    `m${second}`,
    "MeterValues",
    { connectorId: 1, meterValue: [{ timestamp: at(second), sampledValue: [{ value: String(second), unit: "kWh" }] }] }
  ])

it("folds consecutive readings into one line that shows how many more there are and since when", () => {
  const list = exchanges([
    reading(9),
    reading(8),
    message(7, "in", "CALL", "StatusNotification", "s", [
      2,
      "s",
      "StatusNotification",
      { connectorId: 1, status: "Charging" }
    ]),
    reading(6)
  ])
  expect(list.map(({ asked, more, since }) => [asked.action, more, since])).toEqual([
    ["MeterValues", 1, at(8)],
    ["StatusNotification", 0, at(7)],
    ["MeterValues", 0, at(6)]
  ])
  expect(gist(list[0]!.asked)).toBe("9 kWh · connectorId 1")
})

it("never folds a reading that was answered with an error", () => {
  const list = exchanges([
    reading(9),
    message(8, "out", "CALLERROR", "MeterValues", "m7", [4, "m7", "InternalError", "away", {}]),
    reading(7)
  ])
  expect(list).toHaveLength(2)
  expect(gist(list[1]!.answer!)).toBe("code InternalError · description away")
})

it("shows a malformed frame as it is, cut to 120 characters", () => {
  const broken = message(1, "in", "Malformed", "", "", `<script>alert(1)</script>${"x".repeat(500)}`)
  const [only] = exchanges([broken])
  expect(gist(only!.asked)).toHaveLength(120)
  expect(gist(only!.asked)).toContain("<script>")
})

it("joins loaded and live frames, each once and the newest first", () => {
  const [one, two, three] = [1, 2, 3].map((second) => message(second, "in", "CALL", "Heartbeat", `j${second}`, [2]))
  expect(joined([two!, one!], [three!, two!])).toEqual([three, two, one])
  // A frame that arrives after later ones is still placed by its time.
  expect(joined([three!, one!], [two!])).toEqual([three, two, one])
})

it("keeps those live frames that the service's search would find", () => {
  const frame = message(1, "in", "CALL", "Authorize", "x-17", `${"a".repeat(4092)}CARD-1`)
  const all = { actions: [], text: "" }
  expect(fitsLog(frame, all)).toBe(true)
  expect(fitsLog(frame, { ...all, actions: ["Heartbeat", "Authorize"] })).toBe(true)
  expect(fitsLog(frame, { ...all, actions: ["Heartbeat"] })).toBe(false)
  expect(fitsLog(frame, { ...all, text: "card" })).toBe(true)
  expect(fitsLog(frame, { ...all, text: "X-1" })).toBe(true)
  // Beyond the characters that are searched.
  expect(fitsLog(frame, { ...all, text: "CARD-1" })).toBe(false)
})

it("shows an answer without its call if the list is searched, and otherwise leaves it to the next page", () => {
  const answer = message(2, "out", "CALLERROR", "Authorize", "q", [4, "q", "GenericError", "", {}])
  expect(exchanges([answer])).toEqual([])
  expect(exchanges([answer], true).map(({ asked }) => asked)).toEqual([answer])
  const question = message(1, "in", "CALL", "Authorize", "q", [2, "q", "Authorize", {}])
  expect(exchanges([answer, question], true).map(({ answer: of, asked }) => [asked, of])).toEqual([[question, answer]])
})
