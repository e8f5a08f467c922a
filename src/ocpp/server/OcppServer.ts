/**
 * The OCPP server as the rest of the service sees it: it handles the websocket upgrades of the HTTP servers that main
 * has created, and turns each charger's connection into events for its actor. It depends on ports only, and knows
 * neither SQL nor actors.
 */
import type { IncomingMessage, Server } from "node:http"
import type { Server as SecureServer } from "node:https"
import type { Duplex } from "node:stream"
import { Context, Effect, FiberSet, Layer } from "effect"
import { ChargerDirectory } from "../../domain/charger/ChargerDirectory.ts"
import { ChargerInbox } from "../../domain/charger/ChargerInbox.ts"
import { ChargerRefusals } from "../../domain/charger/ChargerRefusals.ts"
import { UnknownChargerAttempts } from "../../domain/charger/UnknownChargerAttempts.ts"
import { MessageLog } from "../../domain/charger/MessageLog.ts"
import { Presence } from "../../domain/charger/Presence.ts"
import { Secrets } from "../../domain/values/Secrets.ts"
import type { ProtocolVersion } from "../ProtocolVersion.ts"
import { type Clock, systemClock } from "./Clock.ts"
import { ConnectedChargers } from "./ConnectedChargers.ts"
import { FrameRates } from "./FrameRate.ts"
import { LargeFrames } from "./LargeFrames.ts"
import { LongMessages } from "./LongMessages.ts"
import type { OcppLimits } from "./Limits.ts"
import { livenessRules, tickMillis } from "./Liveness.ts"
import { LoopLag } from "./LoopLag.ts"
import { Metrics } from "./Metrics.ts"
import { Newcomers } from "./Newcomers.ts"
import { noteWithoutConnection } from "./Proof.ts"
import { type Origin, originOf } from "./RemoteAddress.ts"
import type { SocketParts } from "./SocketParts.ts"
import { UpgradeGuard } from "./UpgradeGuard.ts"
import { Upgrades } from "./Upgrades.ts"
import type { AllowedOrigins } from "./WebOrigin.ts"

export interface OcppServerOptions {
  readonly limits: OcppLimits
  /** In the server's order of preference: the first one that a charger offers is used. */
  readonly protocols: ReadonlyArray<ProtocolVersion>
  /** True if the proxy at `address` is trusted to report its callers. */
  readonly trustProxy: (address: string) => boolean
  /** Chargers that can only prove their identity at a lower profile are refused. */
  readonly minSecurityProfile: 0 | 1 | 2 | 3
  /** Serial numbers of revoked client certificates, see `Revocations`. */
  readonly revoked: ReadonlySet<string>
  readonly allowedOrigins: AllowedOrigins
  /** Whether heartbeats and their answers go to the message log too. */
  readonly logHeartbeats: boolean
  /** Accepts permessage-deflate from chargers that offer it. OCPP 2.x requires it; 1.6 advises against it. */
  readonly compression: boolean
  /** For tests. */
  readonly clock?: Clock
}

export class OcppServer extends Context.Service<
  OcppServer,
  {
    /**
     * Handles every websocket upgrade of `server`: those for `/ocpp/` and `/ocpp16/` are chargers', all others are
     * answered 404. `secure` says whether the connections of the server are TLS.
     */
    readonly attach: (server: Server | SecureServer, transport: { readonly secure: boolean }) => void
    /** From now on new upgrades get 503 and `Retry-After`; connected chargers are not affected. */
    readonly stopAccepting: () => void
    /** The number of open connections, closing ones included. */
    readonly connectionCount: () => number
  }
>()("voltlane/OcppServer") {}

/** Ticks between two sweeps of the upgrade guard. */
const guardSweepTicks = 60

/** Number of chargers whose notation of their key is logged. */
const maxRespelled = 10_000

/** What all connections share. */
const partsOf = (
  { clock = systemClock, limits, logHeartbeats }: OcppServerOptions,
  metrics: Metrics,
  run: (effect: Effect.Effect<void>) => unknown
) =>
  Effect.gen(function* () {
    const parts: SocketParts = {
      limits,
      rates: new FrameRates(limits),
      largeFrames: new LargeFrames(limits),
      longMessages: new LongMessages(limits.maxLongMessages),
      rules: livenessRules(limits),
      now: clock.now,
      elapsed: clock.elapsed,
      presence: yield* Presence,
      messageLog: yield* MessageLog,
      metrics,
      logHeartbeats,
      defect: (cause, about) =>
        void run(Effect.logError("ocpp: a defect, please report it", cause).pipe(Effect.annotateLogs(about)))
    }
    return parts
  })

const make = Effect.fnUntraced(function* (options: OcppServerOptions) {
  const { clock = systemClock, limits } = options
  const { now } = clock
  const run = yield* FiberSet.makeRuntime<never, void, never>()
  const metrics = new Metrics(
    yield* Effect.context<never>(),
    options.protocols.map(({ version }) => version)
  )
  const chargers = new ConnectedChargers(metrics)
  const guard = new UpgradeGuard(limits)
  const lag = new LoopLag(limits.overloadLagMillis, now(), (worst) => metrics.loopLag(worst))
  const socketParts = yield* partsOf(options, metrics, run)
  const { largeFrames, rates } = socketParts
  const respelled = new Set<string>()
  const attempts = yield* UnknownChargerAttempts
  const refusals = yield* ChargerRefusals
  const upgrades = new Upgrades({
    directory: yield* ChargerDirectory,
    secrets: yield* Secrets,
    inbox: yield* ChargerInbox,
    guard,
    chargers,
    socketParts,
    lag,
    limits,
    now,
    protocols: options.protocols,
    minSecurityProfile: options.minSecurityProfile,
    revoked: options.revoked,
    allowedOrigins: options.allowedOrigins,
    compression: options.compression,
    retryAfter: () => Math.round(limits.retryAfterSeconds + Math.random() * limits.retryJitterSeconds),
    respelled: (chargerId, spelling) => {
      if (respelled.has(chargerId) || respelled.size >= maxRespelled) return
      respelled.add(chargerId)
      const about = { chargerId, spelling }
      run(Effect.logInfo("ocpp: a charger sends its password in a deviating form").pipe(Effect.annotateLogs(about)))
    },
    attempted: attempts.attempted,
    refused: refusals.refused,
    run: (effect) => void run(effect)
  })
  const newcomers = new Newcomers(limits.maxUnfinishedSockets, limits.handshakeMillis, now)
  let ticks = 0
  const stopLag = lag.start(clock)
  const stopTicks = clock.every(tickMillis, () => {
    lag.tick(now())
    chargers.tick()
    upgrades.tick()
    newcomers.sweep()
    if (++ticks % guardSweepTicks !== 0) return
    guard.sweep(now())
    rates.sweep(now())
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      stopTicks()
      stopLag()
      upgrades.stopAccepting()
      upgrades.refuseAll()
      chargers.endAll()
      largeFrames.close()
    })
  )
  /** For each plain request. */
  const plain = (request: IncomingMessage, originOfIt: () => Origin): void => {
    if (isWebsocket(request.headers.upgrade))
      noteWithoutConnection({ attempted: attempts.attempted, now }, request, originOfIt())
  }
  return { chargers, newcomers, plain, upgrades }
})

const isWebsocket = (offered: string | undefined): boolean => offered?.trim().toLowerCase() === "websocket"

/**
 * Makes `upgrade` the only listener for upgrades of `server`, even if another one is added later. Returns a function
 * that undoes this.
 */
const takeOver = (
  server: Server | SecureServer,
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
): (() => void) => {
  // Node asks for each request that offers an upgrade. One that offers h2c, as Java's HTTP client does, is handled as a
  // plain request.
  if ("shouldUpgradeCallback" in server) {
    Object.assign(server, { shouldUpgradeCallback: ({ headers }: IncomingMessage) => isWebsocket(headers.upgrade) })
  }
  // A second listener would answer the same socket again.
  const keepOut = (event: string | symbol): void => {
    if (event === "upgrade") queueMicrotask(evict)
  }
  const evict = (): void => {
    for (const listener of server.rawListeners("upgrade")) {
      if (listener !== upgrade) server.off("upgrade", listener as typeof upgrade)
    }
  }
  server.on("upgrade", upgrade)
  evict()
  server.on("newListener", keepOut)
  return () => {
    server.off("newListener", keepOut)
    server.off("upgrade", upgrade)
  }
}

/** Needs the ports of the charger's side. Ends every connection and waiting upgrade when it is closed. */
export const layer = (
  options: OcppServerOptions
): Layer.Layer<
  OcppServer,
  never,
  ChargerInbox | ChargerDirectory | ChargerRefusals | UnknownChargerAttempts | Presence | MessageLog | Secrets
> =>
  Layer.effect(
    OcppServer,
    Effect.gen(function* () {
      const { chargers, newcomers, plain, upgrades } = yield* make(options)
      const detach: Array<() => void> = []
      yield* Effect.addFinalizer(() => Effect.sync(() => detach.forEach((undo) => undo())))
      return OcppServer.of({
        attach: (server, { secure }) => {
          detach.push(newcomers.watch(server))
          const from = (request: IncomingMessage) =>
            originOf(request.socket.remoteAddress, secure, request.headers, options.trustProxy)
          const undo = takeOver(server, (request, socket, head) => {
            newcomers.spoke(request.socket)
            upgrades.receive(request, socket, head, from(request))
          })
          const onRequest = (request: IncomingMessage) => plain(request, () => from(request))
          server.on("request", onRequest)
          detach.push(undo, () => server.off("request", onRequest))
        },
        stopAccepting: () => upgrades.stopAccepting(),
        connectionCount: () => chargers.size
      })
    })
  )
