// A charger written by somebody else: the npm package `ocpp-rpc`, in strict mode, so that every answer of the service is checked against
// OCPP's own JSON schemas. It boots, authorises a card, charges, stops and goes; with --stay it boots, stays until Ctrl+C and does
// what it is told.
//
//   node examples/01-first-charger/charger.mjs ws://localhost:8080/ocpp VL-0001 CARD-1
//   node examples/01-first-charger/charger.mjs ws://localhost:8080/ocpp VL-0001 --stay
import { createRPCError, RPCClient } from "ocpp-rpc"

const given = process.argv.slice(2)
const stays = given.includes("--stay")
const [endpoint = "ws://localhost:8080/ocpp", identity = "VL-0001", idTag = "CARD-1"] = given.filter(
  (word) => !word.startsWith("--")
)
const charger = new RPCClient({ endpoint, identity, protocols: ["ocpp1.6"], strictMode: true })
const now = () => new Date().toISOString()

// What the service asks of a charger a few seconds after it has booted.
const asked = new Promise((resolve) => {
  charger.handle("GetConfiguration", () => {
    setTimeout(resolve, 500)
    return {
      configurationKey: [
        { key: "HeartbeatInterval", readonly: false, value: "300" },
        { key: "NumberOfConnectors", readonly: true, value: "1" }
      ]
    }
  })
})
charger.handle("TriggerMessage", () => ({ status: "Accepted" }))

// What it says to the commands of docs/guides/commands.md that it knows, and what it does then.
const answers = {
  RemoteStartTransaction: { status: "Accepted" },
  RemoteStopTransaction: { status: "Accepted" },
  UnlockConnector: { status: "Unlocked" },
  Reset: { status: "Accepted" },
  ChangeAvailability: { status: "Accepted" },
  ChangeConfiguration: { status: "Accepted" },
  ClearCache: { status: "Accepted" },
  SetChargingProfile: { status: "Accepted" },
  ClearChargingProfile: { status: "Accepted" },
  GetCompositeSchedule: ({ connectorId, duration }) => ({
    status: "Accepted",
    connectorId,
    scheduleStart: now(),
    chargingSchedule: {
      duration,
      chargingRateUnit: "A",
      chargingSchedulePeriod: [{ startPeriod: 0, limit: 10 }]
    }
  })
}
let running
const begin = async (card) => {
  if (running !== undefined) return
  const start = { connectorId: 1, idTag: card, meterStart: 5000, timestamp: now() }
  running = (await call("StartTransaction", start)).transactionId
  await status("Charging")
  // Little enough for a minute: what no connector can give is held for a look at it, and not billed.
  await meter(running, 5200)
}
const end = async () => {
  if (running === undefined) return
  const transactionId = running
  running = undefined
  await call("StopTransaction", { transactionId, meterStop: 5400, timestamp: now(), reason: "Remote" })
  await status("Available")
}
const obey = ({ method, params }) => {
  const known = answers[method]
  const answer = typeof known === "function" ? known(params) : known
  console.log(`asked: ${method}`, JSON.stringify(params), JSON.stringify(answer ?? "NotImplemented"))
  if (answer === undefined) throw createRPCError("NotImplemented")
  const deed = { RemoteStartTransaction: () => begin(params.idTag), RemoteStopTransaction: end }[method]
  // Not before the answer has gone.
  if (deed !== undefined) setTimeout(() => deed().catch(console.error), 100)
  return answer
}
if (stays) charger.handle(obey)

const call = async (action, payload) => {
  const answer = await charger.call(action, payload)
  console.log(action.padEnd(18), JSON.stringify(answer))
  return answer
}
const meter = (transactionId, value) =>
  call("MeterValues", {
    connectorId: 1,
    transactionId,
    meterValue: [
      {
        timestamp: now(),
        sampledValue: [{ value: String(value), measurand: "Energy.Active.Import.Register", unit: "Wh" }]
      }
    ]
  })
const status = (name) =>
  call("StatusNotification", { connectorId: 1, errorCode: "NoError", status: name, timestamp: now() })

await charger.connect()
await call("BootNotification", {
  chargePointVendor: "Example",
  chargePointModel: "One",
  chargePointSerialNumber: "EX-1",
  firmwareVersion: "1.0.0"
})
await status("Available")
if (stays) {
  console.log("It stays. Command it (docs/guides/commands.md); Ctrl+C ends it.")
  await new Promise(() => {})
}
await call("Authorize", { idTag })
const { transactionId } = await call("StartTransaction", { connectorId: 1, idTag, meterStart: 1000, timestamp: now() })
await status("Charging")
await meter(transactionId, 2500)
await meter(transactionId, 4200)
await call("StopTransaction", { transactionId, idTag, meterStop: 4500, timestamp: now(), reason: "Local" })
await status("Available")
await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 10_000).unref())])
await charger.close()
