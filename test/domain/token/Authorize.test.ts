import { describe, expect, it } from "vitest"
import type { ChargerPolicy } from "../../../src/domain/charger/ChargerState.ts"
import type { ReservationFacts } from "../../../src/domain/reservation/Reservation.ts"
import { type AuthorizationContext, authorize, partnersToAsk } from "../../../src/domain/token/Authorize.ts"
import type { PartnerWord, RoamingCard } from "../../../src/domain/token/RealTime.ts"
import type { Token, TokenFacts } from "../../../src/domain/token/Token.ts"
import { minute, token } from "../../support/events.ts"

const policy: ChargerPolicy = {
  unknownTokens: "Refuse",
  concurrentTransactions: "Refuse",
  heartbeatIntervalSeconds: 300
}
const now = minute(0)
const asking: AuthorizationContext = { _tag: "Asking", tokenUid: "ANNA", chargerId: "CP-1" }
const start = { _tag: "Starting", tokenUid: "Anna", chargerId: "CP-1", evseId: 1, reservationId: undefined } as const
const starting: AuthorizationContext = { ...start, at: now }
/** It was made offline, and comes an hour later. */
const late: AuthorizationContext = { ...start, at: minute(-60) }
const startedAt = minute(-90)
const elsewhere = { chargerId: "CP-2", evseId: 1, sessionId: "s", startedAt, source: "Reservation" as const }
const nextDoor = { chargerId: "CP-1", evseId: 2, sessionId: "s", startedAt, source: "Reservation" as const }
const here = { chargerId: "CP-1", evseId: 1, sessionId: "s", startedAt, source: "Reservation" as const }

const reserved = (more: Partial<ReservationFacts> = {}): ReservationFacts => ({
  commandId: "01900000-0000-7000-8000-000000000001",
  reservationId: 7,
  evseId: 1,
  tokenUid: "anna",
  parentUid: undefined,
  expiresAt: minute(30),
  status: "Active",
  sessionId: undefined,
  createdAt: minute(-30),
  ...more
})
const card = (valid: boolean, partnerId = "NL-MSP", more: Partial<RoamingCard> = {}): RoamingCard => ({
  partnerId,
  countryCode: "NL",
  partyId: "MSP",
  uid: "Anna",
  type: "RFID",
  contractId: `${partnerId}-7`,
  valid,
  groupUid: undefined,
  whitelist: "ALLOWED",
  ...more
})

interface Case {
  readonly name: string
  readonly token?: Partial<Token> | undefined
  readonly open?: ReadonlyArray<typeof here>
  readonly reservations?: ReadonlyArray<ReservationFacts>
  readonly roaming?: ReadonlyArray<RoamingCard>
  readonly policy?: Partial<ChargerPolicy>
  readonly context?: AuthorizationContext
  readonly status: string
  readonly source?: string
}

const unknown = { token: undefined, source: "UnknownTokenRule" } as const

const cases: ReadonlyArray<Case> = [
  { name: "a known token is Accepted", token: {}, status: "Accepted" },
  { name: "a blocked token is Blocked", token: { status: "Blocked" }, status: "Blocked" },
  {
    name: "a blocked token that has expired is Blocked",
    token: { status: "Blocked", expiresAt: 0 },
    status: "Blocked"
  },
  { name: "a token marked as expired is Expired", token: { status: "Expired" }, status: "Expired" },
  { name: "a token is Expired from its very last moment", token: { expiresAt: now }, status: "Expired" },
  { name: "a token is Accepted up to a moment before that", token: { expiresAt: now + 1 }, status: "Accepted" },
  { name: "an unknown token is Invalid", ...unknown, status: "Invalid" },
  {
    name: "an unknown token is Accepted where the organisation says so",
    ...unknown,
    policy: { unknownTokens: "Accept" },
    status: "Accepted"
  },
  {
    name: "a token that charges at another charger is ConcurrentTx",
    token: {},
    open: [elsewhere],
    status: "ConcurrentTx"
  },
  {
    name: "a token that charges at another connector is ConcurrentTx",
    token: {},
    open: [here, nextDoor],
    status: "ConcurrentTx"
  },
  { name: "a token that charges at this connector starts anew", token: {}, open: [here], status: "Accepted" },
  {
    name: "an unknown token that is let through is ConcurrentTx too",
    ...unknown,
    open: [elsewhere],
    policy: { unknownTokens: "Accept" },
    status: "ConcurrentTx"
  },
  {
    name: "two at once are Accepted where the organisation allows them",
    token: {},
    open: [elsewhere],
    policy: { concurrentTransactions: "Allow" },
    status: "Accepted"
  },
  {
    name: "a blocked token that charges elsewhere is Blocked",
    token: { status: "Blocked" },
    open: [elsewhere],
    status: "Blocked"
  },
  {
    name: "a token that charges elsewhere and only asks is Accepted",
    token: {},
    open: [elsewhere],
    context: asking,
    status: "Accepted"
  },
  {
    name: "a card that expired after a start made offline is Accepted",
    token: { expiresAt: now },
    context: late,
    status: "Accepted"
  },
  {
    name: "a card that had expired before such a start is Expired",
    token: { expiresAt: minute(-60) },
    context: late,
    status: "Expired"
  },
  {
    name: "a card that expires before a clock that is ahead says so is Accepted",
    token: { expiresAt: minute(5) },
    context: { ...start, at: minute(10) },
    status: "Accepted"
  },
  {
    name: "a card that began to charge elsewhere after a start made offline is Accepted",
    token: {},
    open: [{ ...elsewhere, startedAt: minute(-10) }],
    context: late,
    status: "Accepted"
  },
  {
    name: "a card that charged elsewhere during a start made offline is ConcurrentTx",
    token: {},
    open: [elsewhere],
    context: late,
    status: "ConcurrentTx"
  },
  {
    name: "a card that charges elsewhere by a clock that is ahead is ConcurrentTx",
    token: {},
    open: [{ ...elsewhere, startedAt: minute(3) }],
    status: "ConcurrentTx"
  }
]

/** Who is asked when, with what the first that knows says. */
const sources: ReadonlyArray<Case & { readonly source: string }> = [
  {
    name: "a reservation before one's own card",
    token: {},
    reservations: [reserved()],
    status: "Accepted",
    source: "Reservation"
  },
  {
    name: "a reservation for a card that nobody knows",
    reservations: [reserved()],
    status: "Accepted",
    source: "Reservation"
  },
  {
    name: "a reservation that is only asked about",
    reservations: [reserved({ evseId: 2 })],
    context: asking,
    status: "Accepted",
    source: "Reservation"
  },
  {
    name: "a reservation of the whole charger",
    reservations: [reserved({ evseId: 0 })],
    status: "Accepted",
    source: "Reservation"
  },
  {
    name: "no reservation of another connector",
    reservations: [reserved({ evseId: 2 })],
    status: "Invalid",
    source: "UnknownTokenRule"
  },
  {
    name: "a reservation of another connector that the start names",
    reservations: [reserved({ evseId: 2 })],
    context: { ...start, at: now, reservationId: 7 },
    status: "Accepted",
    source: "Reservation"
  },
  {
    name: "no reservation of somebody else",
    reservations: [reserved({ tokenUid: "BERT" })],
    status: "Invalid",
    source: "UnknownTokenRule"
  },
  {
    name: "a reservation for the group of one's own card",
    token: { parentUid: "family" },
    reservations: [reserved({ tokenUid: "BERT", parentUid: "FAMILY" })],
    status: "Accepted",
    source: "Reservation"
  },
  {
    name: "no reservation that has expired",
    reservations: [reserved({ expiresAt: now })],
    status: "Invalid",
    source: "UnknownTokenRule"
  },
  {
    name: "a reservation that had not expired at a start made offline",
    reservations: [reserved({ expiresAt: minute(-30), status: "Expired" })],
    context: late,
    status: "Accepted",
    source: "Reservation"
  },
  {
    name: "no reservation that waits for its answer",
    reservations: [reserved({ status: "Pending" })],
    status: "Invalid",
    source: "UnknownTokenRule"
  },
  {
    name: "a reservation that waits for its answer and is named by the start",
    reservations: [reserved({ status: "Pending" })],
    context: { ...start, at: now, reservationId: 7 },
    status: "Accepted",
    source: "Reservation"
  },
  {
    name: "no cancelled reservation",
    reservations: [reserved({ status: "Cancelled" })],
    status: "Invalid",
    source: "UnknownTokenRule"
  },
  {
    name: "one's own card that is blocked, in spite of a reservation",
    token: { status: "Blocked" },
    reservations: [reserved()],
    status: "Blocked",
    source: "LocalToken"
  },
  {
    name: "one's own card that has expired, in spite of a reservation",
    token: { expiresAt: now },
    reservations: [reserved()],
    status: "Expired",
    source: "LocalToken"
  },
  {
    name: "a reservation of a card that charges elsewhere",
    reservations: [reserved()],
    open: [elsewhere],
    status: "ConcurrentTx",
    source: "Reservation"
  },
  {
    name: "one's own card before a partner's",
    token: {},
    roaming: [card(false)],
    status: "Accepted",
    source: "LocalToken"
  },
  { name: "a partner's card", roaming: [card(true)], status: "Accepted", source: "RoamingToken" },
  {
    name: "a partner's card that is not valid, though unknown ones are let through",
    roaming: [card(false)],
    policy: { unknownTokens: "Accept" },
    status: "Blocked",
    source: "RoamingToken"
  },
  {
    name: "the one partner of two whose card is valid",
    roaming: [card(false), card(true, "DE-MSP")],
    status: "Accepted",
    source: "RoamingToken"
  },
  {
    name: "two partners that both vouch for the card",
    roaming: [card(true), card(true, "DE-MSP")],
    status: "Invalid",
    source: "RoamingToken"
  },
  {
    name: "a reservation before a partner's card",
    roaming: [card(false)],
    reservations: [reserved()],
    status: "Accepted",
    source: "Reservation"
  }
]

const factsOf = ({ open = [], reservations = [], roaming = [], token: parts }: Case): TokenFacts => ({
  token: parts && token("ANNA", parts),
  openSessions: open,
  reservations,
  roaming
})

describe("authorisation", () => {
  for (const one of sources) {
    it(`asks ${one.name}`, () => {
      const authorization = authorize(factsOf(one), { ...policy, ...one.policy }, one.context ?? starting, now)
      expect(authorization).toMatchObject({ status: one.status, source: one.source, decidedAt: now })
    })
  }

  for (const one of cases) {
    it(`says that ${one.name}`, () => {
      const facts = factsOf(one)
      const authorization = authorize(facts, { ...policy, ...one.policy }, one.context ?? starting, now)
      expect(authorization).toMatchObject({ status: one.status, source: one.source ?? "LocalToken", decidedAt: now })
    })
  }

  it("passes on the token's parent and end, also when it refuses", () => {
    const facts = factsOf({ name: "", token: { status: "Blocked", parentUid: "FAMILY", expiresAt: 5 }, status: "" })
    expect(authorize(facts, policy, asking, now)).toMatchObject({ parentUid: "FAMILY", expiresAt: 5 })
  })

  it("lets the charger remember a card that only its reservation lets charge until that ends", () => {
    const facts = factsOf({ name: "", reservations: [reserved()], status: "" })
    expect(authorize(facts, policy, starting, now)).toMatchObject({ parentUid: undefined, expiresAt: minute(30) })
    const own = { ...facts, token: token("ANNA", { parentUid: "FAMILY", expiresAt: minute(900) }) }
    expect(authorize(own, policy, starting, now)).toMatchObject({ parentUid: "FAMILY", expiresAt: minute(900) })
  })

  it("lets the charger remember a card that may only end its session for some minutes", () => {
    const facts = factsOf({ name: "", open: [here], status: "" })
    expect(authorize(facts, policy, asking, now)).toMatchObject({ status: "Accepted", expiresAt: minute(5) })
  })
})

/** A partner with a card, and what it says. */
const never = (valid: boolean, partnerId = "NL-MSP") =>
  card(valid, partnerId, { whitelist: "NEVER", groupUid: "FLEET" })
const offline = (valid: boolean) => card(valid, "NL-MSP", { whitelist: "ALLOWED_OFFLINE" })

const says = (allowed: string | undefined, about: RoamingCard, more: Partial<PartnerWord> = {}): PartnerWord => ({
  about: { partnerId: about.partnerId, card: about },
  allowed,
  contract: undefined,
  groupUid: undefined,
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

describe("whom a card is asked about in real time", () => {
  const asked = (given: TokenFacts, context: AuthorizationContext = starting) =>
    partnersToAsk(given, context, now).map((one) => [one.partnerId, one.card?.contractId])

  it.each(["NEVER", "ALLOWED_OFFLINE", "never", "SOMETIMES"])("is the partner whose whitelist says %s", (whitelist) => {
    const given = factsWith([card(true, "NL-MSP", { whitelist })])
    for (const context of [starting, asking]) expect(asked(given, context)).toEqual([["NL-MSP", "NL-MSP-7"]])
  })

  it.each(["ALWAYS", "ALLOWED", "allowed"])("is nobody where the whitelist says %s", (whitelist) => {
    expect(asked(factsWith([card(true, "NL-MSP", { whitelist })]))).toEqual([])
  })

  it("is the partner of a card that is not valid too, and both of two", () => {
    expect(asked(factsWith([never(false)]))).toHaveLength(1)
    expect(asked(factsWith([never(false), never(false, "DE-MSP")]))).toHaveLength(2)
    expect(asked(factsWith([never(false), card(true, "DE-MSP")]))).toEqual([])
  })

  it("is neither of two that both vouch for it", () => {
    expect(asked(factsWith([never(true), never(true, "DE-MSP")]))).toEqual([])
  })

  it("is nobody where somebody else knows, or who was asked already", () => {
    const one = [never(true)]
    expect(asked(factsWith(one, { token: token("ANNA", {}) }))).toEqual([])
    expect(asked(factsWith(one, { reservations: [reserved()] }))).toEqual([])
    expect(asked(factsWith(one, { words: [] }))).toEqual([])
    const grant = { ...card(true), authMethod: "COMMAND", evseId: 0, expiresAt: minute(5) } as const
    expect(asked(factsWith(one, { granted: [grant] }))).toEqual([])
  })

  it("is nobody for a card that is held up to end what it was let begin", () => {
    expect(asked(factsWith([never(true)], { openSessions: [here] }), asking)).toEqual([])
    expect(asked(factsWith([never(true)], { openSessions: [elsewhere] }), asking)).toHaveLength(1)
    expect(authorize(factsWith([never(true)], { openSessions: [here] }), policy, asking, now).status).toBe("Accepted")
  })

  it("is every partner that wants it for a card that is on nobody's list", () => {
    expect(asked(factsWith([], { askable: ["A", "B"] }))).toEqual([
      ["A", undefined],
      ["B", undefined]
    ])
    expect(asked(factsWith([card(false)], { askable: ["A"] }))).toEqual([])
  })
})

describe("a partner's word", () => {
  const decided = (given: TokenFacts) => authorize(given, policy, starting, now)

  it("lets a card charge, with its reference and its group, and is not remembered for long", () => {
    const about = never(true)
    const words = [says("ALLOWED", about, { groupUid: "FLEET", authorizationReference: "ref-1" })]
    expect(decided(factsWith([about], { words }))).toEqual({
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

  it("is the whitelist's where it has not to be asked for", () => {
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
  ])("of %s refuses it as %s, whatever the whitelist", (allowed, status) => {
    for (const about of [never(true), offline(true), never(false)]) {
      const result = decided(factsWith([about], { words: [says(allowed, about)] }))
      expect([result.status, result.roaming]).toEqual([status, undefined])
    }
  })

  it.each([
    ["lets a card charge that may offline", offline(true), "Accepted", "WHITELIST"],
    ["refuses one that may never", never(true), "Invalid", undefined],
    ["refuses one that is not valid", offline(false), "Blocked", undefined]
  ] as const)("that is missing %s", (_, about, status, authMethod) => {
    for (const words of [[], [says(undefined, about)]]) {
      const result = decided(factsWith([about], { words }))
      expect([result.status, result.roaming?.authMethod]).toEqual([status, authMethod])
    }
  })

  it("lets a card charge that is not valid in the list", () => {
    const about = never(false)
    expect(decided(factsWith([about], { words: [says("ALLOWED", about)] })).status).toBe("Accepted")
  })

  it("of two that both allow it lets nobody charge", () => {
    const [one, other] = [never(false), never(false, "DE-MSP")]
    const words = [says("ALLOWED", one), says("ALLOWED", other)]
    expect(decided(factsWith([one, other], { words })).status).toBe("Invalid")
    const first = decided(factsWith([one, other], { words: [says("ALLOWED", one), says("BLOCKED", other)] }))
    expect([first.status, first.roaming?.partnerId]).toEqual(["Accepted", "NL-MSP"])
  })

  it("of a stranger lets him charge by the contract that comes with it, and not by two", () => {
    const stranger = (partnerId: string, allowed: string | undefined): PartnerWord => ({
      about: { partnerId, card: undefined },
      allowed,
      contract: allowed === "ALLOWED" ? card(true, partnerId) : undefined,
      groupUid: undefined,
      authorizationReference: undefined
    })
    const told = (...words: ReadonlyArray<PartnerWord>) => {
      const { roaming, source, status } = decided(factsWith([], { askable: ["A", "B"], words }))
      return [status, source, roaming?.contractId]
    }
    expect(told(stranger("A", "UNKNOWN"), stranger("B", "ALLOWED"))).toEqual(["Accepted", "RoamingToken", "B-7"])
    expect(told(stranger("A", "ALLOWED"), stranger("B", "ALLOWED"))).toEqual(["Invalid", "RoamingToken", undefined])
    expect(told(stranger("A", "UNKNOWN"), stranger("B", "BLOCKED"))).toEqual(["Blocked", "RoamingToken", undefined])
    expect(told(stranger("A", "UNKNOWN"), stranger("B", undefined))).toEqual(["Invalid", "UnknownTokenRule", undefined])
  })

  it("bills nobody for a card that charges elsewhere", () => {
    const result = decided(factsWith([card(true)], { openSessions: [elsewhere] }))
    expect([result.status, result.roaming]).toEqual(["ConcurrentTx", undefined])
  })
})
