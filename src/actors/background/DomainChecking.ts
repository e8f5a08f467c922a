/**
 * Looks up the records of verified single sign-on domains again, each about once a day, a few at a time. A domain whose record is gone for some days is
 * no longer verified.
 */
import { Clock, Effect, Layer } from "effect"
import { DomainRecords } from "../../domain/operator/DomainRecords.ts"
import { challengeName, recheckMillis } from "../../domain/operator/SignOnDomain.ts"
import { SingleSignOns } from "../../domain/operator/SingleSignOns.ts"
import { rounds } from "./BackgroundLoop.ts"

export interface DomainCheckingOptions {
  readonly everyMillis: number
  /** Domains of one round, one after the other. With rounds every ten minutes, 2,880 domains a day. */
  readonly atOnce: number
}

export const defaultDomainCheckingOptions: DomainCheckingOptions = { everyMillis: 600_000, atOnce: 20 }

export const domainChecking = ({ atOnce }: Pick<DomainCheckingOptions, "atOnce">) =>
  Effect.gen(function* () {
    const records = yield* DomainRecords
    const singleSignOns = yield* SingleSignOns
    const now = yield* Clock.currentTimeMillis
    for (const { domain, organisationId } of yield* singleSignOns.dueDomains(now - recheckMillis, atOnce)) {
      const values = yield* Effect.catch(records.texts(challengeName(domain)), () => Effect.undefined)
      yield* singleSignOns.recheckDomain(organisationId, domain, values, yield* Clock.currentTimeMillis)
    }
    return false
  })

export const layer = (
  options: DomainCheckingOptions = defaultDomainCheckingOptions
): Layer.Layer<never, never, DomainRecords | SingleSignOns> =>
  Layer.effectDiscard(
    rounds({
      name: "single sign-on domains",
      everyMillis: options.everyMillis,
      round: domainChecking(options)
    })
  )
