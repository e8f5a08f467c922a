/** The endpoints of tariffs over the domain's port. Previews need nothing but the domain. */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { resolutionOf, standbyW } from "../../../domain/tariff/Evidence.ts"
import { pricesParking, warningsAtMeters, warningsOf } from "../../../domain/tariff/Findings.ts"
import { explained } from "../../../domain/tariff/Explanation.ts"
import { price } from "../../../domain/tariff/Price.ts"
import { usualStart, weekOf } from "../../../domain/tariff/Week.ts"
import type { PricedSession } from "../../../domain/tariff/Stretches.ts"
import { InvalidInput } from "../../../domain/Errors.ts"
import { Chargers } from "../../../domain/charger/Chargers.ts"
import { type CoarseMeter, Tariffs } from "../../../domain/tariff/Tariffs.ts"
import type { Assignment as DomainAssignment, Pricing, Tariff as DomainTariff } from "../../../domain/tariff/Tariff.ts"
import { Api } from "../Api.ts"
import { organisationId, audit } from "../requests/Caller.ts"
import { placeOf } from "../../../domain/site/Connector.ts"
import { listed, located, pageRequest, PublicUrl } from "../requests/Paging.ts"
import { toChargerTariffs, toPlaced } from "./Placed.ts"
import { toPriceLine } from "./PriceLines.ts"
import type { NewPreview, Preview } from "./TariffsApi.ts"
import type { Assignment, Tariff, Week } from "./TariffSchema.ts"

const toTariff = ({ body, createdAt, id, updatedAt, version }: DomainTariff): typeof Tariff.Type => ({
  id,
  version,
  currency: body.currency,
  elements: body.elements,
  minPrice: body.minPrice ?? null,
  maxPrice: body.maxPrice ?? null,
  type: body.type ?? null,
  tariffAltText: body.tariffAltText ?? [],
  tariffAltUrl: body.tariffAltUrl ?? null,
  startDateTime: body.startDateTime ?? null,
  endDateTime: body.endDateTime ?? null,
  energyMix: body.energyMix ?? null,
  warnings: warningsOf(body),
  createdAt,
  lastUpdated: updatedAt
})

const assignmentOf = ({ chargerId, connector, siteId }: typeof Assignment.Type): DomainAssignment => {
  if (connector !== undefined) return { scope: "connector", chargerId: connector.chargerId, ...placeOf(connector) }
  if (chargerId !== undefined) return { scope: "charger", chargerId }
  return siteId === undefined ? { scope: "organisation" } : { scope: "site", siteId }
}

interface AssignmentAsked {
  readonly default?: true
  readonly siteId?: string
  readonly chargerId?: string
  readonly connectorId?: number
  readonly evseId?: number
}

const asked = ({ chargerId, connectorId, default: all, evseId, siteId }: AssignmentAsked) => {
  const scopes = [all, siteId, chargerId].filter((one) => one !== undefined).length
  if (scopes !== 1 || (connectorId !== undefined && chargerId === undefined)) {
    return Effect.fail(
      new InvalidInput({ pointer: "", detail: "Must name exactly one of default, siteId and chargerId" })
    )
  }
  if (evseId !== undefined && connectorId === undefined) {
    return Effect.fail(new InvalidInput({ pointer: "/evseId", detail: "Requires connectorId" }))
  }
  if (chargerId === undefined || connectorId === undefined) {
    return Effect.succeed(
      assignmentOf({ ...(siteId === undefined ? {} : { siteId }), ...(chargerId === undefined ? {} : { chargerId }) })
    )
  }
  const given = { connectorId, ...(evseId === undefined ? {} : { evseId }) }
  return Effect.succeed<DomainAssignment>({ scope: "connector", chargerId, ...placeOf(given) })
}

const toAssignment = (given: DomainAssignment): typeof Assignment.Type => {
  switch (given.scope) {
    case "organisation":
      return { default: true }
    case "site":
      return { siteId: given.siteId }
    case "charger":
      return { chargerId: given.chargerId }
    case "connector": {
      const { chargerId, connectorId, evseId } = given
      return { connector: { chargerId, evseId, connectorId } }
    }
  }
}

const toSeen = ({ chargerId, connectorId, evseId, standbyPowerW, stepWh }: CoarseMeter) => ({
  name: `${chargerId}, EVSE ${evseId}, connector ${connectorId}`,
  resolution: { wh: stepWh, isProven: true },
  standbyW: standbyPowerW
})

/** The properties of an example's meter, derived from its readings. */
const meterOf = ({ readings, standbyPowerW = standbyW.usual }: Pick<PricedSession, "readings" | "standbyPowerW">) => ({
  resolution: resolutionOf(readings.map(({ energyWh }) => energyWh)),
  standbyW: standbyPowerW
})

const hasPower = ({ readings }: Pick<PricedSession, "readings">): boolean =>
  readings.some(({ currentA, powerW }) => powerW !== undefined || currentA !== undefined)

const toPreview = ({ reservation, session, tariff }: typeof NewPreview.Type): typeof Preview.Type => {
  const timeZone = session.timeZone ?? "UTC"
  const ended = session.running !== true
  const { costs, periods, total } = price(tariff, {
    session: { ...session, timeZone, resolution: meterOf(session).resolution },
    reserved: reservation,
    timeZone,
    ended
  })
  return {
    cost: { currency: tariff.currency, ...total },
    costs,
    lines: explained(tariff, { periods, total, ended }).map(toPriceLine),
    periods,
    warnings: [...warningsOf(tariff), ...(hasPower(session) ? [] : warningsAtMeters(tariff, [meterOf(session)]))]
  }
}

interface WeekAsked {
  readonly tariff: Pricing
  readonly startDate: string
  readonly powerW?: number
  readonly currentA?: number
}

const toWeek = ({ currentA, powerW, startDate, tariff }: WeekAsked): typeof Week.Type => {
  const { bands, gaps, periods } = weekOf(tariff, {
    startDate,
    powerW: powerW ?? usualStart.powerW,
    currentA: currentA ?? usualStart.currentA
  })
  return {
    bands: bands.map((prices) => ({
      prices: prices.map(({ element = null, vat = null, ...rest }) => ({ ...rest, element, vat }))
    })),
    periods,
    gaps,
    warnings: warningsOf(tariff)
  }
}

export const layer = HttpApiBuilder.group(
  Api,
  "tariffs",
  Effect.fn(function* (handlers) {
    const tariffs = yield* Tariffs
    const chargers = yield* Chargers
    const publicUrl = yield* PublicUrl
    const assignments = Effect.fnUntraced(function* (id: string) {
      const organisation = yield* organisationId
      const items = (yield* tariffs.assignments(organisation, id)).map(toAssignment)
      const { body } = yield* tariffs.get(organisation, id)
      const meters = pricesParking(body) ? yield* tariffs.coarseMeters(organisation, id) : []
      return { items, warnings: warningsAtMeters(body, meters.map(toSeen)) }
    })
    return handlers.handleAll({
      create: Effect.fn("v2.tariffs.create")(function* ({ payload }) {
        const { tariffAltText = [], ...rest } = payload
        // No text is shown as an empty list, so an empty list is accepted as no text.
        const body = tariffAltText.length === 0 ? rest : payload
        const tariff = yield* tariffs.create(body, yield* audit)
        return located(publicUrl, `/v2/tariffs/${tariff.id}`, toTariff(tariff))
      }),
      list: Effect.fn("v2.tariffs.list")(function* ({ query, request }) {
        return yield* listed(
          publicUrl,
          request.url,
          yield* tariffs.list(yield* organisationId, pageRequest(query)),
          toTariff
        )
      }),
      get: Effect.fn("v2.tariffs.get")(function* ({ params: { tariffId } }) {
        return toTariff(yield* tariffs.get(yield* organisationId, tariffId))
      }),
      update: Effect.fn("v2.tariffs.update")(function* ({ params: { tariffId }, payload }) {
        const patch = payload.tariffAltText?.length === 0 ? { ...payload, tariffAltText: null } : payload
        return toTariff(yield* tariffs.update(tariffId, patch, yield* audit))
      }),
      remove: Effect.fn("v2.tariffs.remove")(function* ({ params: { tariffId } }) {
        yield* tariffs.remove(tariffId, yield* audit)
      }),
      runningSessions: Effect.fn("v2.tariffs.runningSessions")(function* ({ params: { tariffId } }) {
        return { items: yield* tariffs.runningSessions(yield* organisationId, tariffId) }
      }),
      assignments: Effect.fn("v2.tariffs.assignments")(function* ({ params: { tariffId } }) {
        return yield* assignments(tariffId)
      }),
      assign: Effect.fn("v2.tariffs.assign")(function* ({ params: { tariffId }, payload }) {
        yield* tariffs.assign(tariffId, assignmentOf(payload), yield* audit)
        return yield* assignments(tariffId)
      }),
      unassign: Effect.fn("v2.tariffs.unassign")(function* ({ params: { tariffId }, query }) {
        // Another organisation's tariff is NotFound, whatever else is wrong.
        yield* tariffs.get(yield* organisationId, tariffId)
        yield* tariffs.unassign(tariffId, yield* asked(query), yield* audit)
      }),
      listAssignments: Effect.fn("v2.tariffs.listAssignments")(function* ({ query, request }) {
        const page = yield* tariffs.placed(yield* organisationId, query.tariffId, pageRequest(query))
        return yield* listed(publicUrl, request.url, page, toPlaced)
      }),
      ofCharger: Effect.fn("v2.tariffs.ofCharger")(function* ({ params: { chargerId }, query: { at } }) {
        const organisation = yield* organisationId
        const charger = yield* chargers.get(organisation, chargerId)
        const assigned = yield* tariffs.around(organisation, chargerId)
        return toChargerTariffs(charger, assigned, at ?? (yield* Clock.currentTimeMillis))
      }),
      preview: Effect.fn("v2.tariffs.preview")(({ payload }) => Effect.sync(() => toPreview(payload))),
      week: Effect.fn("v2.tariffs.week")(({ payload }) => Effect.sync(() => toWeek(payload)))
    })
  })
)
