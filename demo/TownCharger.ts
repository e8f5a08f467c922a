/**
 * One charger of the demo. It boots, sends the sessions of the past weeks as messages that were queued, and charges cars from then on. It carries out
 * the service's commands, and breaks when it is asked to.
 */
import { after, type Car, carOf, type Progress } from "./Car.ts"
import type { Drivers } from "./Drivers.ts"
import { updateFirmware } from "./Firmware.ts"
import { type Payload, Socket } from "./Socket.ts"
import { between, type ChargerPlan, type Random } from "./Town.ts"

const day = 86_400_000
const minute = 60_000

/** Time between two readings: of a running session, and of a past one. */
const readEveryMillis = 10_000
const readEveryPastMillis = 15 * minute

export interface TownChargerOptions {
  readonly plan: ChargerPlan
  /** `ws://host:port/ocpp`. */
  readonly ocppUrl: string
  readonly password: string
  readonly random: Random
  readonly drivers: Drivers
  /** How many times faster than real time cars charge. */
  readonly speed: number
  /** Prints what happens to the terminal. */
  readonly say: (text: string) => void
}

interface Charge {
  readonly car: Car
  readonly startedAt: number
  progress: Progress
  transactionId: number | undefined
  readonly startWh: number
  lastReadAt: number
  isParked: boolean
  leavesAt: number
}

interface Plug {
  readonly id: number
  readonly ownCard: string
  status: string
  errorCode: string
  info: string | undefined
  /** The meter's register, in Wh. */
  register: number
  charge: Charge | undefined
  /** No car arrives before this time (ms epoch). */
  freeUntil: number
}

const iso = (at: number): string => new Date(at).toISOString()

export class TownCharger {
  readonly plan: ChargerPlan
  readonly plugs: ReadonlyArray<Plug>
  private readonly options: TownChargerOptions
  private readonly socket: Socket
  private readonly configuration: Map<string, string>
  /** By reservation number. */
  private readonly reserved = new Map<number, Plug>()
  private hasBooted = false
  private firmware: string
  /** Faulted until this time (ms epoch); an operator's reset ends the fault earlier. */
  private brokenUntil = 0

  constructor(options: TownChargerOptions) {
    this.options = options
    const { ocppUrl, password, plan, random } = options
    this.plan = plan
    this.firmware = plan.firmware
    this.plugs = Array.from({ length: plan.make.connectors }, (_, n) => ({
      id: n + 1,
      ownCard: options.drivers.own(),
      status: "Available",
      errorCode: "NoError",
      info: undefined,
      register: Math.round(between(random, 2_000_000, 60_000_000)),
      charge: undefined,
      freeUntil: 0
    }))
    this.configuration = new Map([
      ["HeartbeatInterval", "300"],
      ["MeterValueSampleInterval", String(readEveryMillis / 1000)],
      ["MeterValuesSampledData", "Energy.Active.Import.Register,Power.Active.Import,SoC"],
      ["ConnectionTimeOut", "90"],
      ["AuthorizeRemoteTxRequests", "true"],
      ["LocalAuthListEnabled", "true"]
    ])
    this.socket = new Socket({
      url: `${ocppUrl}/${encodeURIComponent(plan.chargerId)}`,
      password,
      opened: () => this.boot(),
      asked: (action, payload) => this.asked(action, payload)
    })
  }

  get isOnline(): boolean {
    return this.socket.isOpen
  }

  get backlog(): number {
    return this.socket.backlog
  }

  get charging(): number {
    return this.plugs.filter(({ charge }) => charge !== undefined).length
  }

  start(): void {
    this.socket.start()
  }

  stop(): void {
    this.socket.cut()
  }

  /** Loses the connection for a while. Cars go on charging, and their messages are queued. */
  loseLine(millis: number): void {
    this.socket.cut()
    setTimeout(() => this.socket.start(), millis)
  }

  /** Raises a fault, at a connector with a charging car if there is one; that session ends. */
  fail(errorCode: string, info: string, millis: number): void {
    const plug = this.plugs.find(({ charge }) => charge !== undefined) ?? this.plugs[0]!
    this.brokenUntil = Date.now() + millis
    if (plug.charge !== undefined) this.endCharge(plug, Date.now(), "EmergencyStop")
    this.report(plug, "Faulted", errorCode, info)
  }

  /** The driver pulls the cable. Returns false if no car is charging. */
  pullCable(): boolean {
    const plug = this.plugs.find(({ charge }) => charge !== undefined)
    if (plug === undefined) return false
    this.endCharge(plug, Date.now(), "EVDisconnected")
    this.report(plug, "Available")
    return true
  }

  /** The meter's register falls. The session is then held, since its energy is not credible. */
  loseCount(): boolean {
    const plug = this.plugs.find(({ charge }) => charge?.transactionId !== undefined)
    if (plug?.charge === undefined) return false
    plug.register = Math.max(0, plug.charge.startWh - 40_000)
    this.endCharge(plug, Date.now(), "Local", plug.register)
    this.report(plug, "Available")
    return true
  }

  /**
   * Queues sessions of the past `days`, as messages that could not be sent before. At some of the connectors a car arrived some minutes ago; `busy`
   * is the share of connectors with a car.
   */
  remember(days: number, perDay: number, busy: number): void {
    const now = Date.now()
    for (const plug of this.plugs) {
      for (let d = days; d > 0; d--) {
        for (const hour of this.hours(perDay)) this.past(plug, now - d * day + hour * 60 * minute)
      }
      if (this.options.random() < busy) this.arrived(plug, now - between(this.options.random, 1, 35) * minute)
    }
  }

  /** Advances the charger: readings, cars that are full, cars that arrive. `rate` is arrivals per connector and hour. */
  tick(now: number, rate: number, elapsedMillis: number): void {
    for (const plug of this.plugs) {
      const { charge } = plug
      if (charge !== undefined) this.goOn(plug, charge, now)
      else if (plug.status === "Faulted") {
        if (now > this.brokenUntil) this.report(plug, "Available")
      } else if (plug.status === "Available" && now > plug.freeUntil && this.isOnline) {
        if (this.options.random() < (rate * elapsedMillis) / 3_600_000) this.arrives(plug, now)
      }
    }
  }

  /** The times of a day's sessions at one connector, without overlap; most are in the afternoon. */
  private hours(perDay: number): ReadonlyArray<number> {
    const { random } = this.options
    const count = Math.floor(perDay + random())
    return Array.from({ length: count }, (_, n) => ((n + between(random, 0.1, 0.7)) * 24) / Math.max(1, count))
  }

  private past(plug: Plug, startedAt: number): void {
    const { make } = this.plan
    const car = carOf(this.options.random, plug.ownCard)
    const startWh = plug.register
    let transactionId: number | undefined
    const send = (action: string, payload: () => Payload, answered?: (answer: Payload) => void) =>
      this.socket.send(action, payload, true, answered)
    send(
      "StartTransaction",
      () => ({ connectorId: plug.id, idTag: car.cardUid, meterStart: Math.round(startWh), timestamp: iso(startedAt) }),
      (answer) => (transactionId = Number(answer["transactionId"]))
    )
    let progress: Progress = { wh: 0, full: car.from, powerW: 0, isDone: false }
    let at = startedAt
    const last = startedAt + 10 * 60 * minute
    while (!progress.isDone && at < last) {
      const next = after(car, make.powerW, make.current, readEveryPastMillis / 1000, progress)
      at += readEveryPastMillis
      progress = next
      const [readAt, wh, full, powerW] = [at, startWh + next.wh, next.full, next.powerW]
      if (!next.isDone) send("MeterValues", () => this.reading(plug.id, transactionId, readAt, wh, powerW, full))
    }
    plug.register = startWh + progress.wh
    const [endedAt, meterStop] = [at + between(this.options.random, 0, 10) * minute, plug.register]
    send("StopTransaction", () => ({
      transactionId: transactionId ?? -1,
      idTag: car.cardUid,
      meterStop: Math.round(meterStop),
      timestamp: iso(endedAt),
      reason: "EVDisconnected"
    }))
  }

  /** A car that arrived before the charger was connected: its first readings are queued. */
  private arrived(plug: Plug, startedAt: number): void {
    const car = carOf(this.options.random, plug.ownCard)
    const charge = this.begin(plug, car, startedAt)
    const { make } = this.plan
    const now = Date.now()
    charge.progress = after(car, make.powerW, make.current, (now - startedAt) / 1000)
    charge.lastReadAt = now
    charge.isParked = charge.progress.isDone
    if (charge.isParked) charge.leavesAt = now + between(this.options.random, 20, 240) * 1000
    plug.status = charge.isParked ? "SuspendedEV" : "Charging"
    plug.register = charge.startWh + charge.progress.wh
  }

  private arrives(plug: Plug, now: number): void {
    const cardUid = this.options.drivers.free(this.options.random)
    if (cardUid === undefined) return
    this.report(plug, "Preparing")
    this.socket.send(
      "Authorize",
      () => ({ idTag: cardUid }),
      false,
      (answer) => {
        if (status(answer) !== "Accepted") {
          this.options.drivers.leaves(cardUid)
          return void setTimeout(() => this.report(plug, "Available"), 8_000)
        }
        this.begin(plug, carOf(this.options.random, cardUid), now)
        this.report(plug, "Charging")
      }
    )
  }

  private begin(plug: Plug, car: Car, startedAt: number): Charge {
    this.options.drivers.begins(car.cardUid)
    const startWh = plug.register
    const charge: Charge = {
      car,
      startedAt,
      progress: { wh: 0, full: car.from, powerW: 0, isDone: false },
      transactionId: undefined,
      startWh,
      lastReadAt: startedAt,
      isParked: false,
      leavesAt: Infinity
    }
    plug.charge = charge
    this.socket.send(
      "StartTransaction",
      () => ({ connectorId: plug.id, idTag: car.cardUid, meterStart: Math.round(startWh), timestamp: iso(startedAt) }),
      true,
      (answer) => {
        charge.transactionId = Number(answer["transactionId"])
        if (status(answer) !== "Accepted" && plug.charge === charge) this.leave(plug, "DeAuthorized")
      }
    )
    return charge
  }

  private goOn(plug: Plug, charge: Charge, now: number): void {
    const { make } = this.plan
    const seconds = Math.max(0, (now - charge.lastReadAt) / 1000)
    if (!charge.isParked && seconds * 1000 >= readEveryMillis) {
      charge.progress = after(charge.car, make.powerW, make.current, seconds * this.options.speed, charge.progress)
      charge.lastReadAt = now
      plug.register = charge.startWh + charge.progress.wh
      const [wh, full, powerW] = [plug.register, charge.progress.full, charge.progress.powerW * this.options.speed]
      this.socket.send("MeterValues", () => this.reading(plug.id, charge.transactionId, now, wh, powerW, full), true)
      if (charge.progress.isDone) {
        charge.isParked = true
        charge.leavesAt = Math.min(charge.leavesAt, now + between(this.options.random, 10, 240) * 1000)
        this.report(plug, "SuspendedEV")
      }
    }
    if (now > charge.leavesAt) this.leave(plug, "EVDisconnected")
  }

  private leave(plug: Plug, reason: string): void {
    this.endCharge(plug, Date.now(), reason)
    this.report(plug, "Finishing")
    setTimeout(() => {
      if (plug.status === "Finishing") this.report(plug, "Available")
    }, 6_000)
  }

  private endCharge(plug: Plug, at: number, reason: string, meterStop = plug.register): void {
    const { charge } = plug
    if (charge === undefined) return
    plug.charge = undefined
    this.options.drivers.leaves(charge.car.cardUid)
    plug.freeUntil = at + between(this.options.random, 30, 300) * 1000
    this.socket.send(
      "StopTransaction",
      () => ({
        transactionId: charge.transactionId ?? -1,
        meterStop: Math.round(meterStop),
        timestamp: iso(at),
        reason
      }),
      true
    )
  }

  private reading(
    connectorId: number,
    transactionId: number | undefined,
    at: number,
    wh: number,
    powerW: number,
    full: number
  ): Payload {
    const register = { value: wh.toFixed(0), measurand: "Energy.Active.Import.Register", unit: "Wh" }
    const power = { value: powerW.toFixed(0), measurand: "Power.Active.Import", unit: "W" }
    const soc = { value: (full * 100).toFixed(0), measurand: "SoC", unit: "Percent" }
    const sampledValue = this.plan.make.current === "DC" ? [register, power, soc] : [register, power]
    return {
      connectorId,
      ...(transactionId === undefined ? {} : { transactionId }),
      meterValue: [{ timestamp: iso(at), sampledValue }]
    }
  }

  private report(plug: Plug, value: string, errorCode = "NoError", info?: string): void {
    plug.status = value
    plug.errorCode = errorCode
    plug.info = info
    this.mention(plug)
  }

  private mention(plug: Plug): void {
    const { errorCode, id, info, status: value } = plug
    const at = iso(Date.now())
    this.socket.send("StatusNotification", () => ({
      connectorId: id,
      status: value,
      errorCode,
      ...(info === undefined ? {} : { info }),
      timestamp: at
    }))
  }

  private boot(): void {
    const { make, serialNumber } = this.plan
    if (this.hasBooted) return this.plugs.forEach((plug) => this.mention(plug))
    const identity = {
      chargePointVendor: make.vendor,
      chargePointModel: make.model,
      chargePointSerialNumber: serialNumber,
      firmwareVersion: this.firmware
    }
    this.socket.begin(
      "BootNotification",
      () => identity,
      () => {
        this.hasBooted = true
        this.plugs.forEach((plug) => this.mention(plug))
      }
    )
  }

  private asked(action: string, payload: Payload): Payload | undefined {
    const plug = this.plugs.find(({ id }) => id === payload["connectorId"])
    switch (action) {
      case "GetConfiguration":
        return {
          configurationKey: [
            ...[...this.configuration].map(([key, value]) => ({ key, value, readonly: false })),
            { key: "NumberOfConnectors", value: String(this.plugs.length), readonly: true }
          ],
          unknownKey: []
        }
      case "ChangeConfiguration":
        this.configuration.set(String(payload["key"]), String(payload["value"]))
        return { status: "Accepted" }
      case "RemoteStartTransaction": {
        const free = plug ?? this.plugs.find(({ status: value }) => value === "Available")
        if (free === undefined || free.charge !== undefined || free.status === "Faulted") return { status: "Rejected" }
        const cardUid = String(payload["idTag"])
        setTimeout(() => {
          this.begin(free, carOf(this.options.random, cardUid), Date.now())
          this.report(free, "Charging")
        }, 2_000)
        return { status: "Accepted" }
      }
      case "RemoteStopTransaction": {
        const one = this.plugs.find(({ charge }) => charge?.transactionId === payload["transactionId"])
        if (one === undefined) return { status: "Rejected" }
        setTimeout(() => this.leave(one, "Remote"), 500)
        return { status: "Accepted" }
      }
      case "Reset":
        this.reset(String(payload["type"]))
        return { status: "Accepted" }
      case "UnlockConnector":
        if (plug === undefined) return { status: "NotSupported" }
        if (plug.charge !== undefined) setTimeout(() => this.leave(plug, "UnlockCommand"), 500)
        return { status: "Unlocked" }
      case "ChangeAvailability": {
        const value = payload["type"] === "Inoperative" ? "Unavailable" : "Available"
        const meant = plug === undefined ? this.plugs : [plug]
        if (meant.some(({ charge }) => charge !== undefined)) return { status: "Scheduled" }
        setTimeout(() => meant.forEach((one) => this.report(one, value)), 500)
        return { status: "Accepted" }
      }
      case "TriggerMessage":
        setTimeout(() => this.triggered(String(payload["requestedMessage"]), plug), 200)
        return { status: "Accepted" }
      case "UpdateFirmware":
        this.update(String(payload["location"]))
        return {}
      case "ClearCache":
      case "SetChargingProfile":
      case "ClearChargingProfile":
      case "SendLocalList":
        return { status: "Accepted" }
      case "ReserveNow": {
        const kept = plug ?? this.plugs.find(({ status: value }) => value === "Available")
        if (kept?.status !== "Available") return { status: "Occupied" }
        this.reserved.set(Number(payload["reservationId"]), kept)
        setTimeout(() => this.report(kept, "Reserved"), 300)
        return { status: "Accepted" }
      }
      case "CancelReservation": {
        const freed = this.reserved.get(Number(payload["reservationId"]))
        if (freed === undefined) return { status: "Rejected" }
        this.reserved.delete(Number(payload["reservationId"]))
        if (freed.status === "Reserved") setTimeout(() => this.report(freed, "Available"), 300)
        return { status: "Accepted" }
      }
      case "GetLocalListVersion":
        return { listVersion: 0 }
      default:
        return undefined
    }
  }

  private triggered(message: string, plug: Plug | undefined): void {
    if (message === "StatusNotification") (plug === undefined ? this.plugs : [plug]).forEach((one) => this.mention(one))
    else if (message === "Heartbeat") this.socket.send("Heartbeat", () => ({}))
    else if (message === "BootNotification") {
      this.hasBooted = false
      this.boot()
    }
  }

  private update(location: string): void {
    updateFirmware(location, {
      report: (value) => this.socket.send("FirmwareStatusNotification", () => ({ status: value })),
      isBusy: () => this.charging > 0,
      install: (version) => {
        this.firmware = version
        this.reset("Soft")
      }
    })
  }

  /** A reset clears a fault and ends the charging. */
  private reset(type: string): void {
    setTimeout(() => {
      for (const plug of this.plugs) {
        if (plug.charge !== undefined) this.endCharge(plug, Date.now(), type === "Hard" ? "HardReset" : "SoftReset")
        plug.status = "Available"
        plug.errorCode = "NoError"
        plug.info = undefined
      }
      this.hasBooted = false
      setTimeout(() => {
        this.socket.cut()
        setTimeout(() => this.socket.start(), 4_000)
      }, 1_000)
    }, 500)
  }
}

const status = (answer: Payload): string => {
  const info = answer["idTagInfo"]
  return typeof info === "object" && info !== null && "status" in info ? String(info.status) : ""
}
