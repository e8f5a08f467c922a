/**
 * The messages between the run and its load generator, which is a process of its own so that its CPU time is never
 * charged to a server. One order runs at a time; each is answered by one `LoadResult`.
 */
import { Schema } from "effect"

export const Fleet = Schema.Struct({
  /** Base of the websocket address; the charger's id is appended as the last segment. */
  url: Schema.String,
  /** Prefix of every charger id and token uid of this run. */
  prefix: Schema.String,
  chargers: Schema.Int,
  /** With a password (HTTP Basic, security profile 1) or without one (profile 0). */
  password: Schema.Boolean
})
export type Fleet = typeof Fleet.Type

export const LoadOrder = Schema.Union([
  /** Creates the fleet, then connects and boots every charger, `parallel` dials at a time. */
  Schema.Struct({ kind: Schema.Literal("ramp"), fleet: Fleet, parallel: Schema.Int }),
  /** Cuts every socket of the fleet, then dials all of them at once until all are accepted again. */
  Schema.Struct({ kind: Schema.Literal("storm") }),
  /** Closed loop: each of `active` chargers sends its next message when the last one is answered. */
  Schema.Struct({
    kind: Schema.Literal("closed"),
    workload: Schema.Literals(["heartbeat", "meter", "tx"]),
    active: Schema.Int,
    seconds: Schema.Finite
  }),
  /** Open loop: `rate` messages a second, spread over the whole fleet; latency counts from the due time. */
  Schema.Struct({
    kind: Schema.Literal("open"),
    workload: Schema.Literals(["heartbeat", "meter", "tx"]),
    rate: Schema.Int,
    seconds: Schema.Finite
  }),
  /** Commands one after the other to the chargers in turn. Each is an HTTP request that is answered once the charger has answered. */
  Schema.Struct({
    kind: Schema.Literal("command"),
    count: Schema.Int,
    /** `{id}` is replaced by the charger's id. */
    url: Schema.String,
    headers: Schema.Record(Schema.String, Schema.String),
    body: Schema.String
  })
])
export type LoadOrder = typeof LoadOrder.Type

/** What servers have acknowledged to this fleet since it was created. All of it must be in their database afterwards. */
export const Acknowledged = Schema.Struct({
  started: Schema.Int,
  stopped: Schema.Int,
  /** MeterValues messages inside transactions, and outside of them. */
  readings: Schema.Int,
  looseReadings: Schema.Int,
  /** Sum of meterStop - meterStart over acknowledged StopTransactions, in Wh. */
  energyWh: Schema.Int,
  /** Messages that were sent and not answered before their socket was lost. The server may or may not have stored them. */
  unanswered: Schema.Int
})
export type Acknowledged = typeof Acknowledged.Type

export const LoadResult = Schema.Struct({
  messages: Schema.Int,
  seconds: Schema.Finite,
  p50Ms: Schema.Finite,
  p99Ms: Schema.Finite,
  failures: Schema.Int,
  /** Descriptions of the first few failures. */
  failureSamples: Schema.Array(Schema.String),
  /** CALLs of the server (GetConfiguration, TriggerMessage, …) that the chargers have answered so far. */
  serverCalls: Schema.Int,
  acknowledged: Acknowledged,
  /** Set when the generator itself failed; the rest of this result is then meaningless. */
  error: Schema.optionalKey(Schema.String)
})
export type LoadResult = typeof LoadResult.Type
