/** Deleting much in little pieces: the embedded database does nothing else while one is deleted, and what is left goes with the next round. */
import { Effect } from "effect"

export interface Pieces {
  /** Rows in one statement. */
  readonly rows: number
  /** Statements in one round. */
  readonly statements: number
}

/** Deletes by `piece`, a statement that takes so many rows at most and returns them, until little is left; answers how many rows went. */
export const deletedInPieces = <E, R>(
  { rows, statements }: Pieces,
  piece: (rows: number) => Effect.Effect<ReadonlyArray<unknown>, E, R>
): Effect.Effect<number, E, R> =>
  Effect.gen(function* () {
    let gone = 0
    for (let n = 0; n < statements; n++) {
      const deleted = yield* piece(rows)
      gone += deleted.length
      if (deleted.length < rows) break
    }
    return gone
  })
