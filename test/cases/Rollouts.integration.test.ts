/**
 * Commands to many chargers and firmware in waves, over the wire: each charger gets its command once, at the requested rate and in the requested
 * waves.
 */
import { describe, expect, it } from "vitest"
import type { Station } from "./Station.ts"
import { World } from "./World.ts"

type Json = Readonly<Record<string, unknown>>
interface Rolled extends Json {
  readonly id: string
  readonly state: string
  readonly counts: Readonly<Record<string, number>>
}

describe("a rollout", () => {
  const world = new World()

  const rolled = (path: string, holds: (rollout: Rolled) => boolean) =>
    world.eventually("a rollout", path, (answer) => holds(answer as Rolled)) as Promise<Rolled>

  const stations = async (count: number, answering: (station: Station, index: number) => void) => {
    const all = await Promise.all(Array.from({ length: count }, () => world.station()))
    for (const [index, { station }] of all.entries()) answering(station, index)
    return { ids: all.map(({ id }) => id), all: all.map(({ station }) => station) }
  }

  it("resets many chargers one after the other, each once, and shows each result", async () => {
    const { all, ids } = await stations(3, (station, index) =>
      station.on("Reset", { status: index === 2 ? "Rejected" : "Accepted" })
    )
    const away = await world.charger()
    const body = { command: { type: "Reset", resetType: "Soft" }, chargerIds: [...ids, away], perMinute: 30 }
    const made = (await world.post("command-batches", body)) as Rolled
    expect(made).toMatchObject({ name: "Reset", type: "Reset", parameters: { resetType: "Soft" }, targets: 4 })
    const path = `command-batches/${made.id}`
    const done = await rolled(path, ({ state }) => state === "Completed")
    expect(done.counts).toEqual({ waiting: 0, issued: 0, succeeded: 2, failed: 2, skipped: 0, unreached: 0 })
    for (const station of all) expect(station.asked("Reset")).toEqual([{ type: "Soft" }])
    const targets = await world.items(`${path}/targets`)
    expect(targets.map(({ chargerId, detail, state }) => [chargerId, state, detail])).toEqual([
      [ids[0], "Succeeded", null],
      [ids[1], "Succeeded", null],
      [ids[2], "Failed", "Rejected"],
      [away, "Failed", "NotConnected"]
    ])
    const times = targets.map(({ issuedAt }) => Date.parse(String(issuedAt)))
    const apart = times.slice(1).map((at, i) => at - times[i]!)
    expect(Math.min(...apart)).toBeGreaterThanOrEqual(1750)
    expect(await world.items(`${path}/targets?state=Failed`)).toHaveLength(2)
    const command = await world.get(`commands/${String(targets[0]?.["commandId"])}`)
    expect(command).toMatchObject({ chargerId: ids[0], status: "Accepted", issuedBy: made["createdBy"] })
    const { items } = (await world.get("events?type=rollout.changed&limit=50")) as {
      readonly items: ReadonlyArray<Json>
    }
    const states = items.filter(({ subject }) => subject === `rollout:${made.id}`)
    expect(states.map(({ data }) => (data as Json)["state"])).toEqual(["Running", "Completed"])
  })

  it("issues nothing while it is paused, and no further commands once it is cancelled", async () => {
    const { all, ids } = await stations(3, (station) => station.on("ClearCache", { status: "Accepted" }))
    const made = (await world.post("command-batches", {
      command: { type: "ClearCache" },
      chargerIds: ids,
      perMinute: 1
    })) as Rolled
    const path = `command-batches/${made.id}`
    await rolled(path, ({ counts }) => counts["succeeded"] === 1)
    expect(await world.post(`${path}/pause`, undefined)).toMatchObject({ state: "Paused", pauseReason: "Operator" })
    expect(await world.post(`${path}/pause`, undefined)).toMatchObject({ state: "Paused" })
    expect(await world.post(`${path}/resume`, undefined)).toMatchObject({ state: "Running", pauseReason: null })
    const ended = (await world.post(`${path}/cancel`, undefined)) as Rolled
    expect(ended).toMatchObject({ state: "Cancelled", counts: { succeeded: 1, unreached: 2, waiting: 0 } })
    expect(await world.post(`${path}/resume`, undefined, 409)).toMatchObject({ code: "rollout_over" })
    expect(all.map((station) => station.asked("ClearCache").length)).toEqual([1, 0, 0])
  })

  it("takes the chargers of a filter, and refuses if their number differs from the expected one", async () => {
    const { id: siteId } = await world.post("sites", { name: "Filtered" })
    const inside = await Promise.all([world.charger({ siteId }), world.charger({ siteId })])
    const command = { type: "GetConfiguration" }
    const refused = await world.post("command-batches", { command, filter: { siteId }, expectedTargets: 3 }, 409)
    expect(refused).toMatchObject({ code: "targets_changed" })
    const made = (await world.post("command-batches", { command, filter: { siteId }, expectedTargets: 2 })) as Rolled
    const targets = await world.items(`command-batches/${made.id}/targets`)
    expect(targets.map(({ chargerId }) => chargerId).toSorted()).toEqual(inside.toSorted())
    await world.post(`command-batches/${made.id}/cancel`, undefined)
    for (const [filter, detail] of [
      [{ siteId, connected: true }, "Matches no charger"],
      [{ siteId: "01940000-0000-7000-8000-000000000000" }, "Matches no charger"]
    ] as const) {
      const answer = await world.post("command-batches", { command, filter }, 400)
      expect(JSON.stringify(answer)).toContain(detail)
    }
  })

  it("refuses invalid commands and targets, and is invisible to another organisation", async () => {
    const id = await world.charger()
    const other = await world.organise("Other")
    const post = async (body: Json) => JSON.stringify(await world.post("command-batches", body, 400))
    expect(await post({ command: { type: "RemoteStart", idTag: "X" }, chargerIds: [id] })).toContain("/command/type")
    expect(
      await post({
        command: { type: "UpdateFirmware", location: "https://x.example/f", retrieveDate: "2026-11-21T02:00:00Z" },
        chargerIds: [id]
      })
    ).toContain("firmware-campaigns")
    expect(
      await post({ command: { type: "ChangeConfiguration", key: "AuthorizationKey" }, chargerIds: [id] })
    ).toContain("/command/key")
    expect(await post({ command: { type: "ChangeConfiguration", key: "X" }, chargerIds: [id] })).toContain(
      "/command/value"
    )
    expect(await post({ command: { type: "ClearCache" } })).toContain("/chargerIds")
    expect(await post({ command: { type: "ClearCache" }, chargerIds: [id], filter: {} })).toContain("/filter")
    expect(await post({ command: { type: "ClearCache" }, chargerIds: [id, "UNKNOWN"] })).toContain("/chargerIds/1")
    expect((await other.rest.request("POST", "command-batches", JSON.stringify({}))).status).toBe(400)
    const theirs = await other.rest.request("POST", "command-batches", {
      command: { type: "ClearCache" },
      chargerIds: [id]
    })
    expect(theirs.status).toBe(400)
    const own = (await world.post("command-batches", { command: { type: "ClearCache" }, chargerIds: [id] })) as Rolled
    for (const path of ["", "/targets"]) {
      expect((await other.rest.request("GET", `command-batches/${own.id}${path}`)).status).toBe(404)
      expect((await world.rest.request("GET", `firmware-campaigns/${own.id}${path}`)).status).toBe(404)
    }
    expect((await other.rest.request("POST", `command-batches/${own.id}/cancel`)).status).toBe(404)
  })

  it("updates one charger first, then all, skips those with the version and waits for disconnected ones", async () => {
    const report = (station: Station, last: string) =>
      station.on("UpdateFirmware", () => {
        void (async () => {
          for (const status of ["Downloading", "Downloaded", "Installing", last]) {
            await station.call("FirmwareStatusNotification", { status })
          }
        })()
        return {}
      })
    const { all, ids } = await stations(3, (station) => void report(station, "Installed"))
    const current = await world.station()
    await current.station.call("BootNotification", {
      chargePointVendor: "Cases",
      chargePointModel: "One",
      firmwareVersion: "2.0"
    })
    const away = await world.charger()
    const body = {
      name: "To 2.0",
      location: "https://ftp:secret@firmware.example.com/image.bin",
      version: "2.0",
      chargerIds: [away, current.id, ...ids],
      waves: [1, "50%"],
      perMinute: 60
    }
    const made = (await world.post("firmware-campaigns", body)) as Rolled
    expect(made).toMatchObject({ type: "UpdateFirmware", waves: [1, 3, 5], wave: 1, version: "2.0", state: "Running" })
    expect(JSON.stringify(made)).not.toContain("secret")
    const path = `firmware-campaigns/${made.id}`
    const nearly = await rolled(path, ({ counts }) => counts["succeeded"] === 3)
    expect(nearly).toMatchObject({ state: "Running", counts: { waiting: 1, skipped: 1 } })
    for (const station of all) {
      const [asked] = station.asked("UpdateFirmware")
      expect(asked).toMatchObject({ location: body.location })
      expect(Math.abs(Date.parse(String(asked?.["retrieveDate"])) - Date.now())).toBeLessThan(60_000)
    }
    // The first wave had ended before the second one began.
    const targets = (await world.items(`${path}/targets`)).filter(({ state }) => state === "Succeeded")
    const byTime = targets.toSorted((a, b) => String(a["issuedAt"]).localeCompare(String(b["issuedAt"])))
    expect(Date.parse(String(byTime[1]!["issuedAt"]))).toBeGreaterThanOrEqual(Date.parse(String(byTime[0]!["endedAt"])))
    await world.station(away, {}, (station) => report(station, "Installed"))
    await rolled(path, ({ counts, state }) => state === "Completed" && counts["succeeded"] === 4)
  })

  it("pauses when the first charger fails, and continues when an operator resumes it", async () => {
    const { ids } = await stations(2, (station) =>
      station.on("UpdateFirmware", () => {
        void station.call("FirmwareStatusNotification", { status: "InstallationFailed" })
        return {}
      })
    )
    const made = (await world.post("firmware-campaigns", {
      name: "Broken",
      location: "https://firmware.example.com/broken.bin",
      chargerIds: ids,
      waves: [1],
      perMinute: 60
    })) as Rolled
    const path = `firmware-campaigns/${made.id}`
    const paused = await rolled(path, ({ state }) => state === "Paused")
    expect(paused).toMatchObject({ pauseReason: "Failures", counts: { failed: 1, waiting: 1 } })
    await world.post(`${path}/resume`, undefined)
    await rolled(path, ({ counts, state }) => state === "Completed" && counts["failed"] === 2)
  })

  it("keeps to its window, waits for another person's approval, and refuses an unknown image", async () => {
    const { all, ids } = await stations(1, (station) => station.on("UpdateFirmware", {}))
    const hour = new Date().getUTCHours()
    const clock = (h: number) => `${String((h + 24) % 24).padStart(2, "0")}:00`
    const { id: siteId } = await world.post("sites", { name: "UTC", timeZone: "UTC" })
    await world.ask("PATCH", `chargers/${ids[0]}`, { siteId })
    const given = { name: "Night", location: "https://firmware.example.com/image.bin", chargerIds: ids, perMinute: 60 }
    const closed = { from: clock(hour + 3), to: clock(hour + 5) }
    const waiting = (await world.post("firmware-campaigns", { ...given, window: closed })) as Rolled
    const unapproved = (await world.post("firmware-campaigns", { ...given, needsApproval: true })) as Rolled
    const open = (await world.post("firmware-campaigns", {
      ...given,
      window: { from: clock(hour - 1), to: clock(hour + 3) }
    })) as Rolled
    await rolled(`firmware-campaigns/${open.id}`, ({ counts }) => counts["issued"] === 1)
    expect(await world.get(`firmware-campaigns/${waiting.id}`)).toMatchObject({
      counts: { waiting: 1 },
      window: closed
    })
    expect(unapproved).toMatchObject({ state: "AwaitingApproval", approvedBy: null })
    const alone = await world.post(`firmware-campaigns/${unapproved.id}/approve`, undefined, 409)
    expect(alone).toMatchObject({ code: "second_person_needed" })
    expect(all[0]!.asked("UpdateFirmware")).toHaveLength(1)
    for (const { id } of [waiting, unapproved, open]) await world.post(`firmware-campaigns/${id}/cancel`, undefined)
    const missing = { ...given, location: undefined, fileId: "01940000-0000-7000-8000-000000000000" }
    expect((await world.rest.request("POST", "firmware-campaigns", missing)).status).toBe(404)
  })
})

describe("a process that is killed", () => {
  const world = new World({})

  it("continues a batch after its restart, and sends no charger its command twice", async () => {
    const stations = await Promise.all(Array.from({ length: 6 }, () => world.station()))
    for (const { station } of stations) station.on("ClearCache", { status: "Accepted" })
    const chargerIds = stations.map(({ id }) => id)
    const { id } = await world.post("command-batches", {
      command: { type: "ClearCache", expiresIn: 600 },
      chargerIds,
      perMinute: 60
    })
    const path = `command-batches/${String(id)}`
    await world.eventually("two are commanded", path, ({ counts }) => (counts as Rolled["counts"])["succeeded"]! >= 2)
    await world.service.kill("SIGKILL")
    await world.service.restart()
    const again = await Promise.all(chargerIds.map((chargerId) => world.station(chargerId)))
    for (const { station } of again) station.on("ClearCache", { status: "Accepted" })
    const done = (await world.eventually("it is complete", path, ({ state }) => state === "Completed")) as Rolled
    expect(done.counts["succeeded"]! + done.counts["failed"]!).toBe(6)
    const asked = chargerIds.map((_, i) =>
      [stations[i]!, again[i]!].reduce((sum, { station }) => sum + station.asked("ClearCache").length, 0)
    )
    expect(Math.max(...asked)).toBe(1)
    expect(asked.reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(5)
  })
})
