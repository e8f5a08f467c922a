/**
 * Starts the service as its users do (the command of `npm start`, PostgreSQL by `DATABASE_URL`) and registers the fleet
 * through REST v2, as an operator would.
 */
import { Schema } from "effect"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Cluster } from "../measure/postgres.ts"
import { freePort } from "./port.ts"
import { projectFolder, startChild } from "./child.ts"
import type { FleetSize, Server } from "./server.ts"

const Manifest = Schema.fromJsonString(Schema.Struct({ scripts: Schema.Struct({ start: Schema.String }) }))

/** The binary itself rather than its launcher, whose memory would be counted too. */
const denoBinary = (): string => {
  const require = createRequire(import.meta.url)
  const name = `@deno/linux-${process.arch === "arm64" ? "arm64" : "x64"}-glibc/package.json`
  return join(dirname(require.resolve(name)), "deno")
}

/** The command of `npm start` (`node [flags] src/main.ts`), so that the flags under test are those of production. */
const startCommand = (deno: boolean): ReadonlyArray<string> => {
  const manifest = Schema.decodeSync(Manifest)(readFileSync(join(projectFolder, "package.json"), "utf8"))
  const [, ...args] = manifest.scripts.start.split(" ")
  if (!deno) return [process.execPath, ...args]
  return [denoBinary(), "run", "-A", ...args.filter((arg) => arg.endsWith(".ts"))]
}

const API_KEY = `bench${randomBytes(24).toString("hex")}`
const REQUESTS_AT_A_TIME = 16
/** The service requests a charger's configuration a few seconds after the boot, since many chargers cannot answer at once. */
const BOOT_SETTLE_MS = 8_000

export const post = async (base: string, path: string, body: object): Promise<unknown> => {
  const answer = await fetch(`${base}/cpo/v2/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": API_KEY },
    body: JSON.stringify(body)
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`POST ${path} was answered with ${answer.status}: ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

export const get = async (base: string, path: string): Promise<unknown> => {
  const answer = await fetch(`${base}/cpo/v2/${path}`, { headers: { "x-api-key": API_KEY } })
  if (!answer.ok) throw new Error(`GET ${path} was answered with ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

const inParallel = async (count: number, job: (i: number) => Promise<unknown>): Promise<void> => {
  let next = 0
  const worker = async () => {
    while (next < count) await job(next++)
  }
  await Promise.all(Array.from({ length: REQUESTS_AT_A_TIME }, worker))
}

const registerFleet = async (base: string, fleet: FleetSize): Promise<void> => {
  await post(base, "sites", { name: `Bench ${fleet.prefix}` })
  await inParallel(fleet.chargers, (i) => {
    const number = `${i}`.padStart(5, "0")
    const chargerId = `${fleet.prefix}-${number}`
    const password = fleet.passwords ? { password: `BenchPassword-${number}` } : {}
    return post(base, "chargers", { name: chargerId, chargerId, ...password })
  })
  await inParallel(fleet.cards, (i) => post(base, "tokens", { uid: `${fleet.prefix}T${`${i}`.padStart(5, "0")}` }))
}

export interface Voltlane extends Server {
  /** Base of its HTTP addresses. */
  readonly baseUrl: string
}

export const voltlane = async (
  cluster: Cluster,
  database: string,
  options: { readonly deno: boolean; readonly embedded: boolean; readonly dataFolder: string }
): Promise<Voltlane> => {
  const [databaseUrl, port] = [await cluster.createDatabase(database), await freePort()]
  const env = {
    HOST: "127.0.0.1",
    PORT: `${port}`,
    ENVIRONMENT: "PRODUCTION",
    ...(options.embedded ? {} : { DATABASE_URL: databaseUrl }),
    DATA_DIR: join(options.dataFolder, database),
    NODE_ID: "bench",
    SECRET_KEY: randomBytes(32).toString("hex"),
    BOOTSTRAP_OPERATOR_EMAIL: "bench@example.com",
    BOOTSTRAP_OPERATOR_PASSWORD: randomBytes(16).toString("hex"),
    BOOTSTRAP_API_KEY: API_KEY,
    // One key registers every charger of a run.
    API_REQUESTS_PER_MINUTE: "0",
    V1_ALLOW_HTTP: "true",
    BOOTSTRAP_COUNTRY_CODE: "NL",
    BOOTSTRAP_PARTY_ID: "VLT"
  }
  const baseUrl = `http://127.0.0.1:${port}`
  return {
    name: "ours",
    baseUrl,
    ocppUrl: `ws://127.0.0.1:${port}/ocpp`,
    database: options.embedded ? undefined : database,
    bootSettleMs: BOOT_SETTLE_MS,
    start: () => startChild(startCommand(options.deno), env, `${baseUrl}/readyz`, [200]),
    command: {
      url: `${baseUrl}/cpo/v2/chargers/{id}/commands?wait=30`,
      headers: { "content-type": "application/json", "x-api-key": API_KEY },
      body: JSON.stringify({ type: "TriggerMessage", requestedMessage: "Heartbeat" })
    },
    register: (fleet) => registerFleet(baseUrl, fleet)
  }
}
