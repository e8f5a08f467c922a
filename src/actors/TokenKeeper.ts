/** Keeps partners' tokens up to date: looks every few seconds whose are due, and has them fetched, of some partners at a time. */
import { Effect, Layer } from "effect"
import { TokenFetcher } from "../domain/ports/TokenFetcher.ts"
import { rounds } from "./Rounds.ts"

export interface TokenKeeperOptions {
  readonly everyMillis: number
  /** Partners whose lists are fetched at one time: one that is slow holds up no others. */
  readonly atOnce: number
}

export const defaultTokenKeeperOptions: TokenKeeperOptions = { everyMillis: 5_000, atOnce: 4 }

export const layer = ({ atOnce, everyMillis }: TokenKeeperOptions = defaultTokenKeeperOptions): Layer.Layer<
  never,
  never,
  TokenFetcher
> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { fetchDue } = yield* TokenFetcher
      const one = rounds({ name: "partners' tokens", everyMillis, round: fetchDue })
      yield* Effect.forEach(Array.from({ length: atOnce }), () => one, { discard: true })
    })
  )
