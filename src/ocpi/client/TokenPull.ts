/**
 * Fetches partners' tokens (OCPI 2.2.1 §12.2.1.1): all of them after a registration, and every few hours those that have changed. A hub's
 * list of the parties behind it is read each time before. Tokens may be unreadable, or of parties that are not the partner's. The others are
 * stored, and these are reported in the partner's health.
 */
import { Clock, Effect, Layer, Random } from "effect"
import type { Principal } from "../../domain/values/AuditContext.ts"
import { isHub, type Partner } from "../../domain/roaming/Partner.ts"
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
import { offersParties, readHubParties } from "./HubParties.ts"
import { noList, readList } from "./ListPages.ts"
import { PartnerClient } from "./PartnerClient.ts"

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
  settleMillis: 1_000,
  againMillis: 4 * hour,
  overlapMillis: 15 * minute,
  pageSize: 100,
  pagesMax: 10_000,
  leaseMillis: 5 * minute,
  limitMillis: hour,
  pausesMillis: [minute, 5 * minute, 15 * minute, hour]
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

/** The readable tokens of parties for which the partner may send tokens, and how many others there are. */
const readable = (mayHold: MayHold, wire: WireTokens, partner: Partner, party: PartyId, data: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const good: Array<RoamingTokenBody> = []
    let strangers = 0
    let unreadable = 0
    for (const one of data) {
      const token = yield* Effect.option(wire.decode(one, party))
      if (token._tag === "None") unreadable++
      else if (yield* mayHold(partner, token.value)) good.push(token.value)
      else strangers++
    }
    return { good, strangers, unreadable }
  })

interface Services {
  readonly client: PartnerClient["Service"]
  readonly clients: HubClients["Service"]
  readonly mayHold: MayHold
  readonly parties: Parties["Service"]
  readonly partners: Partners["Service"]
  readonly tokens: RoamingTokens["Service"]
  readonly secrets: Secrets["Service"]
}

/** What a fetch has dropped, for operators; undefined if nothing. A hub may report the parties of such tokens afterwards. */
const droppedText = (partner: Partner, strangers: number, unreadable: number): string | undefined => {
  const tokens = (n: number) => (n === 1 ? "1 token" : `${n} tokens`)
  const whose = isHub(partner) ? "of parties the hub has not reported" : "of parties that are not the partner's"
  const parts = [
    ...(strangers > 0 ? [`${tokens(strangers)} ${whose}`] : []),
    ...(unreadable > 0 ? [`${tokens(unreadable)} that cannot be read`] : [])
  ]
  return parts.length === 0 ? undefined : parts.join(", ")
}

/** Reads a hub's parties first, since they decide whose tokens it may send. Then follows the pages of tokens and stores each as it arrives. */
const fetched = (services: Services, options: TokenPullOptions, partner: Partner, due: DuePull, beganAt: number) =>
  Effect.gen(function* () {
    const { client, clients, mayHold, parties, secrets, tokens } = services
    const version = client.versionOf(partner)
    const party = tokenParty(partner)
    if (version === undefined || party === undefined) return yield* noList("the partner has no tokens to fetch")
    const wire = wireObjects[version].tokens
    const identity = { isByUid: !factsOf(version).hasTokenTypes }
    const ours = yield* parties.list(due.organisationId)
    const from = ours.find(({ isDefault }) => isDefault)
    const { pageSize, pagesMax } = options
    const correlationId = secrets.uuid(yield* Clock.currentTimeMillis)
    const request = { client, partner, correlationId, from, to: party, pageSize, pagesMax }
    // Before a page is stored: after a new registration it would be stored by the rules of the old version.
    const kept = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (yield* tokens.keepPull(due, now + options.leaseMillis)) return
      return yield* noList("the partner has registered anew meanwhile, and its tokens are fetched again")
    })
    const unreported = offersParties(request)
      ? yield* readHubParties(clients, request, kept).pipe(
          Effect.as(undefined),
          // Its tokens are fetched nevertheless: most of its parties may be known.
          Effect.catchTags({
            PartnerFailed: ({ message }) => Effect.succeed(message),
            Conflict: ({ message }) => Effect.succeed(message),
            NoList: ({ message }) => Effect.succeed(message)
          })
        )
      : undefined
    let taken = 0
    let strangers = 0
    let unreadable = 0
    const query = due.from === undefined ? {} : { date_from: printTimestamp(due.from - options.overlapMillis) }
    if (client.endpointOf(partner, "tokens", "SENDER") !== undefined) {
      yield* readList({ ...request, module: "tokens", query }, (data) =>
        Effect.gen(function* () {
          const read = yield* readable(mayHold, wire, partner, party, data)
          yield* kept
          const now = yield* Clock.currentTimeMillis
          for (let first = 0; first < read.good.length; first += storedAtOnce) {
            const some = read.good.slice(first, first + storedAtOnce)
            yield* tokens.put(partner.id, some, { by: fetching(due.organisationId), now }, identity)
          }
          taken += read.good.length
          strangers += read.strangers
          unreadable += read.unreadable
        })
      )
    }
    const problems = [
      ...(unreported === undefined ? [] : [`the hub's list of parties could not be read: ${unreported}`]),
      ...[droppedText(partner, strangers, unreadable) ?? []].flat()
    ]
    const end: PullEnd = {
      _tag: "Pulled",
      beganAt,
      // Tokens of parties that a hub has not reported are fetched again, until it has: their own time of change does not change then.
      from: isHub(partner) && strangers > 0 ? due.from : beganAt,
      taken,
      unreadable: strangers + unreadable,
      problem: problems.length === 0 ? undefined : problems.join("; ")
    }
    return end
  })

const fetchDue = (services: Services, options: TokenPullOptions): Effect.Effect<boolean, StorageUnavailable> =>
  Effect.gen(function* () {
    const { partners, tokens } = services
    const beganAt = yield* Clock.currentTimeMillis
    const due = yield* tokens.takeDuePull(beganAt, options)
    if (due === undefined) return false
    const { failures, organisationId, partnerId } = due
    const end = yield* partners.get(organisationId, partnerId).pipe(
      Effect.flatMap((partner) => fetched(services, options, partner, due, beganAt)),
      Effect.timeout(options.limitMillis),
      Effect.match({
        onSuccess: (pulled) => pulled,
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
      const clients = yield* HubClients
      const services: Services = {
        client: yield* PartnerClient,
        clients,
        mayHold: heldParties(clients),
        parties: yield* Parties,
        partners: yield* Partners,
        tokens: yield* RoamingTokens,
        secrets: yield* Secrets
      }
      return TokenFetcher.of({ fetchDue: fetchDue(services, options) })
    })
  )
