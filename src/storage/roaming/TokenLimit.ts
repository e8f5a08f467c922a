/**
 * How many tokens a partner may still add, a part of the port `RoamingTokens`. A partner may have a million of them, so they are counted seldom, and never
 * under the journal's lock, which all chargers' messages wait for; what this process has added since is counted along.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict } from "../../domain/Errors.ts"
import { rowOf } from "../kernel/Rows.ts"
import type { Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"

export interface TokenRoomOptions {
  /** Tokens of one partner that are kept. */
  readonly tokensMax: number
}

/** Tokens that a process lets a partner add before it counts again: by so many each process may be over the bound. */
const step = 10_000

/** How long a partner that has all that it may have is taken for full without another count. */
const fullMillis = 60_000

interface Room {
  left: number
  /** Nothing is left beyond that; otherwise it is counted again. */
  readonly isAll: boolean
  readonly countedAt: number
}

/** Partners whose room is kept in mind; of one that was forgotten it is counted again. */
const roomsMax = 10_000

const countRow = rowOf(Schema.Struct({ count: Schema.Int }))

export const tokenRoom = (sql: SqlClient.SqlClient, { tokensMax }: TokenRoomOptions) => {
  const rooms = new Map<string, Room>()

  const count = (own: Scoped, partnerId: string) =>
    guarded(
      countRow(own`
        SELECT count(*)::int AS count FROM partner p
        CROSS JOIN LATERAL (SELECT 1 FROM roaming_token t WHERE t.partner_id = p.id LIMIT ${tokensMax}::int) x
        WHERE ${own.rowsOf("p")} AND p.id = ${partnerId}`)
    )

  const isKnown = (room: Room | undefined, wanted: number, now: number): boolean =>
    room !== undefined && (room.left >= wanted || (room.isAll && now < room.countedAt + fullMillis))

  return {
    /** Looks whether `wanted` more would fit, before the transaction that adds them begins; `now` in ms epoch. */
    look: (own: Scoped, partnerId: string, wanted: number, now: number) =>
      Effect.gen(function* () {
        if (isKnown(rooms.get(partnerId), wanted, now)) return
        const row = yield* count(own, partnerId)
        const free = Math.max(tokensMax - (row?.count ?? 0), 0)
        const left = Math.min(free, Math.max(step, wanted))
        rooms.delete(partnerId)
        rooms.set(partnerId, { left, isAll: left === free, countedAt: now })
        const [oldest] = rooms.keys()
        if (rooms.size > roomsMax && oldest !== undefined) rooms.delete(oldest)
      }),
    /** Takes room for tokens that are new, within the transaction; fails where there is none. */
    take: (partnerId: string, added: number): Effect.Effect<void, Conflict> =>
      Effect.suspend(() => {
        const room = rooms.get(partnerId)
        if (room === undefined || added === 0) return Effect.void
        if (room.isAll && added > room.left) {
          const message = `At most ${tokensMax} tokens of one partner are kept. No new one is taken; those that are known can be changed.`
          return Effect.fail(new Conflict({ code: "too_many_tokens", message }))
        }
        room.left -= added
        return Effect.void
      })
  }
}
