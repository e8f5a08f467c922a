/** The work queues on both databases: the counts of each organisation, and their events, which are published once. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { workCounting, defaultWorkOptions } from "../../src/actors/background/WorkCounting.ts"
import { eventsOf } from "../../src/domain/event/EventsOf.ts"
import { Subscriptions } from "../../src/domain/event/Subscriptions.ts"
import { SessionReviews } from "../../src/domain/session/SessionReviews.ts"
import { Work, type WorkQueue } from "../../src/domain/work/Work.ts"
import { forEachDriver } from "../support/databases.ts"
import { aSession } from "../support/reported.ts"
import { noon, type TestOrganisation } from "../support/repositories.ts"
import { aSubscriber, claim, makeDue, ref, second, settle, world } from "../support/subscribers.ts"

const queues = [
  "heldSessions",
  "corrections",
  "parkedDeliveries",
  "parkedEvents",
  "tokenConflicts"
] as const satisfies ReadonlyArray<WorkQueue>
const counted = ({ id }: TestOrganisation) => Effect.flatMap(Work, (work) => work.counts(id, queues))

const parked = (id: string, objectId: string, problem = "HTTP 200, status 2001") =>
  Effect.gen(function* () {
    yield* makeDue(id, [ref(objectId)])
    const [item] = yield* claim(id)
    yield* settle(item!, { _tag: "Parked", problem })
  })

/** An ended session, held as by the checks before pricing. */
const held = (organisation: TestOrganisation, reason = "EnergyTooLarge") =>
  Effect.gen(function* () {
    const site = crypto.randomUUID()
    const sql = yield* SqlClient.SqlClient
    const chargerId = `WORK-${site.slice(0, 8)}`
    yield* sql`INSERT INTO site (id, organisation_id, name, time_zone, created_at, updated_at)
      VALUES (${site}, ${organisation.id}, 'Quay', 'UTC', ${new Date(noon)}, ${new Date(noon)})`
    yield* sql`INSERT INTO charger (charger_id, organisation_id, site_id, name, security_profile, created_at, updated_at)
      VALUES (${chargerId}, ${organisation.id}, ${site}, 'Quay', 0, ${new Date(noon)}, ${new Date(noon)})`
    const id = yield* aSession(organisation, { chargerId, siteId: site, endedAt: noon + second })
    yield* (yield* SessionReviews).hold([{ sessionId: id, organisationId: organisation.id, reason }], noon)
    return id
  })

/** Events of an organisation in the journal, of these types. */
const published = ({ id }: TestOrganisation, ...types: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ type: string; subject: string; body: unknown }>`
      SELECT j.type, j.subject, j.body FROM journal j WHERE j.organisation_id = ${id} ORDER BY j.position`
    return rows
      .flatMap((row) => eventsOf({ ...row, position: 1, at: noon, chargerId: undefined, siteId: undefined }))
      .filter(({ type }) => types.includes(type))
      .map(({ data, subject }) => ({ subject, data }))
  })

const none = {
  heldSessions: 0,
  corrections: 0,
  parkedDeliveries: 0,
  tokenConflicts: 0,
  unknownChargers: 0,
  configurationDrifts: 0
}

forEachDriver("the work queues", world, (it) => {
  it.effect("count held sessions and parked deliveries, for each organisation separately", () =>
    Effect.gen(function* () {
      const one = yield* aSubscriber
      const other = yield* aSubscriber
      const sessionId = yield* held(one.organisation)
      yield* held(one.organisation)
      yield* parked(one.id, "a")
      yield* parked(other.id, "b")
      const waiting = { heldSessions: 2, corrections: 0, parkedDeliveries: 1, parkedEvents: 0, tokenConflicts: 0 }
      assert.deepStrictEqual(yield* counted(one.organisation), waiting)
      assert.deepStrictEqual(yield* counted(other.organisation), { ...waiting, heldSessions: 0 })
      yield* (yield* SessionReviews).release(sessionId, one.organisation.writing())
      yield* (yield* Subscriptions).replayAll(one.id, one.organisation.writing())
      assert.deepStrictEqual(yield* counted(one.organisation), { ...waiting, heldSessions: 1, parkedDeliveries: 0 })
    })
  )

  it.effect("are counted by consecutive rounds when the backlog is longer than one round reads", () =>
    Effect.gen(function* () {
      const { organisation } = yield* aSubscriber
      yield* workCounting({ ...defaultWorkOptions, factsPerRound: 100_000 })
      for (let n = 0; n < 3; n++) yield* held(organisation)
      const round = workCounting({ ...defaultWorkOptions, factsPerRound: 2 })
      let rounds = 1
      while (yield* round) rounds++
      assert.isAbove(rounds, 1)
      const [last] = (yield* published(organisation, "work.changed")).slice(-1)
      assert.deepStrictEqual(last?.data, { ...none, heldSessions: 3 })
    })
  )

  it.effect("are published only when they have changed", () =>
    Effect.gen(function* () {
      const { id, organisation } = yield* aSubscriber
      const round = workCounting({ ...defaultWorkOptions, factsPerRound: 100_000 })
      const changes = published(organisation, "work.changed")
      yield* round
      assert.deepStrictEqual(yield* changes, [])
      yield* held(organisation)
      yield* parked(id, "a")
      yield* round
      const subject = `organisation:${organisation.id}`
      const first = { subject, data: { ...none, heldSessions: 1, parkedDeliveries: 1 } }
      assert.deepStrictEqual(yield* changes, [first])
      yield* round
      assert.deepStrictEqual(yield* changes, [first])
      yield* (yield* Subscriptions).replayAll(id, organisation.writing())
      yield* round
      assert.deepStrictEqual(yield* changes, [first, { subject, data: { ...none, heldSessions: 1 } }])
    })
  )

  it.effect("are published once by processes that count concurrently", () =>
    Effect.gen(function* () {
      const { organisation } = yield* aSubscriber
      yield* held(organisation)
      const work = yield* Work
      const publish = work.publish(organisation.id, ["heldSessions"], noon)
      const both = yield* Effect.all([publish, publish, publish], { concurrency: "unbounded" })
      assert.deepStrictEqual(both.filter(Boolean), [true])
      assert.strictEqual((yield* published(organisation, "work.changed")).length, 1)
    })
  )

  it.effect("detect that a session differs from its record, for which there is no fact", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { organisation } = yield* aSubscriber
      const sessionId = yield* held(organisation)
      const work = yield* Work
      yield* work.publish(organisation.id, ["heldSessions", "corrections"], noon)
      assert.notInclude(yield* work.corrected, organisation.id)
      yield* sql`UPDATE session SET contradicted = true WHERE id = ${sessionId}`
      assert.include(yield* work.corrected, organisation.id)
      yield* workCounting(defaultWorkOptions)
      assert.notInclude(yield* work.corrected, organisation.id)
      const [, last] = yield* published(organisation, "work.changed")
      assert.deepStrictEqual(last?.data, { ...none, heldSessions: 1, corrections: 1 })
    })
  )
})

forEachDriver("subscribers", world, (it) => {
  it.effect("report that a partner went down and that it answers again, once each", () =>
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      const { id, organisation } = yield* aSubscriber
      const down = { failures: 3, openedAt: noon, notBefore: undefined }
      yield* storage.circuit(id, { ...down, failures: 2, openedAt: undefined }, { now: noon, error: "refused" })
      yield* storage.circuit(id, down, { now: noon, error: "connection refused" })
      yield* storage.circuit(id, down, { now: noon + second, error: "connection refused" })
      const answers = { failures: 2, openedAt: undefined, notBefore: undefined }
      yield* storage.circuit(id, answers, { now: noon + 2 * second, isReleased: true })
      const subject = `partner:${id}`
      assert.deepStrictEqual(yield* published(organisation, "partner.health"), [
        { subject, data: { partnerId: id, name: "P", state: "Down", problem: "connection refused" } },
        { subject, data: { partnerId: id, name: "P", state: "Answers", problem: null } }
      ])
    })
  )

  it.effect("publish a parked delivery, but not one whose object changed during the delivery", () =>
    Effect.gen(function* () {
      const { id, organisation } = yield* aSubscriber
      yield* makeDue(id, [ref("a"), ref("b")])
      const [a, b] = yield* claim(id)
      yield* makeDue(id, [ref("b")])
      yield* settle(a!, { _tag: "Parked", problem: "no" })
      yield* settle(b!, { _tag: "Parked", problem: "no" })
      const data = {
        partnerId: id,
        webhookId: null,
        deliveryId: a!.itemId,
        kind: "location" as const,
        objectId: "a",
        problem: "no"
      }
      assert.deepStrictEqual(yield* published(organisation, "delivery.parked"), [{ subject: `partner:${id}`, data }])
    })
  )
})
