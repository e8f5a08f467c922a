/** What every storage of organisations and keys must do, on every database. */
import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Access, type NewOrganisation } from "../../src/domain/operator/Access.ts"
import * as AccessRepository from "../../src/storage/operators/Access.ts"
import { nastyTexts, unstorableTexts } from "../support/nastyText.ts"
import {
  anOrganisation,
  type ContractIt,
  factsOf,
  failureOf,
  noon,
  permitOnly,
  type TestOrganisation
} from "../support/repositories.ts"

const organisation = (n: string, rest: Partial<NewOrganisation> = {}): NewOrganisation => ({
  name: "Org",
  countryCode: "DE",
  partyId: n,
  operatorEmail: `${n}@example.org`,
  operatorPasswordHash: "hash",
  operatorPermissions: ["sites:read", "sites:write"],
  key: {
    name: "first",
    publicId: `pub-${n}`,
    prefix: "vl_pub",
    verifier: Uint8Array.from([1, 2]),
    permissions: undefined
  },
  v1: { clientId: `client-${n}`, codeVerifier: Uint8Array.from([3, 4]) },
  ...rest
})

const newKey = (ours: TestOrganisation, publicId: string, permissions?: ReadonlyArray<string>) => ({
  name: "A key",
  publicId,
  prefix: "vl_abc",
  verifier: Uint8Array.from([5, 6]),
  permissions,
  operatorId: ours.operatorId
})

export const accessContract = (it: ContractIt): void => {
  it.effect("a database is empty until it has an organisation", () =>
    Effect.gen(function* () {
      const access = yield* Access
      expect(yield* access.isEmpty).toBe(true)
      yield* anOrganisation
      expect(yield* access.isEmpty).toBe(false)
    })
  )

  it.effect("a rotated key ends after the overlap, and the new one has its name, permissions and bounds", () =>
    Effect.gen(function* () {
      const access = yield* Access
      const [ours, theirs] = [yield* anOrganisation, yield* anOrganisation]
      const bounds = { expiresAt: noon + 500_000, networks: ["203.0.113.0/24"] }
      const old = yield* access.createKey({ ...newKey(ours, "pub-old", ["sites:read"]), ...bounds }, ours.writing())
      expect(old).toMatchObject(bounds)
      expect((yield* access.findKey("pub-old"))?.bounds).toEqual(bounds)
      const next = (publicId: string, expiresAt: number | undefined = bounds.expiresAt) => {
        const { prefix, verifier } = newKey(ours, publicId)
        return { publicId, prefix, verifier, permissions: ["sites:read"], expiresAt, overlapMillis: 60_000 }
      }
      expect(yield* failureOf(access.rotateKey(old.id, next("pub-x"), theirs.writing()))).toEqual([
        "NotFound",
        "api-key"
      ])
      const made = yield* access.rotateKey(old.id, next("pub-new"), ours.writing(noon + 1))
      expect(made).toMatchObject({
        ...bounds,
        name: old.name,
        permissions: ["sites:read"],
        operatorId: ours.operatorId
      })
      expect((yield* access.getKey(ours.id, old.id)).expiresAt).toBe(noon + 60_001)
      // A second rotation does not let it end later.
      yield* access.rotateKey(old.id, { ...next("pub-newer"), overlapMillis: 900_000 }, ours.writing(noon + 2))
      expect((yield* access.getKey(ours.id, old.id)).expiresAt).toBe(noon + 60_001)
      const late = access.rotateKey(old.id, next("pub-late"), ours.writing(noon + 60_001))
      expect(yield* failureOf(late)).toEqual(["Conflict", "key_ended"])
      const { by, now } = ours.writing(noon + 3)
      const colleague = { by: { ...by, operatorId: theirs.operatorId }, now }
      expect(yield* failureOf(access.rotateKey(made.id, next("pub-c"), colleague))).toEqual([
        "Conflict",
        "other_operators_key"
      ])
      const weak = { by: { ...by, permissions: ["api-keys:write"] }, now }
      expect((yield* failureOf(access.rotateKey(made.id, next("pub-w"), weak)))[0]).toBe("PermissionDenied")
      const facts = (yield* factsOf(ours)).filter(({ type }) => type === "ApiKeyRotated")
      expect(facts[0]?.body).toMatchObject({ after: { id: old.id, expiresAt: noon + 60_001, replacedBy: made.id } })
    })
  )

  it.effect("a new organisation has an operator, a key and a v1 pair that act for it", () =>
    Effect.gen(function* () {
      const access = yield* Access
      const made = yield* access.createOrganisation(organisation("AAA"), noon)
      expect(made.organisation).toEqual({
        id: made.organisation.id,
        name: "Org",
        countryCode: "DE",
        partyId: "AAA",
        timeZone: "UTC",
        closeSilentHours: 24,
        standbyPowerW: 100,
        requireSecondFactor: false,
        policy: {
          unknownTokens: "Refuse",
          concurrentTransactions: "Refuse",
          heartbeatIntervalSeconds: 300,
          localLists: "Manual"
        },
        createdAt: noon
      })
      expect(yield* access.organisation(made.organisation.id)).toEqual(made.organisation)
      const key = yield* access.findKey("pub-AAA")
      expect([...(key?.verifier ?? [])]).toEqual([1, 2])
      expect(key?.principal).toEqual({
        organisationId: made.organisation.id,
        actor: `key:${key?.principal.keyId}`,
        keyId: key?.principal.keyId,
        operatorId: made.operatorId,
        permissions: ["sites:read", "sites:write"]
      })
      const pair = yield* access.findV1("client-AAA")
      expect([...(pair?.verifier ?? [])]).toEqual([3, 4])
      expect(pair?.principal).toMatchObject({
        organisationId: made.organisation.id,
        actor: "v1:client-AAA",
        operatorId: undefined
      })
      expect(pair?.principal.permissions).not.toContain("api-keys:write")
    })
  )

  it.effect(
    "a party, an operator's email and a client id are unique in the service, and a refused creation leaves nothing",
    () =>
      Effect.gen(function* () {
        const access = yield* Access
        yield* access.createOrganisation(organisation("BBB"), noon)
        const twice = (rest: Partial<NewOrganisation>) =>
          failureOf(access.createOrganisation(organisation("CCC", rest), noon))
        expect(yield* twice({ partyId: "BBB" })).toEqual(["Conflict", "party_exists"])
        expect(yield* twice({ v1: organisation("BBB").v1 })).toEqual(["Conflict", "client_id_in_use"])
        expect(yield* twice({ name: "\0" })).toEqual(["InvalidInput", "/name"])
        yield* access.createOrganisation(organisation("CCC"), noon)
      })
  )

  it.effect("a change of the organisation leaves the fields it does not name and makes a fact", () =>
    Effect.gen(function* () {
      const access = yield* Access
      const ours = yield* anOrganisation
      const before = yield* access.organisation(ours.id)
      const patch = { timeZone: "Europe/Oslo", policy: { unknownTokens: "Accept" } } as const
      const changed = yield* access.updateOrganisation(patch, ours.writing(noon + 1))
      expect(changed).toEqual({
        ...before,
        timeZone: "Europe/Oslo",
        policy: { ...before.policy, unknownTokens: "Accept" }
      })
      expect(yield* access.organisation(ours.id)).toEqual(changed)
      expect(yield* access.updateOrganisation(patch, ours.writing(noon + 2))).toEqual(changed)
      for (const heartbeatIntervalSeconds of [0, 5, 2 ** 40, 0.5]) {
        const bad = { policy: { heartbeatIntervalSeconds } }
        expect(yield* failureOf(access.updateOrganisation(bad, ours.writing()))).toEqual(["InvalidInput", ""])
      }
      const facts = yield* factsOf(ours)
      expect(facts.map(({ body, type }) => [type, body.by])).toEqual([
        ["OrganisationCreated", "platform"],
        ["ApiKeyIssued", "platform"],
        ["OrganisationChanged", ours.principal.actor]
      ])
      expect(facts[2]?.body.before).toMatchObject({ timeZone: "UTC", policy: { unknownTokens: "Refuse" } })
      expect(facts[2]?.body.after).toMatchObject({ timeZone: "Europe/Oslo", policy: { unknownTokens: "Accept" } })
    })
  )

  it.effect(
    "a key has its own permissions as far as its operator has them now, and none if the operator is inactive",
    () =>
      Effect.gen(function* () {
        const access = yield* Access
        const sql = yield* SqlClient.SqlClient
        const ours = yield* anOrganisation
        yield* access.createKey(
          newKey(ours, `less-${ours.id}`, ["sites:read", "tokens:read", "no:such"]),
          ours.writing()
        )
        yield* access.createKey(newKey(ours, `none-${ours.id}`, []), ours.writing())
        const permissions = (publicId: string) =>
          Effect.map(access.findKey(`${publicId}-${ours.id}`), (found) => found?.principal.permissions)
        expect(yield* permissions("less")).toEqual(["sites:read", "tokens:read"])
        expect(yield* permissions("none")).toEqual([])
        yield* permitOnly(ours.operatorId, ["tokens:read", "chargers:read"])
        expect(yield* permissions("less")).toEqual(["tokens:read"])
        yield* sql`UPDATE membership SET active = false WHERE operator_id = ${ours.operatorId}`
        expect(yield* permissions("less")).toEqual([])
        expect((yield* access.findKey(ours.publicId))?.principal.permissions).toEqual([])
      })
  )

  it.effect("a revoked key is no longer found, stays in the list, and is revoked once", () =>
    Effect.gen(function* () {
      const access = yield* Access
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      const publicId = `gone-${ours.id}`
      const key = yield* access.createKey(newKey(ours, publicId, ["sites:read"]), ours.writing())
      expect(key).toEqual({
        id: key.id,
        name: "A key",
        prefix: "vl_abc",
        operatorId: ours.operatorId,
        permissions: ["sites:read"],
        createdAt: noon,
        lastUsedAt: undefined,
        lastUsedFrom: undefined,
        revokedAt: undefined,
        expiresAt: undefined,
        networks: undefined
      })
      expect(yield* access.getKey(ours.id, key.id)).toEqual(key)
      expect(yield* failureOf(access.getKey(theirs.id, key.id))).toEqual(["NotFound", "api-key"])
      expect(yield* failureOf(access.revokeKey(key.id, theirs.writing()))).toEqual(["NotFound", "api-key"])
      expect(yield* failureOf(access.revokeKey("no uuid", ours.writing()))).toEqual(["NotFound", "api-key"])
      yield* access.revokeKey(key.id, ours.writing(noon + 1))
      yield* access.revokeKey(key.id, ours.writing(noon + 2))
      expect(yield* access.findKey(publicId)).toBeUndefined()
      const listed = (yield* access.listKeys(ours.id, { limit: 50 })).items.find(({ id }) => id === key.id)
      expect(listed).toEqual({ ...key, revokedAt: noon + 1 })
      const facts = (yield* factsOf(ours)).filter(({ subject }) => subject === `api-key:${key.id}`)
      expect(facts.map(({ type }) => type)).toEqual(["ApiKeyIssued", "ApiKeyRevoked"])
      expect(JSON.stringify(facts)).not.toContain("erifier")
    })
  )

  it.effect("the last key with every permission cannot be revoked unless that is asked for explicitly", () =>
    Effect.gen(function* () {
      const access = yield* Access
      const ours = yield* anOrganisation
      const first = ours.principal.keyId
      yield* access.createKey(newKey(ours, `part-${ours.id}`, ["api-keys:write"]), ours.writing())
      expect(yield* failureOf(access.revokeKey(first, ours.writing()))).toEqual(["Conflict", "last_full_key"])
      expect(yield* access.findKey(ours.publicId)).toBeDefined()
      // A key that lists every permission by name counts as well.
      const all = (yield* access.findKey(ours.publicId))?.principal.permissions
      const second = yield* access.createKey(newKey(ours, `full-${ours.id}`, all), ours.writing())
      yield* access.revokeKey(first, ours.writing())
      expect(yield* failureOf(access.revokeKey(second.id, ours.writing()))).toEqual(["Conflict", "last_full_key"])
      yield* access.revokeKey(second.id, ours.writing(), { lastToo: true })
      expect(yield* access.findKey(`full-${ours.id}`)).toBeUndefined()
    })
  )

  it.effect("only one of two simultaneous requests to revoke the last two full keys succeeds", () =>
    Effect.gen(function* () {
      const access = yield* Access
      const ours = yield* anOrganisation
      const second = yield* access.createKey(newKey(ours, `twin-${ours.id}`), ours.writing())
      const outcomes = yield* Effect.forEach(
        [ours.principal.keyId, second.id],
        (id) => Effect.result(access.revokeKey(id, ours.writing())),
        { concurrency: "unbounded" }
      )
      expect(outcomes.map(({ _tag }) => _tag).toSorted()).toEqual(["Failure", "Success"])
    })
  )

  it.effect("restoring access makes a full key and a v1 pair, revokes the others only if asked, and records both", () =>
    Effect.gen(function* () {
      const access = yield* Access
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      const given = (n: string, revokeOthers: boolean) => ({
        key: { name: "reset", publicId: `${n}-${ours.id}`, prefix: "vl_abc", verifier: Uint8Array.from([7]) },
        v1: { clientId: `${n}-${ours.id}`, codeVerifier: Uint8Array.from([8]) },
        revokeOthers
      })
      const kept = yield* access.restore(given("kept", false), ours.writing(noon + 1))
      expect(kept.revoked).toEqual({ keys: 0, pairs: 0, links: 0 })
      const before = yield* access.findKey(ours.publicId)
      const found = yield* access.findKey(`kept-${ours.id}`)
      expect(found?.principal.permissions).toEqual(before?.principal.permissions)
      const alone = yield* access.restore(given("alone", true), ours.writing(noon + 2))
      expect(alone.revoked).toEqual({ keys: 2, pairs: 2, links: 0 })
      expect([yield* access.findKey(ours.publicId), yield* access.findKey(`kept-${ours.id}`)]).toEqual([
        undefined,
        undefined
      ])
      expect(yield* access.findV1(`kept-${ours.id}`)).toBeUndefined()
      expect((yield* access.findV1(`alone-${ours.id}`))?.principal.organisationId).toBe(ours.id)
      expect(yield* access.findKey(theirs.publicId)).toBeDefined()
      const facts = (yield* factsOf(ours)).slice(2)
      expect(facts.map(({ type }) => type).join(" ")).toBe(
        "ApiKeyIssued V1PairIssued ApiKeyIssued V1PairIssued ApiKeyRevoked ApiKeyRevoked V1PairRevoked V1PairRevoked"
      )
      expect(facts.every(({ body }) => body.by === ours.principal.actor)).toBe(true)
      expect(JSON.stringify(facts)).not.toContain("erifier")
    })
  )

  it.effect("lists every organisation in pages", () =>
    Effect.gen(function* () {
      const access = yield* Access
      const [one, two] = [yield* anOrganisation, yield* anOrganisation]
      const seen: Array<string> = []
      let cursor: string | undefined
      do {
        const page = yield* access.organisations({ limit: 1, cursor })
        expect(page.items.length).toBe(1)
        seen.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      expect(seen).toEqual(expect.arrayContaining([one.id, two.id]))
      expect(seen).toEqual(seen.toSorted())
    })
  )

  it.effect("a key can revoke only keys whose permissions do not exceed its own", () =>
    Effect.gen(function* () {
      const access = yield* Access
      const sql = yield* SqlClient.SqlClient
      const ours = yield* anOrganisation
      yield* permitOnly(ours.operatorId, ["sites:read", "sites:write", "api-keys:write"])
      const made = (name: string, permissions?: ReadonlyArray<string>) =>
        access.createKey(newKey(ours, `${name}-${ours.id}`, permissions), ours.writing())
      const [full, writer] = [yield* made("full"), yield* made("writer", ["sites:write"])]
      const [reader, dead] = [yield* made("reader", ["sites:read"]), yield* made("dead", ["cdrs:write"])]
      const found = yield* access.findKey(`full-${ours.id}`)
      const by = (permissions: ReadonlyArray<string>) => {
        const writing = ours.writing(noon + 1)
        return { ...writing, by: { ...writing.by, ...found?.principal, permissions } }
      }
      const narrow = by(["sites:read", "api-keys:write"])
      const lacking = (id: string) =>
        Effect.map(Effect.flip(access.revokeKey(id, narrow)), (error) =>
          error._tag === "PermissionDenied" ? error.requiredPermissions : error._tag
        )
      expect(yield* lacking(full.id)).toEqual(["sites:write"])
      expect(yield* lacking(writer.id)).toEqual(["sites:write"])
      for (const name of ["full", "writer"]) expect(yield* access.findKey(`${name}-${ours.id}`), name).toBeDefined()
      expect((yield* factsOf(ours)).filter(({ type }) => type === "ApiKeyRevoked")).toEqual([])
      // Permissions that the operator does not have do not count.
      for (const { id } of [reader, dead]) yield* access.revokeKey(id, narrow)
      yield* access.revokeKey(writer.id, by(["sites:read", "sites:write", "api-keys:write"]))
      // A revoked key has no permissions, so that revoking it again is no error.
      yield* access.revokeKey(writer.id, narrow)
      yield* sql`UPDATE membership SET active = false WHERE operator_id = ${ours.operatorId}`
      yield* access.revokeKey(full.id, narrow)
    })
  )

  it.effect("keys are listed in pages, only those of the organisation", () =>
    Effect.gen(function* () {
      const access = yield* Access
      const ours = yield* anOrganisation
      yield* anOrganisation
      const made = yield* Effect.forEach([1, 2, 3], (n) =>
        access.createKey(newKey(ours, `page-${n}-${ours.id}`), ours.writing(noon + n))
      )
      const first = yield* access.listKeys(ours.id, { limit: 2 })
      const second = yield* access.listKeys(ours.id, { limit: 2, cursor: first.nextCursor ?? "" })
      expect([first, second].flatMap((page) => page.items.map(({ id }) => id))).toEqual([
        ours.principal.keyId,
        ...made.map(({ id }) => id)
      ])
      expect(yield* failureOf(access.listKeys(ours.id, { limit: 2, cursor: "x" }))).toEqual(["InvalidInput", "/cursor"])
    })
  )

  it.effect("no key can be created for an operator of another organisation", () =>
    Effect.gen(function* () {
      const access = yield* Access
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      const publicId = `stolen-${ours.id}`
      expect(yield* failureOf(access.createKey(newKey(theirs, publicId), ours.writing()))).toEqual([
        "NotFound",
        "operator"
      ])
      const none = { ...newKey(ours, publicId), operatorId: "no uuid" }
      expect(yield* failureOf(access.createKey(none, ours.writing()))).toEqual(["NotFound", "operator"])
      expect(yield* access.findKey(publicId)).toBeUndefined()
    })
  )

  it.effect("text that is no id finds no key and no pair, SQL included", () =>
    Effect.gen(function* () {
      const access = yield* Access
      yield* anOrganisation
      for (const text of [...nastyTexts, ...unstorableTexts, ""]) {
        expect([yield* access.findKey(text), yield* access.findV1(text)]).toEqual([undefined, undefined])
      }
    })
  )

  it.effect("the last use of a key or pair is stored later, at the latest when the service closes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      const actor = ours.principal.actor
      yield* Effect.gen(function* () {
        const access = yield* Access
        access.used(actor, noon + 2)
        access.used(actor, noon + 1)
        access.used(`v1:${ours.clientId}`, noon + 3)
        access.used("operator:unknown", noon)
        // A use of a key that was never written must not lose the others.
        access.used("v1:unknown", noon)
      }).pipe(Effect.provide(Layer.fresh(AccessRepository.layer)))
      const access = yield* Access
      const lastUsed = (organisation: TestOrganisation) =>
        Effect.map(access.listKeys(organisation.id, { limit: 1 }), ({ items }) => items[0]?.lastUsedAt)
      expect(yield* lastUsed(ours)).toBe(noon + 2)
      expect(yield* lastUsed(theirs)).toBeUndefined()
      const [pair] = yield* sql<{
        at: Date
      }>`SELECT last_used_at AS at FROM v1_credential WHERE client_id = ${ours.clientId}`
      expect(pair?.at.getTime()).toBe(noon + 3)
    })
  )
}
