import { describe, expect, it } from "vitest"
import type { ChargerPolicy } from "../../../src/domain/charger/ChargerState.ts"
import type { ReservationFacts } from "../../../src/domain/reservation/Reservation.ts"
import { type AuthorizationContext, authorize } from "../../../src/domain/decide/Authorize.ts"
import type { RoamingCard } from "../../../src/domain/token/RealTime.ts"
import type { Token, TokenFacts } from "../../../src/domain/token/Token.ts"
import { minute, token } from "../../support/events.ts"
import { policy, now, asking, start, starting, late, elsewhere, nextDoor, here, reserved, card } from "./situations.ts"

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
  { name: "a token is Expired from its expiry on", token: { expiresAt: now }, status: "Expired" },
  { name: "a token is Accepted until just before its expiry", token: { expiresAt: now + 1 }, status: "Accepted" },
  { name: "an unknown token is Invalid", ...unknown, status: "Invalid" },
  {
    name: "an unknown token is Accepted if the organisation allows it",
    ...unknown,
    policy: { unknownTokens: "Accept" },
    status: "Accepted"
  },
  {
    name: "a token that is charging at another charger is ConcurrentTx",
    token: {},
    open: [elsewhere],
    status: "ConcurrentTx"
  },
  {
    name: "a token that is charging at another connector is ConcurrentTx",
    token: {},
    open: [here, nextDoor],
    status: "ConcurrentTx"
  },
  { name: "a token that is charging at this connector is Accepted again", token: {}, open: [here], status: "Accepted" },
  {
    name: "an unknown token that is allowed can also be ConcurrentTx",
    ...unknown,
    open: [elsewhere],
    policy: { unknownTokens: "Accept" },
    status: "ConcurrentTx"
  },
  {
    name: "concurrent sessions are Accepted if the organisation allows them",
    token: {},
    open: [elsewhere],
    policy: { concurrentTransactions: "Allow" },
    status: "Accepted"
  },
  {
    name: "a blocked token that is charging elsewhere is Blocked",
    token: { status: "Blocked" },
    open: [elsewhere],
    status: "Blocked"
  },
  {
    name: "a token that is charging elsewhere is Accepted for an Authorize",
    token: {},
    open: [elsewhere],
    context: asking,
    status: "Accepted"
  },
  {
    name: "a card that expired after an offline start is Accepted",
    token: { expiresAt: now },
    context: late,
    status: "Accepted"
  },
  {
    name: "a card that had expired before an offline start is Expired",
    token: { expiresAt: minute(-60) },
    context: late,
    status: "Expired"
  },
  {
    name: "a card that would be expired only by a charger's clock that is ahead is Accepted",
    token: { expiresAt: minute(5) },
    context: { ...start, at: minute(10) },
    status: "Accepted"
  },
  {
    name: "a card that began charging elsewhere after an offline start is Accepted",
    token: {},
    open: [{ ...elsewhere, startedAt: minute(-10) }],
    context: late,
    status: "Accepted"
  },
  {
    name: "a card that was charging elsewhere during an offline start is ConcurrentTx",
    token: {},
    open: [elsewhere],
    context: late,
    status: "ConcurrentTx"
  },
  {
    name: "a card that is charging elsewhere by a clock that is ahead is ConcurrentTx",
    token: {},
    open: [{ ...elsewhere, startedAt: minute(3) }],
    status: "ConcurrentTx"
  }
]

/** Which source decides, and its verdict. */
const sources: ReadonlyArray<Case & { readonly source: string }> = [
  {
    name: "a reservation rather than the organisation's own card",
    token: {},
    reservations: [reserved()],
    status: "Accepted",
    source: "Reservation"
  },
  {
    name: "a reservation for an unknown card",
    reservations: [reserved()],
    status: "Accepted",
    source: "Reservation"
  },
  {
    name: "a reservation in answer to an Authorize",
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
    name: "the rule for unknown cards despite a reservation of another connector",
    reservations: [reserved({ evseId: 2 })],
    status: "Invalid",
    source: "UnknownTokenRule"
  },
  {
    name: "a reservation of another connector if the start names it",
    reservations: [reserved({ evseId: 2 })],
    context: { ...start, at: now, reservationId: 7 },
    status: "Accepted",
    source: "Reservation"
  },
  {
    name: "the rule for unknown cards despite a reservation for another card",
    reservations: [reserved({ tokenUid: "BERT" })],
    status: "Invalid",
    source: "UnknownTokenRule"
  },
  {
    name: "a reservation for the group of the organisation's own card",
    token: { parentUid: "family" },
    reservations: [reserved({ tokenUid: "BERT", parentUid: "FAMILY" })],
    status: "Accepted",
    source: "Reservation"
  },
  {
    name: "the rule for unknown cards despite an expired reservation",
    reservations: [reserved({ expiresAt: now })],
    status: "Invalid",
    source: "UnknownTokenRule"
  },
  {
    name: "a reservation that had not expired at an offline start",
    reservations: [reserved({ expiresAt: minute(-30), status: "Expired" })],
    context: late,
    status: "Accepted",
    source: "Reservation"
  },
  {
    name: "the rule for unknown cards despite a pending reservation",
    reservations: [reserved({ status: "Pending" })],
    status: "Invalid",
    source: "UnknownTokenRule"
  },
  {
    name: "a pending reservation if the start names it",
    reservations: [reserved({ status: "Pending" })],
    context: { ...start, at: now, reservationId: 7 },
    status: "Accepted",
    source: "Reservation"
  },
  {
    name: "the rule for unknown cards despite a cancelled reservation",
    reservations: [reserved({ status: "Cancelled" })],
    status: "Invalid",
    source: "UnknownTokenRule"
  },
  {
    name: "the organisation's own blocked card despite a reservation",
    token: { status: "Blocked" },
    reservations: [reserved()],
    status: "Blocked",
    source: "LocalToken"
  },
  {
    name: "the organisation's own expired card despite a reservation",
    token: { expiresAt: now },
    reservations: [reserved()],
    status: "Expired",
    source: "LocalToken"
  },
  {
    name: "a reservation for a card that is charging elsewhere",
    reservations: [reserved()],
    open: [elsewhere],
    status: "ConcurrentTx",
    source: "Reservation"
  },
  {
    name: "the organisation's own card rather than a partner's",
    token: {},
    roaming: [card(false)],
    status: "Accepted",
    source: "LocalToken"
  },
  { name: "a partner's card", roaming: [card(true)], status: "Accepted", source: "RoamingToken" },
  {
    name: "a partner's invalid card even if unknown cards are allowed",
    roaming: [card(false)],
    policy: { unknownTokens: "Accept" },
    status: "Blocked",
    source: "RoamingToken"
  },
  {
    name: "the valid one of two partners' cards",
    roaming: [card(false), card(true, "DE-MSP")],
    status: "Accepted",
    source: "RoamingToken"
  },
  {
    name: "two partners' cards that are both valid",
    roaming: [card(true), card(true, "DE-MSP")],
    status: "Invalid",
    source: "RoamingToken"
  },
  {
    name: "a reservation rather than a partner's card",
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
    it(`uses ${one.name}`, () => {
      const authorization = authorize(factsOf(one), { ...policy, ...one.policy }, one.context ?? starting, now)
      expect(authorization).toMatchObject({ status: one.status, source: one.source, decidedAt: now })
    })
  }

  for (const one of cases) {
    it(`decides that ${one.name}`, () => {
      const facts = factsOf(one)
      const authorization = authorize(facts, { ...policy, ...one.policy }, one.context ?? starting, now)
      expect(authorization).toMatchObject({ status: one.status, source: one.source ?? "LocalToken", decidedAt: now })
    })
  }

  it("includes the token's parent and expiry, also when it refuses", () => {
    const facts = factsOf({ name: "", token: { status: "Blocked", parentUid: "FAMILY", expiresAt: 5 }, status: "" })
    expect(authorize(facts, policy, asking, now)).toMatchObject({ parentUid: "FAMILY", expiresAt: 5 })
  })

  it("limits the charger's cache to the reservation's expiry for a card with only a reservation", () => {
    const facts = factsOf({ name: "", reservations: [reserved()], status: "" })
    expect(authorize(facts, policy, starting, now)).toMatchObject({ parentUid: undefined, expiresAt: minute(30) })
    const own = { ...facts, token: token("ANNA", { parentUid: "FAMILY", expiresAt: minute(900) }) }
    expect(authorize(own, policy, starting, now)).toMatchObject({ parentUid: "FAMILY", expiresAt: minute(900) })
  })

  it("limits the charger's cache to five minutes for a card that may only end its session", () => {
    const facts = factsOf({ name: "", open: [here], status: "" })
    expect(authorize(facts, policy, asking, now)).toMatchObject({ status: "Accepted", expiresAt: minute(5) })
  })
})
