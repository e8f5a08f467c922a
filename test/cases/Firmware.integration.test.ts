/** The cases of firmware and diagnostics: downloads and uploads go over HTTP, and progress is shown. */
import { describe, expect, it } from "vitest"
import { World } from "./World.ts"

const world = new World()

const retrieveDate = "2026-01-01T00:00:00.000Z"
const location = "https://firmware.example.com/image.bin"

describe("OCPP 1.6 FirmwareManagement", () => {
  const updates = [
    { id: "TC_044_1", what: "downloads and installs", ends: ["Downloading", "Downloaded", "Installing", "Installed"] },
    { id: "TC_044_2", what: "fails to download", ends: ["Downloading", "DownloadFailed"] },
    {
      id: "TC_044_3",
      what: "fails to install",
      ends: ["Downloading", "Downloaded", "Installing", "InstallationFailed"]
    }
  ]
  for (const { ends, id: tc, what } of updates) {
    it(`${tc} has a charger update its firmware, which it ${what}`, async () => {
      const { id, station } = await world.station()
      station.on("UpdateFirmware", {})
      expect(await world.command(id, "UpdateFirmware", { location, retrieveDate })).toMatchObject({
        status: "Accepted",
        result: {}
      })
      expect(station.asked("UpdateFirmware")).toEqual([{ location, retrieveDate }])
      for (const status of ends) expect(await station.call("FirmwareStatusNotification", { status })).toEqual({})
      const reports = await world.messages(id, "FirmwareStatusNotification")
      expect(JSON.stringify(reports)).toContain(ends.at(-1))
    })
  }

  it("TC_045_1 stores the diagnostics that a charger uploads to us", async () => {
    const { id, station } = await world.station()
    station.on("GetDiagnostics", { fileName: "diagnostics.tar.gz" })
    const command = await world.command(id, "GetDiagnostics")
    expect(command).toMatchObject({ status: "Accepted", result: { fileName: "diagnostics.tar.gz" } })
    const to = String(station.asked("GetDiagnostics")[0]?.["location"])
    expect(to).toContain("/files/up/")
    await station.call("DiagnosticsStatusNotification", { status: "Uploading" })
    const uploaded = await fetch(`${to.replace(/\/$/, "")}/diagnostics.tar.gz`, {
      method: "PUT",
      body: "what the charger knows"
    })
    expect(uploaded.status).toBeLessThan(300)
    await station.call("DiagnosticsStatusNotification", { status: "Uploaded" })
    const [file] = await world.items(`files?chargerId=${id}`)
    expect(file).toMatchObject({ kind: "Diagnostics", state: "Stored", size: 22 })
    const content = await world.rest.request("GET", `files/${String(file?.["id"])}/content`)
    expect(content).toEqual({ status: 200, text: "what the charger knows" })
    expect((await fetch(`${to.replace(/\/$/, "")}/again`, { method: "PUT", body: "x" })).status).toBeGreaterThanOrEqual(
      400
    )
  })

  it("TC_045_2 shows that an upload of diagnostics failed", async () => {
    const { id, station } = await world.station()
    station.on("GetDiagnostics", { fileName: "diagnostics.tar.gz" })
    await world.command(id, "GetDiagnostics")
    expect(await station.call("DiagnosticsStatusNotification", { status: "UploadFailed" })).toEqual({})
    expect(JSON.stringify(await world.messages(id, "DiagnosticsStatusNotification"))).toContain("UploadFailed")
    expect((await world.items(`files?chargerId=${id}`))[0]).toMatchObject({ state: "Waiting" })
  })
})
