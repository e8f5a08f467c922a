/** The routes of REST v2 over the domain's ports: everything below `/cpo`. It does not depend on listeners. */
import { Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "./Api.ts"
import * as Me from "./accounts/Me.ts"
import { type MapTiles, MapTilesSetting, ServiceVersion } from "./accounts/MeAnswer.ts"
import * as OperatorRoutes from "./accounts/Operators.ts"
import * as SigningIn from "./accounts/SigningIn.ts"
import * as SignIns from "./accounts/SignIns.ts"
import * as SingleSignOn from "./accounts/SingleSignOn.ts"
import * as ApiKeys from "./operators/ApiKeys.ts"
import * as AuditLog from "./operators/AuditLog.ts"
import * as AuthorizationLive from "./requests/AuthorizationLive.ts"
import * as Cdrs from "./sessions/Cdrs.ts"
import * as Certificates from "./chargers/Certificates.ts"
import * as ChargerHistory from "./chargers/ChargerHistory.ts"
import * as Chargers from "./chargers/Chargers.ts"
import * as ChargingProfiles from "./commands/ChargingProfiles.ts"
import * as Commands from "./commands/Commands.ts"
import { ClientAddress } from "./requests/ClientAddress.ts"
import { Unencrypted } from "./requests/Unencrypted.ts"
import * as ConditionalLive from "./requests/ConditionalLive.ts"
import * as Deliveries from "./events/Deliveries.ts"
import * as Events from "./events/Events.ts"
import * as EventStreams from "./events/EventStreams.ts"
import * as Expectations from "./chargers/Expectations.ts"
import * as FaceLive from "./requests/FaceLive.ts"
import * as FairShare from "./requests/FairShare.ts"
import * as Files from "./files/Files.ts"
import * as Front from "./requests/Front.ts"
import * as IdempotentLive from "./requests/IdempotentLive.ts"
import * as LargeAnswers from "./requests/LargeAnswers.ts"
import * as LocalLists from "./chargers/LocalLists.ts"
import * as CommandBatches from "./rollouts/CommandBatches.ts"
import * as CommandOpening from "./commands/Opening.ts"
import * as FirmwareCampaigns from "./rollouts/FirmwareCampaigns.ts"
import * as Organisations from "./operators/Organisations.ts"
import * as Pages from "./Pages.ts"
import * as Parties from "./roaming/Parties.ts"
import * as PartnerRecords from "./roaming/PartnerRecords.ts"
import * as Partners from "./roaming/Partners.ts"
import * as PartnerView from "./roaming/PartnerView.ts"
import { PublicUrl } from "./requests/Paging.ts"
import * as RateLimits from "./requests/RateLimits.ts"
import * as Reservations from "./sessions/Reservations.ts"
import * as PasskeyEndpoints from "./accounts/Passkeys.ts"
import * as Search from "./search/Search.ts"
import * as Views from "./search/Views.ts"
import * as Work from "./work/Work.ts"
import * as Sessions from "./sessions/Sessions.ts"
import * as Sites from "./sites/Sites.ts"
import * as Statistics from "./chargers/Statistics.ts"
import * as Tariffs from "./tariffs/Tariffs.ts"
import * as TokenConflicts from "./tokens/TokenConflicts.ts"
import * as Authorizations from "./tokens/Authorizations.ts"
import * as Tokens from "./tokens/Tokens.ts"
import * as Transfers from "./commands/Transfers.ts"
import * as UndeclaredLive from "./requests/UndeclaredLive.ts"
import * as UnknownChargers from "./chargers/UnknownChargers.ts"
import * as Webhooks from "./events/Webhooks.ts"

export interface V2Options {
  /** Base of every absolute URL in answers (`PUBLIC_URL`). */
  readonly publicUrl: string
  /** Base of the file URLs that chargers receive, if it differs from `publicUrl`. */
  readonly filesUrl?: string
  readonly streams?: EventStreams.EventStreamsOptions
  readonly fairShare?: FairShare.FairShareOptions
  readonly largeAnswers?: LargeAnswers.LargeAnswersOptions
  /** Origins whose pages may call REST v2, `*` for all. Without it no other origin may. */
  readonly corsOrigins?: ReadonlyArray<string>
  readonly rateLimits?: RateLimits.RateLimitOptions
  /** Returns the client address of a request. Without it the address is unknown, so keys that are bound to networks are refused. */
  readonly addressOf?: (request: HttpServerRequest.HttpServerRequest) => string
  /** True for a request over plain http on which no one may sign in. Without it people may sign in over both. */
  readonly isUnencrypted?: Unencrypted["Service"]
  /** The version of the service, as `GET /me` shows it. */
  readonly version?: string
  /** Where the console loads street tiles from; without it no map has tiles. */
  readonly mapTiles?: MapTiles | undefined
}

/** Opens commands for single requests and for rollouts; `filesUrl` as in `V2Options`. */
export const commandOpening = (filesUrl: string) =>
  CommandOpening.layer.pipe(Layer.provide(Transfers.layer(filesUrl.replace(/\/+$/, ""))))

/** The default: no rate limits. */
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
    CommandBatches.layer,
    FirmwareCampaigns.layer,
    Events.layer,
    Expectations.layer,
    Files.layer,
    Certificates.layer,
    Reservations.layer,
    ChargingProfiles.layer,
    LocalLists.layer,
    AuditLog.layer,
    PasskeyEndpoints.layer,
    Search.layer,
    Work.layer,
    Sessions.layer,
    Tariffs.layer,
    Cdrs.layer,
    Parties.layer,
    PartnerRecords.layer,
    Partners.layer,
    Deliveries.layer,
    PartnerView.layer,
    TokenConflicts.layer,
    Authorizations.layer,
    Views.layer,
    Tokens.layer,
    ApiKeys.layer,
    UnknownChargers.layer,
    Webhooks.layer,
    Statistics.layer,
    Me.layer,
    OperatorRoutes.layer,
    SingleSignOn.layer,
    SignIns.layer
  ).pipe(
    Layer.provide(SigningIn.layer),
    Layer.provide(Layer.succeed(ServiceVersion, options.version ?? "0.0.0")),
    Layer.provide(Layer.succeed(MapTilesSetting, options.mapTiles)),
    Layer.provide(commandOpening(options.filesUrl ?? publicUrl)),
    Layer.provide(EventStreams.layer(options.streams ?? { ending: Effect.never })),
    Layer.provide([
      AuthorizationLive.layer,
      ConditionalLive.layer,
      FaceLive.layer,
      FairShare.layer,
      IdempotentLive.layer,
      UndeclaredLive.layer,
      LargeAnswers.layer(options.largeAnswers ?? LargeAnswers.defaultLargeAnswers)
    ]),
    Layer.provide(FairShare.queues(options.fairShare ?? FairShare.defaultFairShare)),
    Layer.provide(Layer.succeed(Unencrypted, options.isUnencrypted ?? (() => false))),
    Layer.provide(Layer.succeed(ClientAddress, options.addressOf ?? (() => ""))),
    Layer.provide(RateLimits.layer(options.rateLimits ?? unlimited)),
    Layer.provide(Layer.succeed(PublicUrl, publicUrl))
  )
  return Layer.mergeAll(
    HttpApiBuilder.layer(Api).pipe(Layer.provide(groups)),
    Pages.layer(publicUrl, options.corsOrigins ?? []),
    Front.layer(options.corsOrigins ?? [])
  )
}
