/**
 * A key that fills the disk with everything that it may write: what each kind of request leaves in the database for longer than the request, in
 * relation to what the daily budgets count of it. From that and the budgets follows what a key can fill in a day, which the operators' guide states.
 */
import { readFileSync } from "node:fs"
import { randomBytes } from "node:crypto"
import { expect, it } from "vitest"
import { limits } from "../../src/Config.ts"
import { shareOf } from "../../src/domain/operator/WriteBudget.ts"
import { query } from "../../bench/measure/postgres.ts"
import { tried } from "../support/tried.ts"
import { threatDrivers, type World } from "./world.ts"

const limitMillis = 600_000

/** Requests of each kind: enough that pages that are begun do not matter. Those of large records need fewer. */
const requestsOf = ({ isSmall = false }: Kind): number => (isSmall ? 400 : 50)

/** The number of simultaneous requests. */
const atATime = 5

/** Text that no compression makes shorter. */
const noise = (length: number): string => randomBytes(length).toString("base64").slice(0, length)

const directions = () =>
  Array.from({ length: 50 }, (_, n) => ({ language: `${"abcde"[n % 5]}${"abcdefghij"[n % 10]}`, text: noise(500) }))
const unique = (texts: ReadonlyArray<{ language: string; text: string }>) => [
  ...new Map(texts.map((one) => [one.language, one])).values()
]
const images = () =>
  Array.from({ length: 20 }, (_, n) => ({
    url: `https://example.com/${n}/${noise(200).replaceAll(/[+/=]/g, "a")}`,
    category: "OTHER",
    type: "png"
  }))
const site = () => ({ name: noise(40), directions: unique(directions()), images: images() })
const template = () => ({ keys: Array.from({ length: 200 }, (_, n) => ({ key: `Key${n}`, value: noise(500) })) })
const tariff = () => ({
  currency: "EUR",
  elements: Array.from({ length: 300 }, (_, n) => ({
    priceComponents: [{ type: "ENERGY", price: Math.round(Math.random() * 900_000) / 1000, stepSize: 1 + n }],
    restrictions: { minKwh: n, maxKwh: n + 1 }
  }))
})

interface Kind {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body: (n: number) => unknown
  readonly idempotent?: boolean
  readonly isSmall?: boolean
}

const kindsOf = (siteId: string, tariffId: string): ReadonlyArray<Kind> => [
  {
    name: "PATCH of one letter of a large site",
    isSmall: true,
    method: "PATCH",
    path: `/sites/${siteId}`,
    body: (n) => ({ city: `City ${n}` })
  },
  { name: "PATCH of a whole large site", method: "PATCH", path: `/sites/${siteId}`, body: site },
  { name: "POST of large sites", method: "POST", path: "/sites", body: site },
  { name: "POST with Idempotency-Key", method: "POST", path: "/sites", body: site, idempotent: true },
  { name: "PUT of the template", method: "PUT", path: "/configuration-template", body: template },
  { name: "POST of large tariffs", method: "POST", path: "/tariffs", body: tariff },
  {
    name: "PATCH of one letter of a large tariff",
    method: "PATCH",
    path: `/tariffs/${tariffId}`,
    body: (n) => ({ tariffAltUrl: `https://example.com/${n}` })
  },
  {
    name: "PATCH of a whole large tariff",
    method: "PATCH",
    path: `/tariffs/${tariffId}`,
    body: () => ({ elements: tariff().elements })
  },
  {
    name: "POST of cards",
    isSmall: true,
    method: "POST",
    path: "/tokens",
    body: (n) => ({ uid: `HOSTILE-${n}`, note: noise(200) })
  },
  {
    name: "POST of chargers",
    isSmall: true,
    method: "POST",
    path: "/chargers",
    body: (n) => ({ name: noise(60), chargerId: `HOSTILE-${n}`, siteId })
  },
  {
    name: "commands with long data",
    method: "POST",
    path: "/chargers/HOSTILE-0/commands",
    body: () => ({ type: "DataTransfer", vendorId: noise(200), messageId: noise(50), data: noise(8_000) })
  },
  {
    name: "small commands",
    isSmall: true,
    method: "POST",
    path: "/chargers/HOSTILE-0/commands",
    body: () => ({ type: "ClearCache" })
  },
  {
    name: "POST of keys",
    isSmall: true,
    method: "POST",
    path: "/api-keys",
    body: () => ({ name: noise(60), permissions: ["sites:read"] })
  },
  {
    name: "POST of invitations",
    isSmall: true,
    method: "POST",
    path: "/invitations",
    body: (n) => ({ email: `a-${n}@example.com`, roleId: "Viewer" })
  },
  {
    name: "POST of partners",
    isSmall: true,
    method: "POST",
    path: "/partners",
    body: (n) => ({
      name: noise(60),
      countryCode: "DE",
      partyId: n.toString(36).toUpperCase().padStart(3, "0"),
      roles: ["EMSP"]
    })
  }
]

const bytesOf = async (url: string) => {
  // Only what remains after the dead rows are gone.
  await query(url, "VACUUM FULL")
  const [row] = await query(
    url,
    `SELECT pg_database_size(current_database())::float8 AS size,
    (SELECT coalesce(sum(bytes), 0)::float8 FROM organisation_use WHERE author = '') AS counted`
  )
  return { size: Number(row?.["size"]), counted: Number(row?.["counted"]) }
}

const send = async (world: World, kind: Kind, n: number) => {
  const headers = kind.idempotent === true ? { "idempotency-key": `${kind.name} ${n}` } : {}
  const { status, text } = await world.ask(kind.method, `/cpo/v2${kind.path}`, { body: kind.body(n), headers })
  expect(status, `${kind.name}: ${text.slice(0, 300)}`).toBeLessThan(300)
}

const postgres = threatDrivers.find(({ name }) => name === "PostgreSQL")!

it.skipIf(!tried.PostgreSQL)(
  "fills no more in a day than the guide for operators says",
  { timeout: limitMillis },
  async () => {
    const guide = readFileSync("docs/guides/operating.md", "utf8")
    const stated = Number(/\*\*A hostile key\*\*[^.]* fills at most ([\d.]+) GB a day/.exec(guide)?.[1])
    await postgres.run(async (world) => {
      const { id: siteId } = await world.done("POST", "/cpo/v2/sites", { body: site() })
      const { id: tariffId } = await world.done("POST", "/cpo/v2/tariffs", { body: tariff() })
      await world.done("POST", "/cpo/v2/chargers", { body: { name: "x", chargerId: "HOSTILE-0", siteId } })
      const url = world.databaseUrl ?? ""
      const ratios: Array<number> = []
      const rows: Array<string> = []
      for (const kind of kindsOf(siteId, tariffId)) {
        const before = await bytesOf(url)
        const requests = requestsOf(kind)
        for (let n = 0; n < requests; n += atATime) {
          await Promise.all(Array.from({ length: atATime }, (_, i) => send(world, kind, n + i + 1)))
        }
        const after = await bytesOf(url)
        const [grown, counted] = [after.size - before.size, after.counted - before.counted]
        rows.push(
          `${kind.name}: ${Math.round(grown / requests)} bytes of disk, ${Math.round(counted / requests)} counted`
        )
        ratios.push(grown / counted)
        console.log(rows.at(-1))
      }
      const { auditBytesPerDay, idempotencyBytesPerDay } = limits.writes
      const worst = Math.max(...ratios) * (shareOf(auditBytesPerDay) + shareOf(idempotencyBytesPerDay))
      expect(worst / 1e9, rows.join("\n")).toBeLessThanOrEqual(stated)
    })
  }
)

const embedded = threatDrivers.find(({ name }) => name === "PGlite")!
const env = { AUDIT_ORGANISATION_BYTES_PER_DAY: "262144", IDEMPOTENCY_ORGANISATION_BYTES_PER_DAY: "65536" }

it.skipIf(embedded.missing)(
  "is refused beyond its budgets, also after a restart, and can still be revoked",
  { timeout: limitMillis },
  async () => {
    await embedded.run(async (world) => {
      const key = await world.done("POST", "/cpo/v2/api-keys", { body: { name: "hostile" } })
      const hostile = String(key.key)
      const create = (headers = {}) =>
        world.ask("POST", "/cpo/v2/sites", { key: hostile, body: { name: "x" }, headers })
      const until = async (code: string, headers: (n: number) => Record<string, string>) => {
        for (let n = 0; n < 1000; n++) {
          const answer = await create(headers(n))
          if (answer.status < 300) continue
          expect([answer.status, answer.json.code]).toEqual([429, code])
          expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
          expect(Number(answer.headers.get("retry-after"))).toBeLessThanOrEqual(24 * 60 * 60)
          return n
        }
        throw new Error("nothing was refused")
      }
      expect(await until("idempotency_budget", (n) => ({ "idempotency-key": `k${n}` }))).toBeGreaterThan(10)
      expect((await create({ "idempotency-key": "k0" })).status).toBeLessThan(300)
      expect(await until("audit_budget", () => ({}))).toBeGreaterThan(10)
      await world.sql(async () => undefined)
      expect((await create()).status).toBe(429)
      // Another key of the organisation still works, and revokes it.
      await world.done("POST", "/cpo/v2/sites", { body: { name: "ordinary" } })
      await world.done("DELETE", `/cpo/v2/api-keys/${key.id}`)
      expect((await create()).status).toBe(401)
      const metrics = await world.ask("GET", "/metrics")
      expect(metrics.text).toMatch(/writes_over_budget_total\{[^}]*budget="audit"[^}]*\} [0-9]/)
    }, env)
  }
)
