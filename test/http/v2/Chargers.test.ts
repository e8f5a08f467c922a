/** Chargers over REST v2: registering them, what they reported, and changing them. */
import { Redacted } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import { passwordVerifier } from "../../../src/domain/operator/Keys.ts"
import * as NodeSecrets from "../../../src/storage/operators/Secrets.ts"
import { fakeApp, type Json } from "../../support/restApp.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App
let siteId: string

const noon = Date.UTC(2026, 4, 20, 12)

beforeEach(async () => {
  app = await fakeApp()
  siteId = (await ask("POST", "/sites", { name: "Harbour", city: "Turku", latitude: 60.4 })).json.id
})

const ask = (method: string, path: string, body?: Json) => app.ask(method, `/cpo/v2${path}`, { key: app.key, body })

const secrets = NodeSecrets.make({
  hashing: Redacted.make("a secret of the tests"),
  sealing: Redacted.make("a secret of the tests")
})
const hasPassword = (chargerId: string, password: string): boolean =>
  Buffer.from(passwordVerifier(secrets, password)).equals(Buffer.from(app.world.passwords.get(chargerId) ?? []))

/** An EVSE without any description. */
const undescribed = {
  physicalReference: null,
  floorLevel: null,
  coordinates: null,
  directions: [],
  images: [],
  parkingRestrictions: []
}

/** Sets fields that the charger would have reported. */
const report = (chargerId: string, changes: Json) => {
  const charger = app.world.chargers.get(chargerId)
  if (charger !== undefined) app.world.chargers.set(chargerId, { ...charger, ...changes })
}

const connector = (evseId: number, connectorId = 1, more: Json = {}) => ({
  evseId,
  connectorId,
  status: "Available",
  errorCode: undefined,
  info: undefined,
  vendorId: undefined,
  vendorErrorCode: undefined,
  statusAt: noon,
  equipment: undefined,
  ...more
})

describe("a new charger", () => {
  it("requires only a name and a chargerId, goes to the oldest site and may connect without a password", async () => {
    const made = await ask("POST", "/chargers", { name: "Left", chargerId: "CP-1" })
    expect(made.status).toBe(200)
    expect(made.headers.get("location")).toBe("https://cpo.example/cpo/v2/chargers/CP-1")
    expect(made.json).toEqual({
      chargerId: "CP-1",
      name: "Left",
      chargerName: "Left",
      siteId,
      firmwareVersion: "",
      manufacturer: "",
      serialNumber: "",
      registeredSerialNumber: null,
      chargerModel: "",
      amountOfSockets: 0,
      lastSeen: null,
      lastMessage: "",
      activeConnection: false,
      locationInfo: {
        latitude: 60.4,
        longitude: null,
        streetAddress: "",
        streetNumber: "",
        houseLetter: "",
        postalNumber: "",
        city: "Turku",
        area: "",
        country: ""
      },
      pushIntegrationEnabled: false,
      chargerSpecificMessageStructure: false,
      chargerConfigurations: [],
      sockets: [],
      ocppVersion: null,
      securityProfile: 0,
      registration: "Accepted",
      status: null,
      offlineSince: null,
      bootedAt: null,
      evses: [],
      createdAt: expect.any(String),
      updatedAt: expect.any(String)
    })
    expect((await ask("GET", "/chargers/CP-1")).json).toEqual(made.json)
  })

  it("is refused with 409 if its id is taken or there is no site, and with 404 for an unknown site", async () => {
    await ask("POST", "/chargers", { name: "A", chargerId: "CP-1" })
    const again = await ask("POST", "/chargers", { name: "A", chargerId: "CP-1" })
    expect([again.status, again.json.code]).toEqual([409, "charger_id_in_use"])
    const bare = await app.organise()
    const none = await app.ask("POST", "/cpo/v2/chargers", { key: bare.key, body: { name: "A", chargerId: "CP-2" } })
    expect([none.status, none.json.code]).toEqual([409, "site_required"])
    const elsewhere = await ask("POST", "/chargers", {
      name: "A",
      chargerId: "CP-3",
      siteId: "01900000-0000-7000-8000-ffffffffffff"
    })
    expect(elsewhere.status).toBe(404)
  })

  it("gets profile 1 or the requested one if it has a password, which is never shown", async () => {
    const made = await ask("POST", "/chargers", { name: "A", chargerId: "CP-1", password: "0123456789abcdef" })
    expect([made.json.securityProfile, made.json.password]).toEqual([1, undefined])
    expect(made.text).not.toContain("0123456789abcdef")
    expect(hasPassword("CP-1", "0123456789abcdef")).toBe(true)
    const tls = await ask("POST", "/chargers", {
      name: "A",
      chargerId: "CP-2",
      password: "0123456789abcdef",
      securityProfile: 2
    })
    expect(tls.json.securityProfile).toBe(2)
    const certificate = await ask("POST", "/chargers", { name: "A", chargerId: "CP-3", securityProfile: 3 })
    expect([certificate.status, certificate.json.securityProfile]).toEqual([200, 3])
  })

  it("keeps its registered serial number whatever it reports, and must reconnect when that number changes", async () => {
    const made = await ask("POST", "/chargers", { name: "A", chargerId: "CP-1", registeredSerialNumber: "SN-1" })
    expect([made.status, made.json.registeredSerialNumber]).toEqual([200, "SN-1"])
    report("CP-1", { serialNumber: "SN-2" })
    const shown = (await ask("GET", "/chargers/CP-1")).json
    expect([shown.serialNumber, shown.registeredSerialNumber]).toEqual(["SN-2", "SN-1"])
    await ask("PATCH", "/chargers/CP-1", { name: "B" })
    expect(app.world.disconnected).toEqual([])
    const changed = await ask("PATCH", "/chargers/CP-1", { registeredSerialNumber: null })
    expect([changed.status, changed.json.registeredSerialNumber]).toEqual([200, null])
    expect(app.world.disconnected).toHaveLength(1)
    for (const registeredSerialNumber of ["", "x".repeat(65)]) {
      const refused = await ask("PATCH", "/chargers/CP-1", { registeredSerialNumber })
      expect([refused.status, refused.json.errors[0].pointer]).toEqual([400, "/registeredSerialNumber"])
    }
  })

  it("can be registered as Pending or Rejected, and is notified when its operator accepts it", async () => {
    for (const registration of ["Pending", "Rejected"]) {
      const made = await ask("POST", "/chargers", { name: "Waits", chargerId: `W-${registration}`, registration })
      expect([made.status, made.json.registration]).toEqual([200, registration])
    }
    const wrong = await ask("POST", "/chargers", { name: "Waits", chargerId: "W-3", registration: "Maybe" })
    expect([wrong.status, wrong.json.errors[0].pointer]).toEqual([400, "/registration"])
    await ask("PATCH", "/chargers/W-Rejected", { name: "Still waits" })
    expect(app.world.reconsidered).toEqual([])
    const accepted = await ask("PATCH", "/chargers/W-Pending", { registration: "Accepted" })
    expect([accepted.json.registration, app.world.reconsidered]).toEqual(["Accepted", ["W-Pending"]])
    expect(app.world.disconnected).toEqual([])
  })

  it("shows a generated password once", async () => {
    const made = await ask("POST", "/chargers", { name: "A", chargerId: "CP-1", generatePassword: true })
    expect(made.json.password).toMatch(/^[0-9A-Za-z]{20}$/)
    expect(made.json.securityProfile).toBe(1)
    expect(hasPassword("CP-1", made.json.password)).toBe(true)
    expect((await ask("GET", "/chargers/CP-1")).json.password).toBeUndefined()
    expect((await ask("GET", "/chargers")).text).not.toContain(made.json.password)
  })
})

describe("a charger that has reported its data", () => {
  beforeEach(async () => {
    await ask("POST", "/chargers", { name: "Left", chargerId: "CP-1" })
    report("CP-1", {
      ocppVersion: "1.6",
      manufacturer: "Kempower",
      model: "S",
      serialNumber: "42",
      firmwareVersion: "1.2",
      bootedAt: noon,
      configuration: [
        { key: "HeartbeatInterval", value: "300", readonly: false },
        { key: "NumberOfConnectors", value: undefined, readonly: true }
      ],
      connectors: [connector(1), connector(2, 1, { status: "Faulted", errorCode: "GroundFailure" })],
      wholeStatus: "Available",
      lastSeen: noon,
      lastMessage: '[2,"1","Heartbeat",{}]',
      epoch: 1,
      connected: true
    })
  })

  it("is shown with everything that it reported", async () => {
    const { json } = await ask("GET", "/chargers/CP-1")
    expect(json).toMatchObject({
      manufacturer: "Kempower",
      chargerModel: "S",
      serialNumber: "42",
      firmwareVersion: "1.2",
      ocppVersion: "1.6",
      bootedAt: "2026-05-20T12:00:00.000Z",
      lastSeen: "2026-05-20T12:00:00.000Z",
      lastMessage: '[2,"1","Heartbeat",{}]',
      activeConnection: true,
      amountOfSockets: 2,
      status: "Available",
      chargerConfigurations: [
        { configName: "HeartbeatInterval", configValue: "300", canBeChanged: true },
        { configName: "NumberOfConnectors", configValue: "", canBeChanged: false }
      ],
      sockets: [
        { type: "IEC_62196_T2", maxPower: "22080", status: "Available", id: 1 },
        { type: "IEC_62196_T2", maxPower: "22080", status: "Faulted", id: 2 }
      ]
    })
    expect(json.evses).toEqual([
      {
        ...undescribed,
        evseId: 1,
        connectors: [expect.objectContaining({ connectorId: 1, status: "Available", assumed: true })]
      },
      {
        ...undescribed,
        evseId: 2,
        connectors: [expect.objectContaining({ connectorId: 1, errorCode: "GroundFailure", assumed: true })]
      }
    ])
  })

  it("numbers sockets consecutively if an EVSE has several connectors", async () => {
    report("CP-1", { connectors: [connector(1, 1), connector(1, 2), connector(2, 1)] })
    const { json } = await ask("GET", "/chargers/CP-1")
    expect(json.sockets.map((socket: Json) => socket.id)).toEqual([1, 2, 3])
    expect(json.evses.map((evse: Json) => evse.connectors.length)).toEqual([2, 1])
  })

  it("is shown from memory if that is as new as the database, otherwise from the database", async () => {
    const ended = { at: noon + 5500, reason: "bye" }
    app.world.seen.set("CP-1", { epoch: 1, lastSeen: noon + 5000, lastMessage: "newer", ended })
    const newer = (await ask("GET", "/chargers/CP-1")).json
    expect([newer.lastSeen, newer.lastMessage, newer.activeConnection]).toEqual([
      "2026-05-20T12:00:05.000Z",
      "newer",
      false
    ])
    // It has since connected to another node, which has heard from it.
    report("CP-1", { epoch: 2 })
    app.world.seen.set("CP-1", { epoch: 1, lastSeen: noon - 5000, lastMessage: "older", ended })
    const older = (await ask("GET", "/chargers")).json.items[0]
    expect([older.lastSeen, older.activeConnection]).toEqual(["2026-05-20T12:00:00.000Z", true])
  })

  it("shows since when it is offline, and null while it is connected", async () => {
    const shown = async () => (await ask("GET", "/chargers/CP-1")).json.offlineSince
    expect(await shown()).toBeNull()
    // This process has seen the connection end, but the end is not stored yet: the time shown is the same before and after that.
    const ended = { at: noon + 6000, reason: "bye" }
    app.world.seen.set("CP-1", { epoch: 1, lastSeen: noon + 5000, lastMessage: "[bye]", ended })
    expect(await shown()).toBe("2026-05-20T12:00:06.000Z")
    report("CP-1", { connected: false, offlineSince: noon + 6000 })
    expect(await shown()).toBe("2026-05-20T12:00:06.000Z")
    app.world.seen.delete("CP-1")
    expect(await shown()).toBe("2026-05-20T12:00:06.000Z")
    // Its connection ended before it sent any message.
    report("CP-1", { epoch: 2, connected: true, offlineSince: undefined })
    app.world.seen.set("CP-1", {
      epoch: 2,
      lastSeen: undefined,
      lastMessage: "",
      ended: { at: noon + 8000, reason: "" }
    })
    expect(await shown()).toBe("2026-05-20T12:00:08.000Z")
    // It is connected again, which the database does not know yet.
    app.world.seen.set("CP-1", { epoch: 3, lastSeen: noon + 9000, lastMessage: "[back]", ended: undefined })
    expect(await shown()).toBeNull()
    // It was removed and registered again, and memory still has data of the former charger.
    report("CP-1", { epoch: undefined, connected: false })
    app.world.seen.set("CP-1", { epoch: 3, lastSeen: noon + 9000, lastMessage: "[bye]", ended })
    expect(await shown()).toBeNull()
  })

  it("accepts equipment for connectors that are named by OCPP 1.6's number or by EVSE", async () => {
    const equipment = {
      standard: "IEC_62196_T2_COMBO",
      format: "CABLE",
      powerType: "DC",
      maxVoltage: 920,
      maxAmperage: 400
    }
    const changed = await ask("PATCH", "/chargers/CP-1", {
      connectors: [
        { connectorId: 2, ...equipment, maxPowerW: 150_000 },
        { evseId: 1, connectorId: 1, ...equipment }
      ]
    })
    expect(changed.status).toBe(200)
    const [first, second] = changed.json.evses.map((evse: Json) => evse.connectors[0])
    expect(first).toMatchObject({ ...equipment, maxPowerW: 368_000, assumed: false })
    expect(second).toMatchObject({ ...equipment, maxPowerW: 150_000, assumed: false })
    expect(changed.json.sockets.map((socket: Json) => [socket.type, socket.maxPower])).toEqual([
      ["IEC_62196_T2_COMBO", "368000"],
      ["IEC_62196_T2_COMBO", "150000"]
    ])
  })

  it("lists its configuration keys", async () => {
    const alike = { drift: false, missing: false, secret: false, unknown: false }
    expect((await ask("GET", "/chargers/CP-1/configuration")).json).toEqual({
      items: [
        { key: "HeartbeatInterval", value: "300", readonly: false, expected: null, ...alike },
        { key: "NumberOfConnectors", value: null, readonly: true, expected: null, ...alike }
      ],
      nextCursor: null
    })
  })

  it("has a log of its messages, filtered by time and action", async () => {
    const frame = (id: string, at: number, action: string) => ({
      id,
      organisationId: app.own.organisationId,
      chargerId: "CP-1",
      at,
      direction: "in" as const,
      kind: "CALL" as const,
      action,
      messageId: "m",
      frame: `[2,"m","${action}",{}]`,
      cutFrom: null
    })
    app.world.frames.push(
      frame("1", noon, "Heartbeat"),
      frame("2", noon + 1000, "Authorize"),
      frame("3", noon + 2000, "Authorize")
    )
    const all = await ask("GET", "/chargers/CP-1/messages")
    expect(all.json.items[0]).toEqual({
      id: "1",
      at: "2026-05-20T12:00:00.000Z",
      direction: "in",
      kind: "CALL",
      action: "Heartbeat",
      messageId: "m",
      frame: '[2,"m","Heartbeat",{}]',
      cutFrom: null
    })
    const some = await ask(
      "GET",
      "/chargers/CP-1/messages?action=Authorize&from=2026-05-20T12:00:00Z&to=2026-05-20T12:00:02Z"
    )
    expect(some.json.items.map((item: Json) => item.id)).toEqual(["2"])
  })
})

describe("a change of credentials", () => {
  beforeEach(() => ask("POST", "/chargers", { name: "Left", chargerId: "CP-1" }))

  it("raises profile 0 to 1 with a password and ends the connection without one", async () => {
    const changed = await ask("PATCH", "/chargers/CP-1", { password: "0123456789abcdef" })
    expect([changed.status, changed.json.securityProfile]).toEqual([200, 1])
    expect(hasPassword("CP-1", "0123456789abcdef")).toBe(true)
    expect(app.world.disconnected).toEqual([{ chargerId: "CP-1", reason: "credentials changed" }])
  })

  it("keeps profile 2 when the password is replaced, and shows a generated one once", async () => {
    await ask("PATCH", "/chargers/CP-1", { password: "0123456789abcdef", securityProfile: 2 })
    const changed = await ask("PATCH", "/chargers/CP-1", { generatePassword: true })
    expect([changed.json.securityProfile, changed.json.password]).toEqual([2, expect.stringMatching(/^\w{20}$/)])
    expect(hasPassword("CP-1", changed.json.password)).toBe(true)
    expect((await ask("PATCH", "/chargers/CP-1", { securityProfile: 1 })).json.securityProfile).toBe(1)
  })

  it("is refused if the charger would lack a required password, or has profile 3 and needs none", async () => {
    const refused = await ask("PATCH", "/chargers/CP-1", { securityProfile: 1 })
    expect([refused.status, refused.json.errors[0].pointer]).toEqual([400, "/securityProfile"])
    await ask("PATCH", "/chargers/CP-1", { securityProfile: 3 })
    expect((await ask("PATCH", "/chargers/CP-1", { password: "0123456789abcdef" })).status).toBe(400)
  })

  it("is not made by changing the name or registration: the connection stays open", async () => {
    const changed = await ask("PATCH", "/chargers/CP-1", { name: "Right", registration: "Pending" })
    expect([changed.json.name, changed.json.chargerName, changed.json.registration]).toEqual([
      "Right",
      "Right",
      "Pending"
    ])
    expect(app.world.disconnected).toEqual([])
  })
})

it("ends the connection of a charger that is deleted", async () => {
  await ask("POST", "/chargers", { name: "Left", chargerId: "CP-1" })
  const deleted = await ask("DELETE", "/chargers/CP-1")
  expect([deleted.status, deleted.text]).toEqual([204, ""])
  expect(app.world.disconnected).toEqual([{ chargerId: "CP-1", reason: "charger removed" }])
  expect((await ask("DELETE", "/chargers/CP-1")).status).toBe(404)
  expect(app.world.disconnected).toHaveLength(1)
})

it("reads each site of a page of chargers once", async () => {
  for (let n = 0; n < 10; n++) await ask("POST", "/chargers", { name: `C${n}`, chargerId: `CP-${n}` })
  app.world.calls = 0
  const page = await ask("GET", "/chargers")
  expect(page.json.items.every((charger: Json) => charger.locationInfo.city === "Turku")).toBe(true)
  // One call each for the key, the page and the site.
  expect(app.world.calls).toBe(3)
})
