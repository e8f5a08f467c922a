/** Locations (OCPI 2.2.1 §8, Sender): the list as stored JSON, and one location, EVSE or connector by its ids. */
import { Effect } from "effect"
import type { Location } from "../../domain/site/Location.ts"
import { sameParty } from "../../domain/values/PartyId.ts"
import { Locations } from "../../domain/site/Locations.ts"
import { successAround } from "../protocol/Envelope.ts"
import type { Exchange, Handler, Reply } from "./Exchange.ts"
import { madePageReply, readWindow } from "./Paging.ts"
import { Refused } from "../protocol/Status.ts"

export interface ListOptions {
  /** Our OCPI address without a trailing slash, as partners reach it. */
  readonly base: string
}

/** The message that product.md requires, whichever part of the path was not found. */
const none = () => new Refused({ reason: { _tag: "NotFound", object: "Location", detail: "No locations available" } })

/** An object that the version cannot express is answered as not found. */
const found = (data: unknown): Effect.Effect<Reply, Refused> =>
  data === undefined ? Effect.fail(none()) : Effect.succeed({ data })

/** Ids are compared ignoring case (CiString). */
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
        // A location that is not in the addressed party's list is not found by its id either.
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
