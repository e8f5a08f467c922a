/** A third-party charger: the client of the npm package ocpp-rpc, with one connector and a car that starts and stops charging on request. */
import { createRequire } from "node:module"
import { setTimeout as sleep } from "node:timers/promises"

interface RpcClient {
  connect(): Promise<unknown>
  close(options: { readonly code: number }): Promise<unknown>
  call(action: string, payload: object): Promise<Readonly<Record<string, unknown>>>
  handle(action: string, handler: (asked: { readonly params: Readonly<Record<string, unknown>> }) => object): void
}

const { RPCClient } = createRequire(import.meta.url)("ocpp-rpc") as {
  readonly RPCClient: new (options: object) => RpcClient
}

export class Station {
  private readonly client: RpcClient
  private register = 10_000
  private transactionId: number | undefined

  constructor(endpoint: string, identity: string, password: string) {
    this.client = new RPCClient({
      endpoint,
      identity,
      password,
      protocols: ["ocpp1.6"],
      strictMode: true,
      reconnect: false
    })
    this.client.handle("RemoteStartTransaction", ({ params }) => {
      setTimeout(() => void this.begin(String(params["idTag"])), 50)
      return { status: "Accepted" }
    })
    this.client.handle("RemoteStopTransaction", () => {
      setTimeout(() => void this.end(), 50)
      return { status: "Accepted" }
    })
    this.client.handle("Reset", () => ({ status: "Accepted" }))
    this.client.handle("GetConfiguration", () => ({ configurationKey: [], unknownKey: [] }))
    this.client.handle("ChangeConfiguration", () => ({ status: "Accepted" }))
    this.client.handle("SetChargingProfile", () => ({ status: "Accepted" }))
    this.client.handle("TriggerMessage", () => ({ status: "NotImplemented" }))
  }

  /** A busy service answers 503, and chargers try again. */
  private async connect(tries: number): Promise<void> {
    try {
      await this.client.connect()
    } catch (cause) {
      if (tries <= 1 || !String(cause).includes("Service Unavailable")) throw cause
      await sleep(1_000)
      await this.connect(tries - 1)
    }
  }

  async start(): Promise<void> {
    await this.connect(10)
    await this.client.call("BootNotification", {
      chargePointVendor: "Others",
      chargePointModel: "Station 1",
      firmwareVersion: "2.0"
    })
    await this.status("Available")
  }

  status(status: string, errorCode = "NoError", info?: string): Promise<unknown> {
    return this.client.call("StatusNotification", {
      connectorId: 1,
      status,
      errorCode,
      ...(info === undefined ? {} : { info })
    })
  }

  async begin(idTag: string, at = new Date()): Promise<void> {
    const { transactionId } = await this.client.call("StartTransaction", {
      connectorId: 1,
      idTag,
      meterStart: this.register,
      timestamp: at.toISOString()
    })
    this.transactionId = Number(transactionId)
    await this.status("Charging")
  }

  /** Sends a reading of the running session, `wh` above the previous one, with any other samples. */
  meter(at: Date, wh: number, ...samples: ReadonlyArray<object>): Promise<unknown> {
    this.register += wh
    const register = { value: String(this.register), measurand: "Energy.Active.Import.Register", unit: "Wh" }
    return this.client.call("MeterValues", {
      connectorId: 1,
      transactionId: this.transactionId,
      meterValue: [{ timestamp: at.toISOString(), sampledValue: [register, ...samples] }]
    })
  }

  /** `wh`: by how much the register has changed since the previous reading. */
  async end(wh = 100): Promise<void> {
    this.register += wh
    await this.client.call("StopTransaction", {
      transactionId: this.transactionId,
      meterStop: this.register,
      timestamp: new Date().toISOString()
    })
    await this.status("Available")
  }

  stop(): Promise<unknown> {
    return this.client.close({ code: 1000 })
  }
}
