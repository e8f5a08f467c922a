/** Refused chargers as events: the first immediately, repeats less and less often, a bounded number in all, for the right organisation. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { limits } from "../../src/Config.ts"
import { type ChargerRefusal, ChargerRefusals } from "../../src/domain/charger/ChargerRefusals.ts"
import { Events } from "../../src/domain/event/Events.ts"
import * as RefusalsRepository from "../../src/storage/charging/ChargerRefusals.ts"
import { type RefusalLimits, RefusalMemory } from "../../src/storage/charging/RefusalMemory.ts"
import { emptyTables, forEachDriver } from "../support/databases.ts"
import { seedChargers } from "../support/journalFacts.ts"
import { repositories } from "../support/repositories.ts"

const minute = 60_000
const hour = 60 * minute
const now = Date.UTC(2026, 10, 20, 12)

const refusal = (chargerId: string, more: Partial<ChargerRefusal> = {}): ChargerRefusal => ({
  chargerId,
  organisationId: undefined,
  reason: "UnknownCharger",
  network: "192.0.2.0/24",
  at: now,
  ...more
})

describe("the memory of refusals", () => {
  const memory = (more: Partial<RefusalLimits> = {}) => new RefusalMemory({ ...limits.refusals, ...more })
  const taken = (one: RefusalMemory) => one.take(100_000).map(({ attempts, chargerId }) => `${chargerId} ${attempts}`)

  it("records the first immediately, and repeats at growing intervals with their number", () => {
    const one = memory()
    const recorded: Array<string> = []
    for (let seconds = 0; seconds <= 5 * 3600; seconds += 10) {
      expect(one.refused(refusal("A", { at: now + seconds * 1000 }))).toBe(true)
      for (const { at, attempts } of one.take(10)) recorded.push(`${(at - now) / minute} ${attempts}`)
    }
    expect(recorded).toEqual([
      "0 1",
      "1 6",
      "3 12",
      "7 24",
      "15 48",
      "31 96",
      "63 192",
      "123 360",
      "183 360",
      "243 360"
    ])
  })

  it("starts again after a long pause, for another reason, and when the clock is set back", () => {
    const one = memory()
    for (const at of [0, 1, 3]) one.refused(refusal("A", { at: now + at * minute }))
    expect(taken(one)).toHaveLength(3)
    one.refused(refusal("A", { at: now + 4 * minute, reason: "WrongPassword" }))
    one.refused(refusal("A", { at: now + 5 * hour }))
    one.refused(refusal("A", { at: now + 5 * hour + minute }))
    one.refused(refusal("A", { at: now - hour }))
    expect(taken(one)).toEqual(["A 1", "A 1", "A 1", "A 1"])
  })

  it("limits the refusals recorded an hour: unknown ids of a network and in all, and those of an organisation", () => {
    const one = memory()
    for (let n = 0; n < 10_000; n++) one.refused(refusal(`X${n}`))
    expect(taken(one)).toHaveLength(limits.refusals.unknownPerNetworkPerHour)
    for (let n = 0; n < 10_000; n++) one.refused(refusal(`Y${n}`, { network: `2001:db8:0:${n}::/64` }))
    expect(taken(one)).toHaveLength(limits.refusals.unknownPerHour - limits.refusals.unknownPerNetworkPerHour)
    // An organisation's own chargers have another budget, and so has each organisation.
    expect(one.refused(refusal("MINE", { organisationId: "o1", reason: "WrongPassword" }))).toBe(true)
    for (let n = 0; n < 10_000; n++) one.refused(refusal(`M${n}`, { organisationId: "o1", reason: "WrongPassword" }))
    expect(taken(one)).toHaveLength(limits.refusals.perOrganisationPerHour)
    expect(one.refused(refusal("THEIRS", { organisationId: "o2", reason: "WrongPassword" }))).toBe(true)
    expect(one.refused(refusal("Z", { at: now + hour })), "an hour later").toBe(true)
  })

  it("holds at most `maxWaiting` refusals while nothing can be written, and takes back an unwritten batch", () => {
    const one = memory({ perOrganisationPerHour: 1e9 })
    for (let n = 0; n < 100_000; n++) one.refused(refusal(`M${n}`, { organisationId: "o1" }))
    const batch = one.take(limits.refusals.maxWaiting)
    expect([batch.length, one.size]).toEqual([limits.refusals.maxWaiting, 0])
    one.again(batch)
    expect(one.take(1)).toEqual(batch.slice(0, 1))
  })
})

/** Runs the repository in a scope of its own; what is waiting is written when the scope closes. */
const refused = (...all: ReadonlyArray<ChargerRefusal>) =>
  Effect.gen(function* () {
    const layer = RefusalsRepository.layer({ ...limits.refusals, flushEveryMillis: hour })
    const { refused } = yield* Effect.provide(ChargerRefusals, yield* Layer.build(layer))
    for (const one of all) refused(one)
  }).pipe(Effect.scoped)

const published = (organisationId: string, more: object = {}) =>
  Effect.gen(function* () {
    const events = yield* Events
    const request = { after: { position: 0, index: undefined }, limit: 50, ...more }
    const page = yield* events.page(organisationId, request)
    return page.events.flatMap(({ at, data, subject, type }) =>
      type === "charger.refused" ? [{ at, data, subject }] : []
    )
  })

forEachDriver("refused chargers", repositories, (it) => {
  it.effect("become events of the organisation and site, once a minute across all processes", () =>
    Effect.gen(function* () {
      yield* emptyTables
      const ours = yield* seedChargers(["R-1"])
      const theirs = yield* seedChargers(["R-2"])
      const wrong = { organisationId: ours.organisationId, reason: "WrongPassword" } as const
      yield* refused(refusal("R-1", wrong), refusal("R-1", { ...wrong, at: now + 1000 }))
      yield* refused(refusal("R-1", { ...wrong, at: now + 2000 }))
      yield* refused(refusal("R-1", { ...wrong, at: now + 2 * minute }))
      const network = "192.0.2.0/24"
      const data = { chargerId: "R-1", siteId: ours.siteId, reason: wrong.reason, network, attempts: 1 }
      assert.deepStrictEqual(yield* published(ours.organisationId), [
        { at: "2026-11-20T12:00:00.000Z", subject: "charger:R-1", data },
        { at: "2026-11-20T12:02:00.000Z", subject: "charger:R-1", data }
      ])
      assert.strictEqual((yield* published(ours.organisationId, { siteId: ours.siteId, chargerId: "R-1" })).length, 2)
      assert.deepStrictEqual(yield* published(theirs.organisationId), [])
    })
  )

  it.effect("with an unknown id are reported to the only organisation, and to none where there are several", () =>
    Effect.gen(function* () {
      yield* emptyTables
      const ours = yield* seedChargers(["R-3"])
      yield* refused(refusal("STRANGER"))
      assert.deepStrictEqual(
        (yield* published(ours.organisationId)).map(({ data }) => [data.chargerId, data.siteId, data.reason]),
        [["STRANGER", null, "UnknownCharger"]]
      )
      const theirs = yield* seedChargers(["R-4"])
      const known = refusal("R-4", { organisationId: theirs.organisationId, reason: "SecurityProfile" })
      yield* refused(refusal("ANOTHER"), known)
      assert.strictEqual((yield* published(ours.organisationId)).length, 1)
      assert.deepStrictEqual(
        (yield* published(theirs.organisationId)).map(({ data }) => [data.chargerId, data.reason]),
        [["R-4", "SecurityProfile"]]
      )
    })
  )
})
