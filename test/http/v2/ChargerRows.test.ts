/** Charger rows and counts over REST v2, as sent on the wire. */
import { beforeEach, describe, expect, it } from "vitest"
import { fakeApp, type Json } from "../../support/restApp.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App
let siteId: string

const noon = Date.UTC(2026, 4, 20, 12)

const ask = (method: string, path: string, body?: Json) => app.ask(method, `/cpo/v2${path}`, { key: app.key, body })
const rows = async (query = "") => (await ask("GET", `/charger-rows${query}`)).json.items
const ids = async (query: string) => (await rows(query)).map((row: Json) => row.id).join(" ")

const connector = (evseId: number, status: string, more: Json = {}) => ({
  evseId,
  connectorId: 1,
  status,
  errorCode: "NoError",
  info: undefined,
  vendorId: undefined,
  vendorErrorCode: undefined,
  statusAt: noon,
  equipment: undefined,
  ...more
})

/** Sets fields that the charger would have reported. */
const report = (chargerId: string, changes: Json) => {
  const charger = app.world.chargers.get(chargerId)
  if (charger !== undefined) app.world.chargers.set(chargerId, { ...charger, ...changes })
}

beforeEach(async () => {
  app = await fakeApp()
  siteId = (await ask("POST", "/sites", { name: "Harbour" })).json.id
  for (const chargerId of ["CP-1", "CP-2", "CP-3"]) {
    await ask("POST", "/chargers", { name: `Pole ${chargerId}`, chargerId })
  }
  const faulted = { errorCode: "GroundFailure", info: "RCD tripped" }
  report("CP-1", {
    connected: true,
    epoch: 1,
    lastSeen: noon,
    manufacturer: "Maker",
    model: "M1",
    firmwareVersion: "1.0",
    ocppVersion: "1.6",
    connectors: [connector(1, "Available"), connector(2, "Faulted", faulted)]
  })
  report("CP-2", { connected: false, epoch: 3, lastSeen: noon, connectors: [connector(1, "Charging")] })
})

describe("a row", () => {
  it("has what a table shows of a charger, without unknown details of its connectors", async () => {
    const place = { siteId, siteName: "Harbour" }
    const none = { vendor: null, model: null, firmwareVersion: null, protocol: null }
    expect(await rows()).toEqual([
      {
        id: "CP-1",
        chargerId: "CP-1",
        name: "Pole CP-1",
        ...place,
        connected: true,
        everConnected: true,
        lastSeenAt: "2026-05-20T12:00:00.000Z",
        state: "Faulted",
        vendor: "Maker",
        model: "M1",
        firmwareVersion: "1.0",
        protocol: "1.6",
        connectors: [
          { evseId: 1, connectorId: 1, status: "Available", since: "2026-05-20T12:00:00.000Z" },
          {
            evseId: 2,
            connectorId: 1,
            status: "Faulted",
            errorCode: "GroundFailure",
            info: "RCD tripped",
            since: "2026-05-20T12:00:00.000Z"
          }
        ],
        powerW: 0,
        activeSessions: 0
      },
      {
        id: "CP-2",
        chargerId: "CP-2",
        name: "Pole CP-2",
        ...place,
        connected: false,
        everConnected: true,
        lastSeenAt: "2026-05-20T12:00:00.000Z",
        state: "Offline",
        ...none,
        connectors: [{ evseId: 1, connectorId: 1, status: "Charging", since: "2026-05-20T12:00:00.000Z" }],
        powerW: 0,
        activeSessions: 0
      },
      {
        id: "CP-3",
        chargerId: "CP-3",
        name: "Pole CP-3",
        ...place,
        connected: false,
        everConnected: false,
        lastSeenAt: null,
        state: "NeverConnected",
        ...none,
        connectors: [],
        powerW: 0,
        activeSessions: 0
      }
    ])
  })

  it("prefers what this process knows of the connection if it is newer than what is stored", async () => {
    app.world.seen.set("CP-1", {
      epoch: 1,
      lastSeen: noon + 1000,
      lastMessage: "",
      ended: { at: noon, reason: "gone" }
    })
    app.world.seen.set("CP-2", { epoch: 2, lastSeen: noon - 1, lastMessage: "", ended: undefined })
    const [one, two] = await rows()
    expect([one.state, one.connected, one.lastSeenAt]).toEqual(["Offline", false, "2026-05-20T12:00:01.000Z"])
    expect([two.state, two.connected, two.lastSeenAt]).toEqual(["Offline", false, "2026-05-20T12:00:00.000Z"])
  })
})

describe("rows", () => {
  it("are filtered by state, connection, firmware, site and text", async () => {
    expect(await ids("?state=Faulted,NeverConnected")).toBe("CP-1 CP-3")
    expect(await ids("?connected=false&q=pole%20cp-2")).toBe("CP-2")
    expect(await ids("?firmware=1.0")).toBe("CP-1")
    expect(await ids("?q=HARB")).toBe("CP-1 CP-2 CP-3")
    expect(await ids(`?siteId=${siteId}&state=Offline`)).toBe("CP-2")
  })

  it("come in pages of up to a thousand, with a Link to the next page", async () => {
    const first = await ask("GET", "/charger-rows?limit=2")
    expect(first.json.items).toHaveLength(2)
    const next = /^<https:\/\/cpo\.example([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? ""
    const second = await app.ask("GET", next, { key: app.key })
    expect([second.json.items.map((row: Json) => row.id), second.json.nextCursor]).toEqual([["CP-3"], null])
    expect((await ask("GET", "/charger-rows?limit=1000")).status).toBe(200)
    expect((await ask("GET", "/charger-rows?limit=1001")).status).toBe(400)
  })

  it("are refused with 400 for an unknown state or parameter", async () => {
    for (const query of ["?state=Broken", "?state=Faulted,", "?state=", "?status=Faulted"]) {
      expect([query, (await ask("GET", `/charger-rows${query}`)).status]).toEqual([query, 400])
    }
    expect((await ask("GET", "/charger-rows/counts?state=Faulted")).status).toBe(400)
  })
})

it("counts include every state, also those without chargers", async () => {
  const { json } = await ask("GET", "/charger-rows/counts")
  expect(json).toEqual({
    total: 3,
    byState: {
      Faulted: 1,
      Unavailable: 0,
      Charging: 0,
      SuspendedEVSE: 0,
      SuspendedEV: 0,
      Finishing: 0,
      Preparing: 0,
      Reserved: 0,
      Available: 0,
      Offline: 1,
      NeverConnected: 1
    },
    needAttention: 2,
    connected: 1,
    powerW: 0
  })
  const one = await ask("GET", "/charger-rows/counts?q=CP-3")
  expect([one.json.total, one.json.byState.NeverConnected]).toEqual([1, 1])
})

it("rows and counts require chargers:read and cover only the caller's organisation", async () => {
  const { json } = await ask("POST", "/api-keys", { name: "narrow", permissions: ["sites:read"] })
  const stranger = await app.organise()
  for (const path of ["/cpo/v2/charger-rows", "/cpo/v2/charger-rows/counts"]) {
    const refused = await app.ask("GET", path, { key: json.key })
    expect([refused.status, refused.json.requiredPermissions]).toEqual([403, ["chargers:read"]])
    const theirs = await app.ask("GET", path, { key: stranger.key })
    expect([theirs.json.total, theirs.json.items]).toEqual([
      path.endsWith("counts") ? 0 : undefined,
      path.endsWith("counts") ? undefined : []
    ])
  }
})
