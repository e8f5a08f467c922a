/** What every storage of partners' tokens must do, on every database. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Connection, Partner } from "../../src/domain/roaming/Partner.ts"
import { Partners } from "../../src/domain/roaming/Partners.ts"
import { RoamingTokens } from "../../src/domain/token/RoamingTokens.ts"
import type { RoamingTokenBody } from "../../src/domain/token/RoamingToken.ts"
import {
  anOrganisation,
  type ContractIt,
  factsOf,
  failureOf,
  noon,
  type TestOrganisation
} from "../support/repositories.ts"

const second = 1_000
const party = { countryCode: "DE", partyId: "EMS" }

export const roamingCard = (uid: string, more: Partial<RoamingTokenBody> = {}): RoamingTokenBody => ({
  ...party,
  uid,
  type: "RFID",
  contractId: `DEEMS${uid}`,
  visualNumber: undefined,
  issuer: "Example Mobility",
  groupUid: undefined,
  valid: true,
  whitelist: "ALLOWED",
  language: undefined,
  defaultProfileType: undefined,
  energyContract: undefined,
  lastUpdated: noon,
  ...more
})

const full = roamingCard("04A2B3", {
  type: "APP_USER",
  visualNumber: "DE-1",
  groupUid: "Fleet",
  valid: false,
  whitelist: "SOMETIMES",
  language: "de",
  defaultProfileType: "GREEN",
  energyContract: { supplierName: "Stromwerk", contractId: "7" },
  lastUpdated: noon + 123
})

let made = 0

/** A partner that has registered with an organisation. */
export const aPartner = (ours: Effect.Success<typeof anOrganisation>, connected: Partial<Connection> = {}) =>
  Effect.gen(function* () {
    const partners = yield* Partners
    const n = ++made
    const partyId = `P${n.toString(36).toUpperCase().padStart(2, "0")}`
    const verifier = new TextEncoder().encode(`verifier-${n}`)
    const partner = yield* partners.create(
      {
        name: "Example Mobility",
        expected: { countryCode: "DE", partyId, roles: ["EMSP"] },
        switches: {},
        invitation: { verifier, expiresAt: noon + 1 }
      },
      ours.writing()
    )
    const connection: Connection = {
      version: "2.2.1",
      versionsUrl: "https://emsp.example/versions",
      tokenForm: "Base64",
      parties: [{ role: "EMSP", countryCode: "DE", partyId, businessDetails: { name: "Example" } }],
      endpoints: [{ module: "tokens", role: "SENDER", url: "https://emsp.example/tokens" }],
      registeredAt: noon,
      ...connected
    }
    const ourVerifier = new TextEncoder().encode(`ours-${n}`)
    const begun = { by: "Partner", presented: verifier, theirToken: undefined } as const
    const registration = { begun, connection, theirToken: "sealed", ourVerifier }
    return yield* partners.register(partner.id, registration, ours.writing())
  })

const storingContract = (it: ContractIt): void => {
  it.effect("a token is read back as it was pushed, and found by its address in any case", () =>
    Effect.gen(function* () {
      const tokens = yield* RoamingTokens
      const ours = yield* anOrganisation
      const { id } = yield* aPartner(ours)
      expect(yield* tokens.put(id, [full, roamingCard("b")], ours.writing())).toEqual(["Created", "Created"])
      for (const uid of ["04A2B3", "04a2b3"]) {
        const address = { countryCode: "de", partyId: "ems", uid, type: "app_user" }
        expect(yield* tokens.find(ours.id, id, address)).toEqual({ ...full, partnerId: id })
      }
      const other = { ...party, uid: "04A2B3", type: "RFID" }
      expect(yield* failureOf(tokens.find(ours.id, id, other))).toEqual(["NotFound", "token"])
      expect(yield* tokens.find(ours.id, id, { ...other, type: undefined })).toMatchObject({ type: "APP_USER" })
    })
  )

  it.effect("an older push or a repeat changes nothing, and a newer push replaces the token and makes a fact", () =>
    Effect.gen(function* () {
      const tokens = yield* RoamingTokens
      const ours = yield* anOrganisation
      const { id } = yield* aPartner(ours)
      const push = (more: Partial<RoamingTokenBody>) =>
        Effect.map(tokens.put(id, [roamingCard("Ab", more)], ours.writing(noon + 60 * second)), ([taken]) => taken)
      expect(yield* push({ lastUpdated: noon })).toBe("Created")
      expect(yield* push({ lastUpdated: noon })).toBe("Unchanged")
      expect(yield* push({ lastUpdated: noon + 2 * second, valid: false })).toBe("Replaced")
      expect(yield* push({ lastUpdated: noon + second })).toBe("Outdated")
      expect(yield* push({ lastUpdated: noon + 2 * second })).toBe("Replaced")
      expect(yield* push({ lastUpdated: noon + 2 * second, valid: false })).toBe("Replaced")
      expect(yield* tokens.find(ours.id, id, { ...party, uid: "aB", type: "RFID" })).toMatchObject({ valid: false })
      const about = ({ subject }: { readonly subject: string }) => /^roaming-token:DE\*EMS\*ab$/i.test(subject)
      const facts = (yield* factsOf(ours)).filter(about)
      expect(facts.map(({ type }) => type)).toEqual(Array.from({ length: 4 }, () => "RoamingTokenChanged"))
      expect(facts[0]?.body).toMatchObject({ after: { uid: "Ab", partnerId: id } })
    })
  )

  it.effect("a lastUpdated far in the future does not block later changes", () =>
    Effect.gen(function* () {
      const tokens = yield* RoamingTokens
      const ours = yield* anOrganisation
      const { id } = yield* aPartner(ours)
      const year = 365 * 86_400 * second
      yield* tokens.put(id, [roamingCard("Ab", { lastUpdated: noon + year })], ours.writing())
      const blocked = roamingCard("Ab", { lastUpdated: noon, valid: false })
      expect(yield* tokens.put(id, [blocked], ours.writing())).toEqual(["Replaced"])
    })
  )

  it.effect("the newer of two versions of a token in one push is kept", () =>
    Effect.gen(function* () {
      const tokens = yield* RoamingTokens
      const ours = yield* anOrganisation
      const { id } = yield* aPartner(ours)
      const sent = [
        roamingCard("Ab", { lastUpdated: noon + second, issuer: "new" }),
        roamingCard("aB", { lastUpdated: noon, issuer: "old" })
      ]
      expect(yield* tokens.put(id, sent, ours.writing())).toEqual(["Created", "Outdated"])
      expect(yield* tokens.find(ours.id, id, { ...party, uid: "ab", type: "RFID" })).toMatchObject({ issuer: "new" })
    })
  )

  it.effect("a patch leaves fields that it does not name, and an unknown token is not found", () =>
    Effect.gen(function* () {
      const tokens = yield* RoamingTokens
      const ours = yield* anOrganisation
      const { id } = yield* aPartner(ours)
      yield* tokens.put(id, [full], ours.writing())
      const address = { ...party, uid: "04a2b3", type: "APP_USER" }
      const change = { valid: true, lastUpdated: noon + second }
      expect(yield* tokens.patch(id, address, change, ours.writing(noon + second))).toBe("Replaced")
      expect(yield* tokens.patch(id, address, { ...change, lastUpdated: noon }, ours.writing())).toBe("Outdated")
      expect(yield* tokens.find(ours.id, id, address)).toEqual({ ...full, ...change, partnerId: id })
      const unknown = tokens.patch(id, { ...address, uid: "x" }, change, ours.writing())
      expect(yield* failureOf(unknown)).toEqual(["NotFound", "token"])
    })
  )

  it.effect("a patch without a time is the newest, although the partner's clock is ahead of ours", () =>
    Effect.gen(function* () {
      const tokens = yield* RoamingTokens
      const ours = yield* anOrganisation
      const { id } = yield* aPartner(ours)
      const ahead = noon + 300 * second
      const address = { ...party, uid: "Ab", type: "RFID" }
      const read = tokens.find(ours.id, id, address)
      yield* tokens.put(id, [roamingCard("Ab", { lastUpdated: ahead })], ours.writing())
      expect(yield* tokens.patch(id, address, { valid: false }, ours.writing(noon + 60 * second))).toBe("Replaced")
      expect(yield* read).toMatchObject({ valid: false, lastUpdated: ahead })
      // If our clock is ahead, the patch gets our time. What the partner said before it is then outdated.
      const ourTime = ahead + second
      expect(yield* tokens.patch(id, address, { whitelist: "NEVER" }, ours.writing(ourTime))).toBe("Replaced")
      expect(yield* read).toMatchObject({ valid: false, whitelist: "NEVER", lastUpdated: ourTime })
      const before = roamingCard("Ab", { lastUpdated: ahead })
      expect(yield* tokens.put(id, [before], ours.writing(ourTime))).toEqual(["Outdated"])
    })
  )

  it.effect("a partner whose tokens are identified by uid alone has one token for each uid, whatever its type", () =>
    Effect.gen(function* () {
      const tokens = yield* RoamingTokens
      const ours = yield* anOrganisation
      const { id } = yield* aPartner(ours)
      const address = { ...party, uid: "ab", type: undefined }
      const typeless = { isByUid: true }
      const push = (type: string, seconds: number) => {
        const card = roamingCard("Ab", { type, lastUpdated: noon + seconds * second })
        return Effect.map(tokens.put(id, [card], ours.writing(), typeless), ([taken]) => taken)
      }
      const typesOf = Effect.forEach(["RFID", "OTHER", "APP_USER"], (type) =>
        Effect.map(Effect.isSuccess(tokens.find(ours.id, id, { ...address, type })), (is) => (is ? [type] : []))
      ).pipe(Effect.map((all) => all.flat()))
      expect(yield* push("RFID", 0)).toBe("Created")
      expect(yield* push("OTHER", 1)).toBe("Replaced")
      expect(yield* push("RFID", 0)).toBe("Outdated")
      expect(yield* typesOf).toEqual(["OTHER"])
      expect(yield* push("RFID", 2)).toBe("Replaced")
      expect(yield* typesOf).toEqual(["RFID"])
      const change = { type: "APP_USER", lastUpdated: noon + 3 * second }
      expect(yield* tokens.patch(id, address, change, ours.writing(), typeless)).toBe("Replaced")
      expect(yield* typesOf).toEqual(["APP_USER"])
      // When types count again, a token of another type is a new one with a fact of its own.
      const rfid = roamingCard("Ab", { lastUpdated: noon })
      expect(yield* tokens.put(id, [rfid], ours.writing())).toEqual(["Created"])
      expect(yield* typesOf).toEqual(["RFID", "APP_USER"])
      const about = ({ subject }: { readonly subject: string }) => /^roaming-token:DE\*EMS\*ab$/i.test(subject)
      const facts = (yield* factsOf(ours)).filter(about)
      expect(facts.map(({ body }) => (body["after"] as { readonly type: string }).type)).toEqual([
        "RFID",
        "OTHER",
        "RFID",
        "APP_USER",
        "RFID"
      ])
      expect(facts[1]?.body).toMatchObject({ before: { type: "RFID" } })
    })
  )

  it.effect("a partner cannot reach the tokens of another partner or organisation", () =>
    Effect.gen(function* () {
      const tokens = yield* RoamingTokens
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      const one = yield* aPartner(ours)
      const other = yield* aPartner(ours)
      yield* tokens.put(one.id, [roamingCard("Ab")], ours.writing())
      const address = { ...party, uid: "Ab", type: "RFID" }
      const change = { valid: false, lastUpdated: noon + second }
      for (const [organisation, id] of [
        [ours, other.id],
        [theirs, one.id]
      ] as const) {
        expect(yield* failureOf(tokens.find(organisation.id, id, address))).toEqual(["NotFound", "token"])
        const patched = tokens.patch(id, address, change, organisation.writing())
        expect(yield* failureOf(patched)).toEqual(["NotFound", "token"])
      }
      expect(yield* tokens.put(other.id, [roamingCard("Ab", { issuer: "Other" })], ours.writing())).toEqual(["Created"])
      expect(yield* tokens.find(ours.id, one.id, address)).toMatchObject({ issuer: "Example Mobility", valid: true })
    })
  )

  it.effect("an operator sees a partner's tokens by uid, page by page", () =>
    Effect.gen(function* () {
      const tokens = yield* RoamingTokens
      const ours = yield* anOrganisation
      const partner = yield* aPartner(ours)
      const other = yield* aPartner(ours)
      const sent = ["C", "a", "B"].map((uid) => roamingCard(uid))
      yield* tokens.put(partner.id, sent, ours.writing())
      yield* tokens.put(other.id, [roamingCard("A9")], ours.writing())
      const page = (offset: number, limit: number, organisationId = ours.id) =>
        Effect.map(tokens.window(organisationId, partner.id, { offset, limit }), ({ items, total }) => [
          total,
          ...items.map(({ uid }) => uid)
        ])
      expect(yield* page(0, 2)).toEqual([3, "a", "B"])
      expect(yield* page(2, 2)).toEqual([3, "C"])
      expect(yield* page(3, 2)).toEqual([3])
      const others = yield* anOrganisation
      expect(yield* page(0, 2, others.id)).toEqual([0])
    })
  )

  it.effect("a uid that is valid at two partners is a conflict until one invalidates it or is suspended", () =>
    Effect.gen(function* () {
      const tokens = yield* RoamingTokens
      const partners = yield* Partners
      const ours = yield* anOrganisation
      const one = yield* aPartner(ours)
      const other = yield* aPartner(ours)
      yield* tokens.put(one.id, [roamingCard("Ab"), roamingCard("c"), roamingCard("d")], ours.writing())
      const theirs = { partyId: "XXX" }
      const disputed = [
        roamingCard("aB", theirs),
        roamingCard("D", theirs),
        roamingCard("c", { ...theirs, valid: false })
      ]
      yield* tokens.put(other.id, disputed, ours.writing())
      const shown = Effect.map(tokens.conflicts(ours.id, { limit: 50 }), ({ items }) =>
        items.map(({ tokens, uid }) => [uid.toLowerCase(), ...tokens.map(({ partnerId }) => partnerId)])
      )
      expect(yield* shown).toEqual([
        ["ab", one.id, other.id],
        ["d", one.id, other.id]
      ])
      const first = yield* tokens.conflicts(ours.id, { limit: 1 })
      expect(first.items).toHaveLength(1)
      const second_ = yield* tokens.conflicts(ours.id, { limit: 1, cursor: first.nextCursor ?? "" })
      expect(second_.items.map(({ uid }) => uid.toLowerCase())).toEqual(["d"])
      const takenBack = roamingCard("ab", { ...theirs, valid: false, lastUpdated: noon + second })
      yield* tokens.put(other.id, [takenBack], ours.writing())
      expect(yield* shown).toEqual([["d", one.id, other.id]])
      yield* partners.update(other.id, { suspended: true }, ours.writing())
      expect(yield* shown).toEqual([])
    })
  )
}

const pulled = { _tag: "Pulled", taken: 0, unreadable: 0, problem: undefined } as const

/** Nothing is fetched from a partner in the first five seconds after its registration. */
const waits = { leaseMillis: second, settleMillis: 5 * second }

/** Registers a partner again, as it does with another version. */
const registeredAnew = (ours: TestOrganisation, { connection, id }: Partner, registeredAt: number) =>
  Effect.gen(function* () {
    const partners = yield* Partners
    const ourVerifier = new TextEncoder().encode(id)
    const begun = { by: "Us" } as const
    yield* partners.expect(id, { verifier: ourVerifier, expiresAt: registeredAt }, ours.writing())
    const registration = { begun, connection: { ...connection!, registeredAt }, theirToken: "sealed", ourVerifier }
    yield* partners.renew(id, registration, ours.writing())
  })

const fetchingContract = (it: ContractIt): void => {
  it.effect(
    "a partner's tokens are fetched after it registers, all at first and then those changed since the last time",
    () =>
      Effect.gen(function* () {
        const tokens = yield* RoamingTokens
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM partner`
        const ours = yield* anOrganisation
        expect(yield* tokens.takeDuePull(noon, waits)).toBeUndefined()
        const { id } = yield* aPartner(ours)
        expect(yield* tokens.takeDuePull(noon, waits)).toBeUndefined()
        expect(yield* tokens.takeDuePull(noon + 4 * second, waits)).toBeUndefined()
        const due = { organisationId: ours.id, partnerId: id, registeredAt: noon, from: undefined, failures: 0 }
        const firstDue = noon + 60 * second
        expect(yield* tokens.takeDuePull(firstDue, waits)).toEqual(due)
        // It is taken once only while it runs. It may be taken again when its lease is over, since its process may be dead.
        expect(yield* tokens.takeDuePull(firstDue, waits)).toBeUndefined()
        expect(yield* tokens.keepPull(due, firstDue + second + 1)).toBe(true)
        expect(yield* tokens.takeDuePull(firstDue + second, waits)).toBeUndefined()
        expect(yield* tokens.takeDuePull(firstDue + second + 1, waits)).toEqual(due)
        yield* tokens.endPull(due, { _tag: "Failed", problem: "HTTP 500" }, firstDue, firstDue)
        expect(yield* tokens.pullState(ours.id, id)).toMatchObject({ problem: "HTTP 500", pulledAt: undefined })
        expect(yield* tokens.takeDuePull(firstDue, waits)).toEqual({ ...due, failures: 1 })
        const dropped = { taken: 3, unreadable: 1, problem: "1 token that cannot be read" } as const
        const end = { _tag: "Pulled", beganAt: firstDue, from: firstDue, ...dropped } as const
        yield* tokens.put(id, [roamingCard("a"), roamingCard("b")], ours.writing())
        yield* tokens.endPull(due, end, firstDue + 2 * second, firstDue)
        const state = {
          ...dropped,
          pulledAt: firstDue,
          tokens: 2,
          dueAt: firstDue + 2 * second
        }
        expect(yield* tokens.pullState(ours.id, id)).toMatchObject(state)
        expect(yield* tokens.takeDuePull(firstDue + 2 * second, waits)).toEqual({ ...due, from: firstDue })
        // A fetch that dropped what may be accepted another time is made from the same time again.
        yield* tokens.endPull(due, { ...end, from: undefined, problem: undefined }, firstDue + 2 * second, firstDue)
        expect(yield* tokens.pullState(ours.id, id)).toMatchObject({ problem: undefined, pulledAt: firstDue })
        expect(yield* tokens.takeDuePull(firstDue + 2 * second, waits)).toEqual(due)
        expect(yield* tokens.pullState((yield* anOrganisation).id, id)).toBeUndefined()
      })
  )

  it.effect(
    "a new registration fetches everything, and a partner that offers no tokens or is suspended is skipped",
    () =>
      Effect.gen(function* () {
        const tokens = yield* RoamingTokens
        const partners = yield* Partners
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM partner`
        const ours = yield* anOrganisation
        const old = { module: "tokens", role: undefined, url: "https://emsp.example/tokens" } as const
        const partner = yield* aPartner(ours, { version: "2.1.1", endpoints: [old] })
        yield* aPartner(ours, { endpoints: [{ ...old, role: "RECEIVER" }] })
        const firstDue = noon + 60 * second
        yield* tokens.takeDuePull(noon, waits)
        const due = yield* tokens.takeDuePull(firstDue, waits)
        expect(due).toMatchObject({ partnerId: partner.id })
        const end = { ...pulled, beganAt: firstDue, from: firstDue }
        yield* tokens.endPull(due!, end, firstDue, firstDue)
        yield* partners.update(partner.id, { suspended: true }, ours.writing())
        expect(yield* tokens.takeDuePull(firstDue, waits)).toBeUndefined()
        yield* partners.update(partner.id, { suspended: false }, ours.writing())
        yield* registeredAnew(ours, partner, firstDue)
        yield* tokens.takeDuePull(firstDue, waits)
        const again = yield* tokens.takeDuePull(firstDue + 60 * second, waits)
        expect(again).toMatchObject({ partnerId: partner.id, from: undefined })
      })
  )

  it.effect("a fetch that began before a new registration neither delays nor replaces that registration's fetch", () =>
    Effect.gen(function* () {
      const tokens = yield* RoamingTokens
      const sql = yield* SqlClient.SqlClient
      const firstDue = noon + 60 * second
      for (const end of [
        { ...pulled, beganAt: firstDue, from: firstDue },
        { _tag: "Failed", problem: "HTTP 500" }
      ] as const) {
        yield* sql`DELETE FROM partner`
        const ours = yield* anOrganisation
        const partner = yield* aPartner(ours)
        yield* tokens.takeDuePull(noon, waits)
        const before = yield* tokens.takeDuePull(firstDue, waits)
        expect(before).toMatchObject({ partnerId: partner.id, registeredAt: noon })
        yield* registeredAnew(ours, partner, firstDue)
        // Another process finds the new registration while the fetch runs.
        expect(yield* tokens.takeDuePull(firstDue, waits)).toBeUndefined()
        const distant = firstDue + 1000 * second
        expect(yield* tokens.keepPull(before!, distant)).toBe(false)
        yield* tokens.endPull(before!, end, distant, firstDue)
        const due = { partnerId: partner.id, registeredAt: firstDue, from: undefined, failures: 0 }
        expect(yield* tokens.takeDuePull(firstDue + 60 * second, waits)).toMatchObject(due)
      }
    })
  )
}

export const roamingTokensContract = (it: ContractIt): void => {
  storingContract(it)
  fetchingContract(it)
}
