/** Locations (OCPI 2.2.1 §8, Sender): the list as it is kept, and one location, evse or connector by its ids. */
import { Effect } from "effect"
import type { Location } from "../../domain/site/Location.ts"
import { sameParty } from "../../domain/values/PartyId.ts"
import { Locations } from "../../domain/site/Locations.ts"
import { successAround } from "../protocol/Envelope.ts"
import type { Exchange, Handler, Reply } from "./Exchange.ts"
import { madePageReply, readWindow } from "./Paging.ts"
import { Refused } from "../protocol/Status.ts"

export interface ListOptions {
  /** Our OCPI address without a slash at its end, as partners reach it. */
  readonly base: string
}

/** product.md's words, whatever of the path was not found. */
const none = () => new Refused({ reason: { _tag: "NotFound", object: "Location", detail: "No locations available" } })

/** What cannot be said in the version is not there. */
const found = (data: unknown): Effect.Effect<Reply, Refused> =>
  data === undefined ? Effect.fail(none()) : Effect.succeed({ data })

/** Ids are compared without regard to case (CiString). */
const byId = <A>(all: ReadonlyArray<A>, idOf: (one: A) => string, wanted: string | undefined): A | undefined =>
  wanted === undefined ? undefined : all.find((one) => idOf(one).toLowerCase() === wanted.toLowerCase())

const evseIn = ({ evses }: Location, { params }: Exchange) => byId(evses, ({ uid }) => uid, params["evseUid"])

export const locationsHandlers = ({ base }: ListOptions) =>
  Effect.gen(function* () {
    const locations = yield* Locations
    const organisationOf = ({ bearer }: Exchange): string => bearer.partner.organisationId

    const list: Handler = (exchange) =>
      Effect.gen(function* () {
        const window = yield* readWindow(exchange)
        const { format } = exchange.wire.location
        const page = yield* locations.json(organisationOf(exchange), format, window, successAround(exchange.now))
        return madePageReply(exchange, { base, module: "locations" }, window, page)
      })

    const locationOf = (exchange: Exchange) =>
      locations.get(organisationOf(exchange), exchange.params["locationId"] ?? "").pipe(
        Effect.catchTag("NotFound", () => Effect.fail(none())),
        Effect.map(exchange.wire.location.shown),
        Effect.filterOrFail((one) => one !== undefined, none),
        // What the list does not have is not there by its id.
        Effect.filterOrFail(
          ({ party }) => exchange.addressed === undefined || sameParty(party, exchange.addressed),
          none
        )
      )

    const location: Handler = (exchange) =>
      Effect.flatMap(locationOf(exchange), (one) => found(exchange.wire.location.encode(one)))

    const evse: Handler = (exchange) =>
      Effect.flatMap(locationOf(exchange), (one) => {
        const wanted = evseIn(one, exchange)
        return found(wanted === undefined ? undefined : exchange.wire.evse.encode(wanted))
      })

    const connector: Handler = (exchange) =>
      Effect.flatMap(locationOf(exchange), (one) => {
        const connectors = evseIn(one, exchange)?.connectors ?? []
        const wanted = byId(connectors, ({ id }) => id, exchange.params["connectorId"])
        return found(wanted === undefined ? undefined : exchange.wire.connector.encode(wanted))
      })

    return new Map<string, Handler>([
      ["GET locations", list],
      ["GET locations/:locationId", location],
      ["GET locations/:locationId/:evseUid", evse],
      ["GET locations/:locationId/:evseUid/:connectorId", connector]
    ])
  })
