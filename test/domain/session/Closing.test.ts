/** Which sessions are closed although their end was never reported. */
import { assert, describe, it } from "@effect/vitest"
import { closingOf, freeMillis, type OpenSession } from "../../../src/domain/session/Closing.ts"
import { neverWas } from "../../../src/domain/session/Refused.ts"

const noon = Date.UTC(2026, 4, 20, 12)
const minute = 60_000
const hour = 60 * minute

const session: OpenSession = {
  sessionId: "s",
  organisationId: "o",
  heardAt: noon,
  quietSince: noon + hour,
  authorization: "Accepted",
  energyWh: 0,
  closeSilentHours: 24,
  connection: { _tag: "Up", since: noon - hour },
  connector: { status: "Available", heardAt: noon + 2 * hour }
}
const down: OpenSession = { ...session, connection: { _tag: "Down", since: noon + 3 * hour } }
const charging = { status: "Charging", heardAt: noon } as const

const cases: ReadonlyArray<{
  readonly name: string
  readonly given: OpenSession
  /** Millis after noon at which it is closed, and why. */
  readonly at: number
  readonly reason: "ConnectorFree" | "Silent"
}> = [
  { name: "its connector is free", given: session, at: 2 * hour + freeMillis, reason: "ConnectorFree" },
  {
    name: "its connector is free, and its charger reconnected later",
    given: { ...session, connection: { _tag: "Up", since: noon + 5 * hour } },
    at: 5 * hour + freeMillis,
    reason: "ConnectorFree"
  },
  {
    name: "its connector is free, and a reading arrived later",
    given: { ...session, quietSince: noon + 4 * hour },
    at: 4 * hour + freeMillis,
    reason: "ConnectorFree"
  },
  {
    name: "its connector was last reported free before it began",
    given: { ...session, connector: { status: "Available", heardAt: noon - 1 } },
    at: 25 * hour,
    reason: "Silent"
  },
  {
    name: "nothing is known of its connector",
    given: { ...session, connector: undefined },
    at: 25 * hour,
    reason: "Silent"
  },
  {
    name: "its connector is faulted",
    given: { ...session, connector: { status: "Faulted", heardAt: noon + hour } },
    at: 25 * hour,
    reason: "Silent"
  },
  { name: "its charger is offline", given: down, at: 27 * hour, reason: "Silent" },
  {
    name: "its charger went offline in the middle of it",
    given: { ...down, connector: charging },
    at: 27 * hour,
    reason: "Silent"
  },
  {
    name: "its organisation waits only an hour",
    given: { ...down, closeSilentHours: 1 },
    at: 4 * hour,
    reason: "Silent"
  },
  {
    name: "its charger was removed",
    given: { ...session, connection: { _tag: "None" } },
    at: 25 * hour,
    reason: "Silent"
  }
]

describe("a session without an end is closed", () => {
  for (const { at, given, name, reason } of cases) {
    it(`when ${name}, and not a moment earlier`, () => {
      assert.isUndefined(closingOf(given, noon + at - 1))
      assert.strictEqual(closingOf(given, noon + at), reason)
    })
  }

  for (const status of ["Preparing", "Charging", "SuspendedEV", "SuspendedEVSE", "Finishing"] as const) {
    it(`never while its charger is connected and reports ${status}`, () => {
      assert.isUndefined(closingOf({ ...session, connector: { status, heardAt: noon } }, noon + 10_000 * hour))
    })
  }
})

describe("a closed session", () => {
  it("counts as never having charged only if its card was refused and it took almost no energy", () => {
    assert.isTrue(neverWas({ ...session, authorization: "Blocked", energyWh: 10 }))
    assert.isFalse(neverWas({ ...session, authorization: "Blocked", energyWh: 11 }))
    assert.isFalse(neverWas(session))
  })
})
