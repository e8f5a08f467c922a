/** A charger's history, and its uptime in the month, with the station of another project on the other side. */
import { expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import { Station } from "./Station.ts"
import { World } from "./World.ts"

const world = new World()

type Item = Readonly<Record<string, unknown>>

const page = (id: string, of: string) => world.items(`chargers/${id}/history/${of}`)

const month = new Date().toISOString().slice(0, 7)

/** Reads a connection's end wherever it is reported, until its event exists; returns the different times that were reported. */
const reportedEnds = async (id: string): Promise<ReadonlyArray<unknown>> => {
  const reported = new Set<unknown>()
  await until(
    () => `the end of ${id} is reported: ${[...reported].join(", ")}`,
    15_000,
    async () => {
      const [charger, [connection], events] = await Promise.all([
        world.get(`chargers/${id}`),
        page(id, "connections"),
        world.items(`events?type=charger.disconnected&chargerId=${id}`)
      ])
      for (const at of [
        charger["offlineSince"],
        connection?.["disconnectedAt"],
        ...events.map((event) => event["at"])
      ]) {
        if (at !== null && at !== undefined) reported.add(at)
      }
      return events.length > 0 && connection?.["disconnectedAt"] !== null && charger["offlineSince"] !== null
    }
  )
  return [...reported]
}

it("shows the statuses that a station reported, when it was connected and since when it is offline", async () => {
  const { id, station } = await world.station()
  const connected = await world.get(`chargers/${id}`)
  expect(connected["offlineSince"]).toBeNull()
  const at = new Date(Date.now() - 60_000).toISOString()
  await station.status(1, "Faulted", {
    errorCode: "GroundFailure",
    info: "F3",
    vendorErrorCode: "17",
    timestamp: new Date().toISOString()
  })
  // From the queue of a time offline: this was the status then, and is no longer.
  await station.status(1, "Charging", { timestamp: at })
  expect(await world.connectorStatus(id, 1)).toBe("Faulted")
  const first = await page(id, "connectors")
  expect(first.filter(({ evseId }) => evseId === 1).map(({ status }) => status)).toEqual([
    "Faulted",
    "Available",
    "Charging"
  ])
  expect(first.find(({ status }) => status === "Faulted")).toMatchObject({
    evseId: 1,
    connectorId: 1,
    errorCode: "GroundFailure",
    info: "F3",
    vendorErrorCode: "17"
  })
  expect(first.find(({ status }) => status === "Charging")).toMatchObject({ at })
  expect(first.map(({ evseId }) => evseId)).toContain(0)

  // A message is still on its way to the database when the connection breaks, and readers ask from then on until all report the end.
  const unheard = station.status(1, "Available").catch(() => undefined)
  await station.close()
  const ends = await reportedEnds(id)
  await unheard
  expect(ends).toEqual([expect.any(String)])
  const offline = await world.get(`chargers/${id}`)
  expect([offline["activeConnection"], offline["offlineSince"]]).toEqual([false, ends[0]])
  const again = new Station(world.service.ocppUrl, id)
  await again.connect()
  await world.eventually("it is back", `chargers/${id}`, (shown) => shown["activeConnection"] === true)
  const [now, before] = await page(id, "connections")
  expect(now).toMatchObject({ disconnectedAt: null, reason: null, ocppVersion: "1.6", securityProfile: 0 })
  expect(before?.["disconnectedAt"]).toBe(ends[0])
  expect(before?.["reason"]).toEqual(expect.any(String))
  await again.close()
})

it("shows the uptime of each connector in the month so far, and refuses invalid months", async () => {
  const { id, station } = await world.station()
  await station.status(2, "Unavailable")
  const items = (await world.items(`statistics/uptime?chargerId=${id}`)) as ReadonlyArray<Item>
  expect(items.map(({ chargerId, connectorId, evseId }) => [chargerId, evseId, connectorId])).toEqual([
    [id, 1, 1],
    [id, 2, 1]
  ])
  for (const item of items) {
    const seconds = (name: string) => Number(item[`${name}Seconds`])
    expect(item["timeZone"]).toBe("UTC")
    expect(seconds("total")).toBe(seconds("up") + seconds("down") + seconds("excluded"))
    expect(seconds("down")).toBe(seconds("offline") + seconds("faulted") + seconds("unavailable"))
  }
  const first = await world.get(`statistics/uptime?limit=1&month=${month}`)
  const cursor = encodeURIComponent(String(first["nextCursor"]))
  const second = await world.items(`statistics/uptime?limit=1&month=${month}&cursor=${cursor}`)
  expect(second).toHaveLength(1)
  expect(second).not.toEqual(first["items"])
  for (const wrong of ["2026-13", "november", "2999-01", "2020-01"]) {
    const refused = await world.ask("GET", `statistics/uptime?month=${wrong}`, undefined, 400)
    expect(refused["errors"]).toEqual([{ pointer: "/month", detail: expect.any(String) }])
  }
  // The other statistics are unchanged.
  expect(Object.keys(await world.get("statistics")).toSorted()).toEqual([
    "activeSessions",
    "chargers",
    "connected",
    "connectors",
    "energyWhToday",
    "energyWhTotal",
    "sessionsToday"
  ])
  await station.close()
})

it("excludes the time in which an operator has taken a connector out of service", async () => {
  const { id, station } = await world.station()
  station.on("ChangeAvailability", { status: "Accepted" })
  const order = await world.command(id, "ChangeAvailability", { connectorId: 1, operationalStatus: "Inoperative" })
  expect(order.status).toBe("Accepted")
  await station.status(1, "Unavailable")
  const shown = await world.eventually("a second of it is over", `statistics/uptime?chargerId=${id}`, (answer) => {
    const items = answer["items"] as ReadonlyArray<Item>
    return Number(items[0]?.["excludedSeconds"]) >= 1
  })
  const [one] = shown["items"] as ReadonlyArray<Item>
  expect([one?.["unavailableSeconds"], one?.["uptimePercent"]]).toEqual([0, 100])
  await station.close()
})
