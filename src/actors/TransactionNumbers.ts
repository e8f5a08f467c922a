/**
 * The numbers behind OCPP 1.6 transaction ids. They are taken from the database in blocks, so that a start need not
 * wait for the database, and are turned into ids by a keyed permutation. A number is used once. Those left in a block
 * when the process ends are never used.
 */
import { Effect, Semaphore } from "effect"
import type { StorageUnavailable } from "../domain/Errors.ts"
import { transactionIdOf } from "../domain/values/TransactionId.ts"

/** The number of starts that one round trip serves. The 2³¹ ids are enough for two million blocks. */
const blockSize = 1000

/** A new block is fetched when fewer than this many are left, so that a burst of starts does not have to wait. */
const lowWater = 200

export interface TransactionNumbers {
  /** An unused id, or undefined when the block is used up: then `refill` first. */
  readonly peek: () => number | undefined
  /** Marks the peeked id as used. */
  readonly advance: () => void
  readonly low: () => boolean
  readonly refill: Effect.Effect<void, StorageUnavailable>
}

export const make = (
  take: (size: number) => Effect.Effect<number, StorageUnavailable>,
  keys: ReadonlyArray<number>
): TransactionNumbers => {
  let next = 0
  let end = 0
  let spare: { readonly from: number; readonly to: number } | undefined
  const one = Semaphore.makeUnsafe(1)

  const left = () => end - next + (spare === undefined ? 0 : spare.to - spare.from)
  const settle = () => {
    if (next < end || spare === undefined) return
    next = spare.from
    end = spare.to
    spare = undefined
  }

  return {
    peek: () => {
      settle()
      return next < end ? transactionIdOf(next, keys) : undefined
    },
    advance: () => {
      next++
    },
    low: () => left() < lowWater,
    refill: Semaphore.withPermit(
      one,
      Effect.suspend(() =>
        left() >= lowWater
          ? Effect.void
          : Effect.map(take(blockSize), (from) => {
              settle()
              if (next < end) spare = { from, to: from + blockSize }
              else {
                next = from
                end = from + blockSize
              }
            })
      )
    )
  }
}
