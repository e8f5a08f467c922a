import { describe, expect, it } from "vitest"
import { type AuthorizationContext, authorize, partnersToAsk } from "../../../src/domain/decide/Authorize.ts"
import { type PartnerAnswer, permittedEvses, type RoamingCard } from "../../../src/domain/token/RealTime.ts"
import type { TokenFacts } from "../../../src/domain/token/Token.ts"
import { minute, token } from "../../support/events.ts"
import { policy, now, asking, start, starting, elsewhere, here, reserved, card } from "./situations.ts"

/** Partners' cards, and what the partners answer about them. */
const never = (valid: boolean, partnerId = "NL-MSP") =>
  card(valid, partnerId, { whitelist: "NEVER", groupUid: "FLEET" })
const offline = (valid: boolean) => card(valid, "NL-MSP", { whitelist: "ALLOWED_OFFLINE" })

const says = (allowed: string | undefined, about: RoamingCard, more: Partial<PartnerAnswer> = {}): PartnerAnswer => ({
  about: { partnerId: about.partnerId, card: about },
  allowed,
  contract: undefined,
  groupUid: undefined,
  evseIds: undefined,
  authorizationReference: undefined,
  ...more
})

const factsWith = (roaming: ReadonlyArray<RoamingCard>, more: Partial<TokenFacts> = {}): TokenFacts => ({
  token: undefined,
  openSessions: [],
  reservations: [],
  roaming,
  ...more
})

describe("the partners that are asked about a card in real time", () => {
  const asked = (given: TokenFacts, context: AuthorizationContext = starting) =>
    partnersToAsk(given, context, now).map((one) => [one.partnerId, one.card?.contractId])

  it.each(["NEVER", "ALLOWED_OFFLINE", "never", "SOMETIMES"])(
    "include the partner if its whitelist says %s",
    (whitelist) => {
      const given = factsWith([card(true, "NL-MSP", { whitelist })])
      for (const context of [starting, asking]) expect(asked(given, context)).toEqual([["NL-MSP", "NL-MSP-7"]])
    }
  )

  it.each(["ALWAYS", "ALLOWED", "allowed"])("are none if the whitelist says %s", (whitelist) => {
    expect(asked(factsWith([card(true, "NL-MSP", { whitelist })]))).toEqual([])
  })

  it("include the partner of an invalid card, and both of two", () => {
    expect(asked(factsWith([never(false)]))).toHaveLength(1)
    expect(asked(factsWith([never(false), never(false, "DE-MSP")]))).toHaveLength(2)
    expect(asked(factsWith([never(false), card(true, "DE-MSP")]))).toEqual([])
  })

  it("are none if two partners both have a valid card", () => {
    expect(asked(factsWith([never(true), never(true, "DE-MSP")]))).toEqual([])
  })

  it("are none when another source decides, or when they were asked already", () => {
    const one = [never(true)]
    expect(asked(factsWith(one, { token: token("ANNA", {}) }))).toEqual([])
    expect(asked(factsWith(one, { reservations: [reserved()] }))).toEqual([])
    expect(asked(factsWith(one, { partnerAnswers: [] }))).toEqual([])
    const grant = { ...card(true), authMethod: "COMMAND", evseId: 0, expiresAt: minute(5) } as const
    expect(asked(factsWith(one, { granted: [grant] }))).toEqual([])
  })

  it("are none for a card presented to stop the session it started here", () => {
    expect(asked(factsWith([never(true)], { openSessions: [here] }), asking)).toEqual([])
    expect(asked(factsWith([never(true)], { openSessions: [elsewhere] }), asking)).toHaveLength(1)
    expect(authorize(factsWith([never(true)], { openSessions: [here] }), policy, asking, now).status).toBe("Accepted")
  })

  it("are all partners that want to be asked if no partner has the card", () => {
    expect(asked(factsWith([], { askable: ["A", "B"] }))).toEqual([
      ["A", undefined],
      ["B", undefined]
    ])
    expect(asked(factsWith([card(false)], { askable: ["A"] }))).toEqual([])
  })
})

describe("a partner's answer", () => {
  const decided = (given: TokenFacts) => authorize(given, policy, starting, now)

  it("allows a card with its reference and group, and is cached only briefly", () => {
    const about = never(true)
    const partnerAnswers = [says("ALLOWED", about, { groupUid: "FLEET", authorizationReference: "ref-1" })]
    expect(decided(factsWith([about], { partnerAnswers }))).toEqual({
      status: "Accepted",
      source: "RoamingToken",
      decidedAt: now,
      expiresAt: minute(5),
      parentUid: "FLEET",
      roaming: {
        partnerId: "NL-MSP",
        countryCode: "NL",
        partyId: "MSP",
        uid: "Anna",
        type: "RFID",
        contractId: "NL-MSP-7",
        authMethod: "AUTH_REQUEST",
        authorizationReference: "ref-1"
      }
    })
  })

  it("is not needed when the whitelist suffices", () => {
    const { parentUid, roaming } = decided(factsWith([card(true, "NL-MSP", { groupUid: "FLEET" })]))
    expect([parentUid, roaming?.authMethod, roaming?.authorizationReference]).toEqual(["FLEET", "WHITELIST", undefined])
  })

  it.each([
    ["BLOCKED", "Blocked"],
    ["NO_CREDIT", "Blocked"],
    ["EXPIRED", "Expired"],
    ["NOT_ALLOWED", "Invalid"],
    ["UNKNOWN", "Invalid"],
    ["SOMETHING_NEW", "Invalid"]
  ])("of %s refuses the card as %s, whatever the whitelist", (allowed, status) => {
    for (const about of [never(true), offline(true), never(false)]) {
      const result = decided(factsWith([about], { partnerAnswers: [says(allowed, about)] }))
      expect([result.status, result.roaming]).toEqual([status, undefined])
    }
  })

  it.each([
    ["accepts a card that may charge offline", offline(true), "Accepted", "WHITELIST"],
    ["refuses a card with whitelist NEVER", never(true), "Invalid", undefined],
    ["refuses an invalid card", offline(false), "Blocked", undefined]
  ] as const)("that is missing %s", (_, about, status, authMethod) => {
    for (const partnerAnswers of [[], [says(undefined, about)]]) {
      const result = decided(factsWith([about], { partnerAnswers }))
      expect([result.status, result.roaming?.authMethod]).toEqual([status, authMethod])
    }
  })

  it("can allow a card that is invalid in the stored list", () => {
    const about = never(false)
    expect(decided(factsWith([about], { partnerAnswers: [says("ALLOWED", about)] })).status).toBe("Accepted")
  })

  it("is not enough if two partners both allow the card", () => {
    const [one, other] = [never(false), never(false, "DE-MSP")]
    const partnerAnswers = [says("ALLOWED", one), says("ALLOWED", other)]
    expect(decided(factsWith([one, other], { partnerAnswers })).status).toBe("Invalid")
    const first = decided(factsWith([one, other], { partnerAnswers: [says("ALLOWED", one), says("BLOCKED", other)] }))
    expect([first.status, first.roaming?.partnerId]).toEqual(["Accepted", "NL-MSP"])
  })

  it("about an unknown card allows it by the contract in the answer, but not by two", () => {
    const stranger = (partnerId: string, allowed: string | undefined): PartnerAnswer => ({
      about: { partnerId, card: undefined },
      allowed,
      contract: allowed === "ALLOWED" ? card(true, partnerId) : undefined,
      groupUid: undefined,
      evseIds: undefined,
      authorizationReference: undefined
    })
    const outcome = (...partnerAnswers: ReadonlyArray<PartnerAnswer>) => {
      const { roaming, source, status } = decided(factsWith([], { askable: ["A", "B"], partnerAnswers }))
      return [status, source, roaming?.contractId]
    }
    expect(outcome(stranger("A", "UNKNOWN"), stranger("B", "ALLOWED"))).toEqual(["Accepted", "RoamingToken", "B-7"])
    expect(outcome(stranger("A", "ALLOWED"), stranger("B", "ALLOWED"))).toEqual(["Invalid", "RoamingToken", undefined])
    expect(outcome(stranger("A", "UNKNOWN"), stranger("B", "BLOCKED"))).toEqual(["Blocked", "RoamingToken", undefined])
    expect(outcome(stranger("A", "UNKNOWN"), stranger("B", undefined))).toEqual([
      "Invalid",
      "UnknownTokenRule",
      undefined
    ])
  })

  it("is not stored for a card that is charging elsewhere", () => {
    const result = decided(factsWith([card(true)], { openSessions: [elsewhere] }))
    expect([result.status, result.roaming]).toEqual(["ConcurrentTx", undefined])
  })
})

describe("a permission for some EVSEs only", () => {
  const one = never(true)
  const at = (evseIds: ReadonlyArray<number> | undefined, context: AuthorizationContext) =>
    authorize(factsWith([one], { partnerAnswers: [says("ALLOWED", one, { evseIds })] }), policy, context, now).status
  const other: AuthorizationContext = { ...start, evseId: start.evseId + 1, at: now }

  it("accepts the card, and a start at one of them, but no other start", () => {
    const first = [start.evseId]
    expect([at(first, asking), at(first, starting), at(first, other)]).toEqual(["Accepted", "Accepted", "Invalid"])
    expect([at([], asking), at([], starting)]).toEqual(["Invalid", "Invalid"])
    expect([at(undefined, asking), at(undefined, other)]).toEqual(["Accepted", "Accepted"])
  })

  it("applies to an unknown card as well", () => {
    const stranger = { ...says("ALLOWED", one, { evseIds: [start.evseId], contract: one }) }
    const about = { partnerId: one.partnerId, card: undefined }
    const given = factsWith([], { askable: [one.partnerId], partnerAnswers: [{ ...stranger, about }] })
    expect([starting, other].map((context) => authorize(given, policy, context, now).status)).toEqual([
      "Accepted",
      "Invalid"
    ])
  })

  it("is read from the place in the answer", () => {
    const asked = {
      id: "Site",
      evses: [
        { uid: "a", evseId: 1 },
        { uid: "b", evseId: 2 }
      ]
    }
    const limits = [
      undefined,
      { locationId: "site", evseUids: [] },
      { locationId: "SITE", evseUids: ["B", "unknown"] },
      { locationId: undefined, evseUids: ["a"] },
      { locationId: "Site", evseUids: ["unknown"] },
      { locationId: "another", evseUids: [] }
    ]
    expect(limits.map((given) => permittedEvses(asked, given))).toEqual([undefined, undefined, [2], [1], [], []])
  })
})
