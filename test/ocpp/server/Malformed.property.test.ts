/**
 * For any messages, mutated from valid ones by a seed: every CALL whose id can be read gets exactly one answer with that id, no
 * valid message gets a CALLERROR, and the connection stays open (T12).
 */
import { expect, it } from "vitest"
import { parseFrame } from "../../../src/ocpp/rpc/Frame.ts"
import { Random, seeds } from "../../support/random.ts"
import { anyJson, mutateJson, mutateText } from "../rpc/awkward.ts"
import { connect, until } from "./client.ts"
import { startServer } from "./harness.ts"

const time = "2026-05-01T12:00:00Z"
const valid: ReadonlyArray<readonly [string, unknown]> = [
  ["BootNotification", { chargePointVendor: "V", chargePointModel: "M" }],
  ["Heartbeat", {}],
  ["Authorize", { idTag: "ANNA" }],
  ["StatusNotification", { connectorId: 1, errorCode: "NoError", status: "Available", timestamp: time }],
  ["StartTransaction", { connectorId: 1, idTag: "ANNA", meterStart: 0, timestamp: time }],
  [
    "MeterValues",
    { connectorId: 1, transactionId: 4711, meterValue: [{ timestamp: time, sampledValue: [{ value: "1" }] }] }
  ],
  ["StopTransaction", { transactionId: 4711, meterStop: 1, timestamp: time }],
  ["DataTransfer", { vendorId: "V", data: "x" }]
]

const mutated = (random: Random, text: string): string => {
  switch (random.between(0, 3)) {
    case 0:
      return mutateText(random, text)
    case 1:
      return JSON.stringify(mutateJson(random, JSON.parse(text)))
    case 2:
      return text.slice(0, random.between(0, text.length))
    default:
      return JSON.stringify(anyJson(random))
  }
}

const framesOfASeed = 300

/** Ids of the answers that a frame must get. */
const expectedIds = (text: string): ReadonlyArray<unknown> => {
  const frame = parseFrame(text)
  if (frame._tag === "Call") return [frame.wireId]
  return frame._tag === "Malformed" && frame.wireId !== undefined ? [frame.wireId] : []
}

it.each(seeds(20))("answers every readable CALL once and keeps the connection, PROPERTY_SEED=%i", async (seed) => {
  const random = new Random(seed)
  const unlimited = { frameBurst: 1e9, framesPerSecond: 1e9, badFramesPerMinute: 1e9 }
  const server = await startServer({ chargers: { CP1: {}, CP2: {} }, limits: unlimited })
  const client = await connect(server.port, "CP1")
  const other = await connect(server.port, "CP2")
  const sent: Array<string> = []
  const validIds = new Set<unknown>()
  for (let i = 0; i < framesOfASeed; i++) {
    const [action, payload] = random.pick(valid)
    const text = JSON.stringify([2, `v${i}`, action, payload])
    if (random.chance(0.3)) validIds.add(`v${i}`)
    sent.push(validIds.has(`v${i}`) ? text : mutated(random, text.replace(`v${i}`, `m${i}`)).toWellFormed())
  }
  sent.push('[2,"last","Heartbeat",{}]')
  for (const text of sent) client.send(text)
  await until(() => client.received.some((text) => text.startsWith('[3,"last",')), "the last answer")
  const answers = client.received.map((text) => JSON.parse(text) as [number, unknown])
  expect(answers.map(([, id]) => id)).toEqual(sent.flatMap(expectedIds))
  expect(answers.filter(([type, id]) => type === 4 && validIds.has(id))).toEqual([])
  expect(server.logs).toEqual([])
  expect(await other.call("Heartbeat")).toMatchObject([3, "1", {}])
})
