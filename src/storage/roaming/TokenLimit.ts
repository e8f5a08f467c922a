/**
 * How many tokens a partner may still add, a part of the port `RoamingTokens`. A partner may have a million tokens, so they are counted
 * rarely, and never under the journal's lock, for which all chargers' messages wait. Tokens that this process has added since are included.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict } from "../../domain/Errors.ts"
import { rowOf } from "../kernel/Rows.ts"
import type { Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"

export interface TokenRoomOptions {
  /** The most tokens of one partner. */
  readonly tokensMax: number
}

/** How many tokens a process lets a partner add before it counts again. Each process may exceed the limit by this number. */
const step = 10_000

/** How long a partner at its limit is refused without another count. */
const fullMillis = 60_000

interface Room {
  left: number
  /** True if `left` is all that remains up to the limit; otherwise the tokens are counted again. */
  readonly isAll: boolean
  readonly countedAt: number
}

/** How many partners' counts are remembered; for others the tokens are counted again. */
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
    /** Checks whether `wanted` more would fit, before the transaction that adds them begins; `now` in ms since 1970. */
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
    /** Reserves room for new tokens, within the transaction; fails if there is none. */
    take: (partnerId: string, added: number): Effect.Effect<void, Conflict> =>
      Effect.suspend(() => {
        const room = rooms.get(partnerId)
        if (room === undefined || added === 0) return Effect.void
        if (room.isAll && added > room.left) {
          const message = `At most ${tokensMax} tokens of one partner are stored. New tokens are not accepted; existing ones can be changed.`
          return Effect.fail(new Conflict({ code: "too_many_tokens", message }))
        }
        room.left -= added
        return Effect.void
      })
  }
}
