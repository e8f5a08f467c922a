/**
 * Wrong keys, tokens and codes, counted by the network that they come from, whichever interface they are sent to. They are counted after they were
 * looked up, so a right one is never refused because of the wrong ones of others.
 */
import { Context, Effect } from "effect"
import type { TooMany } from "../Errors.ts"

export interface WrongCredentials {
  /**
   * Looks up credentials that may be wrong. For a network that has sent too many wrong ones this waits for other such look-ups, so that they take only
   * a small share of the service, unless the same credentials were right a moment ago. `verifier` is their keyed hash.
   */
  readonly lookUp: <A, E, R>(
    network: string,
    verifier: Uint8Array,
    look: Effect.Effect<A | undefined, E, R>
  ) => Effect.Effect<A | undefined, E, R>
  /** Counts wrong credentials. Fails, late, if there were too many before. */
  readonly count: (network: string) => Effect.Effect<void, TooMany>
}

/**
 * Called with the source of a request (Node's own request) whose credentials are right. From then on requests with the same ones are not counted with
 * those of strangers.
 */
export const CredentialsProved = Context.Reference<(source: object) => void>("voltlane/CredentialsProved", {
  defaultValue: () => () => undefined
})

/** Counts nothing. */
export const uncounted: WrongCredentials = { lookUp: (_network, _verifier, look) => look, count: () => Effect.void }
