/**
 * Deletes many rows in small pieces, because the embedded database does nothing else during a statement. It continues until all are
 * deleted: with a limit per round, a table that is written faster than that would grow for ever.
 */
import { Effect } from "effect"

export interface Pieces {
  /** Rows in one statement. */
  readonly rows: number
  /** How many statements run before a pause that lets other callers use the database. */
  readonly statements: number
}

/** The pause after that many statements: long enough for others to get work done, and short compared with the time that the statements take. */
const restMillis = 500

/**
 * Repeats `piece`, a statement that deletes and returns at most `rows` rows, until it returns fewer; returns how many rows were deleted.
 * `piece` must select from a fixed set (older than a fixed time), so that it comes to an end.
 */
export const deletedInPieces = <E, R>(
  { rows, statements }: Pieces,
  piece: (rows: number) => Effect.Effect<ReadonlyArray<unknown>, E, R>
): Effect.Effect<number, E, R> =>
  Effect.gen(function* () {
    let gone = 0
    for (let n = 1; ; n++) {
      const deleted = yield* piece(rows)
      gone += deleted.length
      if (deleted.length < rows) return gone
      if (n % statements === 0) yield* Effect.sleep(restMillis)
    }
  })
