/** `voltlane export` as its users run it: a process of its own, beside the service. */
import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { existsSync, mkdtempSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { Station } from "../cases/Station.ts"
import { World } from "../cases/World.ts"
import { until } from "../simulation/Wait.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "voltlane-export-"))
const underDeno = "Deno" in globalThis

const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resolve) => {
    const command = [...(underDeno ? ["run", "-A"] : []), main, "export", ...args]
    execFile(process.execPath, command, { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    )
  })

const world = new World()
const chargerId = `EXPORT-${randomUUID().slice(0, 8)}`
const here = () => ({ VOLTLANE_URL: world.rest.base, VOLTLANE_API_KEY: world.organisation.apiKey })

const post = async (path: string, body: unknown, method = "POST") => {
  const { status, text } = await world.rest.request(method, path, body)
  expect(status, text).toBeLessThan(300)
  return JSON.parse(text) as { readonly id: string }
}

const records = async () => {
  const { text } = await world.rest.request("GET", "cdrs")
  return (JSON.parse(text) as { readonly items: ReadonlyArray<{ readonly number: number }> }).items
}

beforeAll(async () => {
  await post("sites", { name: "Export" })
  await post("chargers", { name: "Export", chargerId })
  // A quote in a value does not break the CSV.
  await post("tokens", { uid: 'A"B' })
  const elements = [{ priceComponents: [{ type: "ENERGY", price: 0.5, stepSize: 1 }] }]
  const { id } = await post("tariffs", { currency: "EUR", elements })
  await post(`tariffs/${id}/assignments`, { default: true }, "PUT")
  const station = new Station(world.service.ocppUrl, chargerId)
  await station.connect()
  await station.boot()
  for (let n = 1; n <= 3; n++) {
    const timestamp = new Date(Date.UTC(2026, 9, n)).toISOString()
    const started = await station.start(1, 'A"B', { meterStart: 0, timestamp })
    await station.stop(started.id, { meterStop: n * 1000, timestamp: new Date(Date.UTC(2026, 9, n, 1)).toISOString() })
  }
  await station.close()
  await until(
    () => "all are billed",
    30_000,
    async () => (await records()).length === 3
  )
})

describe("an export", () => {
  it.each(["cdrs.csv", "cdrs.jsonl"])("over REST has the file name %s", async (name) => {
    const answer = await fetch(`${world.rest.base}/cpo/v2/exports/${name}`, {
      headers: { "x-api-key": world.organisation.apiKey }
    })
    await answer.body?.cancel()
    expect([answer.status, answer.headers.get("content-disposition")]).toEqual([200, `attachment; filename="${name}"`])
  })

  it("writes all records as JSON lines, and says how many", async () => {
    const file = join(folder, "cdrs.jsonl")
    const { code, stderr } = await run([file], here())
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^3 of 3 records \(100 %\), \d+\/s, in .*cdrs\.jsonl\n$/)])
    const lines = readFileSync(file, "utf8").trimEnd().split("\n")
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(await records())
    expect(existsSync(`${file}.part`)).toBe(false)
  })

  it("writes the matching records as CSV, to the standard output if requested", async () => {
    const from = "2026-10-02T00:00:00Z"
    const { code, stderr, stdout } = await run(
      ["-", "--format", "csv", "--from", from, "--charger", chargerId, "--token", 'a"b'],
      here()
    )
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^2 records, \d+\/s, in the standard output\n$/)])
    expect(stdout.split("\r\n").map((line) => line.split(",")[0])).toEqual(["number", "3", "2", ""])
    expect(stdout).toContain('"A""B"')
  })

  it.each([
    ["an unknown key", 1, ["x.csv"], { VOLTLANE_API_KEY: "vl_wrong" }, "the service does not know the key"],
    ["no service", 1, ["x.csv"], { VOLTLANE_URL: "http://127.0.0.1:1" }, "no service answers at http://127.0.0.1:1"],
    ["an unknown format", 2, ["x.pdf"], {}, "the format of x.pdf is unknown"],
    ["an invalid time", 1, ["x.csv", "--from", "yesterday"], {}, "/from"],
    ["an unknown option", 2, ["x.csv", "--since", "1"], {}, "--since"]
  ])("ends with one line about %s, and leaves no file", async (_, ended, args, env, why) => {
    const { code, stderr } = await run(
      args.map((arg) => arg.replace(/^x/, join(folder, "x"))),
      { ...here(), ...env }
    )
    expect(code).toBe(ended)
    expect(stderr).toMatch(/^voltlane: .+\n$/)
    expect(stderr.replaceAll(folder + "/", "")).toContain(why)
    expect([existsSync(join(folder, "x.csv")), existsSync(join(folder, "x.csv.part"))]).toEqual([false, false])
  })

  it("that breaks off leaves no partial file", async () => {
    const broken = createServer((request, response) => {
      if (!request.url?.includes("export")) return response.end('{"items":[{"number":5}]}')
      return response.write("number,id\r\n5,a\r\n", () => response.destroy())
    })
    await new Promise<void>((resolve) => broken.listen(0, "127.0.0.1", resolve))
    const { port } = broken.address() as { readonly port: number }
    const file = join(folder, "half.csv")
    const { code, stderr } = await run([file], { ...here(), VOLTLANE_URL: `http://127.0.0.1:${port}` })
    broken.close()
    expect([code, stderr]).toEqual([1, expect.stringContaining("failed after 1 records")])
    expect([existsSync(file), existsSync(`${file}.part`)]).toEqual([false, false])
  })
})
