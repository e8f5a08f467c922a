// A charger that others wrote: the npm package `ocpp-rpc`, in strict mode, so that every answer of the service is checked against OCPP's own JSON
// schemas. It boots, authorises a card, charges for three quarters of an hour at 11 kW, stops and disconnects. With --stay it boots, stays connected
// until Ctrl+C and carries out commands.
//
// So that the example does not take three quarters of an hour, its clock begins that far in the past and runs fast until it is right.
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
const wait = (millis) => new Promise((resolve) => setTimeout(resolve, millis))
const quarter = 15 * 60_000
const whPerQuarter = 2750
let behind = stays ? 0 : 3 * quarter
const now = () => new Date(Date.now() - behind).toISOString()
const quarterOfAnHour = async () => {
  await wait(300)
  behind -= quarter
}

// The CALLs that the service sends a charger a few seconds after its boot.
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

// Its answers to the commands of docs/guides/commands.md that it knows. Below is what it does for them.
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
// With --stay its clock is right, and it is a fast charger: 200 Wh take three seconds (240 kW).
const threeSeconds = () => wait(3_000)
let running
const begin = async (card) => {
  if (running !== undefined) return
  const start = { connectorId: 1, idTag: card, meterStart: 20_000, timestamp: now() }
  const { transactionId } = await call("StartTransaction", start)
  running = transactionId
  await status("Charging")
  await threeSeconds()
  if (running === transactionId) await meter(transactionId, 20_200)
}
const end = async () => {
  if (running === undefined) return
  const transactionId = running
  running = undefined
  await threeSeconds()
  await call("StopTransaction", { transactionId, meterStop: 20_400, timestamp: now(), reason: "Remote" })
  await status("Available")
}
const obey = ({ method, params }) => {
  const known = answers[method]
  const answer = typeof known === "function" ? known(params) : known
  console.log(`asked: ${method}`, JSON.stringify(params), JSON.stringify(answer ?? "NotImplemented"))
  if (answer === undefined) throw createRPCError("NotImplemented")
  const deed = { RemoteStartTransaction: () => begin(params.idTag), RemoteStopTransaction: end }[method]
  // Runs after the answer has been sent.
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
await quarterOfAnHour()
await meter(transactionId, 1000 + whPerQuarter)
await quarterOfAnHour()
await meter(transactionId, 1000 + 2 * whPerQuarter)
await quarterOfAnHour()
const meterStop = 1000 + 3 * whPerQuarter
await call("StopTransaction", { transactionId, idTag, meterStop, timestamp: now(), reason: "Local" })
await status("Available")
await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 10_000).unref())])
await charger.close()
