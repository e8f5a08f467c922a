/** The first start makes the first organisation, and only one of two simultaneous first starts does. */
import { expect } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "vitest"
import { Access } from "../../src/domain/operator/Access.ts"
import { Accounts } from "../../src/domain/operator/Accounts.ts"
import { secretHash } from "../../src/domain/operator/SignIn.ts"
import { Secrets } from "../../src/domain/values/Secrets.ts"
import { StorageUnavailable } from "../../src/domain/Errors.ts"
import { banner } from "../../src/main/Banner.ts"
import { bootstrap, type BootstrapSettings, type FirstStart } from "../../src/main/Bootstrap.ts"
import { keepFirstKeys } from "../../src/main/FirstKeys.ts"
import { forEachDriver } from "../support/databases.ts"
import { fastDirectory } from "../support/fastDirectory.ts"
import { noon, repositories } from "../support/repositories.ts"

const settings: BootstrapSettings = {
  operatorEmail: undefined,
  operatorPassword: undefined,
  apiKey: undefined,
  v1ClientId: undefined,
  v1Code: undefined,
  countryCode: undefined,
  partyId: undefined
}

/** With the database as it looks to a process while another one starts on it at the same moment. */
const seenEmpty = <A, E, R>(effect: Effect.Effect<A, E, Access | R>) =>
  Effect.flatMap(Access, (access) =>
    Effect.provideService(effect, Access, Access.of({ ...access, isEmpty: Effect.succeed(true) }))
  )

const organisations = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ n: number }>`SELECT count(*)::int AS n FROM organisation`, ([row]) => row?.n)
)

const directory = Effect.acquireRelease(Effect.sync(fastDirectory), (path) =>
  Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const facts = {
  version: "1.2.3",
  publicUrl: "http://localhost:8080",
  ocppUrl: "ws://localhost:8080/ocpp",
  metricsUrl: "/metrics",
  database: "PostgreSQL",
  durability: "good",
  environment: "TEST",
  v1Answers: true
}

test("the banner shows the first keys, or names the file with them and how to load them from it", () => {
  const made: FirstStart = { apiKey: "vl_key", v1: { clientId: "client", code: "the-code" } }
  const shown = banner({ ...facts, firstStart: made }).join("\n")
  for (const secret of ["vl_key", "client", "the-code"]) expect(shown).toContain(secret)
  const kept = banner({ ...facts, firstStart: { ...made, keptIn: "/it's/first-start" } }).join("\n")
  expect(kept).not.toMatch(/vl_key|the-code/)
  expect(kept).toContain("\n    /it's/first-start\n")
  expect(kept).toContain(String.raw`    . '/it'\''s/first-start'`)
  expect(kept).toContain('-H "x-api-key: $KEY"')
})

forEachDriver("the first start", repositories, (it) => {
  it.effect("makes one organisation if two start at once, and returns the keys to that one only", () =>
    Effect.gen(function* () {
      const both = yield* Effect.all([seenEmpty(bootstrap(settings, noon)), seenEmpty(bootstrap(settings, noon))], {
        concurrency: 2
      })
      expect(both.filter((one) => one !== undefined)).toHaveLength(1)
      expect(both.find((one) => one !== undefined)?.apiKey).toMatch(/^vl_/)
      expect(yield* organisations).toBe(1)
      // Also if the settings say what to make.
      const given = { ...settings, countryCode: "DE", partyId: "ABC", apiKey: Redacted.make(`vl_${"x".repeat(48)}`) }
      expect(yield* seenEmpty(bootstrap(given, noon))).toBeUndefined()
      expect(yield* bootstrap(settings, noon)).toBeUndefined()
      expect(yield* organisations).toBe(1)
    })
  )

  it.effect(
    "writes the keys to a file before they are stored, removes unused ones, and keeps those that may be in use",
    () =>
      Effect.gen(function* () {
        const path = yield* directory
        const keeping = { ...settings, keep: keepFirstKeys(path) }
        const unclear = new StorageUnavailable({ reason: "unknown", message: "the connection was lost" })
        const losing = Effect.flatMap(Access, (access) =>
          Effect.provideService(
            seenEmpty(bootstrap(keeping, noon)),
            Access,
            Access.of({ ...access, createOrganisation: () => Effect.fail(unclear) })
          )
        )
        expect(yield* Effect.flip(losing)).toBe(unclear)
        const [left = ""] = readdirSync(path)
        expect(left).toMatch(/^first-start\.[0-9a-f]{12}$/)
        expect(readFileSync(join(path, left), "utf8")).toMatch(/^KEY=vl_/m)
        rmSync(join(path, left))
        // The organisation of the previous test exists already: another process was first.
        expect(yield* seenEmpty(bootstrap(keeping, noon))).toBeUndefined()
        expect(readdirSync(path)).toEqual([])
        const given = { apiKey: Redacted.make(`vl_${"x".repeat(48)}`), v1ClientId: "c", v1Code: Redacted.make("code") }
        expect(yield* seenEmpty(bootstrap({ ...keeping, ...given }, noon))).toBeUndefined()
        expect(readdirSync(path)).toEqual([])
      })
  )

  it.effect("makes a link for the first account, which works once, unless a password is given", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const secrets = yield* Secrets
      const publicUrl = "https://cpo.example/"
      const linked = { ...settings, publicUrl, countryCode: "SE" }
      const made = yield* seenEmpty(bootstrap({ ...linked, partyId: "LNK", operatorEmail: "first@example.com" }, noon))
      expect(made?.setUp).toMatch(/^https:\/\/cpo\.example\/set-up#[0-9A-Za-z]{43}$/)
      expect(banner({ ...facts, firstStart: made }).join("\n")).toContain(`\n    ${made?.setUp}\n`)
      const hash = secretHash(secrets, "account-link", new URL(made?.setUp ?? "").hash.slice(1)) ?? ""
      const link = yield* accounts.findLink(hash, noon + 90 * 86_400_000)
      expect([link?.kind, link?.email]).toEqual(["SetUp", "first@example.com"])
      const passwordHash = yield* secrets.hashPassword("violet tram over nine hills", "ada@example.com")
      const given = { email: "ada@example.com", name: "Ada", passwordHash }
      expect(yield* accounts.useLink(hash, given, noon)).toMatchObject({ organisationId: link?.organisationId })
      expect(yield* accounts.findLink(hash, noon)).toBeUndefined()
      const again = yield* Effect.flip(accounts.useLink(hash, given, noon))
      expect(again).toMatchObject({ _tag: "Conflict", code: "link_void" })
      // The account with a given password signs in with it.
      const withPassword = { partyId: "PWD", operatorEmail: "second@example.com" }
      const operatorPassword = Redacted.make("violet tram over ten hills")
      const withoutLink = yield* seenEmpty(bootstrap({ ...linked, ...withPassword, operatorPassword }, noon))
      expect(withoutLink?.setUp).toBeUndefined()
      const [account] = yield* accounts.byEmail("second@example.com")
      expect(yield* secrets.verifyPassword("violet tram over ten hills", account?.passwordHash)).toBe(true)
    })
  )

  it.effect("makes nothing if it cannot write the keys to the file", () =>
    Effect.gen(function* () {
      const inTheWay = join(yield* directory, "file")
      writeFileSync(inTheWay, "")
      const before = yield* organisations
      const keeping = { ...settings, partyId: "NEW", keep: keepFirstKeys(join(inTheWay, "data")) }
      const error = yield* Effect.flip(seenEmpty(bootstrap(keeping, noon)))
      expect([error._tag, error.message]).toEqual(["KeysNotKept", expect.stringContaining("set BOOTSTRAP_API_KEY")])
      expect(yield* organisations).toBe(before)
    })
  )

  it.effect("gives the file its final name once the keys are valid, readable by its owner only", () =>
    Effect.gen(function* () {
      const path = join(yield* directory, "data")
      mkdirSync(path)
      writeFileSync(join(path, "first-start"), "of a database that is gone")
      const made = { apiKey: "vl_key", v1: { clientId: "client", code: "code" } }
      const kept = yield* keepFirstKeys(path)(made)
      yield* kept.confirm
      expect(readdirSync(path)).toEqual(["first-start"])
      expect(kept.path).toBe(join(path, "first-start"))
      expect(readFileSync(kept.path, "utf8")).toMatch(/^# .+\nKEY=vl_key\nCLIENT=client\nCODE=code\n$/)
      if (process.platform !== "win32") expect(statSync(kept.path).mode & 0o777).toBe(0o600)
    })
  )
})
