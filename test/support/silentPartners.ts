/** Partners that cannot be reached: for tests in which no card is theirs. */
import { Effect, Layer } from "effect"
import { RealTimeAuthorizer } from "../../src/domain/token/RealTimeAuthorizer.ts"
import { silent } from "../../src/domain/token/RealTime.ts"

export const silentPartners: Layer.Layer<RealTimeAuthorizer> = Layer.succeed(
  RealTimeAuthorizer,
  RealTimeAuthorizer.of({ partnerAnswers: ({ partners }) => Effect.succeed(partners.map(silent)) })
)
