/** The first start makes the first organisation, and of two that are first at the same moment one. */
import { expect } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Access } from "../../src/domain/ports/Access.ts"
import { bootstrap, type BootstrapSettings } from "../../src/main/Bootstrap.ts"
import { forEachDriver } from "../support/databases.ts"
import { noon, repositories } from "../support/repositories.ts"

const settings: BootstrapSettings = {
  operatorEmail: undefined,
  operatorPassword: undefined,
  apiKey: undefined,
  v1ClientId: undefined,
  v1Code: undefined,
  countryCode: undefined,
  partyId: undefined
}

/** As one sees the database that another one starts on at the same moment. */
const seenEmpty = <A, E, R>(effect: Effect.Effect<A, E, Access | R>) =>
  Effect.flatMap(Access, (access) =>
    Effect.provideService(effect, Access, Access.of({ ...access, isEmpty: Effect.succeed(true) }))
  )

const organisations = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ n: number }>`SELECT count(*)::int AS n FROM organisation`, ([row]) => row?.n)
)

forEachDriver("the first start", repositories, (it) => {
  it.effect("tells one of two that start at once what was made, and lets the other take it", () =>
    Effect.gen(function* () {
      const both = yield* Effect.all([seenEmpty(bootstrap(settings, noon)), seenEmpty(bootstrap(settings, noon))], {
        concurrency: 2
      })
      expect(both.filter((one) => one !== undefined)).toHaveLength(1)
      expect(both.find((one) => one !== undefined)?.apiKey).toMatch(/^vl_/)
      expect(yield* organisations).toBe(1)
      // Also where each was given what it should be.
      const given = { ...settings, countryCode: "DE", partyId: "ABC", apiKey: Redacted.make(`vl_${"x".repeat(48)}`) }
      expect(yield* seenEmpty(bootstrap(given, noon))).toBeUndefined()
      expect(yield* bootstrap(settings, noon)).toBeUndefined()
      expect(yield* organisations).toBe(1)
    })
  )
})
