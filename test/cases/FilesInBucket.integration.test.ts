/** Files whose contents are in an S3-compatible bucket: only how they are stored may differ. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { S3Server } from "../support/s3Server.ts"
import { World } from "./World.ts"

const server = await new S3Server().start()
afterAll(() => server[Symbol.asyncDispose]())

const world = new World({
  // With another host name than the service's own, as used when chargers do not trust its certificate.
  FILES_URL: "http://files.invalid:9000/",
  FILES_S3_ENDPOINT: server.endpoint,
  FILES_S3_BUCKET: server.bucket,
  FILES_S3_REGION: server.key.region,
  FILES_S3_ACCESS_KEY_ID: server.key.accessKeyId,
  FILES_S3_SECRET_ACCESS_KEY: server.key.secretAccessKey
})

const ours = (url: unknown): string => {
  const [, path] = /^http:\/\/files\.invalid:9000(\/files\/.*)$/.exec(String(url)) ?? []
  if (path === undefined) throw new Error(`a charger was sent to ${String(url)}`)
  return `${world.service.url}${path}`
}
const headers = () => ({ "x-api-key": world.organisation.apiKey, "content-type": "application/octet-stream" })
const image = Buffer.from(Array.from({ length: 150_000 }, (_, i) => (i * 11 + (i >> 7)) % 256))

it("accepts diagnostics as a form, returns them, and removes them", async () => {
  const { id, station } = await world.station()
  station.on("GetDiagnostics", { fileName: "d.tgz" })
  const command = await world.command(id, "GetDiagnostics")
  const form = new FormData()
  form.set("file", new File([image], "d.tgz"))
  const url = ours(station.asked("GetDiagnostics")[0]?.["location"])
  expect((await fetch(url, { method: "POST", body: form })).status).toBe(201)
  expect([...server.objects.values()].map((object) => object.equals(image))).toEqual([true])

  const path = `files/${String(command["fileId"])}`
  expect(await world.get(path)).toMatchObject({ state: "Stored", size: image.length, name: "d.tgz" })
  const content = await fetch(`${world.service.url}/cpo/v2/${path}/content`, { headers: headers() })
  expect(Buffer.from(await content.arrayBuffer()).equals(image)).toBe(true)
  await world.ask("DELETE", path, undefined, 204)
  expect(server.objects.size).toBe(0)
  expect(readdirSync(join(world.service.dataDir, "files"))).toEqual([])
})

it("serves a charger its firmware in parts", async () => {
  const stored = await fetch(`${world.service.url}/cpo/v2/files?name=image.bin`, {
    method: "POST",
    headers: headers(),
    body: image
  })
  const { id: fileId } = (await stored.json()) as { readonly id: string }
  const { id, station } = await world.station()
  station.on("UpdateFirmware", {})
  await world.command(id, "UpdateFirmware", { fileId, retrieveDate: "2026-01-01T00:00:00Z" })
  const url = ours(station.asked("UpdateFirmware")[0]?.["location"])
  const parts = await Promise.all(
    ["bytes=0-99999", "bytes=100000-"].map(async (range) => {
      const answer = await fetch(url, { headers: { range } })
      expect(answer.status).toBe(206)
      return Buffer.from(await answer.arrayBuffer())
    })
  )
  expect(Buffer.concat(parts).equals(image)).toBe(true)
})

it("asks the charger to retry while the bucket refuses, and accepts the file then", async () => {
  const { id, station } = await world.station()
  station.on("GetLog", { status: "Accepted", filename: "l.txt" })
  const command = await world.command(id, "GetLog", { logType: "SecurityLog" })
  const log = station.asked("GetLog")[0]?.["log"] as { readonly remoteLocation: string }
  const put = () => fetch(`${ours(log.remoteLocation)}/l.txt`, { method: "PUT", body: "the log" })
  server.failures.push(403)
  const refused = await put()
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"])
  expect(await world.get(`files/${String(command["fileId"])}`)).toMatchObject({ state: "Waiting", size: 0 })
  expect((await put()).status).toBe(201)
})
