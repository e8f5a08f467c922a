/** What an operator's changes of a charger and an organisation's statistics must do, on every database. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Access } from "../../src/domain/operator/Access.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { aConnection, aConnector, aSession } from "../support/reported.ts"
import { anOrganisation, type ContractIt, failureOf, noon } from "../support/repositories.ts"
import { aChargerId, aHome, chargerFacts, registration } from "./ChargersContract.ts"

const socket = {
  standard: "IEC_62196_T2_COMBO",
  format: "CABLE",
  powerType: "DC",
  maxVoltage: 920,
  maxAmperage: 500,
  maxPowerW: 350_000
} as const

const hour = 60 * 60 * 1000

export const chargerChangesContract = (it: ContractIt): void => {
  it.effect("a patch changes the fields it names and leaves the rest", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const sites = yield* Sites
      const { ours } = yield* aHome
      const other = yield* sites.create({ name: "Other" }, ours.writing())
      const chargerId = aChargerId()
      const charger = yield* chargers.register(registration(chargerId), ours.writing())
      const patch = { name: "New", siteId: other.id, registration: "Pending" } as const
      const changed = yield* chargers.update(chargerId, patch, ours.writing(noon + 1))
      expect(changed).toEqual({ ...charger, ...patch, updatedAt: noon + 1 })
      expect(yield* chargers.get(ours.id, chargerId)).toEqual(changed)
      expect(yield* chargers.update(chargerId, patch, ours.writing(noon + 2))).toEqual(changed)
      const { site: foreign } = yield* aHome
      for (const siteId of [foreign.id, "no uuid"]) {
        expect(yield* failureOf(chargers.update(chargerId, { siteId }, ours.writing()))).toEqual(["NotFound", "site"])
      }
      const facts = yield* chargerFacts(ours, chargerId)
      expect(facts.map(({ type }) => type)).toEqual(["ChargerRegistered", "ChargerChanged"])
      expect(facts[1]?.body.before).toMatchObject({ name: "Charger", registration: "Accepted" })
      expect(facts[1]?.body.after).toMatchObject(patch)
    })
  )

  it.effect("an operator can register and remove a serial number, separately from the one the charger reports", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { ours } = yield* aHome
      const chargerId = aChargerId()
      const wanted = registration(chargerId, { registeredSerialNumber: "SN-1" })
      expect(yield* chargers.register(wanted, ours.writing())).toMatchObject({
        registeredSerialNumber: "SN-1",
        serialNumber: ""
      })
      const update = (registeredSerialNumber: string | null) =>
        chargers.update(chargerId, { registeredSerialNumber }, ours.writing())
      expect((yield* update("SN-2")).registeredSerialNumber).toBe("SN-2")
      expect((yield* chargers.update(chargerId, { name: "New" }, ours.writing())).registeredSerialNumber).toBe("SN-2")
      expect((yield* update(null)).registeredSerialNumber).toBeUndefined()
      const facts = yield* chargerFacts(ours, chargerId)
      // The fact of the new name has only the name.
      const after = facts.map(({ body }) => (body.after as { registeredSerialNumber?: string }).registeredSerialNumber)
      expect(after).toEqual(["SN-1", "SN-2", undefined, undefined])
    })
  )

  it.effect("the security profile can be raised only with a password, and lowered only explicitly", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const sql = yield* SqlClient.SqlClient
      const { ours } = yield* aHome
      const chargerId = aChargerId()
      yield* chargers.register(registration(chargerId), ours.writing())
      const raised = { securityProfile: 2 } as const
      expect(yield* failureOf(chargers.update(chargerId, raised, ours.writing()))).toEqual([
        "Conflict",
        "password_required"
      ])
      const passwordVerifier = Uint8Array.from([9, 8, 7])
      const both = yield* chargers.update(chargerId, { ...raised, passwordVerifier }, ours.writing())
      expect(both.securityProfile).toBe(2)
      expect((yield* chargers.update(chargerId, { name: "New" }, ours.writing())).securityProfile).toBe(2)
      expect((yield* chargers.update(chargerId, { securityProfile: 0 }, ours.writing())).securityProfile).toBe(0)
      // The password was kept.
      expect((yield* chargers.update(chargerId, { securityProfile: 1 }, ours.writing())).securityProfile).toBe(1)
      yield* chargers.update(chargerId, { passwordVerifier: Uint8Array.from([4, 5, 6]) }, ours.writing())
      const [stored] = yield* sql<{ v: Uint8Array }>`
        SELECT password_verifier AS v FROM charger WHERE charger_id = ${chargerId}`
      expect([...(stored?.v ?? [])]).toEqual([4, 5, 6])
      const facts = yield* chargerFacts(ours, chargerId)
      expect(facts.map(({ body }) => body.after?.["passwordChanged"] === true)).toEqual([
        false,
        true,
        false,
        false,
        false,
        true
      ])
      expect(JSON.stringify(facts)).not.toContain("erifier")
    })
  )

  it.effect("equipment is merged connector by connector, even before the charger reports its connectors", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { ours } = yield* aHome
      const chargerId = aChargerId()
      yield* chargers.register(registration(chargerId), ours.writing())
      const slow = { ...socket, maxPowerW: 50_000 }
      yield* chargers.update(
        chargerId,
        {
          equipment: [
            { evseId: 1, connectorId: 1, ...slow },
            { evseId: 2, connectorId: 1, ...socket }
          ]
        },
        ours.writing()
      )
      const twice = [
        { evseId: 1, connectorId: 1, ...slow },
        { evseId: 1, connectorId: 1, ...socket }
      ]
      expect((yield* chargers.update(chargerId, { equipment: twice }, ours.writing())).connectors).toEqual([])
      for (const evseId of [1, 2, 3]) yield* aConnector(chargerId, evseId, 1, "Available")
      const { connectors } = yield* chargers.get(ours.id, chargerId)
      expect(connectors.map(({ equipment }) => equipment)).toEqual([socket, socket, undefined])
      const beyond = { evseId: 1, connectorId: 1, ...socket, maxPowerW: 2 ** 40 }
      expect(yield* failureOf(chargers.update(chargerId, { equipment: [beyond] }, ours.writing()))).toEqual([
        "InvalidInput",
        ""
      ])
    })
  )

  it.effect("the statistics count only the organisation's chargers, connectors and sessions", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const { ours, site } = yield* aHome
      const { ours: theirs, site: theirSite } = yield* aHome
      const add = (organisation: typeof ours, lease: number) =>
        Effect.gen(function* () {
          const chargerId = aChargerId()
          yield* chargers.register(registration(chargerId), organisation.writing())
          yield* aConnection(organisation, chargerId, lease)
          for (const [index, status] of ["Available", "Charging", "Preparing", "Faulted", "Unavailable"].entries()) {
            yield* aConnector(chargerId, index + 1, 1, status)
          }
          yield* aConnector(chargerId, 0, 0, "Available")
          return chargerId
        })
      const chargerId = yield* add(ours, 60_000)
      yield* add(ours, -1)
      const foreign = yield* add(theirs, 60_000)
      const session = (startedAt: number, energyWh: number, endedAt?: number) =>
        aSession(ours, {
          chargerId,
          siteId: site.id,
          startedAt,
          energyWh,
          ...(endedAt === undefined ? {} : { endedAt })
        })
      yield* session(noon - 40 * hour, 1000, noon - 30 * hour)
      yield* session(noon - 14 * hour, 200, noon - 11 * hour)
      yield* session(noon - 2 * hour, 30, noon - hour)
      yield* session(noon - hour, 4)
      yield* aSession(theirs, { chargerId: foreign, siteId: theirSite.id, energyWh: 5000 })
      expect(yield* chargers.statistics(ours.id, noon)).toEqual({
        chargers: 2,
        connected: 1,
        connectors: { available: 2, occupied: 4, faulted: 2, unavailable: 2 },
        activeSessions: 1,
        energyWhToday: 234,
        energyWhTotal: 1234,
        sessionsToday: 2
      })
    })
  )

  it.effect("today begins at midnight in the organisation's time zone", () =>
    Effect.gen(function* () {
      const access = yield* Access
      const chargers = yield* Chargers
      const { ours, site } = yield* aHome
      // Auckland is 12 hours ahead in May: noon UTC is its midnight.
      yield* access.updateOrganisation({ timeZone: "Pacific/Auckland" }, ours.writing())
      const at = (startedAt: number, energyWh: number) =>
        aSession(ours, {
          chargerId: "gone",
          siteId: site.id,
          startedAt,
          endedAt: startedAt + 1,
          energyWh,
          heardAt: startedAt - 20 * hour
        })
      yield* at(noon - 2, 1)
      yield* at(noon, 10)
      yield* at(noon + hour, 100)
      const figures = yield* chargers.statistics(ours.id, noon + 2 * hour)
      expect([figures.sessionsToday, figures.energyWhToday, figures.energyWhTotal]).toEqual([2, 110, 111])
      yield* access.updateOrganisation({ timeZone: "Nowhere/At_All" }, ours.writing())
      expect((yield* chargers.statistics(ours.id, noon + 2 * hour)).sessionsToday).toBe(3)
    })
  )

  it.effect("an organisation without chargers and sessions has statistics of zero", () =>
    Effect.gen(function* () {
      const chargers = yield* Chargers
      const ours = yield* anOrganisation
      expect(yield* chargers.statistics(ours.id, noon)).toEqual({
        chargers: 0,
        connected: 0,
        connectors: { available: 0, occupied: 0, faulted: 0, unavailable: 0 },
        activeSessions: 0,
        energyWhToday: 0,
        energyWhTotal: 0,
        sessionsToday: 0
      })
    })
  )
}
