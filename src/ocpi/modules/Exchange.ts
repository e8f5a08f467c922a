/** One request of a partner, as handlers see it: who asks, for what, in which words; and what they answer. */
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
  /** The token that was presented, for the one answer that repeats it. */
  readonly token: string
  readonly facts: VersionFacts
  /** Which party of the partner's asks which one of ours, where it says so (OCPI 2.2.1 §4.2.2); both are known to be no more than said. */
  readonly routing: Routing
  /** The party of ours that is asked, of several; undefined where the request does not say which one, or there is only one. */
  readonly addressed?: PartyId | undefined
  readonly wire: WireObjects
  /** Segments of the path by their names, percent-decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The body's JSON; undefined where there is none. */
  readonly body: Effect.Effect<unknown, Refused>
  readonly correlationId: string
  readonly now: number
}

export interface Reply {
  /** Undefined where the standard has none. */
  readonly data: unknown
  /** The whole body in UTF-8, envelope and all, in the place of `data`: of lists that are kept as they are sent. */
  readonly body?: Uint8Array
  /** True for what was not there before. */
  readonly created?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

export type Handler = (
  exchange: Exchange
) => Effect.Effect<Reply, Refused | NotFound | Conflict | InvalidInput | StorageUnavailable>

/** Handlers by method, module and path of their row in `EndpointTable`. */
export type Handlers = ReadonlyMap<string, Handler>
