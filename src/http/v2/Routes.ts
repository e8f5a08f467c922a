/** REST v2 as routes over the domain's ports: everything below `/cpo`. It knows nothing of listeners. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "./Api.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as AuditLog from "./AuditLog.ts"
import * as AuthorizationLive from "./AuthorizationLive.ts"
import * as Cdrs from "./Cdrs.ts"
import * as Certificates from "./Certificates.ts"
import * as ChargerHistory from "./ChargerHistory.ts"
import * as Chargers from "./Chargers.ts"
import * as ChargingProfiles from "./ChargingProfiles.ts"
import * as Commands from "./Commands.ts"
import * as ConditionalLive from "./ConditionalLive.ts"
import * as Deliveries from "./Deliveries.ts"
import * as Events from "./Events.ts"
import * as EventStreams from "./EventStreams.ts"
import * as Expectations from "./Expectations.ts"
import * as FaceLive from "./FaceLive.ts"
import * as Files from "./Files.ts"
import * as Front from "./Front.ts"
import * as IdempotentLive from "./IdempotentLive.ts"
import * as LargeAnswers from "./LargeAnswers.ts"
import * as LocalLists from "./LocalLists.ts"
import * as Organisations from "./Organisations.ts"
import * as Pages from "./Pages.ts"
import * as Parties from "./Parties.ts"
import * as PartnerRecords from "./PartnerRecords.ts"
import * as Partners from "./Partners.ts"
import * as PartnerView from "./PartnerView.ts"
import { PublicUrl } from "./Paging.ts"
import * as RateLimits from "./RateLimits.ts"
import * as Reservations from "./Reservations.ts"
import * as Sessions from "./Sessions.ts"
import * as Sites from "./Sites.ts"
import * as Statistics from "./Statistics.ts"
import * as Tariffs from "./Tariffs.ts"
import * as TokenConflicts from "./TokenConflicts.ts"
import * as Tokens from "./Tokens.ts"
import * as Transfers from "./Transfers.ts"
import * as UndeclaredLive from "./UndeclaredLive.ts"
import * as UnknownChargers from "./UnknownChargers.ts"
import * as Webhooks from "./Webhooks.ts"

export interface V2Options {
  /** Base of every absolute URL that is handed out (`PUBLIC_URL`). */
  readonly publicUrl: string
  /** Base of the URLs that chargers are given for files, where it is another one. */
  readonly filesUrl?: string
  readonly streams?: EventStreams.EventStreamsOptions
  readonly largeAnswers?: LargeAnswers.LargeAnswersOptions
  /** Origins whose pages may call, `*` for all; none without it. */
  readonly corsOrigins?: ReadonlyArray<string>
  readonly rateLimits?: RateLimits.RateLimitOptions
}

/** For who says nothing: no limit. */
const unlimited: RateLimits.RateLimitOptions = { requestsPerMinute: 0, wrongKeysPerMinute: 0, networkOf: () => "" }

/** All routes of REST v2 for an `HttpRouter`. */
export const v2Routes = (options: V2Options) => {
  const publicUrl = options.publicUrl.replace(/\/+$/, "")
  const groups = Layer.mergeAll(
    Organisations.layer,
    Sites.layer,
    Chargers.layer,
    ChargerHistory.layer,
    Commands.layer,
    Events.layer,
    Expectations.layer,
    Files.layer,
    Certificates.layer,
    Reservations.layer,
    ChargingProfiles.layer,
    LocalLists.layer,
    AuditLog.layer,
    Sessions.layer,
    Tariffs.layer,
    Cdrs.layer,
    Parties.layer,
    PartnerRecords.layer,
    Partners.layer,
    Deliveries.layer,
    PartnerView.layer,
    TokenConflicts.layer,
    Tokens.layer,
    ApiKeys.layer,
    UnknownChargers.layer,
    Webhooks.layer,
    Statistics.layer
  ).pipe(
    Layer.provide(Transfers.layer(options.filesUrl ?? publicUrl)),
    Layer.provide(EventStreams.layer(options.streams ?? { ending: Effect.never })),
    Layer.provide([
      AuthorizationLive.layer,
      ConditionalLive.layer,
      FaceLive.layer,
      IdempotentLive.layer,
      UndeclaredLive.layer,
      LargeAnswers.layer(options.largeAnswers ?? LargeAnswers.defaultLargeAnswers)
    ]),
    Layer.provide(RateLimits.layer(options.rateLimits ?? unlimited)),
    Layer.provide(Layer.succeed(PublicUrl, publicUrl))
  )
  return Layer.mergeAll(
    HttpApiBuilder.layer(Api).pipe(Layer.provide(groups)),
    Pages.layer(publicUrl),
    Front.layer(options.corsOrigins ?? [])
  )
}
