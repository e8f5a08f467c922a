/** Progress of uploads and firmware updates, kept with the command that it belongs to. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { limits } from "../../src/Config.ts"
import { ChargerDirectory } from "../../src/domain/charger/ChargerDirectory.ts"
import type { ProgressReported } from "../../src/domain/charger/Fact.ts"
import { Journal } from "../../src/domain/charger/Journal.ts"
import * as ChargerDirectoryRepository from "../../src/storage/charging/ChargerDirectory.ts"
import * as JournalRepository from "../../src/storage/charging/Journal.ts"
import { forEachDriver } from "../support/databases.ts"
import { freshId, noon, seedChargers, type Seeded } from "../support/journalFacts.ts"
import { reportCases, type StoredTransfer } from "../support/progressReports.ts"
import { repositories } from "../support/repositories.ts"

const world = Layer.mergeAll(
  JournalRepository.layer(limits.journal),
  ChargerDirectoryRepository.layer({ ...limits.directory, nodeId: "reporting" })
).pipe(Layer.provideMerge(repositories))

const store = ({ organisationId }: Seeded, chargerId: string, transfer: StoredTransfer) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const id = freshId()
    const { errorCode, requestId, status, type } = transfer
    yield* sql`
      INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at, result)
      VALUES (${id}::uuid, ${organisationId}::uuid, ${chargerId}, ${type}, ${status}, ${JSON.stringify({ requestId })}::text::jsonb, '{}', 'test',
        ${new Date(noon)}, ${JSON.stringify({ errorCode })}::text::jsonb)`
    return id
  })

const connected = (seeded: Seeded, chargerId: string) =>
  Effect.gen(function* () {
    const opening = { ocppVersion: "1.6", securityProfile: 0 as const, remoteAddress: "192.0.2.7", at: noon }
    return (yield* (yield* ChargerDirectory).open({ ...opening, ...seeded, chargerId }))!.epoch
  })

const reported = (
  { organisationId }: Seeded,
  chargerId: string,
  epoch: number,
  body: ProgressReported["body"],
  at = noon
): ProgressReported => ({
  type: "ProgressReported",
  key: `progress:${chargerId}:${at}:${body.status}`,
  organisationId,
  chargerId,
  at,
  heardAt: at,
  epoch,
  body
})

const progressOf = (ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const found: Array<readonly [string | null, number | null]> = []
    for (const id of ids) {
      const [row] = yield* sql<{ status: string | null; at: number | null }>`
        SELECT progress_status AS status, (extract(epoch FROM progress_at) * 1000)::float8 AS at FROM command WHERE id = ${id}::uuid`
      found.push([row?.status ?? null, row?.at ?? null])
    }
    return found
  })

const none = [null, null] as const

forEachDriver("the progress of a transfer", world, (it) => {
  it.effect("is that of the newest command that the charger can mean", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const chargers = reportCases.map((_, n) => `PROGRESS-${n}`)
      const seeded = yield* seedChargers(chargers)
      for (const [n, { means, name, report, transfers }] of reportCases.entries()) {
        const chargerId = chargers[n]!
        const epoch = yield* connected(seeded, chargerId)
        const ids: Array<string> = []
        for (const transfer of transfers) ids.push(yield* store(seeded, chargerId, transfer))
        yield* commit([reported(seeded, chargerId, epoch, report)])
        const expected = ids.map((_, i) => (i === means ? [report.status, noon] : none))
        assert.deepStrictEqual(yield* progressOf(ids), expected as never, name)
      }
    })
  )

  it.effect("is the last one that its charger reported, without older connections and repeats", () =>
    Effect.gen(function* () {
      const { commit } = yield* Journal
      const seeded = yield* seedChargers(["PROGRESS-A", "PROGRESS-B"])
      const epoch = yield* connected(seeded, "PROGRESS-A")
      const log: StoredTransfer = { type: "GetLog", status: "Accepted" }
      const ids = [yield* store(seeded, "PROGRESS-A", log), yield* store(seeded, "PROGRESS-B", log)]
      const say = (status: string, at: number, of = epoch) =>
        reported(seeded, "PROGRESS-A", of, { kind: "Log", status, requestId: undefined }, at)
      yield* commit([say("Uploading", noon), say("Uploaded", noon + 1)])
      assert.deepStrictEqual(yield* progressOf(ids), [["Uploaded", noon + 1], none])
      yield* commit([say("Uploading", noon)])
      yield* commit([say("UploadFailed", noon + 2, epoch - 1)])
      assert.deepStrictEqual(yield* progressOf(ids), [["Uploaded", noon + 1], none])
      // Many at once, of which one is a repeat.
      const commits = [say("Uploading", noon + 3), say("Uploaded", noon + 1), say("UploadFailed", noon + 4)]
      yield* Effect.all(
        commits.map((fact) => commit([fact])),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* progressOf(ids), [["UploadFailed", noon + 4], none])
    })
  )
})
