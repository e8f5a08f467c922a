/** What every storage of expectations must do, on every database: documents that are replaced as a whole and visible to one organisation only. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Quirk } from "../../src/domain/charger/Quirks.ts"
import { Chargers } from "../../src/domain/charger/Chargers.ts"
import { Expectations } from "../../src/domain/charger/Expectations.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { nastyTexts, unstorableTexts } from "../support/nastyText.ts"
import {
  anOrganisation,
  type ContractIt,
  factsOf,
  failureOf,
  noon,
  type TestOrganisation
} from "../support/repositories.ts"

const rule = (name: string): Quirk => ({
  name,
  vendor: "V*",
  model: "M",
  firmware: "*1.0",
  tolerances: { callTimeoutSeconds: 90, statusAfterConnect: true },
  evidence: "seen in May"
})

let made = 0

const aCharger = (organisation: TestOrganisation, manufacturer: string, model: string) =>
  Effect.gen(function* () {
    const chargerId = `EXPECTED-${made++}`
    yield* (yield* Sites).create({ name: "Site" }, organisation.writing())
    const registration = {
      chargerId,
      name: "Charger",
      siteId: undefined,
      securityProfile: 0,
      passwordVerifier: undefined
    } as const
    yield* (yield* Chargers).register(registration, organisation.writing())
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE charger SET manufacturer = ${manufacturer}, model = ${model}, firmware_version = '1.0'
      WHERE charger_id = ${chargerId}`
    return chargerId
  })

export const expectationsContract = (it: ContractIt): void => {
  it.effect("a template is empty at first, then as last set, and each change is recorded with its author", () =>
    Effect.gen(function* () {
      const expectations = yield* Expectations
      const ours = yield* anOrganisation
      expect(yield* expectations.template(ours.id)).toEqual({ keys: [], updatedAt: undefined })
      const keys = nastyTexts.map((value, i) => ({ key: `Key${i}`, value }))
      expect(yield* expectations.setTemplate(keys, ours.writing())).toEqual({ keys, updatedAt: noon })
      expect(yield* expectations.template(ours.id)).toEqual({ keys, updatedAt: noon })
      yield* expectations.setTemplate(keys, ours.writing(noon + 1000))
      expect(yield* expectations.template(ours.id)).toEqual({ keys, updatedAt: noon })
      yield* expectations.setTemplate([], ours.writing(noon + 2000))
      expect(yield* expectations.template(ours.id)).toEqual({ keys: [], updatedAt: noon + 2000 })
      const facts = (yield* factsOf(ours)).filter(({ type }) => type === "ConfigurationTemplateChanged")
      expect(facts.map(({ body, subject }) => [subject, body.by, body.before, body.after])).toEqual([
        [`organisation:${ours.id}`, ours.principal.actor, { keys: [] }, { keys }],
        [`organisation:${ours.id}`, ours.principal.actor, { keys }, { keys: [] }]
      ])
    })
  )

  it.effect("rules are read back in their order, and each change is recorded with its author", () =>
    Effect.gen(function* () {
      const expectations = yield* Expectations
      const ours = yield* anOrganisation
      expect(yield* expectations.quirks(ours.id)).toEqual([])
      const rules = [rule("b"), rule("a"), { name: "c", vendor: "*", tolerances: { waitForBootSeconds: 3 } }]
      expect(yield* expectations.setQuirks(rules, ours.writing())).toEqual(rules)
      expect(yield* expectations.quirks(ours.id)).toEqual(rules)
      yield* expectations.setQuirks(rules, ours.writing(noon + 1000))
      const facts = (yield* factsOf(ours)).filter(({ type }) => type === "QuirksChanged")
      expect(facts.map(({ body }) => [body.before, body.after])).toEqual([[{ rules: [] }, { rules }]])
    })
  )

  it.effect("text that the database cannot hold is refused", () =>
    Effect.gen(function* () {
      const expectations = yield* Expectations
      const ours = yield* anOrganisation
      for (const value of unstorableTexts) {
        const refused = expectations.setTemplate([{ key: "Key", value }], ours.writing())
        expect((yield* failureOf(refused))[0]).toBe("InvalidInput")
      }
    })
  )

  it.effect("templates, rules and makes of another organisation are invisible", () =>
    Effect.gen(function* () {
      const expectations = yield* Expectations
      const ours = yield* anOrganisation
      const theirs = yield* anOrganisation
      yield* aCharger(theirs, "Theirs", "M")
      yield* expectations.setTemplate([{ key: "Key", value: "theirs" }], theirs.writing())
      yield* expectations.setQuirks([rule("theirs")], theirs.writing())
      expect(yield* expectations.template(ours.id)).toEqual({ keys: [], updatedAt: undefined })
      expect(yield* expectations.quirks(ours.id)).toEqual([])
      expect(yield* expectations.fleets(ours.id)).toEqual([])
      yield* expectations.setTemplate([{ key: "Key", value: "ours" }], ours.writing())
      expect((yield* expectations.template(theirs.id)).keys).toEqual([{ key: "Key", value: "theirs" }])
    })
  )

  it.effect("makes are counted, the most frequent first, without chargers that have not reported their make", () =>
    Effect.gen(function* () {
      const ours = yield* anOrganisation
      const one = yield* aCharger(ours, "V", "M")
      const two = yield* aCharger(ours, "V", "N")
      const three = yield* aCharger(ours, "V", "N")
      yield* aCharger(ours, "", "")
      const make = (model: string, ...chargerIds: ReadonlyArray<string>) => ({
        vendor: "V",
        model,
        firmwareVersion: "1.0",
        chargers: chargerIds.length,
        chargerIds
      })
      expect(yield* (yield* Expectations).fleets(ours.id)).toEqual([make("N", two, three), make("M", one)])
    })
  )
}
