/** What every storage of chargers must do, on every database: registering, reading, paging, removing. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { ChargerRegistration } from "../../src/domain/charger/Charger.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Sessions } from "../../src/domain/session/Sessions.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { nastyTexts, unstorableTexts } from "../support/nastyText.ts"
import { aBoot, aConnection, aConnector, aSession } from "../support/reported.ts"
import {
  anOrganisation,
  type ContractIt,
  factsOf,
  failureOf,
  noon,
  type TestOrganisation
} from "../support/repositories.ts"
import { statementsOf } from "../support/statements.ts"

let made = 0

export const aChargerId = (): string => `CH:${made++}-x_y.z~*`

export const registration = (chargerId: string, rest: Partial<ChargerRegistration> = {}): ChargerRegistration => ({
  chargerId,
  name: "Charger",
  siteId: undefined,
  securityProfile: 0,
  passwordVerifier: undefined,
  ...rest
})

/** An organisation with a site. */
export const aHome = Effect.gen(function* () {
  const sites = yield* Sites
  const ours = yield* anOrganisation
  const site = yield* sites.create({ name: "Home" }, ours.writing())
  return { ours, site }
})

const verifier = Uint8Array.from([1, 2, 3])

export const chargersContract = (it: ContractIt): void => {
  it.effect("a charger is registered with only its name and id, and is read back", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { ours, site } = yield* aHome
      const chargerId = aChargerId()
      const charger = yield* chargers.register(registration(chargerId), ours.writing())
      expect(charger).toEqual({
        chargerId,
        organisationId: ours.id,
        siteId: site.id,
        name: "Charger",
        securityProfile: 0,
        registration: "Accepted",
        ocppVersion: undefined,
        manufacturer: "",
        model: "",
        serialNumber: "",
        firmwareVersion: "",
        bootedAt: undefined,
        configuration: [],
        connectors: [],
        wholeStatus: undefined,
        lastSeen: undefined,
        lastMessage: "",
        connected: false,
        pushed: false,
        createdAt: noon,
        updatedAt: noon
      })
      expect(yield* chargers.get(ours.id, chargerId)).toEqual(charger)
    })
  )

  it.effect("a charger may be registered as Pending, Rejected or Accepted", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { ours } = yield* aHome
      for (const word of ["Pending", "Rejected", "Accepted"] as const) {
        const chargerId = aChargerId()
        const made = yield* chargers.register(registration(chargerId, { registration: word }), ours.writing())
        expect([made.registration, (yield* chargers.get(ours.id, chargerId)).registration]).toEqual([word, word])
      }
    })
  )

  it.effect("a charger without a site gets the oldest one, and is refused if there is none", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const sites = yield* Sites
      const ours = yield* anOrganisation
      const register = (rest: Partial<ChargerRegistration> = {}) =>
        chargers.register(registration(aChargerId(), rest), ours.writing())
      expect(yield* failureOf(register())).toEqual(["Conflict", "site_required"])
      const oldest = yield* sites.create({ name: "Oldest" }, ours.writing(noon))
      const newer = yield* sites.create({ name: "Newer" }, ours.writing(noon + 1))
      expect((yield* register()).siteId).toBe(oldest.id)
      expect((yield* register({ siteId: newer.id })).siteId).toBe(newer.id)
      const { site } = yield* aHome
      for (const siteId of [site.id, "no uuid", ""]) {
        expect(yield* failureOf(register({ siteId }))).toEqual(["NotFound", "site"])
      }
    })
  )

  it.effect("an id is unique among all organisations, even if several register it at once", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { ours } = yield* aHome
      const { ours: theirs } = yield* aHome
      const chargerId = aChargerId()
      const outcomes = yield* Effect.forEach(
        [ours, theirs, ours],
        (organisation) => Effect.exit(chargers.register(registration(chargerId), organisation.writing())),
        { concurrency: "unbounded" }
      )
      expect(outcomes.filter(({ _tag }) => _tag === "Success")).toHaveLength(1)
      expect(yield* failureOf(chargers.register(registration(chargerId), theirs.writing()))).toEqual([
        "Conflict",
        "charger_id_in_use"
      ])
      // Ids compare exactly, unlike tokens.
      yield* chargers.register(registration(chargerId.toLowerCase()), theirs.writing())
    })
  )

  it.effect("profiles 1 and 2 need a password, 0 and 3 do not", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { ours } = yield* aHome
      const register = (rest: Partial<ChargerRegistration>) =>
        chargers.register(registration(aChargerId(), rest), ours.writing())
      for (const securityProfile of [1, 2] as const) {
        expect(yield* failureOf(register({ securityProfile }))).toEqual(["Conflict", "password_required"])
        expect((yield* register({ securityProfile, passwordVerifier: verifier })).securityProfile).toBe(securityProfile)
      }
      for (const securityProfile of [0, 3] as const) {
        expect((yield* register({ securityProfile })).securityProfile).toBe(securityProfile)
      }
    })
  )

  it.effect("a charger has what it reported beside what the operator registered", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { ours } = yield* aHome
      const chargerId = aChargerId()
      yield* chargers.register(registration(chargerId), ours.writing())
      yield* aBoot(chargerId)
      yield* aConnector(chargerId, 2, 1, "Charging")
      yield* aConnector(chargerId, 10, 1, "Faulted", "hot")
      yield* aConnector(chargerId, 1, 2, "Available")
      yield* aConnector(chargerId, 0, 0, "Available")
      const charger = yield* chargers.get(ours.id, chargerId)
      expect(charger).toMatchObject({
        ocppVersion: "1.6",
        manufacturer: "Maker",
        model: "M1",
        serialNumber: "S1",
        firmwareVersion: "1.0",
        bootedAt: noon,
        wholeStatus: "Available",
        lastSeen: noon + 1,
        lastMessage: '[2,"1","Heartbeat",{}]',
        configuration: [
          { key: "HeartbeatInterval", value: "300", readonly: false },
          { key: "SupportedFeatureProfiles", value: undefined, readonly: true }
        ]
      })
      expect(charger.connectors.map(({ evseId, status }) => [evseId, status])).toEqual([
        [1, "Available"],
        [2, "Charging"],
        [10, "Faulted"]
      ])
      expect(charger.connectors[2]).toEqual({
        evseId: 10,
        connectorId: 1,
        status: "Faulted",
        errorCode: "NoError",
        info: "hot",
        vendorId: undefined,
        vendorErrorCode: undefined,
        statusAt: noon + 123,
        equipment: undefined
      })
    })
  )

  it.effect("a charger is connected while it has an open connection at a node whose lease is valid", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { ours } = yield* aHome
      const connected = (leaseMillis: number, closed: boolean) =>
        Effect.gen(function* () {
          const chargerId = aChargerId()
          yield* chargers.register(registration(chargerId), ours.writing())
          yield* aConnection(ours, chargerId, leaseMillis, closed)
          return (yield* chargers.get(ours.id, chargerId)).connected
        })
      expect(yield* connected(60_000, false)).toBe(true)
      expect(yield* connected(60_000, true)).toBe(false)
      expect(yield* connected(-1, false)).toBe(false)
    })
  )

  it.effect("another organisation can neither see, change nor remove a charger", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { ours, site } = yield* aHome
      const { ours: theirs } = yield* aHome
      const chargerId = aChargerId()
      const charger = yield* chargers.register(registration(chargerId), ours.writing())
      const tries = [
        chargers.get(theirs.id, chargerId),
        chargers.update(chargerId, { name: "Taken" }, theirs.writing()),
        chargers.remove(chargerId, theirs.writing())
      ]
      for (const one of tries) expect(yield* failureOf(one)).toEqual(["NotFound", "charger"])
      expect((yield* chargers.list(theirs.id, { limit: 50 })).items).toEqual([])
      expect((yield* chargers.list(theirs.id, { limit: 50, siteId: site.id })).items).toEqual([])
      expect(yield* chargers.get(ours.id, chargerId)).toEqual(charger)
    })
  )

  it.effect("a list is in order of ids, in pages that an insert does not shift, and can be limited to one site", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const sites = yield* Sites
      const { ours } = yield* aHome
      const other = yield* sites.create({ name: "Other" }, ours.writing(noon + 1))
      const tag = aChargerId()
      const add = (n: number, siteId?: string) =>
        chargers.register(registration(`${tag}-${n}`, { siteId }), ours.writing())
      for (const n of [1, 3, 5, 7]) yield* add(n)
      yield* add(8, other.id)
      const first = yield* chargers.list(ours.id, { limit: 2 })
      yield* add(2)
      yield* add(6)
      const second = yield* chargers.list(ours.id, { limit: 4, cursor: first.nextCursor ?? "" })
      const numbers = [first, second].flatMap((page) => page.items.map(({ chargerId }) => Number(chargerId.at(-1))))
      expect(numbers).toEqual([1, 3, 5, 6, 7, 8])
      expect(second.nextCursor).toBeNull()
      const ofOther = yield* chargers.list(ours.id, { limit: 50, siteId: other.id })
      expect(ofOther.items.map(({ chargerId }) => chargerId)).toEqual([`${tag}-8`])
      expect((yield* chargers.list(ours.id, { limit: 50, siteId: "no uuid" })).items).toEqual([])
      expect(yield* failureOf(chargers.list(ours.id, { limit: 1, cursor: "zzz" }))).toEqual(["InvalidInput", "/cursor"])
    })
  )

  it.effect("a page of complete chargers takes one statement, however many they are", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { ours } = yield* aHome
      const add = Effect.gen(function* () {
        const chargerId = aChargerId()
        yield* chargers.register(registration(chargerId), ours.writing())
        yield* aConnector(chargerId, 1, 1, "Available")
        return chargerId
      })
      const [chargerId = ""] = yield* Effect.all(Array.from({ length: 12 }, () => add))
      expect(yield* statementsOf(chargers.list(ours.id, { limit: 10 }))).toHaveLength(1)
      expect(yield* statementsOf(chargers.get(ours.id, chargerId))).toHaveLength(1)
      expect(yield* statementsOf(chargers.statistics(ours.id, noon))).toHaveLength(2)
    })
  )

  it.effect("a charger cannot be removed while a session runs, and its ended sessions stay readable", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const sessions = yield* Sessions
      const { ours, site } = yield* aHome
      const [busy, idle] = [aChargerId(), aChargerId()]
      for (const chargerId of [busy, idle]) yield* chargers.register(registration(chargerId), ours.writing())
      yield* aSession(ours, { chargerId: busy, siteId: site.id })
      const ended = yield* aSession(ours, { chargerId: idle, siteId: site.id, endedAt: noon + 1 })
      yield* aBoot(idle)
      yield* aConnector(idle, 1, 1, "Available")
      yield* aConnection(ours, idle, 60_000)
      expect(yield* failureOf(chargers.remove(busy, ours.writing()))).toEqual(["Conflict", "session_active"])
      yield* chargers.remove(idle, ours.writing())
      expect(yield* failureOf(chargers.get(ours.id, idle))).toEqual(["NotFound", "charger"])
      expect(yield* failureOf(chargers.remove(idle, ours.writing()))).toEqual(["NotFound", "charger"])
      expect((yield* sessions.get(ours.id, ended)).chargerId).toBe(idle)
      // Registered again, it is a new charger that has reported nothing.
      const again = yield* chargers.register(registration(idle), ours.writing())
      expect([again.connectors, again.manufacturer, again.connected]).toEqual([[], "", false])
    })
  )

  it.effect("a name with any text comes back unchanged, and text that cannot be stored is refused", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { ours } = yield* aHome
      const chargerId = aChargerId()
      yield* chargers.register(registration(chargerId, { name: nastyTexts[0] ?? "" }), ours.writing())
      for (const name of nastyTexts) {
        expect((yield* chargers.update(chargerId, { name }, ours.writing())).name).toBe(name)
      }
      for (const name of unstorableTexts) {
        expect(yield* failureOf(chargers.update(chargerId, { name }, ours.writing()))).toEqual([
          "InvalidInput",
          "/name"
        ])
        const one = registration(aChargerId(), { name })
        expect(yield* failureOf(chargers.register(one, ours.writing()))).toEqual(["InvalidInput", "/name"])
      }
    })
  )

  it.effect("registering and removing make facts without the password", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { ours, site } = yield* aHome
      const chargerId = aChargerId()
      const secret = { securityProfile: 1, passwordVerifier: verifier } as const
      yield* chargers.register(registration(chargerId, secret), ours.writing())
      yield* chargers.remove(chargerId, ours.writing())
      const record = {
        chargerId,
        siteId: site.id,
        name: "Charger",
        securityProfile: 1,
        registration: "Accepted",
        hasPassword: true,
        equipment: []
      }
      expect(yield* chargerFacts(ours, chargerId)).toEqual([
        {
          type: "ChargerRegistered",
          subject: `charger:${chargerId}`,
          body: { by: ours.principal.actor, after: record }
        },
        { type: "ChargerRemoved", subject: `charger:${chargerId}`, body: { by: ours.principal.actor, before: record } }
      ])
    })
  )
}

export const chargerFacts = (organisation: TestOrganisation, chargerId: string) =>
  Effect.map(factsOf(organisation), (facts) => facts.filter(({ subject }) => subject === `charger:${chargerId}`))
