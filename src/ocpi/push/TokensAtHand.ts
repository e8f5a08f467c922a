/**
 * Partners' tokens for those who call them many times a second: what was read is good for a moment. A token that was exchanged meanwhile is refused,
 * and the next try has the new one.
 */
import { Cache, Effect, Exit, Layer } from "effect"
import { Partners } from "../../domain/ports/Partners.ts"

const keepMillis = 1_000
const capacity = 1_000

/** `Partners`, whose tokens are at hand. */
export const layer: Layer.Layer<Partners, never, Partners> = Layer.effect(
  Partners,
  Effect.gen(function* () {
    const partners = yield* Partners
    const tokens = yield* Cache.makeWith(
      (key: string) => {
        const [organisationId = "", id = ""] = key.split(" ")
        return partners.theirToken(organisationId, id)
      },
      { capacity, timeToLive: (exit) => (Exit.isSuccess(exit) ? keepMillis : 0) }
    )
    return Partners.of({
      ...partners,
      theirToken: (organisationId, id) => Cache.get(tokens, `${organisationId} ${id}`)
    })
  })
)
