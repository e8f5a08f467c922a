/**
 * An OCPP server on ephemeral ports with plain values behind its interfaces: chargers are registered by hand, the inbox
 * records what was delivered and answers as configured, and the verifier counts its calls.
 */
import { Context, Effect, Exit, Latch, Layer, Logger, Metric, Scope } from "effect"
import { createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createServer as createSecureServer, type Server as SecureServer, type ServerOptions } from "node:https"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import type { ChargerCommand, CommandResult } from "../../../src/domain/command/ChargerCommand.ts"
import type { ChargerEvent } from "../../../src/domain/charger/ChargerEvent.ts"
import type { Envelope } from "../../../src/domain/charger/Decision.ts"
import type { Reply } from "../../../src/domain/charger/Reply.ts"
import type { StorageUnavailable } from "../../../src/domain/Errors.ts"
import {
  type ChargerCredentials,
  ChargerDirectory,
  type ConnectionOpening
} from "../../../src/domain/charger/ChargerDirectory.ts"
import {
  type Admission,
  ChargerInbox,
  type ChargerLine,
  type ChargerMailbox
} from "../../../src/domain/charger/ChargerInbox.ts"
import { type ChargerRefusal, ChargerRefusals } from "../../../src/domain/charger/ChargerRefusals.ts"
import {
  type UnknownChargerAttempt,
  UnknownChargerAttempts
} from "../../../src/domain/charger/UnknownChargerAttempts.ts"
import { type LoggedFrame, MessageLog } from "../../../src/domain/charger/MessageLog.ts"
import { Presence } from "../../../src/domain/charger/Presence.ts"
import { Secrets } from "../../../src/domain/values/Secrets.ts"
import type { Clock } from "../../../src/ocpp/server/Clock.ts"
import { defaultLimits, type OcppLimits } from "../../../src/ocpp/server/Limits.ts"
import { layer, OcppServer, type OcppServerOptions } from "../../../src/ocpp/server/OcppServer.ts"
import { v16 } from "../../../src/ocpp/v16/V16.ts"

export interface Delivery {
  readonly event: ChargerEvent
  readonly envelope: Envelope
  readonly respond: (reply: Reply, now: number) => void
}

/** What an actor would answer; enough to satisfy a charger. */
export const contentReply = (event: ChargerEvent): Reply => {
  switch (event._tag) {
    case "Booted":
      return { _tag: "BootAnswered", status: "Accepted", intervalSeconds: 300 }
    case "HeartbeatReceived":
      return { _tag: "HeartbeatAnswered" }
    case "AuthorizationAsked":
      return { _tag: "AuthorizationAnswered", verdict: accepted }
    case "TransactionStarted":
      return { _tag: "StartAnswered", transactionId: 4711, verdict: accepted }
    case "TransactionEnded":
      return { _tag: "StopAnswered", verdict: accepted }
    case "DataReceived":
      return { _tag: "DataAnswered", status: "Accepted" }
    case "CertificateRequested":
      return { _tag: "CertificateAnswered", status: "Accepted" }
    default:
      return { _tag: "Acknowledged" }
  }
}

const accepted = { status: "Accepted", expiresAt: undefined, parentUid: undefined } as const

/** One connection as its actor sees it. */
export class TestMailbox implements ChargerMailbox {
  readonly opening: ConnectionOpening
  readonly line: ChargerLine
  readonly delivered: Array<Delivery> = []
  readonly results: Array<CommandResult> = []
  /** Calls that are pending, by message id. */
  readonly pending = new Map<string, ChargerCommand>()
  unmatched = 0
  /** How often it was silent and is to be asked for a message. */
  doubts = 0
  closedBecause: Array<string> = []
  /** The immediate answer; undefined leaves the CALL open. */
  reply: (event: ChargerEvent, mailbox: TestMailbox) => Reply | undefined = contentReply

  constructor(opening: ConnectionOpening, line: ChargerLine) {
    this.opening = opening
    this.line = line
  }

  deliver(event: ChargerEvent, envelope: Envelope, respond: (reply: Reply, now: number) => void): void {
    this.delivered.push({ event, envelope, respond })
    const reply = this.reply(event, this)
    if (reply !== undefined) respond(reply, Date.UTC(2026, 4, 1, 12))
  }

  call(messageId: string, command: ChargerCommand): void {
    this.pending.set(messageId, command)
    this.line.call(messageId, command)
  }

  answered(messageId: string, read: (command: ChargerCommand) => CommandResult): boolean {
    const command = this.pending.get(messageId)
    if (command === undefined) {
      this.unmatched++
      return false
    }
    this.pending.delete(messageId)
    this.results.push(read(command))
    return true
  }

  doubted(): void {
    this.doubts++
  }

  closed(reason: string): void {
    this.closedBecause.push(reason)
  }

  get events(): ReadonlyArray<ChargerEvent["_tag"]> {
    return this.delivered.map(({ event }) => event._tag)
  }
}

export class TestInbox {
  readonly mailboxes: Array<TestMailbox> = []
  readonly admitted: Array<string> = []
  readonly abandoned: Array<string> = []
  /** Used instead of admitting every charger. */
  admission: ((opening: ConnectionOpening) => Effect.Effect<Admission>) | undefined
  /** Applied to each mailbox as it is attached. */
  prepare: (mailbox: TestMailbox) => void = () => {}

  readonly admit = (opening: ConnectionOpening): Effect.Effect<Admission> => {
    this.admitted.push(opening.chargerId)
    return this.admission?.(opening) ?? Effect.succeed(this.admittance(opening))
  }

  admittance(opening: ConnectionOpening): Admission {
    return {
      _tag: "Admitted",
      attach: (line) => {
        const mailbox = new TestMailbox(opening, line)
        this.prepare(mailbox)
        this.mailboxes.push(mailbox)
        return mailbox
      },
      abandon: Effect.sync(() => void this.abandoned.push(opening.chargerId))
    }
  }

  /** The newest connection of a charger. */
  of(chargerId: string): TestMailbox {
    const mailbox = this.mailboxes.findLast(({ opening }) => opening.chargerId === chargerId)
    if (mailbox === undefined) throw new Error(`${chargerId} has no connection`)
    return mailbox
  }
}

/** A clock that the test advances; timers fire in order as they become due. */
export class HandClock implements Clock {
  private time = Date.UTC(2026, 4, 1, 12)
  private timers: Array<{ readonly millis: number; readonly tick: () => void; due: number }> = []
  private worked = 0
  readonly now = (): number => this.time
  readonly elapsed = (): number => this.worked

  /** Work takes so long; no timer fires in the meantime. */
  work(millis: number): void {
    this.worked += millis
  }

  readonly every = (millis: number, tick: () => void): (() => void) => {
    const timer = { millis, tick, due: this.time + millis }
    this.timers.push(timer)
    return () => {
      this.timers = this.timers.filter((other) => other !== timer)
    }
  }

  advance(millis: number): void {
    const end = this.time + millis
    for (;;) {
      const next = this.timers.toSorted((a, b) => a.due - b.due)[0]
      if (next === undefined || next.due > end) break
      this.time = next.due
      next.due += next.millis
      next.tick()
    }
    this.time = end
  }

  /** The process is stalled: every timer fires once, late. */
  stall(millis: number): void {
    this.time += millis
    for (const timer of this.timers) {
      timer.due = this.time + timer.millis
      timer.tick()
    }
  }
}

const key = "a test's secret key"
const verifier = (purpose: string, secret: Uint8Array | string): Uint8Array =>
  createHmac("sha256", key).update(`${purpose}\0`).update(secret).digest()

export interface Registered {
  readonly profile?: 0 | 1 | 2 | 3
  readonly password?: string | Uint8Array
  /** As registered by the operator. */
  readonly registeredSerialNumber?: string
  /** Passwords and profiles that it was sent and may use by now. */
  readonly mayHave?: ReadonlyArray<{ readonly password?: string; readonly profile?: 1 | 2 | 3 }>
}

export interface TestOptions extends Partial<Omit<OcppServerOptions, "limits">> {
  readonly limits?: Partial<OcppLimits>
  readonly chargers?: Readonly<Record<string, Registered>>
  readonly tls?: ServerOptions
}

export interface TestServer {
  readonly inbox: TestInbox
  readonly frames: Array<LoggedFrame>
  /** Attempts by unknown chargers. */
  readonly unknownChargerAttempts: Array<UnknownChargerAttempt>
  readonly refused: Array<ChargerRefusal>
  readonly lastMessage: Map<string, string>
  /** Log lines of the server. */
  readonly logs: Array<string>
  /** How often the verifier and the directory were called, and the ids that were looked up. */
  readonly asked: { verifier: number; directory: number; readonly ids: Array<string> }
  readonly http: Server | SecureServer
  readonly port: number
  readonly service: OcppServer["Service"]
  register(chargerId: string, charger: Registered): void
  /** While set, the directory fails with it. */
  failing: StorageUnavailable | undefined
  /** From now on the directory does not answer until `release`. */
  hold(): void
  release(): void
  /** Reads a counter or gauge by its labels; 0 if it was never changed. */
  metric(id: string, attributes?: Readonly<Record<string, string>>): number
  /** Closes the OCPP server only. */
  shutDown(): Promise<void>
}

const listen = (server: Server | SecureServer): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })

/** Everything else that the listener serves. */
const rest = (_request: IncomingMessage, response: ServerResponse): void => void response.end("REST")

/** Starts a server that is closed at the end of the test. */
export const startServer = async (options: TestOptions = {}): Promise<TestServer> => {
  const inbox = new TestInbox()
  const frames: Array<LoggedFrame> = []
  const unknownChargerAttempts: Array<UnknownChargerAttempt> = []
  const refused: Array<ChargerRefusal> = []
  const lastMessage = new Map<string, string>()
  const logs: Array<string> = []
  const asked = { verifier: 0, directory: 0, ids: [] as Array<string> }
  const registered = new Map<string, ChargerCredentials>()
  const metrics: Metric.MetricRegistry = new Map()
  const state: { failing: StorageUnavailable | undefined } = { failing: undefined }
  const held = Latch.makeUnsafe(true)

  const register = (
    chargerId: string,
    { mayHave = [], password, profile = 0, registeredSerialNumber }: Registered
  ): void =>
    void registered.set(chargerId, {
      chargerId,
      organisationId: "0199aaaa-0000-7000-8000-000000000001",
      securityProfile: profile,
      passwordVerifier: password === undefined ? undefined : verifier("charger-password", password),
      pending: mayHave.map((one) => ({
        passwordVerifier: one.password === undefined ? undefined : verifier("charger-password", one.password),
        securityProfile: one.profile
      })),
      registeredSerialNumber
    })
  for (const [id, charger] of Object.entries(options.chargers ?? {})) register(id, charger)

  const never = (): never => {
    throw new Error("the OCPP server has no business with this")
  }
  const ports = Layer.mergeAll(
    Layer.succeed(ChargerInbox, {
      admit: inbox.admit,
      drain: Effect.void
    }),
    Layer.succeed(ChargerDirectory, {
      credentials: (id) =>
        Effect.suspend(() => {
          asked.directory++
          asked.ids.push(id)
          const answer = () =>
            state.failing === undefined ? Effect.succeed(registered.get(id)) : Effect.fail(state.failing)
          return Effect.andThen(held.await, Effect.suspend(answer))
        }),
      open: never,
      reload: never,
      close: never,
      findToken: never,
      findSession: never,
      findOrphan: never,
      takeTransactionNumbers: never
    }),
    Layer.succeed(Presence, {
      opened: never,
      heard: (id, _at, frame) => void lastMessage.set(id, frame),
      closed: never,
      stored: never,
      peek: never
    }),
    Layer.succeed(UnknownChargerAttempts, {
      attempted: (attempt) => void unknownChargerAttempts.push(attempt),
      list: never,
      forget: never,
      concernOnly: never
    }),
    Layer.succeed(ChargerRefusals, { refused: (refusal) => void refused.push(refusal) }),
    Layer.mock(MessageLog, { append: (frame) => void frames.push(frame) }),
    Layer.succeed(Secrets, {
      verifier,
      verify: (purpose, secret, expected) => {
        asked.verifier++
        return Buffer.from(verifier(purpose, secret)).equals(expected)
      },
      randomBytes: never,
      uuid: never,
      transactionIdKeys: [],
      hmacSha1: never,
      hashPassword: never,
      verifyPassword: never,
      matchPassword: never,
      seal: never,
      open: never
    })
  )
  const scope = Scope.makeUnsafe()
  const capture = Logger.layer([
    Logger.make(({ message }) => {
      logs.push(String(message))
    })
  ])
  const server = layer({
    protocols: [v16],
    trustProxy: () => false,
    minSecurityProfile: 0,
    revoked: new Set(),
    allowedOrigins: { origins: ["https://simulator.example"], publicUrl: "https://charging.example" },
    logHeartbeats: false,
    compression: false,
    ...options,
    limits: { ...defaultLimits, retryJitterSeconds: 0, ...options.limits }
  }).pipe(Layer.provide(ports), Layer.provide(capture), Layer.provide(Layer.succeed(Metric.MetricRegistry, metrics)))
  const context = await Effect.runPromise(Layer.buildWithScope(server, scope))
  const service = Context.get(context, OcppServer)
  const shutDown = (): Promise<void> => Effect.runPromise(Scope.close(scope, Exit.void))

  const http = options.tls === undefined ? createServer(rest) : createSecureServer(options.tls, rest)
  service.attach(http, { secure: options.tls !== undefined })
  const port = await listen(http)
  onTestFinished(async () => {
    await shutDown()
    http.closeAllConnections()
    await new Promise((resolve) => http.close(resolve))
  })

  const metric = (id: string, attributes: Readonly<Record<string, string>> = {}): number => {
    const wanted = Object.entries(attributes)
    const found = Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, metrics)).filter(
      (snapshot) => snapshot.id === id && wanted.every(([name, value]) => snapshot.attributes?.[name] === value)
    )
    return found.reduce((sum, { state: value }) => {
      if ("count" in value) return sum + Number(value.count)
      return sum + ("value" in value ? Number(value.value) : 0)
    }, 0)
  }

  return Object.assign(state, {
    inbox,
    frames,
    unknownChargerAttempts,
    refused,
    lastMessage,
    logs,
    asked,
    http,
    port,
    service,
    register,
    metric,
    hold: () => void held.closeUnsafe(),
    release: () => void held.openUnsafe(),
    shutDown
  })
}
