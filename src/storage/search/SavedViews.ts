/** The port `SavedViews` over SQL. Nothing else depends on saved views, so their changes are not facts. */
import { Effect, Layer, Schema } from "effect"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { type NewSavedView, type SavedView, SavedViews, viewsMost } from "../../domain/search/SavedViews.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { type Recording, type RecordingServices, recording } from "../kernel/Facts.ts"
import { Millis, rowsOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"

/** How many views of one organisation are listed: fifty for each of twenty people. */
const listedMost = 1_000

const viewRows = rowsOf(
  Schema.Struct({
    id: Schema.String,
    operatorId: Schema.String,
    name: Schema.String,
    path: Schema.String,
    shared: Schema.Boolean,
    createdAt: Millis
  })
)

const exists = new Conflict({
  code: "view_exists",
  message: "You already have a view with this name: choose another name."
})
const tooMany = new Conflict({
  code: "too_many_views",
  message: `A person can have at most ${viewsMost} views: remove one first.`
})

const list = ({ sql }: Recording) =>
  Effect.fn("SavedViews.list")((organisationId: string, operatorId: string) => {
    const own = scopedTo(sql, organisationId)
    return guarded(
      viewRows(own`
        SELECT v.id, v.operator_id AS "operatorId", v.name, v.path, v.shared, v.created_at AS "createdAt" FROM saved_view v
        WHERE ${own.rowsOf("v")} AND (v.operator_id = ${operatorId} OR v.shared)
        ORDER BY lower(v.name), v.id LIMIT ${listedMost}`)
    )
  })

const create = ({ secrets, sql, writable }: Recording) =>
  Effect.fn("SavedViews.create")(function* (
    { name, path, shared }: NewSavedView,
    operatorId: string,
    { by, now }: AuditContext
  ) {
    yield* storable({ name, path })
    const own = scopedTo(sql, by.organisationId)
    const id = secrets.uuid(now)
    const write = Effect.gen(function* () {
      // Locks the membership's row, so that two requests of one person are counted one after the other.
      yield* own`SELECT 1 FROM membership m WHERE ${own.rowsOf("m")} AND m.operator_id = ${operatorId} FOR UPDATE`
      const kept = yield* own`SELECT 1 FROM saved_view v WHERE ${own.rowsOf("v")} AND v.operator_id = ${operatorId}`
      if (kept.length >= viewsMost) return yield* tooMany
      const made = yield* own`
        INSERT INTO saved_view (id, organisation_id, operator_id, name, path, shared, created_at)
        VALUES (${id}, ${own.id}, ${operatorId}::uuid, ${name}, ${path}, ${shared}, ${new Date(now)})
        ON CONFLICT (organisation_id, operator_id, name) DO NOTHING RETURNING 1`
      if (made.length === 0) return yield* exists
    })
    yield* writable
    yield* guardedWrite(sql.withTransaction(refusingValues(write)))
    return { id, operatorId, name, path, shared, createdAt: now } satisfies SavedView
  })

const remove = ({ sql, writable }: Recording) =>
  Effect.fn("SavedViews.remove")(function* (organisationId: string, operatorId: string, id: string) {
    const own = scopedTo(sql, organisationId)
    const missing = new NotFound({ kind: "view", id })
    if (!isUuid(id)) return yield* missing
    yield* writable
    const gone = yield* guardedWrite(own`
      DELETE FROM saved_view v WHERE ${own.rowsOf("v")} AND v.operator_id = ${operatorId} AND v.id = ${id} RETURNING 1`)
    if (gone.length === 0) return yield* missing
  })

export const layer: Layer.Layer<SavedViews, never, RecordingServices> = Layer.effect(
  SavedViews,
  Effect.map(recording, (records) =>
    SavedViews.of({ list: list(records), create: create(records), remove: remove(records) })
  )
)
