/**
 * Handles upgrade requests until they are an open connection or a refusal: proof of identity, admission by the
 * charger's actor, and the websocket handshake. Many requests are handled at the same time, each in its turn.
 */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { Cause, Effect } from "effect"
import { Buckets } from "../../domain/values/Buckets.ts"
import { type Server as WebSockets, WebSocketServer } from "ws"
import type { Admission, ChargerInbox } from "../../domain/charger/ChargerInbox.ts"
import { Counts } from "../../domain/values/Counts.ts"
import { parseChargerPath } from "./ChargerPath.ts"
import { ChargerSocket } from "./ChargerSocket.ts"
import { ChargerWebSocket } from "./ChargerWebSocket.ts"
import type { ConnectedChargers } from "./ConnectedChargers.ts"
import { Handshake } from "./Handshake.ts"
import type { LoopLag } from "./LoopLag.ts"
import { type ProofParts, prove, type Proven } from "./Proof.ts"
import { countsAgainst, isAuthFailure, type Refusal, refusals } from "./Refusals.ts"
import type { Origin } from "./RemoteAddress.ts"
import type { SocketParts } from "./SocketParts.ts"
import { AdmissionQueue } from "./AdmissionQueue.ts"

export interface UpgradeParts extends ProofParts {
  readonly inbox: ChargerInbox["Service"]
  readonly chargers: ConnectedChargers
  readonly socketParts: SocketParts
  readonly lag: LoopLag
  readonly compression: boolean
  /** Runs an effect that is not awaited. */
  readonly run: (effect: Effect.Effect<void>) => void
}

/**
 * Limited compression. No context is kept from one message to the next, so that an idle charger needs no more memory
 * than without compression. Only chargers compress (OCPP 2.x requires that we understand it); our own messages are too
 * short to benefit.
 */
const boundedCompression = { serverNoContextTakeover: true, clientNoContextTakeover: true, concurrencyLimit: 4 }

/** Upgrades of one charger that may wait for its admission at the same time. On profile 0 each may take as long as a ping. */
const maxAdmissionsOfOne = 8

/** How many refusals are logged in a minute, from however many networks they come: the log is on a disk too. */
const loggedPerMinute = 600

/** How long a charger has to answer our close frame, in ms. */
const closeTimeout = 5_000

export class Upgrades {
  private readonly parts: UpgradeParts
  private readonly websockets: WebSockets<typeof ChargerWebSocket>
  /** For chargers that compress: what a compressed message takes in memory is not seen in the bytes that arrive. */
  private readonly compressing: WebSockets<typeof ChargerWebSocket> | undefined
  private readonly proofs: AdmissionQueue<Handshake>
  /** The same for networks that were refused too often: a flood from them delays only their own upgrades. */
  private readonly suspects: AdmissionQueue<Handshake>
  private readonly openings: AdmissionQueue<() => void>
  /** The number of admissions in progress, by charger. */
  private readonly admitting = new Counts()
  /** Handshakes that are not answered yet, oldest first. */
  private readonly open = new Set<Handshake>()
  private isStopping = false

  constructor(parts: UpgradeParts) {
    this.parts = parts
    const { maxConcurrentUpgrades, maxFrameBytes, maxStopBytes, maxSuspectUpgrades } = parts.limits
    const longer = Math.max(1, maxStopBytes / maxFrameBytes)
    const options = {
      noServer: true,
      clientTracking: false,
      maxPayload: Math.max(maxStopBytes, maxFrameBytes),
      maxFragments: parts.limits.maxFragments * longer,
      maxBufferedChunks: parts.limits.maxBufferedChunks * longer,
      closeTimeout,
      // Chargers send Latin-1 names. Their frames are read with replacement characters; the connection is not closed
      // for them.
      skipUTF8Validation: true,
      WebSocket: ChargerWebSocket
    }
    this.websockets = new WebSocketServer<typeof ChargerWebSocket>({ ...options, perMessageDeflate: false })
    const { maxBufferedChunks, maxFragments } = parts.limits
    this.compressing = parts.compression
      ? new WebSocketServer<typeof ChargerWebSocket>({
          ...options,
          maxPayload: maxFrameBytes,
          maxFragments,
          maxBufferedChunks,
          perMessageDeflate: boundedCompression
        })
      : undefined
    this.proofs = new AdmissionQueue(maxConcurrentUpgrades, (handshake) =>
      parts.run(this.handle(handshake, this.proofs))
    )
    this.suspects = new AdmissionQueue(maxSuspectUpgrades, (handshake) =>
      parts.run(this.handle(handshake, this.suspects))
    )
    // The admissions of a batch end at the same moment. Opening all their connections at once would block the event
    // loop.
    this.openings = new AdmissionQueue(Number.POSITIVE_INFINITY, (open) => {
      open()
      this.openings.done()
    })
  }

  private readonly logged = new Buckets(loggedPerMinute, 60_000, 1)

  /** From now on every upgrade is asked to come back later. */
  stopAccepting(): void {
    this.isStopping = true
  }

  /** Receives an upgrade request from the HTTP server. */
  receive(request: IncomingMessage, socket: Duplex, head: Buffer, origin: Origin): void {
    const { guard, lag, limits, now, retryAfter } = this.parts
    const handshake = new Handshake(request, socket, head, origin, now(), (settled) => void this.open.delete(settled))
    if (this.isStopping) return this.refuse(handshake, refusals.stopping(retryAfter()))
    if (this.open.size >= limits.maxWaitingUpgrades || lag.isOverloaded) {
      return this.refuse(handshake, refusals.unavailable(retryAfter()))
    }
    const line = guard.isOverLimit(origin.network, now()) ? this.suspects : this.proofs
    // Half of the capacity is reserved for other networks.
    if (line === this.suspects && line.size >= limits.maxWaitingUpgrades / 2) {
      return this.refuse(handshake, refusals.unavailable(retryAfter()))
    }
    this.open.add(handshake)
    line.offer(handshake)
  }

  /** Called once a second: refuses requests that have waited for too long. */
  tick(): void {
    const { limits, now, retryAfter } = this.parts
    const before = now() - limits.handshakeMillis
    for (const handshake of this.open) {
      if (handshake.at > before) return
      this.refuse(handshake, refusals.timeout(retryAfter()))
    }
  }

  /** Refuses all requests that still wait. */
  refuseAll(): void {
    for (const handshake of this.open) this.refuse(handshake, refusals.stopping(this.parts.retryAfter()))
  }

  private handle(handshake: Handshake, line: AdmissionQueue<Handshake>): Effect.Effect<void> {
    if (handshake.isSettled) return Effect.sync(() => line.done())
    return prove(this.parts, handshake).pipe(
      // An admission may wait for the ping of an old connection. Others are proved meanwhile.
      Effect.ensuring(Effect.sync(() => line.done())),
      Effect.flatMap((proven) => (handshake.isSettled ? Effect.void : this.admit(handshake, proven))),
      Effect.catch((refusal: Refusal) => Effect.sync(() => this.refuse(handshake, refusal))),
      Effect.catchCause((cause) => {
        this.refuse(handshake, refusals.unavailable(this.parts.retryAfter()))
        return Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logError("ocpp: an upgrade failed", cause)
      })
    )
  }

  private admit(handshake: Handshake, proven: Proven): Effect.Effect<void, Refusal> {
    const { admitting } = this
    const { chargerId } = proven.opening
    if (admitting.of(chargerId) >= maxAdmissionsOfOne) return Effect.fail(refusals.unavailable(this.parts.retryAfter()))
    admitting.add(chargerId, 1)
    const end = Effect.sync(() => admitting.add(chargerId, -1))
    return this.parts.inbox.admit(proven.opening).pipe(
      Effect.flatMap((admission) => this.answer(handshake, proven, admission)),
      Effect.ensuring(end),
      // Not interruptible: an admission must be either opened or abandoned.
      Effect.uninterruptible
    )
  }

  private answer(handshake: Handshake, proven: Proven, admission: Admission): Effect.Effect<void, Refusal> {
    const { chargerId } = proven.opening
    switch (admission._tag) {
      case "Admitted":
        return Effect.callback<boolean>((resume) =>
          this.openings.offer(() => resume(Effect.succeed(this.complete(handshake, proven, admission))))
        ).pipe(Effect.flatMap((isOpen) => (isOpen ? Effect.void : admission.abandon)))
      case "Taken":
        return Effect.fail(refusals.taken)
      case "Unknown":
        return Effect.fail(refusals.unknown(chargerId))
      case "Unavailable":
        return Effect.fail(refusals.unavailable(admission.retryAfterSeconds + this.parts.retryAfter()))
    }
  }

  /** Answers 101 and opens the connection. False if the client has disconnected and nothing was opened. */
  private complete(
    handshake: Handshake,
    proven: Proven,
    admission: Extract<Admission, { readonly _tag: "Admitted" }>
  ): boolean {
    const { chargers, socketParts } = this.parts
    const { head, request } = handshake
    let isOpen = false
    handshake.upgrade((socket) => {
      // `ws` parses the header more strictly than chargers write it, so it is replaced by the agreed subprotocol.
      if (proven.subprotocol === undefined) delete request.headers["sec-websocket-protocol"]
      else request.headers["sec-websocket-protocol"] = proven.subprotocol
      const compresses = /permessage-deflate/i.test(request.headers["sec-websocket-extensions"] ?? "")
      const websockets = (compresses ? this.compressing : undefined) ?? this.websockets
      websockets.handleUpgrade(request, socket, head, (ws) => {
        isOpen = true
        try {
          const { opening, version } = proven
          const charger = new ChargerSocket(
            ws,
            request.socket,
            opening,
            version,
            admission.attach,
            socketParts,
            chargers
          )
          chargers.add(charger)
        } catch (cause) {
          ws.terminate()
          socketParts.defect(cause, { chargerId: proven.opening.chargerId, during: "opening", action: "" })
        }
      })
    })
    return isOpen
  }

  private refuse(handshake: Handshake, refusal: Refusal): void {
    const { guard, limits, now, run, socketParts } = this.parts
    const { address, network } = handshake.origin
    if (!handshake.refuse(refusal, limits.handshakeMillis)) return
    socketParts.metrics.refusedUpgrade(refusal.status)
    if (isAuthFailure(refusal)) socketParts.metrics.authFailure(refusal.reason)
    if (!countsAgainst(refusal)) return
    // Each refusal is logged, until there are too many to be useful, from the network or from all.
    if (!guard.isOverLimit(network, now()) && this.logged.take("all", now())) {
      const chargerId = parseChargerPath(handshake.request.url ?? "")?.chargerId
      const about = { chargerId, address, status: refusal.status, reason: refusal.reason }
      run(Effect.logInfo("ocpp: charger refused").pipe(Effect.annotateLogs(about)))
    }
    guard.refused(network, now())
  }
}
