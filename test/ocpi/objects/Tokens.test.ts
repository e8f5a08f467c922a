/** Tokens in each version: what is read, what is sent, and what a version cannot express. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { RoamingTokenBody } from "../../../src/domain/token/RoamingToken.ts"
import { wireObjects } from "../../../src/ocpi/objects/WireObjects.ts"
import { schemasOf } from "../schemas/Schemas.ts"

const party = { countryCode: "DE", partyId: "EMS" }

const full: RoamingTokenBody = {
  ...party,
  uid: "04A2B3",
  type: "APP_USER",
  contractId: "DE-EMS-7",
  visualNumber: "DE 7",
  issuer: "Example",
  groupUid: "FLEET",
  valid: true,
  whitelist: "NEVER",
  language: "de",
  defaultProfileType: "GREEN",
  energyContract: { supplierName: "Stromwerk", contractId: "7" },
  lastUpdated: Date.UTC(2026, 10, 20, 8, 30)
}

const bare: RoamingTokenBody = {
  ...full,
  type: "RFID",
  visualNumber: undefined,
  groupUid: undefined,
  language: undefined,
  defaultProfileType: undefined,
  energyContract: undefined
}

const versions = ["2.1.1", "2.2", "2.2.1"] as const

describe.each(versions)("a token in OCPI %s", (version) => {
  const wire = wireObjects[version].tokens
  const back = (sent: unknown) => Effect.runSync(wire.decode(sent, party))

  it("fits the standard's table, with and without optional fields", () => {
    for (const token of [full, bare]) expect(schemasOf[version].Token(wire.encode(token), "token")).toEqual([])
  })

  it("is read back unchanged if the version can express all of it", () => {
    expect(back(wire.encode(bare))).toEqual(bare)
  })

  it("accepts null for optional fields", () => {
    const nulls = {
      visual_number: null,
      language: null,
      group_id: null,
      energy_contract: null,
      default_profile_type: null
    }
    expect(back({ ...(wire.encode(bare) as object), ...nulls })).toEqual(bare)
  })

  it("is refused without a uid, or with one that the database cannot store", () => {
    for (const uid of ["", "a\0b", "\ud800", "x".repeat(256)]) {
      expect(() => back({ ...(wire.encode(bare) as object), uid }), JSON.stringify(uid)).toThrow()
    }
  })

  it("is changed by a PATCH only in known fields that are not null", () => {
    const patch = { valid: false, visual_number: null, last_updated: "2026-11-20T09:00:00+01:00", invented: 1 }
    expect(Effect.runSync(wire.decodePatch(patch))).toEqual({ valid: false, lastUpdated: Date.UTC(2026, 10, 20, 8) })
  })

  it("is authorised with location references that fit the standard", () => {
    const references = wire.references({
      id: "site",
      evses: [
        { uid: "e1", evseId: 1 },
        { uid: "e2", evseId: 2 }
      ]
    })
    expect(schemasOf[version].LocationReferences(references, "references")).toEqual([])
  })
})

describe("what OCPI 2.1.1 cannot express of a token", () => {
  it("are the group, the profile, the energy contract, and types other than RFID and OTHER", () => {
    const wire = wireObjects["2.1.1"].tokens
    expect(Effect.runSync(wire.decode(wire.encode(full), party))).toEqual({
      ...full,
      type: "OTHER",
      groupUid: undefined,
      defaultProfileType: undefined,
      energyContract: undefined
    })
  })
})

describe("a partner's answer to an authorisation request", () => {
  const read = (version: (typeof versions)[number], word: unknown) =>
    Effect.runSync(wireObjects[version].tokens.decodeWord(word, party))
  const token = wireObjects["2.2.1"].tokens.encode(full)

  it("has the token and a reference from 2.2 on, and neither in 2.1.1", () => {
    const word = { allowed: "ALLOWED", token, authorization_reference: "ref", location: { location_id: "x" } }
    const place = { locationId: "x", evseUids: [] }
    expect(read("2.2.1", word)).toEqual({ allowed: "ALLOWED", token: full, authorizationReference: "ref", place })
    const old = { allowed: "ALLOWED", token: undefined, authorizationReference: undefined, place }
    expect(read("2.1.1", word)).toEqual(old)
  })

  it.each(versions)("may name a place in %s, which is left out if it cannot be read", (version) => {
    const read = (location: unknown) =>
      Effect.runSync(wireObjects[version].tokens.decodeWord({ allowed: "ALLOWED", location }, party)).place
    expect(read({ location_id: "x", evse_uids: ["a", "b"] })).toEqual({ locationId: "x", evseUids: ["a", "b"] })
    expect(read({ location_id: null, evse_uids: null })).toEqual({ locationId: undefined, evseUids: [] })
    expect([read(undefined), read(null), read("x"), read({ evse_uids: [7] })]).toEqual(Array(4).fill(undefined))
  })

  it.each(versions)("may be a list of one in %s, but not of more or none", (version) => {
    const word = { allowed: "BLOCKED", token, authorization_reference: "ref" }
    expect(read(version, [word])).toEqual(read(version, word))
    for (const list of [[], [word, word], [[word]]]) expect(() => read(version, list)).toThrow()
  })

  it("is valid without a token, with an unreadable one, and with a reference that is too long", () => {
    const expected = { allowed: "BLOCKED", token: undefined, authorizationReference: undefined, place: undefined }
    expect(read("2.2", { allowed: "BLOCKED" })).toEqual(expected)
    expect(read("2.2", { allowed: "BLOCKED", token: { uid: 7 }, authorization_reference: null })).toEqual(expected)
    expect(read("2.2", { allowed: "BLOCKED", authorization_reference: "x".repeat(37) })).toEqual(expected)
    expect(() => read("2.2", { info: "no word" })).toThrow()
  })
})
