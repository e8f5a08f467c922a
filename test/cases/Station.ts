/**
 * A charge point for the certification cases: the OCPP client of the npm package ocpp-rpc in its strict mode, so that independently written schemas
 * check what we send. It answers each action as the test says, and remembers the requests.
 */
import { createRequire } from "node:module"
import { until } from "../simulation/Wait.ts"

/** How long a busy service may refuse upgrades: a bound on liveness. */
const busyMillis = 60_000

type Payload = Readonly<Record<string, unknown>>

interface RpcClient {
  connect(): Promise<unknown>
  call(action: string, payload: unknown): Promise<unknown>
  handle(action: string, handler: (request: { readonly params: unknown }) => unknown): void
  close(options?: object): Promise<unknown>
  readonly protocol: string
}
const { RPCClient, createRPCError } = createRequire(import.meta.url)("ocpp-rpc") as {
  readonly RPCClient: new (options: object) => RpcClient
  readonly createRPCError: (code: string, description: string) => Error
}

/** What a station answers to an action: a payload, or a function of the request. */
export type Answer = Payload | ((params: Payload) => Payload | Promise<Payload>)

export interface Heard {
  readonly action: string
  readonly params: Payload
}

const configured: Answer = () => ({
  configurationKey: [
    { key: "HeartbeatInterval", readonly: false, value: "300" },
    { key: "NumberOfConnectors", readonly: true, value: "2" }
  ],
  unknownKey: []
})

export class Station implements AsyncDisposable {
  readonly heard: Array<Heard> = []
  private readonly answers = new Map<string, Answer>([
    ["GetConfiguration", configured],
    ["TriggerMessage", { status: "NotImplemented" }]
  ])
  readonly client: RpcClient

  constructor(endpoint: string, identity: string, options: object = {}) {
    this.client = new RPCClient({
      endpoint,
      identity,
      protocols: ["ocpp1.6"],
      strictMode: true,
      reconnect: false,
      ...options
    })
    for (const action of actions) {
      this.client.handle(action, ({ params }) => {
        const asked = params as Payload
        this.heard.push({ action, params: asked })
        const answer = this.answers.get(action)
        if (answer === undefined) throw createRPCError("NotImplemented", "the test gave no answer")
        return typeof answer === "function" ? answer(asked) : answer
      })
    }
  }

  on(action: string, answer: Answer): this {
    this.answers.set(action, answer)
    return this
  }

  /** The requests of one action, in order. */
  asked(action: string): ReadonlyArray<Payload> {
    return this.heard.filter((one) => one.action === action).map(({ params }) => params)
  }

  async call(action: string, payload: Payload): Promise<Payload> {
    return (await this.client.call(action, payload)) as Payload
  }

  /** Connects. Like any charger it retries if the service is too busy (503), as it may be on a slow machine. */
  async connect(): Promise<this> {
    await until(
      () => "the service has room for an upgrade",
      busyMillis,
      async () => {
        try {
          await this.client.connect()
          return true
        } catch (error) {
          if (error instanceof Error && "code" in error && error.code === 503) return false
          throw error
        }
      }
    )
    return this
  }

  async boot(): Promise<Payload> {
    return this.call("BootNotification", {
      chargePointVendor: "Cases",
      chargePointModel: "One",
      firmwareVersion: "1.0"
    })
  }

  async status(connectorId: number, status: string, more: Payload = {}): Promise<Payload> {
    return this.call("StatusNotification", { connectorId, errorCode: "NoError", status, ...more })
  }

  async start(connectorId: number, idTag: string, more: Payload = {}): Promise<{ id: number; status: unknown }> {
    const timestamp = new Date().toISOString()
    const answer = await this.call("StartTransaction", { connectorId, idTag, meterStart: 100, timestamp, ...more })
    const info = answer["idTagInfo"] as Payload
    return { id: Number(answer["transactionId"]), status: info["status"] }
  }

  async stop(transactionId: number, more: Payload = {}): Promise<Payload> {
    return this.call("StopTransaction", {
      transactionId,
      meterStop: 1100,
      timestamp: new Date().toISOString(),
      ...more
    })
  }

  async meter(connectorId: number, transactionId: number, wh: number): Promise<Payload> {
    const meterValue = [{ timestamp: new Date().toISOString(), sampledValue: [{ value: String(wh) }] }]
    return this.call("MeterValues", { connectorId, transactionId, meterValue })
  }

  async close(): Promise<void> {
    await this.client.close({ force: true }).catch(() => undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

const actions = [
  "CancelReservation",
  "CertificateSigned",
  "ChangeAvailability",
  "ChangeConfiguration",
  "ClearCache",
  "ClearChargingProfile",
  "DataTransfer",
  "DeleteCertificate",
  "ExtendedTriggerMessage",
  "GetCompositeSchedule",
  "GetConfiguration",
  "GetDiagnostics",
  "GetInstalledCertificateIds",
  "GetLocalListVersion",
  "GetLog",
  "InstallCertificate",
  "RemoteStartTransaction",
  "RemoteStopTransaction",
  "ReserveNow",
  "Reset",
  "SendLocalList",
  "SetChargingProfile",
  "SignedUpdateFirmware",
  "TriggerMessage",
  "UnlockConnector",
  "UpdateFirmware"
]
