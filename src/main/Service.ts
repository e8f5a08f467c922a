/**
 * The composition root: joins all parts of the service. It has no logic. It defines which layer depends on which, with
 * which settings, and in which order they start and stop.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { Clock, Context, Deferred, Effect, Layer, type Redacted } from "effect"
import { type HttpServerRequest, UrlParams } from "effect/http"
import * as Authorizations from "../storage/charging/Authorizations.ts"
import * as Actors from "../actors/Actors.ts"
import * as DomainChecking from "../actors/background/DomainChecking.ts"
import * as LocalListSync from "../actors/background/LocalListSync.ts"
import * as LocationUpdates from "../actors/background/LocationUpdates.ts"
import * as Repricing from "../actors/background/Repricing.ts"
import * as RollingOut from "../actors/background/RollingOut.ts"
import * as SessionCloser from "../actors/background/SessionCloser.ts"
import * as SubscriptionRunner from "../actors/background/SubscriptionRunner.ts"
import * as TokenPulling from "../actors/background/TokenPulling.ts"
import * as DriftWatching from "../actors/background/DriftWatching.ts"
import * as WorkCounting from "../actors/background/WorkCounting.ts"
import { decide } from "../domain/decide/Decide.ts"
import { evolve } from "../domain/decide/Evolve.ts"
import { ChargerInbox } from "../domain/charger/ChargerInbox.ts"
import { StorageHealth } from "../domain/values/StorageHealth.ts"
import { checksCredentials } from "../http/CheckedPaths.ts"
import * as ConsoleFiles from "../http/console/Files.ts"
import * as Downloads from "../http/files/Downloads.ts"
import * as Uploads from "../http/files/Uploads.ts"
import * as ChargerAddress from "../http/ops/ChargerAddress.ts"
import * as Health from "../http/ops/Health.ts"
import * as Metrics from "../http/ops/Metrics.ts"
import { ready, ReadyAnswers, respond } from "../http/Ready.ts"
import { secretParameters } from "../http/RawUrl.ts"
import { v1Routes } from "../http/v1/Routes.ts"
import type { LargeAnswersOptions } from "../http/v2/requests/LargeAnswers.ts"
import { wrongCredentials } from "../http/WrongCredentials.ts"
import type { FairShareOptions } from "../http/v2/requests/FairShare.ts"
import type { RateLimitOptions } from "../http/v2/requests/RateLimits.ts"
import { commandOpening, v2Routes } from "../http/v2/Routes.ts"
import * as DnsRecords from "../outbound/DnsRecords.ts"
import * as OpenIdConnect from "../outbound/OpenIdConnect.ts"
import * as WebhookDeliveries from "../outbound/WebhookDeliveries.ts"
import * as Authorizer from "../ocpi/client/Authorizer.ts"
import * as PartnerClient from "../ocpi/client/PartnerClient.ts"
import * as Registrar from "../ocpi/client/Registrar.ts"
import * as ResultPoster from "../ocpi/client/ResultPoster.ts"
import * as TokenPull from "../ocpi/client/TokenPull.ts"
import { locationTexts } from "../ocpi/objects/location/Texts.ts"
import * as PartnerView from "../ocpi/server/View.ts"
import * as PartnerKind from "../ocpi/push/PartnerKind.ts"
import { ocpiRoutes } from "../ocpi/server/Routes.ts"
import type { OcppLimits } from "../ocpp/server/Limits.ts"
import * as Ocpp from "../ocpp/server/OcppServer.ts"
import { originOf } from "../ocpp/server/RemoteAddress.ts"
import { v16 } from "../ocpp/v16/V16.ts"
import * as Access from "../storage/operators/Access.ts"
import * as Accounts from "../storage/operators/Accounts.ts"
import * as AuditLog from "../storage/operators/AuditLog.ts"
import { layerDisk } from "../storage/blobs/Disk.ts"
import { layerS3, type S3Options } from "../storage/blobs/S3.ts"
import * as Cdrs from "../storage/billing/Cdrs.ts"
import * as Certificates from "../storage/charging/Certificates.ts"
import * as Closings from "../storage/billing/Closings.ts"
import * as ChargerDirectory from "../storage/charging/ChargerDirectory.ts"
import * as ChargerHistory from "../storage/charging/ChargerHistory.ts"
import * as Chargers from "../storage/charging/Chargers.ts"
import * as ChargingProfiles from "../storage/commands/ChargingProfiles.ts"
import * as Commands from "../storage/commands/Commands.ts"
import * as Database from "../storage/kernel/Database.ts"
import * as PartnerCallbacks from "../storage/commands/PartnerCallbacks.ts"
import * as Exchanges from "../storage/roaming/Exchanges.ts"
import * as Events from "../storage/delivery/Events.ts"
import * as Drifts from "../storage/charging/Drifts.ts"
import * as Expectations from "../storage/charging/Expectations.ts"
import * as Files from "../storage/files/Files.ts"
import * as HubClients from "../storage/roaming/HubClients.ts"
import * as Idempotency from "../storage/operators/Idempotency.ts"
import * as Journal from "../storage/charging/Journal.ts"
import * as RootKeys from "../storage/operators/RootKeys.ts"
import * as ChargerRefusals from "../storage/charging/ChargerRefusals.ts"
import * as UnknownChargerAttempts from "../storage/charging/UnknownChargerAttempts.ts"
import * as LastSeen from "../storage/charging/LastSeen.ts"
import * as Ledgers from "../storage/billing/Ledgers.ts"
import * as LocalLists from "../storage/charging/LocalLists.ts"
import * as Locations from "../storage/sites/Locations.ts"
import * as MessageLog from "../storage/charging/MessageLog.ts"
import * as Nodes from "../storage/charging/Nodes.ts"
import * as Parties from "../storage/roaming/Parties.ts"
import * as Partners from "../storage/roaming/Partners.ts"
import * as Partitions from "../storage/kernel/Partitions.ts"
import * as Places from "../storage/sites/Evses.ts"
import * as Reservations from "../storage/charging/Reservations.ts"
import * as RoamingCdrs from "../storage/billing/RoamingCdrs.ts"
import * as RoamingSessions from "../storage/billing/RoamingSessions.ts"
import * as RoamingTokens from "../storage/roaming/RoamingTokens.ts"
import * as Passkeys from "../storage/operators/Passkeys.ts"
import * as Search from "../storage/search/Search.ts"
import * as RolloutQueue from "../storage/rollouts/RolloutQueue.ts"
import * as Rollouts from "../storage/rollouts/Rollouts.ts"
import * as SavedViews from "../storage/search/SavedViews.ts"
import * as Work from "../storage/work/Work.ts"
import { WriteBudget } from "../domain/operator/WriteBudget.ts"
import * as SingleSignOns from "../storage/operators/SingleSignOns.ts"
import * as SessionReviews from "../storage/billing/SessionReviews.ts"
import * as Sessions from "../storage/charging/Sessions.ts"
import * as Sites from "../storage/sites/Sites.ts"
import * as SessionRetention from "../storage/charging/SessionRetention.ts"
import * as SessionTotals from "../storage/charging/SessionTotals.ts"
import * as SubscriptionForgetting from "../storage/delivery/SubscriptionForgetting.ts"
import * as SubscriptionReach from "../storage/delivery/SubscriberLookup.ts"
import * as Subscriptions from "../storage/delivery/Subscriptions.ts"
import * as Tariffs from "../storage/tariffs/Tariffs.ts"
import * as Tokens from "../storage/charging/Tokens.ts"
import * as Webhooks from "../storage/delivery/Webhooks.ts"
import type { BackgroundOptions } from "./Background.ts"
import { bootstrap, type BootstrapSettings } from "./Bootstrap.ts"
import { serveControl } from "./cli/Control.ts"
import { MainThread, type MainThreadOptions, threadTime } from "./MainThread.ts"
import { readPlacesOf, ThreadTime } from "../domain/values/ThreadTime.ts"
import { SqlClient } from "effect/sql"
import { beginMetrics } from "./KnownMetrics.ts"
import type { HandshakesOptions } from "./Handshakes.ts"
import { type Listener, type ListenerOptions, open, openMetrics } from "./Listeners.ts"
import type { PlainPortOptions } from "./PlainPort.ts"
import type { StrangersOptions } from "./Strangers.ts"

export interface ServiceSettings {
  readonly version: string
  /** The folder with the built console. */
  readonly consoleFolder: string
  readonly environment: string
  readonly publicUrl: string
  readonly nodeId: string
  readonly secretKey: Redacted.Redacted
  readonly database: Database.DatabaseOptions
  readonly listeners: Omit<ListenerOptions, "strangers" | "handshakes" | "plainPort">
  readonly strangers: Omit<StrangersOptions, "originOf" | "checksCredentials"> & {
    readonly handshakes: Omit<HandshakesOptions, "networkOf">
  }
  /** Where `/metrics` is served: on the main listeners, on a separate one, or not at all. */
  readonly metrics: "beside" | "apart" | "off"
  readonly bootstrap: BootstrapSettings
  readonly v1AllowHttp: boolean
  /** The plain port serves neither the console nor sign-ins. */
  readonly consoleOverTlsOnly: boolean
  readonly corsOrigins: ReadonlyArray<string>
  readonly mapTiles: { readonly template: string; readonly attribution: string | undefined } | undefined
  readonly apiRates: Omit<RateLimitOptions, "networkOf" | "wrong">
  readonly trustProxy: (address: string) => boolean
  /** Options of our calls to partners. */
  readonly outbound: PartnerClient.PartnerClientOptions
  /** The DNS servers that are asked for the records of domains. */
  readonly dns: DnsRecords.DnsRecordsOptions
  readonly minSecurityProfile: 0 | 1 | 2 | 3
  /** Serial numbers of client certificates that their CA has revoked. */
  readonly revokedCertificates: ReadonlySet<string>
  readonly compression: boolean
  readonly logHeartbeats: boolean
  readonly ocppLimits: OcppLimits
  readonly largeAnswers: LargeAnswersOptions
  readonly fairShare: FairShareOptions
  readonly thread: Pick<MainThreadOptions, "sliceMillis">
  readonly actors: Actors.ActorsOptions
  readonly background: BackgroundOptions
  readonly journal: Journal.JournalOptions
  readonly commands: Omit<Commands.CommandsOptions, "nodeId">
  /** Without `s3`, contents are stored in `folder`. Chargers upload and download files below `url`. */
  readonly files: Files.FilesOptions & { readonly s3: S3Options | undefined; readonly url: string }
  readonly directory: Omit<ChargerDirectory.ChargerDirectoryOptions, "nodeId">
  readonly writeBudget: WriteBudget
  readonly messageLog: MessageLog.MessageLogOptions
  readonly exchanges: Exchanges.ExchangesOptions
  readonly lastSeen: LastSeen.LastSeenOptions
  readonly attempts: UnknownChargerAttempts.AttemptsOptions
  readonly refusals: ChargerRefusals.RefusalsOptions
  readonly retention: Partitions.RetentionOptions
  readonly leaseMillis: number
}

/** The storage for the contents of files. */
const blobs = ({ files: { folder, s3 } }: ServiceSettings) => (s3 === undefined ? layerDisk(folder) : layerS3(s3))

/** The ports over the database. */
const storage = (settings: ServiceSettings) => {
  const records = Layer.mergeAll(
    Sites.layer,
    Chargers.layer,
    ChargingProfiles.layer,
    Ledgers.layer,
    LocalLists.layer,
    Locations.layer({ texts: locationTexts, version: settings.version }),
    Events.layer,
    Expectations.layer,
    Drifts.layer,
    Files.layer(settings.files).pipe(Layer.provide(blobs(settings))),
    AuditLog.layer,
    Authorizations.layer,
    Certificates.layer,
    HubClients.layer,
    Parties.layer,
    Partners.layer,
    Places.layer,
    Reservations.layer,
    RoamingCdrs.layer,
    RoamingSessions.layer,
    RoamingTokens.layer,
    Closings.layer,
    Passkeys.layer,
    Search.layer,
    Rollouts.layer,
    RolloutQueue.layer,
    SavedViews.layer,
    Work.layer,
    Sessions.layer,
    SessionReviews.layer,
    SubscriptionReach.layer,
    Subscriptions.layer,
    Webhooks.layer,
    Tariffs.layer,
    Cdrs.layer,
    Tokens.layer,
    Access.layer,
    Accounts.layer,
    SingleSignOns.layer,
    Idempotency.layer({ nodeId: settings.nodeId })
  )
  const charging = Layer.mergeAll(
    Journal.layer(settings.journal),
    Commands.layer({ ...settings.commands, nodeId: settings.nodeId }),
    PartnerCallbacks.layer,
    ChargerDirectory.layer({ ...settings.directory, nodeId: settings.nodeId }),
    Exchanges.layer(settings.exchanges),
    MessageLog.layer(settings.messageLog),
    ChargerHistory.layer.pipe(Layer.provideMerge(LastSeen.layer(settings.lastSeen))),
    UnknownChargerAttempts.layer(settings.attempts),
    ChargerRefusals.layer(settings.refusals)
  )
  const upkeep = Layer.mergeAll(
    Nodes.layer({ nodeId: settings.nodeId, leaseMillis: settings.leaseMillis }),
    SubscriptionForgetting.layer,
    SessionTotals.layer,
    Partitions.layer(settings.retention),
    SessionRetention.layer(settings.retention.sessionsRetentionMonths)
  )
  return Layer.mergeAll(records, charging).pipe(
    // Nothing is written before the key is known to fit the database and the node id is known to be ours.
    Layer.provideMerge(upkeep.pipe(Layer.provideMerge(RootKeys.layer(settings.secretKey)))),
    Layer.provideMerge(Database.layer(settings.database)),
    Layer.provide(Layer.succeed(WriteBudget, settings.writeBudget))
  )
}

const ocpp = (settings: ServiceSettings) =>
  Ocpp.layer({
    limits: settings.ocppLimits,
    protocols: [v16],
    trustProxy: settings.trustProxy,
    minSecurityProfile: settings.minSecurityProfile,
    revoked: settings.revokedCertificates,
    allowedOrigins: { origins: settings.corsOrigins, publicUrl: settings.publicUrl },
    logHeartbeats: settings.logHeartbeats,
    compression: settings.compression
  })

/** What of a request shows whether it came over TLS. */
interface Source {
  readonly socket?: { readonly encrypted?: boolean; readonly remoteAddress?: string | undefined }
}

/** True if the request came over TLS, or through a trusted proxy that says so. */
const isEncrypted = ({ trustProxy }: ServiceSettings, { socket }: Source, headers: IncomingHttpHeaders): boolean =>
  originOf(socket?.remoteAddress, socket?.encrypted === true, headers, trustProxy).secure

const isSecure =
  (settings: ServiceSettings) =>
  (request: HttpServerRequest.HttpServerRequest): boolean =>
    isEncrypted(settings, request.source as Source, request.headers)

const plainPortOf = (settings: ServiceSettings): PlainPortOptions | undefined =>
  settings.consoleOverTlsOnly
    ? {
        publicUrl: settings.publicUrl,
        isSecure: (request) => isEncrypted(settings, request as Source, request.headers),
        isConsole: ConsoleFiles.isConsole
      }
    : undefined

/** Where a request comes from before it is routed. */
const strangerOf =
  ({ trustProxy }: ServiceSettings) =>
  ({ headers, socket }: IncomingMessage) => {
    const { address, network } = originOf(socket.remoteAddress, false, headers, trustProxy)
    return { network, isForwarded: trustProxy((socket.remoteAddress ?? "").replace(/^::ffff:/, "")) && address !== "" }
  }

/** The network of a connection of which nothing has been read; undefined for a trusted proxy, whose connections are those of many. */
const networkOfPeer =
  ({ trustProxy }: ServiceSettings) =>
  (address: string | undefined): string | undefined =>
    trustProxy((address ?? "").replace(/^::ffff:/, "")) ? undefined : originOf(address, false, {}, trustProxy).network

/** The origin of a request, also through trusted proxies. */
const clientOf = (settings: ServiceSettings) => (request: HttpServerRequest.HttpServerRequest) => {
  const { socket } = request.source as { readonly socket?: { readonly remoteAddress?: string } }
  return originOf(socket?.remoteAddress, false, request.headers, settings.trustProxy)
}

const routes = (settings: ServiceSettings, isDraining: () => boolean, ending: Effect.Effect<void>) => {
  const networkOf = (request: HttpServerRequest.HttpServerRequest) => clientOf(settings)(request).network
  const wrong = wrongCredentials(settings.apiRates.wrongKeysPerMinute)
  return Layer.mergeAll(
    v2Routes({
      publicUrl: settings.publicUrl,
      version: settings.version,
      filesUrl: settings.files.url,
      streams: { ending },
      largeAnswers: settings.largeAnswers,
      fairShare: settings.fairShare,
      corsOrigins: settings.corsOrigins,
      mapTiles: settings.mapTiles,
      addressOf: (request) => clientOf(settings)(request).address,
      ...(settings.consoleOverTlsOnly ? { isUnencrypted: (request) => !isSecure(settings)(request) } : {}),
      rateLimits: { ...settings.apiRates, networkOf, wrong }
    }),
    v1Routes({
      publicUrl: settings.publicUrl,
      isSecure: isSecure(settings),
      allowHttp: settings.v1AllowHttp,
      networkOf,
      wrong
    }),
    Layer.unwrap(
      Effect.map(ReadyAnswers, (offer) =>
        ocpiRoutes({
          publicUrl: settings.publicUrl,
          outbound: settings.outbound,
          networkOf,
          wrong,
          described: (path, json) => {
            const answer = ready(json, "application/json")
            offer(path, answer)
            return respond(answer)
          }
        })
      )
    ),
    Health.routes({
      version: settings.version,
      environment: settings.environment,
      nodeId: settings.nodeId,
      isDraining
    }),
    settings.metrics === "beside" ? Metrics.routes : Layer.empty,
    ChargerAddress.routes({ publicUrl: settings.publicUrl }),
    ConsoleFiles.routes(settings.consoleFolder, settings.mapTiles?.template),
    Uploads.routes,
    Downloads.routes
  )
}

/** The running service. */
export interface Running {
  readonly listeners: ReadonlyArray<Listener>
  readonly firstStart: Effect.Success<ReturnType<typeof bootstrap>>
  readonly database: { readonly kind: string; readonly durability: string }
  /** The number of connected chargers. */
  readonly connectionCount: () => number
}

/**
 * Partners as subscribers. They have a partner client of their own: they are called so often that it keeps their opened
 * tokens in memory.
 */
const pushing = ({ outbound }: ServiceSettings) => PartnerKind.layer.pipe(Layer.provide(PartnerClient.layer(outbound)))

/**
 * The maximum time to drain. Chargers and load balancers are informed before it ends, and supervisors kill the process
 * after half a minute.
 */
const drainLimit = "20 seconds"

/** The parts that work on the storage: the actors, the background loops, and the calls to others. */
const servicesOf = (settings: ServiceSettings) =>
  Layer.mergeAll(
    Actors.layer(settings.actors, decide, evolve).pipe(Layer.provide(Authorizer.layer)),
    DomainChecking.layer(settings.background.domains),
    DriftWatching.layer(settings.background.drifts),
    LocalListSync.layer(settings.background.localLists),
    LocationUpdates.layer(settings.background.locations),
    PartnerView.layer,
    Repricing.layer(settings.background.prices),
    Registrar.layer({ base: `${settings.publicUrl.replace(/\/+$/, "")}/ocpi`, client: settings.outbound }),
    ResultPoster.layer(settings.background.results),
    RollingOut.layer(settings.background.rollouts).pipe(Layer.provide(commandOpening(settings.files.url))),
    SessionCloser.layer(settings.background.sessions),
    SubscriptionRunner.layer(settings.background.subscriptions).pipe(Layer.provide(pushing(settings))),
    TokenPulling.layer(settings.background.tokens).pipe(Layer.provide(TokenPull.layer(settings.background.tokenPull))),
    WorkCounting.layer(settings.background.work)
  ).pipe(
    Layer.provideMerge([
      PartnerClient.layer(settings.outbound),
      WebhookDeliveries.layer(settings.outbound),
      OpenIdConnect.layer(settings.outbound),
      DnsRecords.layer(settings.dns)
    ]),
    Layer.provideMerge(storage(settings))
  )

/**
 * Starts the service and keeps it running until the scope is closed. Then it drains: it reports not ready, accepts no
 * new connections, answers the messages it has accepted, closes chargers in batches, closes the listeners, and flushes
 * what is written behind.
 */
export const start = (settings: ServiceSettings) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      ocpp(settings).pipe(
        Layer.provideMerge(servicesOf(settings)),
        Layer.provideMerge(NodeHttpServer.layerHttpServices)
      )
    )
    const { transactionService: transaction } = Context.get(context, SqlClient.SqlClient)
    const sessions = settings.database.url === undefined ? 1 : settings.database.poolSize
    const thread = new MainThread({ ...settings.thread, ...readPlacesOf(sessions), transaction })
    return yield* Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      yield* beginMetrics(settings.version, (yield* StorageHealth).kind)
      const firstStart = yield* bootstrap(settings.bootstrap, now)
      const health = yield* StorageHealth
      const server = yield* Ocpp.OcppServer
      const inbox = yield* ChargerInbox
      let draining = false
      const ending = yield* Deferred.make<void>()
      const listeners = yield* open(
        {
          ...settings.listeners,
          handshakes: { ...settings.strangers.handshakes, networkOf: networkOfPeer(settings) },
          strangers: { ...settings.strangers, checksCredentials, originOf: strangerOf(settings) },
          plainPort: plainPortOf(settings)
        },
        routes(settings, () => draining, Deferred.await(ending))
      )
      yield* openMetrics(settings.listeners, Metrics.routes)
      for (const listener of listeners) server.attach(listener.server, { secure: listener.secure })
      // This runs before everything above is closed, since finalizers run in reverse order.
      yield* Effect.addFinalizer(() => {
        draining = true
        server.stopAccepting()
        return Deferred.succeed(ending, undefined).pipe(
          Effect.andThen(inbox.drain),
          Effect.timeoutOrElse({ duration: drainLimit, orElse: () => Effect.logWarning("draining took too long") })
        )
      })
      // No second process can open the embedded database, so this process executes the commands for it.
      if (settings.database.url === undefined) yield* serveControl(settings.database.dataDir, settings.publicUrl)
      const { durability, kind } = health
      const { connectionCount } = server
      const running: Running = { listeners, firstStart, database: { kind, durability }, connectionCount }
      return running
    }).pipe(
      Effect.provide(Context.add(context, ThreadTime, threadTime(thread))),
      // Spans of requests contain the query, in which REST v1 puts its keys.
      Effect.updateService(UrlParams.CurrentRedactedNames, (names) => [...names, ...secretParameters])
    )
  })
