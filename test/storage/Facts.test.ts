/** Records and their facts are written together, behind the journal's lock, and only while the disk has room. */
import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { StorageUnavailable } from "../../src/domain/Errors.ts"
import { Access } from "../../src/domain/operator/Access.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Idempotency } from "../../src/domain/operator/Idempotency.ts"
import { Secrets } from "../../src/domain/values/Secrets.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { StorageHealth } from "../../src/domain/values/StorageHealth.ts"
import { Tokens } from "../../src/domain/token/Tokens.ts"
import * as IdempotencyRepository from "../../src/storage/operators/Idempotency.ts"
import * as SitesRepository from "../../src/storage/sites/Sites.ts"
import { forEachDriver } from "../support/databases.ts"
import { idAt } from "../support/reported.ts"
import { anOrganisation, factsOf, noon, repositories } from "../support/repositories.ts"
import { statementsOf } from "../support/statements.ts"

forEachDriver("Facts", repositories, (it) => {
  it.effect("every write takes the journal's lock before anything else and ends with its fact", () =>
    Effect.gen(function* () {
      const access = yield* Access
      const chargers = yield* Chargers
      const sites = yield* Sites
      const tokens = yield* Tokens
      const ours = yield* anOrganisation
      const writing = ours.writing()
      const site = yield* sites.create({ name: "Here" }, writing)
      const charger = { name: "C", siteId: site.id, securityProfile: 0, passwordVerifier: undefined } as const
      const token = {
        type: "RFID",
        status: "Accepted",
        parentUid: undefined,
        expiresAt: undefined,
        visualNumber: undefined,
        note: undefined
      } as const
      const key = {
        name: "k",
        prefix: "p",
        verifier: new Uint8Array(1),
        permissions: undefined,
        operatorId: ours.operatorId
      }
      const made = yield* access.createKey({ ...key, publicId: `old-${ours.id}` }, writing)
      const writes: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        sites.create({ name: "A" }, writing),
        sites.update(site.id, { name: "B" }, writing),
        chargers.register({ ...charger, chargerId: "facts-1" }, writing),
        chargers.update("facts-1", { name: "D" }, writing),
        chargers.remove("facts-1", writing),
        sites.remove(site.id, writing),
        tokens.create({ ...token, uid: "t" }, writing),
        tokens.update("t", { note: "n" }, writing),
        tokens.remove("t", writing),
        access.createKey({ ...key, publicId: `new-${ours.id}` }, writing),
        access.revokeKey(made.id, writing),
        access.updateOrganisation({ name: "New name" }, writing)
      ]
      const before = (yield* factsOf(ours)).length
      for (const write of writes) {
        const texts = (yield* statementsOf(write)).map(({ text }) => text.trim())
        expect(texts.at(0)).toMatch(/^SELECT pg_advisory_xact_lock/)
        expect(texts.at(-1)).toMatch(/INSERT INTO journal/)
        expect(texts.length).toBeGreaterThan(2)
      }
      expect((yield* factsOf(ours)).length - before).toBe(writes.length)
    })
  )

  it.effect("a record is not changed when its fact cannot be written", () =>
    Effect.gen(function* () {
      const secrets = yield* Secrets
      const ours = yield* anOrganisation
      // Every fact of this service has one key, so that the second one cannot be written.
      const one = idAt(noon)
      const stuck = SitesRepository.layer.pipe(
        Layer.fresh,
        Layer.provide(Layer.succeed(Secrets, Secrets.of({ ...secrets, uuid: () => one })))
      )
      yield* Effect.gen(function* () {
        const sites = yield* Sites
        const site = yield* sites.create({ name: "First" }, ours.writing())
        yield* sites.update(site.id, { name: "Second" }, ours.writing())
        expect((yield* Effect.exit(sites.update(site.id, { name: "Third" }, ours.writing())))._tag).toBe("Failure")
        expect((yield* sites.get(ours.id, site.id)).name).toBe("Second")
      }).pipe(Effect.provide(stuck))
    })
  )

  it.effect("a write that fails leaves neither record nor fact", () =>
    Effect.gen(function* () {
      const access = yield* Access
      const sql = yield* SqlClient.SqlClient
      const ours = yield* anOrganisation
      const facts = yield* factsOf(ours)
      const count = sql`SELECT count(*)::int AS n FROM operator`
      const before = yield* count
      const again = access.createOrganisation(
        {
          name: "Twice",
          countryCode: "FR",
          partyId: "TWO",
          operatorEmail: "two@example.com",
          operatorPasswordHash: undefined,
          operatorPermissions: [],
          key: {
            name: "k",
            publicId: `x-${ours.id}`,
            prefix: "p",
            verifier: new Uint8Array(1),
            permissions: undefined
          },
          v1: { clientId: ours.clientId, codeVerifier: new Uint8Array(1) }
        },
        noon
      )
      expect((yield* Effect.flip(again))._tag).toBe("Conflict")
      expect(yield* count).toEqual(before)
      expect(yield* factsOf(ours)).toEqual(facts)
    })
  )

  it.effect("a write sends no statement to a database whose disk is full", () =>
    Effect.gen(function* () {
      const health = yield* StorageHealth
      const ours = yield* anOrganisation
      const full = new StorageUnavailable({ reason: "full", message: "free some space" })
      const layer = Layer.mergeAll(SitesRepository.layer, IdempotencyRepository.layer({ nodeId: "test" })).pipe(
        Layer.fresh,
        Layer.provide(Layer.succeed(StorageHealth, StorageHealth.of({ ...health, writable: Effect.fail(full) })))
      )
      yield* Effect.gen(function* () {
        const sites = yield* Sites
        const sent = yield* statementsOf(
          Effect.flip(sites.create({ name: "A" }, ours.writing())).pipe(
            Effect.map((error) => expect(error).toEqual(full))
          )
        )
        expect(sent).toEqual([])
        expect((yield* sites.list(ours.id, { limit: 5 })).items).toEqual([])
        const idempotency = yield* Idempotency
        const claims = yield* statementsOf(Effect.flip(idempotency.claim("key", "1", "print", noon)))
        expect(claims).toEqual([])
      }).pipe(Effect.provide(layer))
    })
  )
})
