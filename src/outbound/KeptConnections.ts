/**
 * Connections to partners that stay open between calls, so that a busy second does not shake hands a hundred times with the same platform. Each was
 * looked at when it was made, and leads where it led then; other names have connections of their own.
 */
import { Agent as AgentHttp, type AgentOptions } from "node:http"
import { Agent as AgentHttps } from "node:https"
import { Effect, type Scope } from "effect"

export interface KeptConnections {
  /** What has the connections to a URL's place. */
  readonly agentOf: (url: URL) => AgentHttp
}

export interface KeptOptions {
  /** For so long an idle connection stays open, unless the other side says less. */
  readonly idleMillis: number
  readonly maxIdlePerPlace: number
}

/** Closed with the scope. */
export const keptConnections = ({
  idleMillis,
  maxIdlePerPlace
}: KeptOptions): Effect.Effect<KeptConnections, never, Scope.Scope> => {
  const options: AgentOptions = {
    keepAlive: true,
    timeout: idleMillis,
    maxFreeSockets: maxIdlePerPlace,
    scheduling: "lifo"
  }
  const open = Effect.sync(() => ({ plain: new AgentHttp(options), secure: new AgentHttps(options) }))
  return Effect.map(
    Effect.acquireRelease(open, ({ plain, secure }) =>
      Effect.sync(() => {
        plain.destroy()
        secure.destroy()
      })
    ),
    ({ plain, secure }) => ({ agentOf: ({ protocol }) => (protocol === "https:" ? secure : plain) })
  )
}
