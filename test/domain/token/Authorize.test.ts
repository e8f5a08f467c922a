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
