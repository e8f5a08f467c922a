/** The shapes of REST v2 on the wire, derived from its definition. Only types are imported: no code of the service reaches the browser. */
import type { Schema } from "effect"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import type { Api } from "../../../src/http/v2/Api.ts"

type Groups = typeof Api extends HttpApi.HttpApi<infer _Id, infer G> ? G : never
type Named<G> =
  G extends HttpApiGroup.HttpApiGroup<infer Id, infer E, infer _Top>
    ? E extends { readonly identifier: infer O extends string }
      ? { readonly name: `${Id}.${O}`; readonly endpoint: E }
      : never
    : never
type All = Named<Groups>

/** The name of an operation, for example `chargers.list`. */
export type Name = All["name"]
type Endpoint<N extends Name> = Extract<All, { readonly name: N }>["endpoint"]

type Wire<S> = S extends { readonly schema: infer Body; readonly headers: unknown }
  ? Wire<Body>
  : S extends Schema.toCodecJson<infer Inner extends Schema.Constraint>
    ? Inner["Encoded"]
    : S extends Schema.toCodecStringTree<infer Inner extends Schema.Constraint>
      ? Inner["Encoded"]
      : S extends { readonly Encoded: infer Encoded }
        ? Encoded
        : never

export type Answer<N extends Name> = Wire<Endpoint<N>["~Success"]>

type Params<E> = E extends { readonly "~Params": infer P }
  ? [P] extends [never]
    ? {}
    : { readonly params: Wire<P> }
  : {}
type Query<E> = E extends { readonly "~Query": infer Q }
  ? [Q] extends [never]
    ? {}
    : { readonly query?: { readonly [K in keyof Wire<Q>]?: Wire<Q>[K] | string | number | boolean } }
  : {}
type Payload<E> = E extends { readonly "~Payload": infer P }
  ? [P] extends [never]
    ? {}
    : { readonly body: Wire<P> }
  : {}

export type Asked<N extends Name> = Params<Endpoint<N>> & Query<Endpoint<N>> & Payload<Endpoint<N>>

export type Charger = Answer<"chargers.list">["items"][number]
export type ChargerRow = Answer<"chargers.rows">["items"][number]
export type Site = Answer<"sites.list">["items"][number]
export type Session = Answer<"sessions.list">["items"][number]
export type Command = Answer<"commands.list">["items"][number]
export type Message = Answer<"chargers.messages">["items"][number]
export type LiveEvent = Answer<"events.list">["items"][number]
