/** Rollouts as they are stored: a turn is claimed once, and a command that was claimed before a process ended is issued once. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Commands } from "../../src/domain/command/Commands.ts"
import { noTargets } from "../../src/domain/rollout/Rollout.ts"
import { type NewRollout, RolloutQueue, Rollouts } from "../../src/domain/rollout/Rollouts.ts"
import * as CommandsStorage from "../../src/storage/commands/Commands.ts"
import { forEachDriver } from "../support/databases.ts"
import { noon, repositories, type TestOrganisation, anOrganisation } from "../support/repositories.ts"

const commands = CommandsStorage.layer({
  nodeId: "node-1",
  maxWaiting: 10,
  chargersPerMinute: 60,
  tls: true,
  clientCertificates: true
})

const given = (chargerIds: ReadonlyArray<string>): NewRollout => ({
  kind: "CommandBatch",
  name: "Caches",
  order: { type: "ClearCache", body: { type: "ClearCache" }, parameters: {} },
  targets: { chargerIds },
  expectedTargets: undefined,
  waves: [],
  plan: {
    perMinute: 60,
    window: undefined,
    pauseAfterFailures: undefined,
    onlyConnected: false,
    expiresInSeconds: undefined,
    version: undefined
  },
  needsApproval: false,
  endsAt: noon + 1_000_000
})

let made = 0

/** A charger that never connected. */
const aCharger = (organisation: TestOrganisation) =>
  Effect.gen(function* () {
    const siteId = crypto.randomUUID()
    const sql = yield* SqlClient.SqlClient
    const chargerId = `ROLLOUT-${process.pid}-${made++}`
    yield* sql`INSERT INTO site (id, organisation_id, name, time_zone, created_at, updated_at)
      VALUES (${siteId}, ${organisation.id}, 'Quay', 'UTC', ${new Date(noon)}, ${new Date(noon)})`
    yield* sql`INSERT INTO charger (charger_id, organisation_id, site_id, name, security_profile, created_at, updated_at)
      VALUES (${chargerId}, ${organisation.id}, ${siteId}, 'Quay', 0, ${new Date(noon)}, ${new Date(noon)})`
    return chargerId
  })

/** A rollout for some chargers, as the background work sees it. */
const running = (organisation: TestOrganisation, chargers: number) =>
  Effect.gen(function* () {
    const rollouts = yield* Rollouts
    const chargerIds = yield* Effect.forEach(Array.from({ length: chargers }), () => aCharger(organisation))
    const { id } = yield* rollouts.create(given(chargerIds), organisation.writing())
    const queue = yield* RolloutQueue
    const rollout = (yield* queue.running).find((one) => one.id === id)
    assert.isDefined(rollout)
    return { chargerIds, rollout: rollout!, queue }
  })

forEachDriver("Rollouts", Layer.provideMerge(commands, repositories), (it) => {
  it.effect("give each turn to one of two concurrent claims", () =>
    Effect.gen(function* () {
      const organisation = yield* anOrganisation
      const { chargerIds, queue, rollout } = yield* running(organisation, 6)
      const claim = queue.claim(rollout, { atMost: 4, timeZones: undefined, onlyConnected: false }, noon)
      const claimed = (yield* Effect.all([claim, claim], { concurrency: 2 })).flat()
      assert.deepEqual(claimed.map(({ chargerId }) => chargerId).toSorted(), chargerIds.toSorted())
      assert.strictEqual(new Set(claimed.map(({ commandId }) => commandId)).size, 6)
    })
  )

  it.effect("have a claimed command issued once, even when several processes issue it", () =>
    Effect.gen(function* () {
      const organisation = yield* anOrganisation
      const { queue, rollout } = yield* running(organisation, 1)
      const issuing = yield* Commands
      const [turn] = yield* queue.claim(rollout, { atMost: 1, timeZones: undefined, onlyConnected: false }, noon)
      assert.deepEqual(yield* queue.open(rollout, noon), [
        { chargerId: turn!.chargerId, commandId: turn!.commandId, isIssued: false }
      ])
      const command = { _tag: "ClearCache" } as const
      const issue = issuing.issue(
        { id: turn!.commandId, chargerId: turn!.chargerId, command, parameters: {}, expiresInSeconds: 60 },
        organisation.writing()
      )
      yield* Effect.all([issue, issue], { concurrency: 2 })
      yield* issue
      const sql = yield* SqlClient.SqlClient
      const stored = yield* sql`SELECT 1 FROM command WHERE charger_id = ${turn!.chargerId}`
      assert.lengthOf(stored, 1)
      assert.deepEqual(yield* queue.open(rollout, noon), [])
    })
  )

  it.effect("take a turn back, record each outcome once, and are deleted when they are old", () =>
    Effect.gen(function* () {
      const organisation = yield* anOrganisation
      const rollouts = yield* Rollouts
      const { queue, rollout } = yield* running(organisation, 2)
      const claims = yield* queue.claim(rollout, { atMost: 2, timeZones: undefined, onlyConnected: false }, noon)
      const [one, two] = claims.map(({ chargerId }) => chargerId)
      yield* queue.end(
        rollout,
        [
          { chargerId: one!, state: "Waiting", detail: undefined },
          { chargerId: two!, state: "Failed", detail: "Rejected" }
        ],
        noon
      )
      yield* queue.end(rollout, [{ chargerId: two!, state: "Succeeded", detail: undefined }], noon)
      const read = rollouts.get(organisation.id, "CommandBatch", rollout.id)
      assert.deepEqual((yield* read).counts, { ...noTargets, Waiting: 1, Failed: 1 })
      yield* queue.conclude(rollout, "Completed", noon)
      assert.deepInclude(yield* read, { state: "Completed", endedAt: noon })
      assert.deepEqual((yield* read).counts, { ...noTargets, Unreached: 1, Failed: 1 })
      yield* queue.conclude(rollout, "Paused", noon)
      assert.strictEqual((yield* read).state, "Completed")
      yield* queue.forget(noon)
      assert.strictEqual((yield* read).state, "Completed")
      yield* queue.forget(noon + 1)
      assert.strictEqual((yield* Effect.flip(read))._tag, "NotFound")
    })
  )

  it.effect("are limited in number", () =>
    Effect.gen(function* () {
      const organisation = yield* anOrganisation
      const rollouts = yield* Rollouts
      const chargerId = yield* aCharger(organisation)
      const make = rollouts.create(given([chargerId]), organisation.writing())
      for (let i = 0; i < 20; i++) yield* make
      const refused = yield* Effect.flip(make)
      assert.deepInclude(refused, { _tag: "TooMany", code: "too_many_rollouts" })
    })
  )
})
