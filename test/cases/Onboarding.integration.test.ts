/** How an organisation configures its chargers, with the station of another project on the other side. */
import { describe, expect, it, onTestFinished } from "vitest"
import { until } from "../simulation/Wait.ts"
import { signingRequest } from "../support/signingRequest.ts"
import { Station } from "./Station.ts"
import { World } from "./World.ts"

const world = new World()

/** A station whose configuration keys can be changed, like a charger's. */
const configurable = (station: Station, keys: Record<string, string>, readonly: ReadonlyArray<string> = []) =>
  station
    .on("GetConfiguration", () => ({
      configurationKey: Object.entries(keys).map(([key, value]) => ({ key, value, readonly: readonly.includes(key) })),
      unknownKey: []
    }))
    .on("ChangeConfiguration", ({ key, value }) => {
      if (!(String(key) in keys)) return { status: "NotSupported" }
      keys[String(key)] = String(value)
      return { status: "Accepted" }
    })

describe("the configuration template", () => {
  it("is applied after a boot, drift is shown, and an operator's later change stays until it is applied again", async () => {
    const keys = { HeartbeatInterval: "60", LocalPreAuthorize: "false", NumberOfConnectors: "2" }
    const template = [
      { key: "HeartbeatInterval", value: "240" },
      { key: "localpreauthorize", value: "TRUE" },
      { key: "NumberOfConnectors", value: "1" },
      { key: "VendorKey", value: "x" }
    ]
    await world.ask("PUT", "configuration-template", { keys: template })
    const id = await world.charger()
    const station = new Station(world.service.ocppUrl, id)
    configurable(station, keys, ["NumberOfConnectors"])
    await station.connect()
    await station.boot()
    await until(
      () => "the configuration is looked at again",
      15_000,
      async () => station.asked("GetConfiguration").length >= 2
    )
    expect(station.asked("ChangeConfiguration")).toEqual([
      { key: "HeartbeatInterval", value: "240" },
      { key: "LocalPreAuthorize", value: "TRUE" }
    ])
    const shown = async () => {
      const items = await world.items(`chargers/${id}/configuration`)
      return items.map(({ drift, expected, key, missing, value }) => [key, value, expected, drift, missing])
    }
    await until(
      () => "the drift has gone",
      15_000,
      async () => (await shown())[0]?.[3] === false
    )
    expect(await shown()).toEqual([
      ["HeartbeatInterval", "240", "240", false, false],
      ["LocalPreAuthorize", "TRUE", "TRUE", false, false],
      ["NumberOfConnectors", "2", "1", true, false],
      ["VendorKey", null, "x", true, true]
    ])
    const issued = await world.items(`chargers/${id}/commands`)
    expect(issued.map(({ issuedBy, status, type }) => [type, status, issuedBy])).toEqual([
      ["ChangeConfiguration", "Accepted", "platform"],
      ["ChangeConfiguration", "Accepted", "platform"]
    ])
    await world.command(id, "ChangeConfiguration", { key: "HeartbeatInterval", value: "10" })
    await until(
      () => "the operator's change is drift",
      15_000,
      async () => (await shown())[0]?.[3] === true
    )
    expect(keys.HeartbeatInterval).toBe("10")
    const applied = await world.post(`chargers/${id}/configuration/apply`, {})
    expect(applied["items"]).toHaveLength(1)
    await until(
      () => "the drift has gone again",
      15_000,
      async () => (await shown())[0]?.[3] === false
    )
    // When asked for two keys, the charger no longer has one and reports a new value of the other.
    Reflect.deleteProperty(keys, "LocalPreAuthorize")
    keys.HeartbeatInterval = "77"
    station.on("GetConfiguration", {
      configurationKey: [{ key: "HeartbeatInterval", value: "77", readonly: true }],
      unknownKey: ["LocalPreAuthorize"]
    })
    await world.command(id, "GetConfiguration", { key: ["HeartbeatInterval", "LocalPreAuthorize"] })
    expect((await shown()).slice(0, 2)).toEqual([
      ["HeartbeatInterval", "77", "240", true, false],
      ["NumberOfConnectors", "2", "1", true, false]
    ])
    await world.ask("PUT", "configuration-template", { keys: [] })
    await station.close()
  })
})

describe("the registration that an operator sets", () => {
  it("reaches a waiting charger: if accepted it is triggered to boot at once, if rejected its messages are refused", async () => {
    const id = await world.charger({ registration: "Pending" })
    const station = new Station(world.service.ocppUrl, id)
    station.on("TriggerMessage", { status: "Accepted" }).on("ClearCache", { status: "Accepted" })
    await station.connect()
    expect(await station.boot()).toMatchObject({ status: "Pending", interval: 60 })
    await expect(station.call("Authorize", { idTag: "CARD" })).rejects.toMatchObject({ rpcErrorCode: "SecurityError" })
    const refused = await world.command(id, "RemoteStart", { idTag: "CARD", connectorId: 1 })
    expect([refused.status, refused.sentAt, refused.result?.["errorCode"]]).toEqual(["Failed", null, "NotAccepted"])
    await world.ask("PATCH", `chargers/${id}`, { registration: "Accepted" })
    await until(
      () => "it is asked to boot",
      15_000,
      async () => station.asked("TriggerMessage").some((asked) => asked["requestedMessage"] === "BootNotification")
    )
    expect(await station.boot()).toMatchObject({ status: "Accepted" })
    await station.status(1, "Available")
    expect((await world.command(id, "ClearCache")).status).toBe("Accepted")
    await world.ask("PATCH", `chargers/${id}`, { registration: "Rejected" })
    expect(await station.boot()).toMatchObject({ status: "Rejected", interval: 600 })
    await expect(station.status(1, "Faulted")).rejects.toMatchObject({ rpcErrorCode: "SecurityError" })
    const after = await world.command(id, "ClearCache")
    expect([after.status, after.sentAt, after.result?.["errorCode"]]).toEqual(["Failed", null, "NotAccepted"])
    await station.close()
  })
})

describe("a charger that is pending", () => {
  const pending = async () => {
    const id = await world.charger({ registration: "Pending" })
    const station = new Station(world.service.ocppUrl, id)
    onTestFinished(() => station.close())
    await station.connect()
    expect(await station.boot()).toMatchObject({ status: "Pending" })
    return { id, station }
  }

  it("is answered when it sends messages that were triggered", async () => {
    const { id, station } = await pending()
    station.on("TriggerMessage", { status: "Accepted" })
    const trigger = (requestedMessage: string) => world.command(id, "TriggerMessage", { requestedMessage })
    expect(await trigger("StatusNotification")).toMatchObject({ status: "Accepted" })
    expect(await station.status(1, "Available")).toEqual({})
    expect(await world.connectorStatus(id, 1)).toBe("Available")
    expect(await trigger("Heartbeat")).toMatchObject({ status: "Accepted" })
    expect(await station.call("Heartbeat", {})).toHaveProperty("currentTime")
    expect((await world.get(`chargers/${id}`))["registration"]).toBe("Pending")
  })

  it("shows the progress of uploads and updates, and has its certificate signed", async () => {
    const { id, station } = await pending()
    station
      .on("GetLog", { status: "Accepted", filename: "log.txt" })
      .on("UpdateFirmware", {})
      .on("ExtendedTriggerMessage", { status: "Accepted" })
    const progressOf = async ({ id: commandId }: { readonly id: string }) =>
      (await world.get(`commands/${commandId}`))["progress"]
    const log = await world.command(id, "GetLog", { logType: "SecurityLog", requestId: 5 })
    expect(await station.call("LogStatusNotification", { status: "Uploading", requestId: 5 })).toEqual({})
    expect(await progressOf(log)).toMatchObject({ status: "Uploading" })
    const update = await world.command(id, "UpdateFirmware", {
      location: "https://files.example.com/image.bin",
      retrieveDate: new Date().toISOString()
    })
    expect(await station.call("FirmwareStatusNotification", { status: "Downloading" })).toEqual({})
    expect(await progressOf(update)).toMatchObject({ status: "Downloading" })
    expect(await station.call("DiagnosticsStatusNotification", { status: "Idle" })).toEqual({})
    await world.command(id, "ExtendedTriggerMessage", { requestedMessage: "SignChargePointCertificate" })
    expect(await station.call("SignCertificate", { csr: signingRequest })).toEqual({ status: "Accepted" })
    const event = { type: "SettingSystemTime", timestamp: new Date().toISOString() }
    expect(await station.call("SecurityEventNotification", event)).toEqual({})
  })
})

describe("the settings of an organisation", () => {
  it("take effect at once, also for connected chargers", async () => {
    const { id, station } = await world.station()
    const idTag = "UNKNOWN-CARD"
    expect(await station.call("Authorize", { idTag })).toEqual({ idTagInfo: { status: "Invalid" } })
    await world.ask("PATCH", "organisation", { unknownTokens: "Accept", heartbeatIntervalSeconds: 77 })
    await until(
      () => "the card is taken",
      15_000,
      async () => JSON.stringify(await station.call("Authorize", { idTag })).includes("Accepted")
    )
    expect(await station.boot()).toMatchObject({ status: "Accepted", interval: 77 })
    await world.ask("PATCH", "organisation", { unknownTokens: "Refuse", heartbeatIntervalSeconds: 300 })
    await until(
      () => "the card is refused",
      15_000,
      async () => JSON.stringify(await station.call("Authorize", { idTag })).includes("Invalid")
    )
    expect((await world.get(`chargers/${id}`))["registration"]).toBe("Accepted")
  })
})

describe("the rules for quirks", () => {
  it("let a make boot before it is sent commands, and show the chargers to which a rule applies", async () => {
    const rules = [{ name: "late", vendor: "Cases", model: "One", tolerances: { waitForBootSeconds: 300 } }]
    await world.ask("PUT", "quirks", { rules })
    const { id, station } = await world.station()
    const book = await world.get("quirks")
    expect(book["rules"]).toMatchObject([{ name: "late" }])
    expect(JSON.stringify(book["rules"])).toContain(id)
    await station.close()
    const again = new Station(world.service.ocppUrl, id).on("ClearCache", { status: "Accepted" })
    await again.connect()
    const pending = await world.post(`chargers/${id}/commands?wait=1`, { type: "ClearCache" })
    expect(pending["status"]).toBe("Pending")
    expect(again.asked("ClearCache")).toEqual([])
    await again.boot()
    const ended = await world.get(`commands/${String(pending["id"])}?wait=10`)
    expect(ended["status"]).toBe("Accepted")
    await world.ask("PUT", "quirks", { rules: [] })
    await again.close()
  })
})
