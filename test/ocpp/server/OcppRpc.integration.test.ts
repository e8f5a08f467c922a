/** A third-party OCPP client in strict mode: our answers must pass its schemas, and its answers must reach us. */
import { createRequire } from "node:module"
import { describe, expect, it, onTestFinished } from "vitest"
import { until } from "./client.ts"
import { startServer } from "./harness.ts"

interface RpcClient {
  connect(): Promise<unknown>
  call(action: string, payload: unknown): Promise<unknown>
  handle(action: string, handler: (request: { readonly params: unknown }) => unknown): void
  close(options?: object): Promise<unknown>
  readonly protocol: string
}
const { RPCClient }: { readonly RPCClient: new (options: object) => RpcClient } = createRequire(import.meta.url)(
  "ocpp-rpc"
)

const start = async (options: object = {}) => {
  const server = await startServer({ chargers: { "DE*VLT:1": { profile: 1, password: "0123456789abcdef" } } })
  const client = new RPCClient({
    endpoint: `ws://127.0.0.1:${server.port}/ocpp`,
    identity: "DE*VLT:1",
    password: "0123456789abcdef",
    protocols: ["ocpp1.6"],
    strictMode: true,
    reconnect: false,
    ...options
  })
  onTestFinished(() => void client.close({ force: true }).catch(() => {}))
  return { server, client }
}

describe("the npm package ocpp-rpc as a charger", () => {
  it("connects, boots, charges and disconnects", async () => {
    const { client, server } = await start()
    await client.connect()
    expect(client.protocol).toBe("ocpp1.6")
    const timestamp = "2026-05-01T12:00:00.000Z"
    expect(await client.call("BootNotification", { chargePointVendor: "V", chargePointModel: "M" })).toMatchObject({
      status: "Accepted",
      interval: 300
    })
    expect(
      await client.call("StatusNotification", { connectorId: 1, errorCode: "NoError", status: "Available" })
    ).toEqual({})
    expect(await client.call("Authorize", { idTag: "ANNA" })).toEqual({ idTagInfo: { status: "Accepted" } })
    expect(await client.call("StartTransaction", { connectorId: 1, idTag: "ANNA", meterStart: 0, timestamp })).toEqual({
      transactionId: 4711,
      idTagInfo: { status: "Accepted" }
    })
    const meterValue = [{ timestamp, sampledValue: [{ value: "42" }] }]
    expect(await client.call("MeterValues", { connectorId: 1, transactionId: 4711, meterValue })).toEqual({})
    expect(await client.call("StopTransaction", { transactionId: 4711, meterStop: 42, timestamp })).toMatchObject({})
    expect(await client.call("DataTransfer", { vendorId: "V" })).toEqual({ status: "Accepted" })
    expect(await client.call("Heartbeat", {})).toHaveProperty("currentTime")
    await client.close()
    const mailbox = server.inbox.of("DE*VLT:1")
    await until(() => mailbox.closedBecause.length === 1, "the end")
    expect(mailbox.events).toEqual([
      "Booted",
      "StatusReported",
      "AuthorizationAsked",
      "TransactionStarted",
      "MeterValuesReported",
      "TransactionEnded",
      "DataReceived",
      "HeartbeatReceived"
    ])
  })

  it("answers our commands", async () => {
    const { client, server } = await start()
    client.handle("GetConfiguration", ({ params }) => {
      expect(params).toEqual({})
      return { configurationKey: [{ key: "HeartbeatInterval", readonly: false, value: "300" }], unknownKey: [] }
    })
    await client.connect()
    const mailbox = server.inbox.of("DE*VLT:1")
    mailbox.call("1", { _tag: "GetConfiguration", keys: [] })
    await until(() => mailbox.results.length === 1, "the answer")
    const keys = [{ key: "HeartbeatInterval", readonly: false, value: "300" }]
    expect(mailbox.results).toEqual([
      {
        _tag: "Answered",
        status: undefined,
        answer: { configurationKey: keys, unknownKey: [] },
        content: { _tag: "Configuration", keys, unknown: [] }
      }
    ])
  })

  it("may send a key of twenty bytes as raw bytes", async () => {
    const bytes = Buffer.from([0xff, 0x3a, 0x00, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17])
    const { client, server } = await start({ password: bytes })
    server.register("DE*VLT:1", { profile: 1, password: bytes.toString("hex") })
    await client.connect()
    expect(server.inbox.of("DE*VLT:1").opening.securityProfile).toBe(1)
  })
})
