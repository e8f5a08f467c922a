/** What every storage of partners fulfils, whatever the database: whose a token is and for how long, and that no two partners are the same party. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { tokenVerifier } from "../../src/domain/party/PartnerTokens.ts"
import type { PartnerParty, PartyRole } from "../../src/domain/party/Party.ts"
import { Parties } from "../../src/domain/ports/Parties.ts"
import { Partners, type Registration } from "../../src/domain/ports/Partners.ts"
import { Secrets } from "../../src/domain/ports/Secrets.ts"
import { Sites } from "../../src/domain/ports/Sites.ts"
import {
  anOrganisation,
  type ContractIt,
  factsOf,
  failureOf,
  noon,
  type TestOrganisation
} from "../support/repositories.ts"

const hour = 3_600_000
const day = 24 * hour

const verifier = (token: string) => Effect.map(Secrets, (secrets) => tokenVerifier(secrets, token))

let made = 0

/** A party that nobody else has. */
const nextParty = () => ({ countryCode: "DE", partyId: (made++).toString(36).toUpperCase().padStart(3, "0") })

interface Invited {
  readonly party?: { readonly countryCode: string; readonly partyId: string }
  readonly roles?: ReadonlyArray<PartyRole>
  readonly token?: string
}

const invite = (organisation: TestOrganisation, { party, roles = ["EMSP"], token = `A-${made++}` }: Invited = {}) =>
  Effect.gen(function* () {
    const partners = yield* Partners
    const expected = { ...(party ?? nextParty()), roles }
    const invitation = { verifier: yield* verifier(token), expiresAt: noon + 7 * day }
    const partner = yield* partners.create({ name: "P", expected, switches: {}, invitation }, organisation.writing())
    return { partner, expected, token }
  })

const registration = (token: string, parties: ReadonlyArray<PartnerParty> = [], theirToken = "sealed") =>
  Effect.map(verifier(token), (ourVerifier): Registration => ({
    connection: {
      version: "2.2.1",
      versionsUrl: "https://emsp.example/versions",
      tokenForm: "Base64",
      parties,
      endpoints: [{ module: "tokens", role: "SENDER", url: "https://emsp.example/tokens" }],
      registeredAt: noon
    },
    theirToken,
    ourVerifier
  }))

/** Whose a token is at a time: the partner's id and what it may do, or undefined. */
const bearerOf = (token: string, now = noon) =>
  Effect.gen(function* () {
    const partners = yield* Partners
    const found = yield* partners.bearer([yield* verifier("another"), yield* verifier(token)], now)
    return found && [found.partner.id, found.use]
  })

const invitations = (it: ContractIt): void => {
  it.effect("invites with a token that registers for seven days, and shows whom", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { expected, partner, token } = yield* invite(organisation, { roles: ["EMSP", "NSP"] })
      expect(partner).toMatchObject({ status: "Invited", expected, connection: undefined })
      expect(yield* bearerOf(token)).toEqual([partner.id, "Registration"])
      expect(yield* bearerOf(token, noon + 7 * day + 1)).toBeUndefined()
      expect(yield* partners.get(organisation.id, partner.id)).toEqual(partner)
      const stranger = yield* anOrganisation
      expect(yield* failureOf(partners.get(stranger.id, partner.id))).toEqual(["NotFound", "partner"])
      expect((yield* partners.list(stranger.id, { limit: 10 })).items).toEqual([])
      const [, , fact] = yield* factsOf(organisation)
      expect(fact).toMatchObject({ type: "PartnerCreated", subject: `partner:${partner.id}` })
      expect(JSON.stringify(fact)).not.toContain(token)
    })
  )

  it.effect("has one partner for a party in a role, within an organisation", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { expected, partner } = yield* invite(organisation)
      const { countryCode, partyId } = expected
      const party = { countryCode, partyId }
      expect(yield* failureOf(invite(organisation, { party, roles: ["HUB", "EMSP"] }))).toEqual([
        "Conflict",
        "party_in_use"
      ])
      // Refused as a whole: the other role is free.
      const hub = yield* invite(organisation, { party, roles: ["HUB"] })
      const other = yield* anOrganisation
      yield* invite(other, { party })
      // What a partner says of itself counts, in whatever case.
      const said = (role: PartyRole): PartnerParty => ({
        role,
        countryCode: countryCode.toLowerCase(),
        partyId: partyId.toLowerCase(),
        businessDetails: { name: "P" }
      })
      const twice = yield* registration("B", [said("HUB"), said("EMSP")])
      expect(yield* failureOf(partners.register(hub.partner.id, twice, organisation.writing()))).toEqual([
        "Conflict",
        "party_in_use"
      ])
      expect(yield* partners.get(organisation.id, hub.partner.id)).toMatchObject({ status: "Invited" })
      expect(yield* bearerOf(hub.token)).toEqual([hub.partner.id, "Registration"])
      yield* partners.remove(partner.id, organisation.writing())
      yield* partners.register(hub.partner.id, twice, organisation.writing())
      expect(yield* bearerOf("B")).toEqual([hub.partner.id, "Access"])
    })
  )
}

const registrations = (it: ContractIt): void => {
  it.effect("exchanges the tokens of both sides in one, and uses the registration token up", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { partner, token } = yield* invite(organisation)
      const first = yield* registration("C1", [], "sealed-1")
      const registered = yield* partners.register(partner.id, first, organisation.writing())
      expect(registered).toMatchObject({ status: "Registered", connection: first.connection })
      expect(yield* bearerOf(token)).toBeUndefined()
      expect(yield* bearerOf("C1", noon + 1000 * day)).toEqual([partner.id, "Access"])
      expect(yield* partners.theirToken(organisation.id, partner.id)).toBe("sealed-1")
      const stranger = yield* anOrganisation
      expect(yield* partners.theirToken(stranger.id, partner.id)).toBeUndefined()
      const again = partners.register(partner.id, yield* registration("C2"), organisation.writing())
      expect(yield* failureOf(again)).toEqual(["Conflict", "registered"])
      expect(yield* bearerOf("C2")).toBeUndefined()
      expect(JSON.stringify(yield* factsOf(organisation))).not.toMatch(/sealed|C1/)
    })
  )

  it.effect("takes the token before a rotation until the new one is used, and for a day at most", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { partner } = yield* invite(organisation)
      const { id } = partner
      yield* partners.register(id, yield* registration("R1"), organisation.writing())
      expect(yield* bearerOf("R1")).toEqual([id, "Access"])
      yield* partners.renew(id, yield* registration("R2"), organisation.writing())
      expect(yield* bearerOf("R1", noon + day - 1)).toEqual([id, "Retiring"])
      expect(yield* bearerOf("R1", noon + day + 1)).toBeUndefined()
      // Its answer was lost, and it renews once more: what it has stays good, what it never used is nobody's.
      yield* partners.renew(id, yield* registration("R3"), organisation.writing())
      expect(yield* bearerOf("R2")).toBeUndefined()
      expect(yield* bearerOf("R1")).toEqual([id, "Retiring"])
      expect(yield* bearerOf("R3")).toEqual([id, "Access"])
      expect(yield* bearerOf("R1")).toBeUndefined()
    })
  )

  it.effect("does not take a token for used that a rotation has just put in place of the one that was", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { partner } = yield* invite(organisation)
      const { id } = partner
      yield* partners.register(id, yield* registration("W1"), organisation.writing())
      // Its first use and the rotation at once, in whatever order they come.
      const rotation = partners.renew(id, yield* registration("W2"), organisation.writing())
      yield* Effect.all([bearerOf("W1"), rotation], { concurrency: "unbounded" })
      // The answer of the rotation was lost: the partner has the old one only.
      expect(yield* bearerOf("W1")).toEqual([id, "Retiring"])
      expect(yield* bearerOf("W2")).toEqual([id, "Access"])
    })
  )

  it.effect("takes what a registered partner was told to call by, for as long as we do not know whether it does", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { partner } = yield* invite(organisation)
      const { id } = partner
      yield* partners.register(id, yield* registration("E1"), organisation.writing())
      const told = { verifier: yield* verifier("E2"), expiresAt: noon + hour }
      yield* partners.expect(id, told, organisation.writing())
      expect(yield* bearerOf("E2")).toEqual([id, "Access"])
      // Nothing is decided by that: the token before stays as it is.
      expect(yield* bearerOf("E1")).toEqual([id, "Access"])
      expect(yield* bearerOf("E2", noon + hour + 1)).toBeUndefined()
      yield* partners.renew(id, yield* registration("E2"), organisation.writing())
      expect(yield* bearerOf("E1", noon + hour + 1)).toEqual([id, "Retiring"])
      expect(yield* bearerOf("E2", noon + hour + 1)).toEqual([id, "Access"])
      expect(yield* bearerOf("E1", noon + hour + 1)).toBeUndefined()
    })
  )

  it.effect("knows nobody any more that has unregistered, and lets it begin again by a new invitation", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { partner } = yield* invite(organisation)
      const { id } = partner
      const notYet = partners.unregister(id, organisation.writing())
      expect(yield* failureOf(notYet)).toEqual(["Conflict", "not_registered"])
      const early = partners.renew(id, yield* registration("U0"), organisation.writing())
      expect(yield* failureOf(early)).toEqual(["Conflict", "not_registered"])
      yield* partners.register(id, yield* registration("U1"), organisation.writing())
      yield* partners.unregister(id, organisation.writing())
      expect(yield* bearerOf("U1")).toBeUndefined()
      expect(yield* partners.theirToken(organisation.id, id)).toBeUndefined()
      const gone = { status: "Unregistered", connection: undefined }
      expect(yield* partners.get(organisation.id, id)).toMatchObject(gone)
      const invitation = { verifier: yield* verifier("U2"), expiresAt: noon + day }
      yield* partners.invite(id, invitation, organisation.writing())
      expect(yield* bearerOf("U2")).toEqual([id, "Registration"])
      yield* partners.register(id, yield* registration("U3"), organisation.writing())
      expect(yield* bearerOf("U3")).toEqual([id, "Access"])
    })
  )

  it.effect("suspends a partner with its registration, and lets it on as it was", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { partner } = yield* invite(organisation)
      const { id } = partner
      yield* partners.register(id, yield* registration("S1"), organisation.writing())
      const suspended = yield* partners.update(id, { suspended: true }, organisation.writing())
      expect([suspended.status, suspended.connection?.version]).toEqual(["Suspended", "2.2.1"])
      const again = partners.register(id, yield* registration("S2"), organisation.writing())
      expect(yield* failureOf(again)).toEqual(["Conflict", "registered"])
      const switches = { noCreditCdrs: true, credentialsOnce: true, tokenForm: "Raw" as const }
      const on = yield* partners.update(id, { suspended: false, switches, name: "Q" }, organisation.writing())
      expect(on).toMatchObject({ status: "Registered", switches, name: "Q" })
      const change = { credentialsOnce: null, createdAs201: true }
      const changed = yield* partners.update(id, { switches: change }, organisation.writing())
      expect(changed.switches).toEqual({ noCreditCdrs: true, tokenForm: "Raw", createdAs201: true })
      const stranger = yield* anOrganisation
      const foreign = partners.update(id, { name: "taken over" }, stranger.writing())
      expect(yield* failureOf(foreign)).toEqual(["NotFound", "partner"])
    })
  )
}

const parties = (it: ContractIt): void => {
  it.effect("gives every organisation its own party, and further ones that are nobody else's", () =>
    Effect.gen(function* () {
      const parties = yield* Parties
      const organisation = yield* anOrganisation
      const [own, ...none] = yield* parties.list(organisation.id)
      expect([own?.isDefault, own?.countryCode, none]).toEqual([true, "NL", []])
      const input = { ...nextParty(), businessDetails: { name: "Second", website: "https://second.example" } }
      const second = yield* parties.create(input, organisation.writing())
      expect(second).toMatchObject({ ...input, isDefault: false })
      expect(yield* parties.list(organisation.id)).toEqual([own, second])
      const other = yield* anOrganisation
      expect(yield* failureOf(parties.create(input, other.writing()))).toEqual(["Conflict", "party_exists"])
      const site = yield* (yield* Sites).create({ name: "Site" }, organisation.writing())
      expect(yield* parties.ofSite(organisation.id, site.id)).toEqual(own)
      expect(yield* failureOf(parties.ofSite(other.id, site.id))).toEqual(["NotFound", "site"])
      const sites = yield* Sites
      const moved = yield* sites.update(site.id, { cpoPartyId: second.id }, organisation.writing())
      expect(moved.cpoPartyId).toBe(second.id)
      expect(yield* parties.ofSite(organisation.id, site.id)).toEqual(second)
      const [foreign] = yield* parties.list(other.id)
      const wrong = { name: "Wrong", cpoPartyId: foreign?.id }
      expect(yield* failureOf(sites.create(wrong, organisation.writing()))).toEqual(["InvalidInput", "/cpoPartyId"])
      expect(yield* failureOf(sites.update(site.id, wrong, organisation.writing()))).toEqual([
        "InvalidInput",
        "/cpoPartyId"
      ])
      yield* sites.update(site.id, { cpoPartyId: null }, organisation.writing())
      expect(yield* parties.ofSite(organisation.id, site.id)).toEqual(own)
      const facts = yield* factsOf(organisation)
      expect(facts.map(({ type }) => type)).toContain("PartyCreated")
    })
  )
}

export const partnersContract = (it: ContractIt): void => {
  invitations(it)
  registrations(it)
  parties(it)
}
