/**
 * The port `RealTimeAuthorizer` over OCPI (OCPI 2.2.1 §12.2.1.2 POST …/authorize): a partner answers within seconds whether a token may charge. An
 * answer that is late or cannot be read counts as none. The token's whitelist decides what happens then.
 */
import { Clock, Duration, Effect, Layer, Metric } from "effect"
import type { Partner } from "../../domain/roaming/Partner.ts"
import type { RoamingContract } from "../../domain/roaming/Roaming.ts"
import { HubClients } from "../../domain/roaming/HubClients.ts"
import { Partners } from "../../domain/roaming/Partners.ts"
import { RealTimeAuthorizer, type VerdictsWanted } from "../../domain/token/RealTimeAuthorizer.ts"
import { type ReadingPlace, RoamingTokens } from "../../domain/token/RoamingTokens.ts"
import { Secrets } from "../../domain/values/Secrets.ts"
import {
  type AskedPartner,
  contractOf,
  type PartnerAnswer,
  permittedEvses,
  silent,
  verdictWithinMillis
} from "../../domain/token/RealTime.ts"
import { defaultTokenType, type RoamingTokenBody, tokenParty } from "../../domain/token/RoamingToken.ts"
import { Counts } from "../../domain/values/Counts.ts"
import { askableParties, heldParties, type MayHold } from "../protocol/HeldParties.ts"
import { wireObjects } from "../objects/WireObjects.ts"
import { statusCodes } from "../protocol/Status.ts"
import type { PartnerFailed } from "./OcpiClient.ts"
import { PartnerClient } from "./PartnerClient.ts"

/** The most open requests to one partner. Any more would wait for a partner that does not keep up, so they count as unanswered at once. */
const openMax = 200

const asked = Metric.counter("ocpi_authorizations_asked_total", {
  description: "Cards that partners were asked about in real time",
  incremental: true
})
const unanswered = Metric.counter("ocpi_authorizations_unanswered_total", {
  description: "Cards that partners were asked about without answering in time; see the partners' exchanges",
  incremental: true
})

export const authorizerMetrics = [asked, unanswered]

/** Some partners report an unknown token only by the HTTP status, others only by OCPI's. */
const isUnknown = ({ http, status }: PartnerFailed): boolean => http === 404 || status === statusCodes.UnknownToken

/**
 * The contract that pays: that of the token in the answer, or the known card's. An unknown card without a token in the answer (some
 * versions have none there) is billed to the partner's own party.
 */
const contractFor = (
  partner: Partner,
  { card }: AskedPartner,
  token: RoamingTokenBody | undefined,
  uid: string
): RoamingContract | undefined => {
  if (token !== undefined) return contractOf({ ...token, partnerId: partner.id })
  const party = tokenParty(partner)
  if (card !== undefined || party === undefined) return card
  const { countryCode, partyId } = party
  return { partnerId: partner.id, countryCode, partyId, uid, type: defaultTokenType, contractId: uid }
}

interface Services {
  readonly client: PartnerClient["Service"]
  readonly mayHold: MayHold
  readonly isAskable: MayHold
  readonly partners: Partners["Service"]
  readonly tokens: RoamingTokens["Service"]
  readonly secrets: Secrets["Service"]
}

/** One partner's answer, or why there is none. */
const wordOf = (services: Services, about: AskedPartner, place: ReadingPlace | undefined, wanted: VerdictsWanted) =>
  Effect.gen(function* () {
    const { client, partners, secrets } = services
    const partner = yield* partners.get(wanted.organisationId, about.partnerId)
    const version = client.versionOf(partner)
    const party = about.card ?? tokenParty(partner)
    if (version === undefined || party === undefined || !(yield* services.isAskable(partner, party)))
      return silent(about)
    const wire = wireObjects[version].tokens
    const uid = about.card?.uid ?? wanted.tokenUid
    const type = about.card?.type ?? defaultTokenType
    const answered = yield* client.call(partner, {
      method: "POST",
      at: { module: "tokens", role: "SENDER", path: [uid, "authorize"], query: { type } },
      body: place?.location === undefined ? undefined : wire.references(place.location),
      correlationId: secrets.uuid(yield* Clock.currentTimeMillis),
      from: place?.party,
      to: party
    })
    const { allowed, authorizationReference, place: permitted, token } = yield* wire.decodeWord(answered.data, party)
    const own = token !== undefined && (yield* services.mayHold(partner, token)) ? token : undefined
    const answer: PartnerAnswer = {
      about,
      allowed,
      contract: contractFor(partner, about, own, uid),
      groupUid: own?.groupUid,
      evseIds: place?.location === undefined ? undefined : permittedEvses(place.location, permitted),
      authorizationReference
    }
    return answer
  }).pipe(
    Effect.catchTag("PartnerFailed", (error) =>
      isUnknown(error) ? Effect.succeed({ ...silent(about), allowed: "UNKNOWN" }) : Effect.fail(error)
    ),
    Effect.catch((error) =>
      Effect.as(
        Effect.annotateLogs(Effect.logWarning(`a partner did not answer a query about a card: ${error.message}`), {
          partnerId: about.partnerId
        }),
        silent(about)
      )
    )
  )

/** Counts the open requests to each partner. A partner with too many counts as silent. */
const counting = () => {
  const open = new Counts()
  return (about: AskedPartner, answer: Effect.Effect<PartnerAnswer>) =>
    Effect.suspend(() => {
      const { partnerId } = about
      if (open.of(partnerId) >= openMax) return Effect.succeed(silent(about))
      open.add(partnerId, 1)
      return Effect.ensuring(
        answer,
        Effect.sync(() => open.add(partnerId, -1))
      )
    })
}

const make = Effect.gen(function* () {
  const tokens = yield* RoamingTokens
  const clients = yield* HubClients
  const services: Services = {
    client: yield* PartnerClient,
    mayHold: heldParties(clients),
    isAskable: askableParties(clients),
    partners: yield* Partners,
    tokens,
    secrets: yield* Secrets
  }
  const counted = counting()

  const partnerAnswers = Effect.fn("RealTimeAuthorizer.partnerAnswers")(function* (wanted: VerdictsWanted) {
    const { chargerId, evseId, organisationId, partners } = wanted
    const place = yield* Effect.cached(
      Effect.orElseSucceed(tokens.placeOf(organisationId, chargerId, evseId), () => undefined)
    )
    const said = yield* Effect.forEach(
      partners,
      (about) =>
        Effect.flatMap(place, (at) => counted(about, wordOf(services, about, at, wanted))).pipe(
          Effect.timeoutOrElse({
            duration: Duration.millis(verdictWithinMillis),
            orElse: () => Effect.succeed(silent(about))
          })
        ),
      { concurrency: "unbounded" }
    )
    yield* Metric.update(asked, said.length)
    yield* Metric.update(unanswered, said.filter(({ allowed }) => allowed === undefined).length)
    return said
  })
  return RealTimeAuthorizer.of({ partnerAnswers })
})

export const layer: Layer.Layer<
  RealTimeAuthorizer,
  never,
  HubClients | PartnerClient | Partners | RoamingTokens | Secrets
> = Layer.effect(RealTimeAuthorizer, make)
