/** Files over real HTTP: firmware that a station downloads, in parts, and its uploads, as a body and as a form. */
import { createHash } from "node:crypto"
import { readdirSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { World } from "./World.ts"

const world = new World()
type Json = Readonly<Record<string, unknown>>

const retrieveDate = "2026-01-01T00:00:00.000Z"
const image = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7 + (i >> 8)) % 256))
const sha256 = createHash("sha256").update(image).digest("hex")

const storing = async (
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  name = "image-2.1.bin"
) => {
  const answer = await fetch(`${world.service.url}/cpo/v2/files?name=${name}`, {
    method: "POST",
    headers: { "x-api-key": world.organisation.apiKey, "content-type": "application/octet-stream", ...headers },
    body
  })
  return { status: answer.status, location: answer.headers.get("location"), json: (await answer.json()) as Json }
}

/** A station that was sent an update with a stored image, and the URL that it was given. */
const updating = async () => {
  const stored = await storing(image)
  const fileId = String(stored.json["id"])
  const { id, station } = await world.station()
  station.on("UpdateFirmware", {})
  const command = await world.command(id, "UpdateFirmware", { fileId, retrieveDate })
  const url = String(station.asked("UpdateFirmware")[0]?.["location"]).replace(
    /^http:\/\/localhost:\d+/,
    world.service.url
  )
  return { id, station, fileId, command, url }
}

const contents = () => readdirSync(join(world.service.dataDir, "files"))

describe("stored firmware", () => {
  it("is stored unchanged, with its hash", async () => {
    const { json, location, status } = await storing(image)
    expect(status).toBe(201)
    expect(json).toMatchObject({ kind: "Firmware", name: "image-2.1.bin", state: "Stored", size: image.length, sha256 })
    expect(json).toMatchObject({ chargerId: null, commandId: null, progress: null, receivedBytes: image.length })
    expect(location).toMatch(new RegExp(`/cpo/v2/files/${String(json["id"])}$`))
    expect((await world.get(`files/${String(json["id"])}`))["sha256"]).toBe(sha256)
    const listed = await world.items("files?kind=Firmware")
    expect(listed.map((file) => file["id"])).toContain(json["id"])
    expect((await world.items("audit-log?limit=5")).map((entry) => entry["action"])).toContain("FirmwareStored")
  })

  it("is refused if empty, as JSON, with a path as its name, or without permission", async () => {
    expect(await storing("")).toMatchObject({ status: 400 })
    expect(await storing("{}", { "content-type": "application/json" })).toMatchObject({ status: 415 })
    expect(await storing(image, {}, "..%2Fimage")).toMatchObject({ status: 400 })
    expect(await storing(image, { "x-api-key": "vl_none" })).toMatchObject({ status: 401 })
    const reader = await world.post("api-keys", { name: "reader", permissions: ["chargers:read"] })
    expect(await storing(image, { "x-api-key": String(reader["key"]) })).toMatchObject({
      status: 403,
      json: { requiredPermissions: ["chargers:write"] }
    })
    expect((await world.items("files?kind=Firmware")).filter((file) => file["state"] === "Waiting")).toEqual([])
  })

  it("is stored once for one Idempotency-Key", async () => {
    const key = { "idempotency-key": "the same image" }
    const first = await storing(image, key)
    expect(await storing(image, key)).toEqual(first)
    expect(await storing(image.subarray(1), key)).toMatchObject({
      status: 409,
      json: { code: "idempotency_key_reused" }
    })
  })

  it("is served to a charger at a URL of its own, whole or in parts", async () => {
    const { command, fileId, url } = await updating()
    expect(url).toMatch(/\/files\/down\/[\w-]{32}\/image-2\.1\.bin$/)
    expect(command).toMatchObject({ status: "Accepted", fileId, parameters: { fileId } })

    const head = await fetch(url, { method: "HEAD" })
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(image.length)])
    expect(head.headers.get("accept-ranges")).toBe("bytes")
    const etag = String(head.headers.get("etag"))

    const broken = await fetch(url, { headers: { range: "bytes=0-99999" } })
    expect([broken.status, broken.headers.get("content-range")]).toEqual([206, `bytes 0-99999/${image.length}`])
    const first = Buffer.from(await broken.arrayBuffer())
    const resumed = await fetch(url, { headers: { range: `bytes=${first.length}-`, "if-range": etag } })
    expect([resumed.status, resumed.headers.get("content-length")]).toEqual([206, "200000"])
    const rest = Buffer.from(await resumed.arrayBuffer())
    expect(createHash("sha256").update(first).update(rest).digest("hex")).toBe(sha256)

    const tail = await fetch(url, { headers: { range: "bytes=-5" } })
    expect(Buffer.from(await tail.arrayBuffer())).toEqual(image.subarray(-5))
    const beyond = await fetch(url, { headers: { range: "bytes=300000-" } })
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${image.length}`])
    const another = await fetch(url, { headers: { range: "bytes=5-", "if-range": '"other"' } })
    expect(another.status).toBe(200)
    expect(Buffer.from(await another.arrayBuffer())).toEqual(image)
  })

  it("has a secret in its URL that is masked in logs, lists and records", async () => {
    const { id, url } = await updating()
    const token = String(/down\/([\w-]+)/.exec(url)?.[1])
    const shown = [
      await world.messages(id, "UpdateFirmware"),
      await world.items("audit-log?limit=20"),
      await world.items(`chargers/${id}/commands`)
    ]
    expect(JSON.stringify(shown)).toContain("/files/down/***")
    expect(JSON.stringify(shown)).not.toContain(token)
  })

  it("is no longer served to any charger once it is removed", async () => {
    const { fileId, url } = await updating()
    const before = contents().length
    await world.ask("DELETE", `files/${fileId}`, undefined, 204)
    expect((await fetch(url)).status).toBe(404)
    expect(contents().length).toBe(before - 1)
    await world.ask("GET", `files/${fileId}`, undefined, 404)
    expect((await fetch(url.replace(/down\/[\w-]+/, "down/unknown-token"))).status).toBe(404)
  })

  it("must be an existing firmware image", async () => {
    const { id, station } = await world.station()
    station.on("GetDiagnostics", { fileName: "d.tgz" })
    const { fileId } = (await world.command(id, "GetDiagnostics")) as Json
    const update = { type: "UpdateFirmware", retrieveDate }
    expect(await world.post(`chargers/${id}/commands`, { ...update, fileId }, 409)).toMatchObject({
      code: "no_firmware"
    })
    const unknownId = "01970000-0000-7000-8000-000000000000"
    await world.post(`chargers/${id}/commands`, { ...update, fileId: unknownId }, 404)
  })
})

/** A station that was asked for its diagnostics, and the URL for its upload. */
const diagnosing = async (more: Json = {}) => {
  const { id, station } = await world.station()
  station.on("GetDiagnostics", { fileName: "diagnostics.tar.gz" })
  const command = (await world.command(id, "GetDiagnostics", more)) as Json
  const fileId = String(command["fileId"])
  const location = String(station.asked("GetDiagnostics")[0]?.["location"])
  return { id, station, command, fileId, url: location.replace(/^http:\/\/localhost:\d+/, world.service.url) }
}

const stored = async (fileId: string) =>
  Buffer.from(
    await (
      await fetch(`${world.service.url}/cpo/v2/files/${fileId}/content`, {
        headers: { "x-api-key": world.organisation.apiKey }
      })
    ).arrayBuffer()
  )

describe("an upload as the body alone", () => {
  it("has the name from the charger's answer, without characters that file names cannot have", async () => {
    const { fileId, station, url } = await diagnosing()
    expect(await world.get(`files/${fileId}`)).toMatchObject({ state: "Waiting", name: "diagnostics.tar.gz" })
    expect((await fetch(url, { method: "PUT", body: "x" })).status).toBe(201)
    expect(await world.get(`files/${fileId}`)).toMatchObject({ state: "Stored", name: "diagnostics.tar.gz" })
    await station.close()

    const { id, station: another } = await world.station()
    another.on("GetLog", { status: "Accepted", filename: "../a/<b>.log" })
    const log = (await world.command(id, "GetLog", { logType: "SecurityLog" })) as Json
    expect(await world.get(`files/${String(log["fileId"])}`)).toMatchObject({ name: ".._a__b_.log" })
    const silent = await world.station()
    silent.station.on("GetDiagnostics", {})
    const nameless = (await world.command(silent.id, "GetDiagnostics")) as Json
    expect(await world.get(`files/${String(nameless["fileId"])}`)).toMatchObject({ name: "" })
  })
})

describe("an upload as a form", () => {
  const form = (parts: Readonly<Record<string, string | File>>) => {
    const made = new FormData()
    for (const [key, value] of Object.entries(parts)) made.set(key, value)
    return made
  }

  it("stores the form's first file under its name in the form", async () => {
    const { fileId, url } = await diagnosing()
    const body = form({ serial: "SN-1", file: new File([image], "diag 1.tgz"), other: new File(["x"], "other.txt") })
    expect((await fetch(url, { method: "POST", body })).status).toBe(201)
    expect(await world.get(`files/${fileId}`)).toMatchObject({ name: "diag 1.tgz", size: image.length, sha256 })
    expect(await stored(fileId)).toEqual(image)
    expect((await fetch(url, { method: "POST", body })).status).toBe(409)
  })

  it("is refused without a file, and may be repeated after it broke off", async () => {
    const { fileId, url } = await diagnosing()
    expect((await fetch(url, { method: "POST", body: form({ serial: "SN-1" }) })).status).toBe(413)
    const headers = { "content-type": "multipart/form-data; boundary=cut" }
    const begun = '--cut\r\nContent-Disposition: form-data; name="f"; filename="f.log"\r\n\r\nonly the begin'
    expect((await fetch(url, { method: "POST", headers, body: begun })).status).toBe(413)
    const noBoundary = { "content-type": "multipart/form-data; charset=utf-8" }
    expect((await fetch(url, { method: "POST", headers: noBoundary, body: begun })).status).toBe(413)
    expect(await world.get(`files/${fileId}`)).toMatchObject({ state: "Waiting", size: 0, receivedBytes: 0 })
    expect(contents().filter((name) => name.endsWith(".part"))).toEqual([])
    // In two pieces: the second has the form's last line, which has no line break.
    const pieces = ReadableStream.from(
      [`${begun}ning`, "\r\n--cut", "--"].map((text) => new TextEncoder().encode(text))
    )
    const whole = { method: "POST", headers, body: pieces, duplex: "half" }
    expect((await fetch(url, whole as RequestInit)).status).toBe(201)
    expect((await stored(fileId)).toString()).toBe("only the beginning")
  })
})

describe("progress", () => {
  it("is the charger's last report, at the file and at the command that requested it", async () => {
    const { command, fileId, id, station, url } = await diagnosing()
    expect(await world.get(`files/${fileId}`)).toMatchObject({ commandId: command["id"], progress: null })
    await station.call("DiagnosticsStatusNotification", { status: "Uploading" })
    const uploading = await world.get(`files/${fileId}`)
    expect(uploading).toMatchObject({ state: "Waiting", progress: { status: "Uploading" } })
    expect((await fetch(`${url}/d.tgz`, { method: "PUT", body: image })).status).toBe(201)
    await station.call("DiagnosticsStatusNotification", { status: "Uploaded" })
    // With Idle a charger reports that it does nothing now; that is not about this file.
    await station.call("DiagnosticsStatusNotification", { status: "Idle" })
    const [file] = await world.items(`files?chargerId=${id}`)
    expect(file).toMatchObject({ state: "Stored", progress: { status: "Uploaded" }, commandId: command["id"] })
    expect(file).toMatchObject({ progress: { at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) } })
    expect(await world.get(`commands/${String(command["id"])}`)).toMatchObject({
      fileId,
      progress: { status: "Uploaded" }
    })
  })

  it("belongs to the request that the charger names, or to the newest one", async () => {
    const { id, station } = await world.station()
    const answer = { status: "Accepted", filename: "log.txt" }
    station.on("GetLog", answer).on("SignedUpdateFirmware", { status: "Accepted" }).on("UpdateFirmware", {})
    const log = { logType: "SecurityLog" }
    const first = await world.command(id, "GetLog", { ...log, requestId: 71 })
    const second = await world.command(id, "GetLog", { ...log, requestId: 72 })
    await station.call("LogStatusNotification", { status: "Uploading", requestId: 72 })
    await station.call("LogStatusNotification", { status: "UploadFailure", requestId: 71 })
    const progressOf = async (command: Json) => (await world.get(`commands/${String(command["id"])}`))["progress"]
    expect(await progressOf(first)).toMatchObject({ status: "UploadFailure" })
    expect(await progressOf(second)).toMatchObject({ status: "Uploading" })

    // From another server: only the charger's reports show the progress.
    const location = "ftp://user:secret@files.example.com/image.bin"
    const update = await world.command(id, "UpdateFirmware", { location, retrieveDate })
    await station.call("FirmwareStatusNotification", { status: "Downloading" })
    await station.call("FirmwareStatusNotification", { status: "DownloadFailed" })
    expect(await progressOf(update)).toMatchObject({ status: "DownloadFailed" })
    const commands = await world.items(`chargers/${id}/commands`)
    const logged = [await world.messages(id, "UpdateFirmware"), await world.items("audit-log?limit=20")]
    expect(commands[0]).toMatchObject({ parameters: { location: "ftp://user:***@files.example.com/image.bin" } })
    expect(JSON.stringify([commands, logged])).not.toContain("user:secret")
    expect(station.asked("UpdateFirmware")).toEqual([{ location, retrieveDate }])
    expect(await progressOf(second)).toMatchObject({ status: "Uploading" })
  })

  it("of an image is separate for each charger", async () => {
    const { command, fileId, station } = await updating()
    await station.call("FirmwareStatusNotification", { status: "Installed" })
    const other = await world.station()
    other.station.on("SignedUpdateFirmware", { status: "Accepted" })
    const signed = await world.command(other.id, "SignedUpdateFirmware", {
      fileId,
      requestId: 5,
      firmware: { retrieveDateTime: retrieveDate, signingCertificate: "PEM", signature: "c2lnbmVk" }
    })
    await other.station.call("SignedFirmwareStatusNotification", { status: "InvalidSignature", requestId: 5 })
    const sent = await world.items(`commands?fileId=${fileId}`)
    expect(sent.map((one) => [one["id"], (one["progress"] as Json)["status"]])).toEqual([
      [signed.id, "InvalidSignature"],
      [command.id, "Installed"]
    ])
    expect(await world.get(`files/${fileId}`)).toMatchObject({ commandId: null, progress: null })
  })

  it("counts the bytes of an upload while it runs, and forgets one that breaks off", async () => {
    const { fileId, url } = await diagnosing()
    const upload = request(`${url}/d.tgz`, { method: "PUT", headers: { "content-length": image.length } })
    upload.on("error", () => undefined)
    upload.write(image.subarray(0, 100_000))
    await world.eventually("bytes are counted", `files/${fileId}`, (file) => file["receivedBytes"] === 100_000)
    upload.destroy()
    await world.eventually("it is forgotten", `files/${fileId}`, (file) => file["receivedBytes"] === 0)
    expect(await world.get(`files/${fileId}`)).toMatchObject({ state: "Waiting", size: 0 })
    await world.eventually(
      "nothing is left",
      `files/${fileId}`,
      () => !contents().some((name) => name.endsWith(".part"))
    )
    expect((await fetch(`${url}/d.tgz`, { method: "PUT", body: image })).status).toBe(201)
    expect(await world.get(`files/${fileId}`)).toMatchObject({ state: "Stored", receivedBytes: image.length, sha256 })
  })
})

/** An upload that declares `length` bytes and sends the first of them; returns its answer, and how to break it off. */
const beginning = (url: string, method: string, length: number, headers: Record<string, string> = {}) => {
  const upload = request(url, { method, headers: { ...headers, "content-length": length } })
  const answer = new Promise<{ readonly status: number; readonly code?: string }>((resolve) => {
    upload.on("error", () => resolve({ status: 0 }))
    upload.on("response", (response) => {
      let text = ""
      response.on("data", (part: Buffer) => (text += String(part)))
      response.on("close", () => upload.destroy())
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, ...(text.startsWith("{") && { code: JSON.parse(text).code }) })
      )
    })
  })
  upload.write("x")
  return { answer, end: () => upload.destroy() }
}

describe("simultaneous uploads", () => {
  const toUs = () => `${world.service.url}/cpo/v2/files?name=large.bin`
  const asBytes = () => ({ "x-api-key": world.organisation.apiKey, "content-type": "application/octet-stream" })
  const gauge = async (name: string) =>
    Number((await (await fetch(`${world.service.url}/metrics`)).text()).match(new RegExp(`^${name} (\\d+)$`, "m"))?.[1])
  const until = async (done: () => Promise<boolean>) => {
    while (!(await done())) await new Promise((resume) => setTimeout(resume, 50))
  }

  it("are refused by their declared length, before their content is read", async () => {
    const { url } = await diagnosing()
    const tooLarge = 256 * 1024 * 1024 + 1
    expect((await beginning(`${url}/d.tgz`, "PUT", tooLarge).answer).status).toBe(413)
    expect((await beginning(toUs(), "POST", tooLarge, asBytes()).answer).status).toBe(413)
  })

  it("are limited to one for each URL, of which the newest continues", async () => {
    const { fileId, url } = await diagnosing()
    const older = beginning(`${url}/d.tgz`, "PUT", image.length)
    await world.eventually("it runs", `files/${fileId}`, (file) => file["receivedBytes"] === 1)
    expect((await fetch(`${url}/d.tgz`, { method: "PUT", body: image })).status).toBe(201)
    expect((await older.answer).status).toBe(409)
    expect((await stored(fileId)).equals(image)).toBe(true)
  })

  it("are limited to four for each organisation; the fifth may be repeated with its Idempotency-Key", async () => {
    const running = Array.from({ length: 4 }, () => beginning(toUs(), "POST", image.length, asBytes()))
    await until(async () => (await gauge("file_uploads_running")) === 4)
    const key = { "idempotency-key": "the fifth" }
    expect(await storing(image, key)).toMatchObject({ status: 429, json: { code: "uploads_at_once" } })
    // The text of the metrics is made once a second.
    await until(async () => (await gauge('file_uploads_refused_total{reason="busy"}')) === 1)
    const { url } = await diagnosing()
    const refused = await fetch(`${url}/d.tgz`, { method: "PUT", body: image })
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"])
    for (const { end } of running) end()
    await until(async () => (await gauge("file_uploads_running")) === 0)
    expect(await storing(image, key)).toMatchObject({ status: 201 })
    expect((await fetch(`${url}/d.tgz`, { method: "PUT", body: image })).status).toBe(201)
  })
})

describe("a process that is killed", () => {
  it("forgets the running upload, which may be repeated, and keeps stored files", async () => {
    const kept = await storing(image)
    const { fileId, url } = await diagnosing()
    const upload = request(`${url}/d.tgz`, { method: "PUT", headers: { "content-length": image.length } })
    upload.on("error", () => undefined)
    upload.write(image.subarray(0, 100_000))
    await world.eventually("bytes are counted", `files/${fileId}`, (file) => file["receivedBytes"] === 100_000)
    await world.service.kill("SIGKILL")
    await world.service.restart()
    expect(await world.get(`files/${fileId}`)).toMatchObject({ state: "Waiting", receivedBytes: 0 })
    expect((await stored(String(kept.json["id"]))).equals(image)).toBe(true)
    expect((await fetch(`${url}/d.tgz`, { method: "PUT", body: image })).status).toBe(201)
    expect((await stored(fileId)).equals(image)).toBe(true)
  })
})
