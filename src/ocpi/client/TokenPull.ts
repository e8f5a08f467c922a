/**
 * Fetches partners' tokens (OCPI 2.2.1 §12.2.1.1): all of them after a registration, and every few hours those that have changed. A
 * partner's list may be endless, loop or contain unreadable items. The readable ones are stored, and the rest is reported in the partner's
 * health.
 */
import { Clock, Effect, Layer, Random, Schema } from "effect"
import type { Principal } from "../../domain/values/AuditContext.ts"
import type { Partner } from "../../domain/roaming/Partner.ts"
import type { PartyId } from "../../domain/values/PartyId.ts"
import { HubClients } from "../../domain/roaming/HubClients.ts"
import { Parties } from "../../domain/roaming/Parties.ts"
import { Partners } from "../../domain/roaming/Partners.ts"
import { type DuePull, type PullEnd, RoamingTokens } from "../../domain/token/RoamingTokens.ts"
import { Secrets } from "../../domain/values/Secrets.ts"
import { TokenFetcher } from "../../domain/roaming/TokenFetcher.ts"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { type RoamingTokenBody, tokenParty } from "../../domain/token/RoamingToken.ts"
import { heldParties, type MayHold } from "../protocol/HeldParties.ts"
import type { WireTokens } from "../objects/token/Enums.ts"
import { wireObjects } from "../objects/WireObjects.ts"
import { printTimestamp } from "../protocol/Timestamp.ts"
import { factsOf } from "../protocol/Version.ts"
import { type At, PartnerClient, type PartnerRequest } from "./PartnerClient.ts"

export interface TokenPullOptions {
  /** The delay after a partner has registered, since it has other requests to make first. */
  readonly settleMillis: number
  /**
   * The time between two fetches of a partner's tokens. Up to a quarter is added, so that not all partners are queried at the same time.
   */
  readonly againMillis: number
  /** How far back before the previous fetch the next one starts: clocks differ, and changes during that fetch may have been missed. */
  readonly overlapMillis: number
  /** Tokens requested per page; partners return fewer. */
  readonly pageSize: number
  /** Most pages of one list: a longer one is not a list of tokens. */
  readonly pagesMax: number
  /** The lease of the process that fetches. Each page renews it. Once it has passed, another process may fetch. */
  readonly leaseMillis: number
  /** How long one fetch may take in all. */
  readonly limitMillis: number
  /** The pause after the first failure, the second and so on. The last one applies to all that follow. */
  readonly pausesMillis: ReadonlyArray<number>
}

const minute = 60_000
const hour = 60 * minute

export const defaultPullOptions: TokenPullOptions = {
  settleMillis: 5_000,
  againMillis: 4 * hour,
  overlapMillis: 15 * minute,
  pageSize: 100,
  pagesMax: 10_000,
  leaseMillis: 5 * minute,
  limitMillis: hour,
  pausesMillis: [minute, 5 * minute, 15 * minute, hour]
}

/** One page, and the `Link` header of its answer. */
interface Page {
  readonly data: ReadonlyArray<unknown>
  readonly link: string | undefined
}

const decodeList = Schema.decodeUnknownEffect(Schema.Array(Schema.Unknown))

/** A partner's answers are not a valid list. */
class NoList extends Schema.TaggedError<NoList>()("NoList", { message: Schema.String }) {}

const noList = (message: string) => new NoList({ message })

/** Longest URL of a page. No reasonable one is nearly as long, and all URLs of one list are kept in memory. */
const addressMax = 2_000

/**
 * The URL of the next page, from the answer's `Link` (RFC 8288); undefined on the last page. It is used unchanged, but never on another
 * host.
 */
export const nextPage = (link: string | undefined, here: string): Effect.Effect<string | undefined, NoList> => {
  const [, target] = /<([^>]*)>\s*;[^,<]*\brel\s*=\s*"?next\b/i.exec(link ?? "") ?? []
  if (target === undefined) return Effect.undefined
  if (!URL.canParse(target, here) || target.length > addressMax) {
    return Effect.fail(noList("the next page's address is not a URL"))
  }
  const next = new URL(target, here)
  return next.host === new URL(here).host
    ? Effect.succeed(next.href)
    : Effect.fail(noList(`the next page is on another host, ${next.host}`))
}

/** Tokens stored per transaction: pages may have thousands, and chargers' messages wait while they are stored. */
const storedAtOnce = 200

/** The principal for these writes: the platform, for the organisation whose partner it is. */
const fetching = (organisationId: string): Principal => ({
  organisationId,
  actor: "platform",
  keyId: "platform",
  operatorId: undefined,
  permissions: []
})

/** The readable tokens, limited to parties for which the partner may send tokens. */
const readable = (mayHold: MayHold, wire: WireTokens, partner: Partner, party: PartyId, data: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const good: Array<RoamingTokenBody> = []
    for (const one of data) {
      const token = yield* Effect.option(wire.decode(one, party))
      if (token._tag === "Some" && (yield* mayHold(partner, token.value))) good.push(token.value)
    }
    return good
  })

interface Services {
  readonly client: PartnerClient["Service"]
  readonly mayHold: MayHold
  readonly parties: Parties["Service"]
  readonly partners: Partners["Service"]
  readonly tokens: RoamingTokens["Service"]
  readonly secrets: Secrets["Service"]
}

/** Reads one page, at the module's URL or at one that the partner gave. */
const pageAt = (
  services: Services,
  partner: Partner,
  at: At,
  asking: Pick<PartnerRequest, "correlationId" | "from" | "to">
) =>
  Effect.gen(function* () {
    const { data = [], headers } = yield* services.client.call(partner, { method: "GET", at, ...asking })
    const page: Page = {
      data: yield* Effect.mapError(decodeList(data), () => noList("the page is not a list")),
      link: headers["link"]
    }
    return page
  })

/** Follows the pages and stores each as it arrives. */
const fetched = (services: Services, options: TokenPullOptions, partner: Partner, due: DuePull) =>
  Effect.gen(function* () {
    const { client, mayHold, parties, secrets, tokens } = services
    const version = client.versionOf(partner)
    const party = tokenParty(partner)
    const address = client.endpointOf(partner, "tokens", "SENDER")
    if (version === undefined || party === undefined || address === undefined) {
      return yield* noList("the partner has no tokens to fetch")
    }
    const wire = wireObjects[version].tokens
    const identity = { isByUid: !factsOf(version).hasTokenTypes }
    const query = {
      limit: String(options.pageSize),
      ...(due.from === undefined ? {} : { date_from: printTimestamp(due.from - options.overlapMillis) })
    }
    const ours = yield* parties.list(due.organisationId)
    const from = ours.find(({ isDefault }) => isDefault)
    const asking = { correlationId: secrets.uuid(yield* Clock.currentTimeMillis), from, to: party }
    const seen = new Set<string>()
    let at: At = { module: "tokens", role: "SENDER", query }
    let here = address
    let taken = 0
    let unreadable = 0
    for (let pages = 1; ; pages++) {
      const { data, link }: Page = yield* pageAt(services, partner, at, asking)
      const good = yield* readable(mayHold, wire, partner, party, data)
      const now = yield* Clock.currentTimeMillis
      // Before the page is stored: after a new registration it would be stored by the rules of the old version.
      if (!(yield* tokens.keepPull(due, now + options.leaseMillis))) {
        return yield* noList("the partner has registered anew meanwhile, and its tokens are fetched again")
      }
      for (let from = 0; from < good.length; from += storedAtOnce) {
        const some = good.slice(from, from + storedAtOnce)
        yield* tokens.put(partner.id, some, { by: fetching(due.organisationId), now }, identity)
      }
      taken += good.length
      unreadable += data.length - good.length
      const next: string | undefined = yield* nextPage(link, here)
      if (next === undefined) return { taken, unreadable }
      if (seen.has(next)) return yield* noList("the next page is one that was already fetched")
      if (pages >= options.pagesMax) return yield* noList(`the list has more than ${options.pagesMax} pages`)
      seen.add(next)
      at = { url: next }
      here = next
    }
  })

const fetchDue = (services: Services, options: TokenPullOptions): Effect.Effect<boolean, StorageUnavailable> =>
  Effect.gen(function* () {
    const { partners, tokens } = services
    const beganAt = yield* Clock.currentTimeMillis
    const due = yield* tokens.takeDuePull(beganAt, options)
    if (due === undefined) return false
    const { failures, organisationId, partnerId } = due
    const end = yield* partners.get(organisationId, partnerId).pipe(
      Effect.flatMap((partner) => fetched(services, options, partner, due)),
      Effect.timeout(options.limitMillis),
      Effect.match({
        onSuccess: (counts): PullEnd => ({ _tag: "Pulled", beganAt, ...counts }),
        onFailure: (error): PullEnd => ({ _tag: "Failed", problem: error.message })
      })
    )
    const now = yield* Clock.currentTimeMillis
    const pauses = options.pausesMillis
    const pause =
      end._tag === "Failed" ? (pauses[failures] ?? pauses.at(-1) ?? options.againMillis) : options.againMillis
    const splay = 1 + (yield* Random.next) / 4
    yield* tokens.endPull(due, end, now + pause * splay, now)
    if (end._tag === "Failed") {
      yield* Effect.annotateLogs(Effect.logWarning(`a partner's tokens could not be fetched: ${end.problem}`), {
        partnerId
      })
    }
    return true
  })

/** Provides `TokenFetcher`. */
export const layer = (
  options: TokenPullOptions = defaultPullOptions
): Layer.Layer<TokenFetcher, never, HubClients | Parties | PartnerClient | Partners | RoamingTokens | Secrets> =>
  Layer.effect(
    TokenFetcher,
    Effect.gen(function* () {
      const services: Services = {
        client: yield* PartnerClient,
        mayHold: heldParties(yield* HubClients),
        parties: yield* Parties,
        partners: yield* Partners,
        tokens: yield* RoamingTokens,
        secrets: yield* Secrets
      }
      return TokenFetcher.of({ fetchDue: fetchDue(services, options) })
    })
  )
