/**
 * A client that a public generator makes from the OpenAPI document is used without casts: requests and answers are typed to the last field. The
 * program is type-checked, and so are programs that must not compile.
 */
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { generateSource } from "oazapfts"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openApiDocument } from "../../../src/http/v2/OpenApiDocument.ts"

const run = promisify(execFile)

let folder: string
let source: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "client-"))
  await writeFile(join(folder, "openapi.json"), JSON.stringify(openApiDocument("https://cpo.example")))
  source = await generateSource(join(folder, "openapi.json"), { argumentStyle: "object", useUnknown: true })
  await writeFile(join(folder, "client.ts"), source)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The compiler's errors for a program that uses the client. */
const complaints = async (program: string): Promise<string> => {
  await writeFile(join(folder, "program.ts"), program)
  const config = {
    compilerOptions: {
      strict: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      skipLibCheck: true,
      target: "ES2024",
      module: "Preserve",
      lib: ["ES2024", "DOM", "DOM.Iterable"],
      types: [],
      paths: {
        "@oazapfts/runtime": [resolve("node_modules/@oazapfts/runtime")],
        "@oazapfts/runtime/*": [resolve("node_modules/@oazapfts/runtime/*")]
      }
    },
    files: ["program.ts"]
  }
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config))
  const done = await run(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", folder]).catch(
    (error: { readonly stdout: string }) => error
  )
  return done.stdout
}

const program = `
import * as api from "./client"

const never = (value: never): never => { throw new Error(String(value)) }

/** Energy and cost of a site's sessions; every field is used with its type. */
export const energy = async (siteId: string): Promise<{ kWh: number; cost: number; held: Array<string> }> => {
  const page = await api.sessionsList({ siteId, status: "COMPLETED", $from: "2026-11-01T00:00:00Z" })
  if (page.status !== 200) throw new Error(page.data.code + ": " + page.data.detail)
  const held: Array<string> = []
  let kWh = 0
  let cost = 0
  for (const session of page.data.items) {
    kWh += session.energyWh / 1000
    cost += session.cost?.inclVat ?? 0
    if (session.heldReason !== null) held.push(session.heldReason.toUpperCase())
    const ended: string | null = session.endedAt
    const parked = session.periods.filter(({ charging }) => !charging).length
    if (ended === null && parked > 0) held.push(session.id)
  }
  const next: string | null = page.data.nextCursor
  if (next !== null) await api.sessionsList({ siteId, cursor: next })
  return { kWh, cost, held }
}

/** An event by its type: the union narrows without a cast. */
export const eventText = (event: api.Event): string => {
  switch (event.type) {
    case "session.ended":
      return String(event.data.energyWh ?? 0)
    case "cdr.issued":
      return event.data.currency + event.data.totalCost.inclVat.toFixed(2)
    case "connector.status":
      return event.data.chargerId + event.data.connectorId.toFixed(0) + (event.data.errorCode ?? "")
    default:
      return event.at
  }
}

export const make = async (): Promise<string> => {
  const site = await api.sitesCreate({ newSite: { name: "Utrecht", latitude: 52.1, longitude: 5.1, parkingType: null } })
  if (site.status !== 200) return "no site"
  const charger = await api.chargersCreate({
    newCharger: { chargerId: "CP-7", name: "P1", siteId: site.data.id, securityProfile: 2, generatePassword: true }
  })
  if (charger.status !== 200) return "no charger"
  const password: string | undefined = charger.data.password
  const power: number = charger.data.evses[0]?.connectors[0]?.maxPowerW ?? 0
  const command = await api.commandsIssue({ chargerId: charger.data.chargerId, newCommand: { type: "Reset", resetType: "Soft" } })
  if (command.status !== 202) return "no command"
  const status: api.CommandStatus = command.data.status
  switch (status) {
    case "Pending":
    case "Sent":
      return "waits " + power
    case "Accepted":
      return password ?? ""
    case "Rejected":
    case "Failed":
    case "TimedOut":
    case "Expired":
      return "no"
    default:
      return never(status)
  }
}

const tariff: api.NewTariff = {
  currency: "EUR",
  elements: [{ priceComponents: [{ type: "ENERGY", price: 0.51, vat: 21, stepSize: 1 }], restrictions: { dayOfWeek: ["SATURDAY"] } }],
  maxPrice: null
}
export const preview = async (): Promise<number> => {
  const priced = await api.tariffsPreview({
    newTariffPreview: { tariff, session: { startedAt: "2026-11-20T08:30:00Z", endedAt: "2026-11-20T09:45:00Z", readings: [] } }
  })
  return priced.status === 200 ? priced.data.cost.exclVat : (priced.data.errors?.length ?? 0)
}
`

it("has no `any` or `unknown` except for objects with arbitrary keys", () => {
  const loose = source
    .split("\n")
    .filter((line) => /\b(?:any|unknown)\b(?!["\w-])/.test(line.replace(/\/\*.*\*\/|^\s*\*.*$/g, "")))
  const free = loose.filter((line) => !/\[key: string\]: unknown|\bunknown-chargers\b/.test(line))
  expect(free).toEqual([])
})

it("type-checks a program that uses it without casts", async () => {
  expect(program).not.toMatch(/(?<!\*) as |\bany\b|@ts-/)
  expect(await complaints(program)).toBe("")
})

it("fails to compile requests that the service would refuse", async () => {
  const wrong = [
    `api.sessionsList({ status: "RUNNING" })`,
    `api.chargersCreate({ newCharger: { chargerId: "CP-7" } })`,
    `api.commandsIssue({ chargerId: "CP-7", newCommand: { type: "Reset", resetType: "Gently" } })`,
    `api.sitesCreate({ newSite: { name: "Utrecht", latitude: "52.1" } })`
  ]
  const lines = ['import * as api from "./client"', ...wrong.map((line) => `void ${line}`)]
  const found = await complaints(lines.join("\n"))
  expect([...found.matchAll(/program\.ts\((\d+),/g)].map(([, line]) => Number(line))).toEqual([2, 3, 4, 5])
})

// Corresponds to the test of queries in OpenApiDescriptions.test.ts.
it("accepts numbers and booleans in queries", async () => {
  const lines = [
    'import * as api from "./client"',
    "void api.sessionsList({ limit: 50, held: true, needsCorrection: false })",
    'void api.commandsGet({ id: "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d05", wait: 10 })',
    'void api.chargingProfilesComposite({ chargerId: "CP-7", connectorId: 1, duration: 3600 })',
    'void api.historyConnectors({ chargerId: "CP-7", evseId: 1, connectorId: 1 })',
    'void api.partnerRecordsExchanges({ partnerId: "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d07", failed: true })'
  ]
  expect(await complaints(lines.join("\n"))).toBe("")
})
