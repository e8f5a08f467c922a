/** A partner's request as handlers see it (the partner, the target, the version's encoders), and their reply. */
import type { Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../../domain/Errors.ts"
import type { PartyId } from "../../domain/values/PartyId.ts"
import type { Bearer } from "../../domain/roaming/Partners.ts"
import type { WireObjects } from "../objects/WireObjects.ts"
import type { Routing } from "./Routing.ts"
import type { Refused } from "../protocol/Status.ts"
import type { VersionFacts } from "../protocol/Version.ts"

export interface Exchange {
  readonly bearer: Bearer
  /** The presented token, for the only answer that repeats it. */
  readonly token: string
  readonly facts: VersionFacts
  /**
   * The partner's party that sends the request and our party that it is for, if its headers say so (OCPI 2.2.1 §4.2.2). These are claims
   * and give no rights.
   */
  readonly routing: Routing
  /** Our party that the request is for, if we have several; undefined if the request does not say which one, or there is only one. */
  readonly addressed?: PartyId | undefined
  readonly wire: WireObjects
  /** Named path segments, percent-decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The body's JSON; undefined if there is no body. */
  readonly body: Effect.Effect<unknown, Refused>
  readonly correlationId: string
  readonly now: number
}

export interface Reply {
  /** Undefined if the standard has no data here. */
  readonly data: unknown
  /** The whole body in UTF-8, with its envelope, instead of `data`: for lists whose JSON is stored. */
  readonly body?: Uint8Array
  /** True if the object did not exist before. */
  readonly created?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

export type Handler = (
  exchange: Exchange
) => Effect.Effect<Reply, Refused | NotFound | Conflict | InvalidInput | StorageUnavailable>

/** Handlers by method, module and path of their row in `EndpointTable`. */
export type Handlers = ReadonlyMap<string, Handler>
