/** What a start and a stop write to the log. */
import { chmodSync, globSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { unreachable } from "../../src/main/Banner.ts"
import { freePort } from "../../bench/servers/port.ts"
import { Service } from "../simulation/Process.ts"
import { until } from "../simulation/Wait.ts"
import { fastDirectory } from "../support/fastDirectory.ts"
import { openToOthers } from "../support/modes.ts"
import { plant } from "../support/seed.ts"
import { raw, upgradeRequest } from "../ocpp/server/client.ts"

/** Level and message of each line of the log about a start or a stop. */
const startStopLines = (output: string): ReadonlyArray<string> =>
  output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { readonly level: string; readonly message: string })
    .map(({ level, message }) => `${level} ${message.split(":", 1)[0]}`)
    .filter((line) => /ready|stop|HOST/.test(line))

/** A service that has logged that it is ready, which it does a moment after it answers. */
const ready = async (env: Readonly<Record<string, string>>, dataDir?: string) => {
  const service = await Service.start({ env, dataDir })
  await until(
    () => `it says that it is ready:\n${service.life.output}`,
    30_000,
    () => startStopLines(service.life.output).includes("INFO ready")
  )
  return service
}

/** The names of all metrics in the sources. Durations of calls are omitted, since they appear with the actions that were called. */
const named = (): ReadonlyArray<string> =>
  globSync("src/**/*.ts")
    .flatMap((path) => [...readFileSync(path, "utf8").matchAll(/(?:counter|gauge|histogram)\(\s*"(\w+)"/g)])
    .map(([, name = ""]) => name)
    .filter((name) => name !== "ocpp_call_duration_seconds")

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status

describe("a first start without a terminal, in a directory that other users can read", () => {
  let service: Service
  let metricsUrl = ""
  const dataDir = fastDirectory()
  beforeAll(async () => {
    await plant(dataDir)
    chmodSync(dataDir, 0o755)
    chmodSync(join(dataDir, "database", "PG_VERSION"), 0o666)
    const metricsPort = await freePort()
    metricsUrl = `http://127.0.0.1:${metricsPort}`
    const nothingGiven = { BOOTSTRAP_API_KEY: "", BOOTSTRAP_V1_CLIENT_ID: "", BOOTSTRAP_V1_CODE: "" }
    service = await ready({ ...nothingGiven, METRICS_PORT: String(metricsPort) }, dataDir)
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it("writes its keys to a file, and not to the log", async () => {
    const keys = readFileSync(join(dataDir, "first-start"), "utf8")
    const [, key = "", code = ""] = /^KEY=(.+)\nCLIENT=.+\nCODE=(.+)$/m.exec(keys) ?? []
    expect(key).toMatch(/^vl_/)
    const asked = await fetch(`${service.url}/cpo/v2/sites`, { headers: { "x-api-key": key } })
    expect([asked.status, code.length]).toEqual([200, 43])
    for (const secret of [key, code]) expect(service.life.output).not.toContain(secret)
    expect(service.life.output).toContain(`security: the first keys are in ${join(dataDir, "first-start")}`)
  })

  it("closes the directory to others, and says so", () => {
    expect(service.life.output).toContain("security: DATA_DIR could be read by other users")
    expect(openToOthers(dataDir)).toEqual([])
  })

  it("explains the charger address to a browser, whether or not the charger exists", async () => {
    for (const path of ["/ocpp", "/ocpp/", "/ocpp/NO-SUCH", "//ocpp16/NO-SUCH/"]) {
      const answer = await fetch(`${service.url}${path}`)
      expect([answer.status, answer.headers.get("upgrade")], path).toEqual([426, "websocket"])
      const text = await answer.text()
      expect(text).toMatch(
        /^This address is for charging stations.*ws:\/\/localhost:\d+\/ocpp\/\{chargerId\}.*\/cpo\/docs\.\n$/
      )
    }
  })

  it("says what is missing in a charger's request without Connection: Upgrade", async () => {
    const answer = await raw(Number(new URL(service.url).port), upgradeRequest("/ocpp/CP-1", { Connection: "close" }))
    expect(answer).toMatch(/^HTTP\/1\.1 426 [^]*has the header Upgrade, but not Connection: Upgrade/)
  })

  it("shows every metric from the beginning, and only at the configured port", async () => {
    const metrics = await (await fetch(`${metricsUrl}/metrics`)).text()
    const begun = new Set([...metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name))
    expect(named().length).toBeGreaterThan(30)
    expect(named().filter((name) => !begun.has(name))).toEqual([])
    for (const line of [
      'ocpp_auth_failures_total{reason="wrong"} 0',
      'subscription_deliveries_total{kind="webhook",object="event",result="Failed"} 0',
      'journal_failed_commits_total{reason="down"} 0',
      "database_pool_connections_max 1",
      "charger_actor_defects_total 0"
    ]) {
      expect(metrics).toContain(`${line}\n`)
    }
    expect(metrics).toMatch(/^voltlane_build_info\{.*version="\d+\.\d+\.\d+".*\} 1$/m)
    expect(await statusOf(`${service.url}/metrics`)).toBe(404)
    expect(await statusOf(`${metricsUrl}/readyz`)).toBe(404)
    expect(service.life.output).toContain(`metrics at ${metricsUrl}/metrics`)
  })

  it("logs once that it stops and once that it has stopped, and leaves no file that others can read", async () => {
    expect(startStopLines(service.life.output)).toEqual(["INFO ready"])
    const { code } = await service.kill("SIGTERM")
    expect([code, ...startStopLines(service.life.output)]).toEqual([0, "INFO ready", "INFO stopping", "INFO stopped"])
    expect(openToOthers(dataDir)).toEqual([])
  })
})

it("warns once if chargers are sent an address that they cannot reach", async () => {
  await using service = await ready({ HOST: "0.0.0.0", METRICS_PORT: "off" })
  expect(await statusOf(`${service.url}/metrics`)).toBe(404)
  expect(startStopLines(service.life.output)).toEqual([
    "WARN HOST is 0.0.0.0, but chargers and links get http",
    "INFO ready"
  ])
  expect(service.life.output).toContain(
    `http://localhost:${service.port}, which refers to their own machine: set PUBLIC_URL`
  )
})

it.each([
  ["0.0.0.0", "http://localhost:8080", true],
  ["::", "https://[::1]:8443", true],
  ["192.0.2.1", "http://127.0.0.1", true],
  ["0.0.0.0", "https://cpo.example", false],
  ["127.0.0.1", "http://localhost:8080", false],
  ["::1", "http://localhost:8080", false],
  ["localhost", "http://localhost:8080", false],
  ["0.0.0.0", "https://127.0.0.1.example", false]
])("warns with HOST %s and PUBLIC_URL %s: %s", (host, publicUrl, isWrong) => {
  expect(unreachable(host, publicUrl) !== undefined).toBe(isWrong)
})
