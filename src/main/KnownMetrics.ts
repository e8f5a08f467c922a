/**
 * Registers every metric before the first scrape: a counter that appears only with its first increase hides that
 * increase from its rate. Each part lists its own metrics. Those of the OCPP server are bound to the server and start
 * with it. Series whose labels are not a small closed set appear when they are first used.
 */
import { Effect, Metric } from "effect"
import { actorMetrics } from "../actors/Actors.ts"
import { priceMetrics } from "../actors/background/Repricing.ts"
import { deliveryMetrics } from "../actors/background/SubscriptionMetrics.ts"
import { readerMetrics } from "../actors/background/SubscriptionReader.ts"
import { httpMetrics } from "../http/ops/Metrics.ts"
import { refusedForTheirShare } from "../http/v2/requests/FairShare.ts"
import { refusedLargeAnswers } from "../http/v2/requests/LargeAnswers.ts"
import { signOnMetrics } from "../http/v2/accounts/SingleSignOn.ts"
import { rateLimitMetrics } from "../http/v2/requests/RateLimits.ts"
import { wrongOfNetwork } from "../http/WrongCredentials.ts"
import { authorizerMetrics } from "../ocpi/client/Authorizer.ts"
import { resultMetrics } from "../ocpi/client/ResultPoster.ts"
import { requestMetrics } from "../ocpi/server/Metrics.ts"
import { databaseMetrics } from "../storage/kernel/DatabaseMetrics.ts"
import { cardMetrics } from "../storage/charging/CardMemory.ts"
import { exchangeMetrics } from "../storage/roaming/Exchanges.ts"
import { journalMetrics } from "../storage/charging/JournalMetrics.ts"
import { refusalMetrics } from "../storage/charging/ChargerRefusals.ts"
import { unknownChargerMetrics } from "../storage/charging/UnknownChargerAttempts.ts"
import { messageLogMetrics } from "../storage/charging/MessageLog.ts"
import { uploadMetrics } from "../storage/files/UploadMetrics.ts"
import { handshakesRefused } from "./Handshakes.ts"
import { strangersMetrics } from "./Strangers.ts"
import { refusedReads } from "./MainThread.ts"
import { useMetrics } from "../storage/kernel/OrganisationUse.ts"
import { unreadAnswers } from "./Listeners.ts"

const known: ReadonlyArray<Metric.Metric<number, unknown>> = [
  ...actorMetrics,
  ...authorizerMetrics,
  ...cardMetrics,
  ...databaseMetrics,
  ...deliveryMetrics,
  ...exchangeMetrics,
  ...httpMetrics,
  ...journalMetrics,
  ...refusalMetrics,
  ...unknownChargerMetrics,
  ...messageLogMetrics,
  ...priceMetrics,
  ...rateLimitMetrics,
  wrongOfNetwork,
  ...strangersMetrics,
  handshakesRefused,
  ...signOnMetrics,
  ...readerMetrics,
  ...requestMetrics,
  ...resultMetrics,
  ...uploadMetrics,
  ...useMetrics,
  refusedForTheirShare,
  refusedLargeAnswers,
  refusedReads,
  unreadAnswers
]

/** A metric that describes this build, as other exporters have one: always 1, with the facts as labels. */
const buildInfo = (version: string, database: string) => {
  const { deno, node } = process.versions
  return Metric.gauge("voltlane_build_info", {
    description: "Always 1; its labels show the version and the platform",
    attributes: {
      version,
      runtime: deno === undefined ? "node" : "deno",
      runtime_version: deno ?? node,
      database
    }
  })
}

/** Registers every metric with its initial value. */
export const beginMetrics = (version: string, database: string): Effect.Effect<void> =>
  Effect.andThen(
    Effect.forEach(known, (metric) => Metric.value(metric), { discard: true }),
    Metric.update(buildInfo(version, database), 1)
  )
