/** What every storage of partners must do, on every database: whose a token is and for how long, and that no two partners are the same party. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { tokenVerifier } from "../../src/domain/roaming/PartnerTokens.ts"
import type { PartnerParty, PartyRole } from "../../src/domain/roaming/Party.ts"
import { Parties } from "../../src/domain/roaming/Parties.ts"
import { Partners, type Registration } from "../../src/domain/roaming/Partners.ts"
import { Secrets } from "../../src/domain/values/Secrets.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
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

/** A party that no other organisation or partner has. */
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

interface Registering {
  /** The token that the partner presents. Without one we began the handshake, with the expected token. */
  readonly by?: string | undefined
  readonly parties?: ReadonlyArray<PartnerParty>
  readonly theirToken?: string
  /** The partner's token that was stored when the handshake began. */
  readonly since?: string | undefined
}

/** The result of a handshake, after which the partner calls by `token`. */
const registration = (token: string, { by, parties = [], since, theirToken = "sealed" }: Registering = {}) =>
  Effect.gen(function* () {
    const found: Registration = {
      begun: by === undefined ? { by: "Us" } : { by: "Partner", presented: yield* verifier(by), theirToken: since },
      connection: {
        version: "2.2.1",
        versionsUrl: "https://emsp.example/versions",
        tokenForm: "Base64",
        parties,
        endpoints: [{ module: "tokens", role: "SENDER", url: "https://emsp.example/tokens" }],
        registeredAt: noon
      },
      theirToken,
      ourVerifier: yield* verifier(token)
    }
    return found
  })

/** Whose a token is at a time, and its use: the partner's id and what the token permits, or undefined. */
const bearerOf = (token: string, now = noon) =>
  Effect.gen(function* () {
    const partners = yield* Partners
    const found = yield* partners.bearer([yield* verifier("another"), yield* verifier(token)], now)
    return found && [found.partner.id, found.use]
  })

const invitations = (it: ContractIt): void => {
  it.effect("invites with a token that is valid for registration for seven days, and shows the invited party", () =>
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

  it.effect("allows one partner for each party and role within an organisation", () =>
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
      // The parties that a partner names itself count, in any case.
      const said = (role: PartyRole): PartnerParty => ({
        role,
        countryCode: countryCode.toLowerCase(),
        partyId: partyId.toLowerCase(),
        businessDetails: { name: "P" }
      })
      const twice = yield* registration("B", { by: hub.token, parties: [said("HUB"), said("EMSP")] })
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
  it.effect("exchanges the tokens of both sides in one step and uses up the registration token", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { partner, token } = yield* invite(organisation)
      const first = yield* registration("C1", { by: token, theirToken: "sealed-1" })
      const registered = yield* partners.register(partner.id, first, organisation.writing())
      expect(registered).toMatchObject({ status: "Registered", connection: first.connection })
      expect(yield* bearerOf(token)).toBeUndefined()
      expect(yield* bearerOf("C1", noon + 1000 * day)).toEqual([partner.id, "Access"])
      expect(yield* partners.theirToken(organisation.id, partner.id)).toBe("sealed-1")
      const stranger = yield* anOrganisation
      expect(yield* partners.theirToken(stranger.id, partner.id)).toBeUndefined()
      const again = partners.register(partner.id, yield* registration("C2", { by: token }), organisation.writing())
      expect(yield* failureOf(again)).toEqual(["Conflict", "token_gone"])
      const current = partners.register(partner.id, yield* registration("C2", { by: "C1" }), organisation.writing())
      expect(yield* failureOf(current)).toEqual(["Conflict", "registered"])
      expect(yield* bearerOf("C2")).toBeUndefined()
      expect(JSON.stringify(yield* factsOf(organisation))).not.toMatch(/sealed|C1/)
    })
  )

  it.effect("accepts the token from before a rotation until the new one is used, and for a day at most", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { partner, token } = yield* invite(organisation)
      const { id } = partner
      yield* partners.register(id, yield* registration("R1", { by: token }), organisation.writing())
      expect(yield* bearerOf("R1")).toEqual([id, "Access"])
      yield* partners.renew(id, yield* registration("R2", { by: "R1", since: "sealed" }), organisation.writing())
      expect(yield* bearerOf("R1", noon + day - 1)).toEqual([id, "Retiring"])
      expect(yield* bearerOf("R1", noon + day + 1)).toBeUndefined()
      // The answer was lost, so the partner renews again: its current token stays valid, and the one it never received does not.
      yield* partners.renew(id, yield* registration("R3", { by: "R1", since: "sealed" }), organisation.writing())
      expect(yield* bearerOf("R2")).toBeUndefined()
      expect(yield* bearerOf("R1")).toEqual([id, "Retiring"])
      expect(yield* bearerOf("R3")).toEqual([id, "Access"])
      expect(yield* bearerOf("R1")).toBeUndefined()
    })
  )

  it.effect("does not regard a rotated token as used when the old one's first use coincides with the rotation", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { partner, token } = yield* invite(organisation)
      const { id } = partner
      yield* partners.register(id, yield* registration("W1", { by: token }), organisation.writing())
      // The first use and the rotation at the same time, in either order.
      const rotation = partners.renew(
        id,
        yield* registration("W2", { by: "W1", since: "sealed" }),
        organisation.writing()
      )
      yield* Effect.all([bearerOf("W1"), rotation], { concurrency: "unbounded" })
      // The answer of the rotation was lost: the partner has the old one only.
      expect(yield* bearerOf("W1")).toEqual([id, "Retiring"])
      expect(yield* bearerOf("W2")).toEqual([id, "Access"])
    })
  )

  it.effect("accepts the token we offered to a registered partner until it expires or the handshake ends", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { partner, token } = yield* invite(organisation)
      const { id } = partner
      yield* partners.register(id, yield* registration("E1", { by: token }), organisation.writing())
      const expected = { verifier: yield* verifier("E2"), expiresAt: noon + hour }
      yield* partners.expect(id, expected, organisation.writing())
      expect(yield* bearerOf("E2")).toEqual([id, "Access"])
      // This decides nothing: the previous token stays valid.
      expect(yield* bearerOf("E1")).toEqual([id, "Access"])
      expect(yield* bearerOf("E2", noon + hour + 1)).toBeUndefined()
      yield* partners.renew(id, yield* registration("E2"), organisation.writing())
      expect(yield* bearerOf("E1", noon + hour + 1)).toEqual([id, "Retiring"])
      expect(yield* bearerOf("E2", noon + hour + 1)).toEqual([id, "Access"])
      expect(yield* bearerOf("E1", noon + hour + 1)).toBeUndefined()
    })
  )

  it.effect("leaves the invitation valid while we register, until that has succeeded", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { partner, token } = yield* invite(organisation)
      const { id } = partner
      const expected = { verifier: yield* verifier("X1"), expiresAt: noon + hour }
      yield* partners.expect(id, expected, organisation.writing())
      expect(yield* bearerOf("X1")).toEqual([id, "Expected"])
      expect(yield* bearerOf(token)).toEqual([id, "Registration"])
      yield* partners.withdraw(id, expected.verifier, organisation.writing())
      expect(yield* bearerOf("X1")).toBeUndefined()
      expect(yield* bearerOf(token)).toEqual([id, "Registration"])
      const withdrawn = partners.register(id, yield* registration("X1"), organisation.writing())
      expect(yield* failureOf(withdrawn)).toEqual(["Conflict", "token_gone"])
      yield* partners.expect(id, expected, organisation.writing())
      yield* partners.register(id, yield* registration("X1"), organisation.writing())
      expect(yield* bearerOf("X1", noon + day)).toEqual([id, "Access"])
      expect(yield* bearerOf(token)).toBeUndefined()
      // A token in use is not withdrawn by a handshake whose end was not received.
      yield* partners.withdraw(id, expected.verifier, organisation.writing())
      expect(yield* bearerOf("X1")).toEqual([id, "Access"])
    })
  )

  it.effect("refuses to complete a handshake whose token was withdrawn meanwhile, and keeps the state since then", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { partner, token } = yield* invite(organisation)
      const { id } = partner
      const again = { verifier: yield* verifier("Y1"), expiresAt: noon + day }
      const expected = { verifier: yield* verifier("Y2"), expiresAt: noon + day }
      const byPartner = (by: string) => registration("Y3", { by, since: "sealed" })
      const { register, renew } = partners
      const ends = (change: typeof register, one: Registration) => failureOf(change(id, one, organisation.writing()))
      yield* partners.expect(id, expected, organisation.writing())
      yield* partners.invite(id, again, organisation.writing())
      expect(yield* ends(register, yield* byPartner(token))).toEqual(["Conflict", "token_gone"])
      expect(yield* ends(register, yield* registration("Y2"))).toEqual(["Conflict", "token_gone"])
      expect(yield* partners.get(organisation.id, id)).toMatchObject({ status: "Invited" })
      expect(yield* bearerOf("Y1")).toEqual([id, "Registration"])
      yield* partners.register(id, yield* registration("Y4", { by: "Y1" }), organisation.writing())
      // The same for a renewal: invited and registered again meanwhile.
      yield* partners.expect(id, expected, organisation.writing())
      yield* partners.invite(id, again, organisation.writing())
      yield* partners.register(id, yield* registration("Y5", { by: "Y1" }), organisation.writing())
      expect(yield* ends(renew, yield* byPartner("Y4"))).toEqual(["Conflict", "token_gone"])
      expect(yield* ends(renew, yield* registration("Y2"))).toEqual(["Conflict", "token_gone"])
      expect(yield* bearerOf("Y5")).toEqual([id, "Access"])
      yield* partners.remove(id, organisation.writing())
      expect(yield* ends(renew, yield* byPartner("Y5"))).toEqual(["NotFound", "partner"])
    })
  )

  it.effect(
    "completes a renewal by a token retired meanwhile, unless another renewal replaced the partner's token it began with",
    () =>
      Effect.gen(function* () {
        const partners = yield* Partners
        const organisation = yield* anOrganisation
        const { partner, token } = yield* invite(organisation)
        const { id } = partner
        const renewal = (to: string, since: string) =>
          Effect.flatMap(registration(to, { by: "Z1", since, theirToken: `of ${to}` }), (one) =>
            partners.renew(id, one, organisation.writing())
          )
        yield* partners.register(id, yield* registration("Z1", { by: token }), organisation.writing())
        expect(yield* bearerOf("Z1")).toEqual([id, "Access"])
        yield* renewal("Z2", "sealed")
        // The partner replaced its token by the renewal that has completed, so this one began with an outdated token.
        expect(yield* failureOf(renewal("Z3", "sealed"))).toEqual(["Conflict", "overtaken"])
        expect(yield* partners.theirToken(organisation.id, id)).toBe("of Z2")
        expect(yield* bearerOf("Z3")).toBeUndefined()
        expect(yield* bearerOf("Z1")).toEqual([id, "Retiring"])
        yield* renewal("Z4", "of Z2")
        expect(yield* bearerOf("Z4")).toEqual([id, "Access"])
        expect(yield* failureOf(renewal("Z5", "of Z4"))).toEqual(["Conflict", "token_gone"])
        expect(yield* bearerOf("Z4")).toEqual([id, "Access"])
      })
  )

  it.effect("keeps valid the last ten tokens that our renewals may have given to a partner", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { partner, token } = yield* invite(organisation)
      const { id } = partner
      yield* partners.register(id, yield* registration("V", { by: token }), organisation.writing())
      expect(yield* bearerOf("V")).toEqual([id, "Access"])
      for (let n = 0; n < 11; n += 1) {
        const expected = { verifier: yield* verifier(`V${n}`), expiresAt: noon + day }
        yield* partners.expect(id, expected, { ...organisation.writing(), now: noon + n })
      }
      expect(yield* bearerOf("V0")).toBeUndefined()
      for (let n = 1; n < 11; n += 1) expect(yield* bearerOf(`V${n}`)).toEqual([id, "Access"])
      // The partner has received one of them and renews with it; the answer is lost.
      yield* partners.renew(id, yield* registration("VV", { by: "V3", since: "sealed" }), organisation.writing())
      expect(yield* bearerOf("V")).toBeUndefined()
      expect(yield* bearerOf("V3")).toEqual([id, "Retiring"])
      // Our renewal and the partner's at the same time: whichever token it received last is valid.
      yield* partners.renew(id, yield* registration("V4"), organisation.writing())
      for (const one of ["V3", "VV", "V5"]) expect(yield* bearerOf(one), one).toBeDefined()
      expect(yield* bearerOf("V4")).toEqual([id, "Access"])
    })
  )

  it.effect("no longer accepts the token of an unregistered partner, and lets it register by a new invitation", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { partner, token } = yield* invite(organisation)
      const { id } = partner
      const notYet = partners.unregister(id, organisation.writing())
      expect(yield* failureOf(notYet)).toEqual(["Conflict", "not_registered"])
      const early = partners.renew(id, yield* registration("U0", { by: token }), organisation.writing())
      expect(yield* failureOf(early)).toEqual(["Conflict", "not_registered"])
      yield* partners.register(id, yield* registration("U1", { by: token }), organisation.writing())
      yield* partners.unregister(id, organisation.writing())
      expect(yield* bearerOf("U1")).toBeUndefined()
      expect(yield* partners.theirToken(organisation.id, id)).toBeUndefined()
      const gone = { status: "Unregistered", connection: undefined }
      expect(yield* partners.get(organisation.id, id)).toMatchObject(gone)
      const invitation = { verifier: yield* verifier("U2"), expiresAt: noon + day }
      yield* partners.invite(id, invitation, organisation.writing())
      expect(yield* bearerOf("U2")).toEqual([id, "Registration"])
      yield* partners.register(id, yield* registration("U3", { by: "U2" }), organisation.writing())
      expect(yield* bearerOf("U3")).toEqual([id, "Access"])
    })
  )

  it.effect("suspends a partner without ending its registration, and restores it as it was", () =>
    Effect.gen(function* () {
      const partners = yield* Partners
      const organisation = yield* anOrganisation
      const { partner, token } = yield* invite(organisation)
      const { id } = partner
      yield* partners.register(id, yield* registration("S1", { by: token }), organisation.writing())
      const suspended = yield* partners.update(id, { suspended: true }, organisation.writing())
      expect([suspended.status, suspended.connection?.version]).toEqual(["Suspended", "2.2.1"])
      const again = partners.register(id, yield* registration("S2", { by: "S1" }), organisation.writing())
      expect(yield* failureOf(again)).toEqual(["Conflict", "suspended"])
      // A renewal that the partner began before its suspension is refused as well as a new one.
      const late = partners.renew(id, yield* registration("S3", { by: "S1", since: "sealed" }), organisation.writing())
      expect(yield* failureOf(late)).toEqual(["Conflict", "suspended"])
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
  it.effect("gives every organisation its own party, and further ones that no other organisation has", () =>
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
