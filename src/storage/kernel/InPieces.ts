/**
 * Deleting much in little pieces: the embedded database does nothing else while one is deleted. It goes on until all is gone, since whatever is written
 * faster than one round may delete would grow for ever.
 */
import { Effect } from "effect"

export interface Pieces {
  /** Rows in one statement. */
  readonly rows: number
  /** Statements in a row, before the database is left to others for a moment. */
  readonly statements: number
}

/** After so many statements: long enough for others to get on, and short beside the time that those statements took off a backlog. */
const restMillis = 500

/**
 * Deletes by `piece`, a statement that takes so many rows at most and returns them, until little is left; answers how many rows went. What `piece` looks
 * for must be what there is already (older than a fixed time): it ends when that is gone.
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
