import { describe, expect, it } from "vitest"
import type { ChargerPolicy } from "../../../src/domain/charger/ChargerState.ts"
import { type AuthorizationContext, authorize } from "../../../src/domain/token/Authorize.ts"
import type { Token } from "../../../src/domain/token/Token.ts"
import { minute, token } from "../../support/events.ts"

const policy: ChargerPolicy = {
  unknownTokens: "Refuse",
  concurrentTransactions: "Refuse",
  heartbeatIntervalSeconds: 300
}
const asking: AuthorizationContext = { _tag: "Asking" }
const starting: AuthorizationContext = { _tag: "Starting", chargerId: "CP-1", evseId: 1 }
const now = minute(0)
const elsewhere = { chargerId: "CP-2", evseId: 1, sessionId: "s" }
const nextDoor = { chargerId: "CP-1", evseId: 2, sessionId: "s" }
const here = { chargerId: "CP-1", evseId: 1, sessionId: "s" }

interface Case {
  readonly name: string
  readonly token?: Partial<Token> | undefined
  readonly open?: ReadonlyArray<typeof here>
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
  }
]

describe("authorisation", () => {
  for (const one of cases) {
    it(`says that ${one.name}`, () => {
      const facts = { token: one.token && token("ANNA", one.token), openSessions: one.open ?? [] }
      const authorization = authorize(facts, { ...policy, ...one.policy }, one.context ?? starting, now)
      expect(authorization).toMatchObject({ status: one.status, source: one.source ?? "LocalToken", decidedAt: now })
    })
  }

  it("passes on the token's parent and end, also when it refuses", () => {
    const facts = { token: token("ANNA", { status: "Blocked", parentUid: "FAMILY", expiresAt: 5 }), openSessions: [] }
    expect(authorize(facts, policy, asking, now)).toMatchObject({ parentUid: "FAMILY", expiresAt: 5 })
  })
})
