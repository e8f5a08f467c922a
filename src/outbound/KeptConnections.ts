/**
 * Connections to partners that stay open between calls, so that a busy second does not shake hands a hundred times with the same platform. Each was
 * looked at when it was made, and leads where it led then; other names have connections of their own.
 */
import { Effect, type Scope } from "effect"
import { Agent, type Dispatcher } from "undici"
import { guardedConnector, type GuardOptions } from "./Guard.ts"

export interface KeptOptions extends GuardOptions {
  /** For so long an idle connection stays open, unless the other side says less. */
  readonly idleMillis: number
  /** Connections to one place; further calls wait for one, within their own time. */
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
          // Each call has a time of its own, from its beginning to its end.
          headersTimeout: 0,
          bodyTimeout: 0
        })
    ),
    (agent) => Effect.promise(() => agent.destroy())
  )
