/**
 * Connections to partners that stay open between calls, so that a busy second does not need a hundred handshakes with
 * the same platform. Each was checked when it was opened and still leads to the same address. Other host names have
 * connections of their own.
 */
import { Effect, type Scope } from "effect"
import { Agent, type Dispatcher } from "undici"
import { guardedConnector, type GuardOptions } from "./Guard.ts"

export interface KeptOptions extends GuardOptions {
  /** How long an idle connection stays open, unless the other side asks for less. */
  readonly idleMillis: number
  /** Connections to one origin. Further calls wait for one, within their own timeout. */
  readonly maxPerPlace: number
}

/** Closed with the scope. */
export const keptConnections = (options: KeptOptions): Effect.Effect<Dispatcher, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(
      () =>
        new Agent({
          connect: guardedConnector(options),
          connections: options.maxPerPlace,
          keepAliveTimeout: options.idleMillis,
          keepAliveMaxTimeout: options.idleMillis,
          // Each call has its own timeout, over its whole duration.
          headersTimeout: 0,
          bodyTimeout: 0
        })
    ),
    (agent) => Effect.promise(() => agent.destroy())
  )
