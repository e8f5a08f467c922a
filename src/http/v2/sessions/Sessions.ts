/** The endpoints of charging sessions over the domain's port. */
import { Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Ledgers } from "../../../domain/session/Ledgers.ts"
import { SessionReviews } from "../../../domain/session/SessionReviews.ts"
import { Sessions } from "../../../domain/session/Sessions.ts"
import {
  type ChargingSession,
  costOf,
  isOnlyReserved,
  needsCorrection,
  type SessionReading
} from "../../../domain/session/ChargingSession.ts"
import type { ChargingPreferences } from "../../../domain/session/ChargingPreferences.ts"
import { priceOf, toSessionPrice } from "../../../domain/session/Ledger.ts"
import type { SessionPrice } from "../../../domain/session/SessionPrice.ts"
import { pathOf } from "../../RawUrl.ts"
import { Api } from "../Api.ts"
import { organisationId, audit } from "../requests/Caller.ts"
import { listed, nextLink, pageRequest, PublicUrl } from "../requests/Paging.ts"
import { toRoaming } from "../roaming/RoamingShape.ts"
import { toExplanation, unpriced } from "../tariffs/PriceLines.ts"
import { correctionPreviews } from "./CorrectionPreviews.ts"
import { embeddedReadings, type MeterValue, type Session } from "./SessionsApi.ts"

/** OCPP 1.6 has integers, which we assign. 2.x has strings, which the charger assigns; they may look like numbers and stay strings. */
const transactionId = (session: ChargingSession): number | string | null => {
  // An unused reservation is not a transaction of the charger.
  if (isOnlyReserved(session)) return null
  return session.ocppVersion === "1.6" && /^-?\d{1,15}$/.test(session.transactionId)
    ? Number(session.transactionId)
    : session.transactionId
}

const toCost = ({ currency, exclVat, inclVat }: SessionPrice) => ({ currency, exclVat, inclVat })

const toPreferences = ({ departureAt, dischargeAllowed, energyNeedWh, profileType }: ChargingPreferences) => ({
  profileType,
  departureAt: departureAt ?? null,
  energyNeedWh: energyNeedWh ?? null,
  dischargeAllowed: dischargeAllowed ?? null
})

const toSession = (session: ChargingSession): typeof Session.Type => {
  const cost = costOf(session)
  return {
    id: session.id,
    chargerId: session.chargerId,
    siteId: session.siteId,
    evseId: session.evseId,
    connectorId: session.connectorId,
    transactionId: transactionId(session),
    ocppVersion: session.ocppVersion,
    tokenUid: session.tokenUid,
    reservationId: session.reservation?.reservationId ?? null,
    authorization: {
      status: session.authorization.status,
      source: session.authorization.source,
      decidedAt: session.authorization.decidedAt
    },
    roaming: session.roaming === undefined ? null : toRoaming(session.roaming),
    preferences: session.preferences === undefined ? null : toPreferences(session.preferences),
    status: session.status,
    startedAt: session.startedAt,
    endedAt: session.endedAt ?? null,
    energyWh: session.energyWh,
    meterStartWh: session.meterStartWh,
    meterStopWh: session.meterStopWh ?? null,
    stopReason: session.stopReason ?? null,
    heldReason: session.heldReason ?? null,
    revision: session.revision ?? 0,
    needsCorrection: needsCorrection(session),
    cost: cost === undefined ? null : toCost(cost),
    periods: cost?.periods ?? [],
    createdAt: session.createdAt,
    updatedAt: session.updatedAt
  }
}

const toMeterValue = (reading: SessionReading): typeof MeterValue.Type => ({
  at: reading.at,
  receivedAt: reading.heardAt,
  rawAt: reading.rawAt ?? null,
  energyWh: reading.energyWh ?? null,
  samples: reading.samples.map((sample) => ({
    value: sample.value,
    measurand: sample.measurand,
    context: sample.context,
    format: sample.format,
    location: sample.location,
    unit: sample.unit,
    phase: sample.phase ?? null
  }))
})

export const layer = HttpApiBuilder.group(
  Api,
  "sessions",
  Effect.fn(function* (handlers) {
    const sessions = yield* Sessions
    const ledgers = yield* Ledgers
    const reviews = yield* SessionReviews
    const publicUrl = yield* PublicUrl
    const previewed = yield* correctionPreviews

    /** A single session is priced when it is read, so that a reader sees the final price right after the stop. */
    const one = Effect.fnUntraced(function* (organisation: string, id: string) {
      const session = yield* sessions.get(organisation, id)
      const ledger = yield* ledgers.ofSession(organisation, id)
      return toSession(ledger === undefined ? session : { ...session, price: toSessionPrice(ledger, priceOf(ledger)) })
    })
    return handlers.handleAll({
      list: Effect.fn("v2.sessions.list")(function* ({ query, request }) {
        const { chargerId, from, held, needsCorrection, partnerId, siteId, status, to, tokenUid } = query
        const filter = {
          ...pageRequest(query),
          chargerId,
          from,
          held,
          needsCorrection,
          partnerId,
          siteId,
          status,
          to,
          tokenUid
        }
        return yield* listed(publicUrl, request.url, yield* sessions.list(yield* organisationId, filter), toSession)
      }),
      get: Effect.fn("v2.sessions.get")(function* ({ params, query, request }) {
        const organisation = yield* organisationId
        const body = yield* one(organisation, params.sessionId)
        if (query.include !== "meterValues") return HttpApiSchema.withHeaders({ body, headers: {} })
        const page = yield* sessions.readings(organisation, params.sessionId, { limit: embeddedReadings })
        const further = `${pathOf(request.url)}/meter-values`
        return HttpApiSchema.withHeaders({
          body: { ...body, meterValues: page.items.map(toMeterValue) },
          headers: page.nextCursor === null ? {} : { link: nextLink(publicUrl, further, page.nextCursor) }
        })
      }),
      price: Effect.fn("v2.sessions.price")(function* ({ params: { sessionId } }) {
        const organisation = yield* organisationId
        const { endedAt, heldReason: held, record } = yield* sessions.get(organisation, sessionId)
        const ledger = yield* ledgers.ofSession(organisation, sessionId)
        const ended = endedAt !== undefined
        if (ledger === undefined) return unpriced(!ended, held)
        // Like `cost`: if the session was billed, its record counts, whatever has arrived since.
        const priced = record === undefined ? priceOf(ledger) : { periods: record.periods, total: record }
        const { periods, total } = priced
        return toExplanation(ledger.tariff, { periods, total, ended }, { held })
      }),
      release: Effect.fn("v2.sessions.release")(function* ({ params: { sessionId } }) {
        yield* reviews.release(sessionId, yield* audit)
        return yield* one(yield* organisationId, sessionId)
      }),
      correctionPreview: ({ params, query }) => previewed(params.sessionId, query),
      correct: Effect.fn("v2.sessions.correct")(function* ({ params: { sessionId }, payload }) {
        const { endedAt, energyWh, reason, startedAt } = payload
        yield* reviews.correct(sessionId, { endedAt, energyWh, reason, startedAt }, yield* audit)
        return yield* one(yield* organisationId, sessionId)
      }),
      meterValues: Effect.fn("v2.sessions.meterValues")(function* ({ params, query, request }) {
        const page = yield* sessions.readings(yield* organisationId, params.sessionId, pageRequest(query))
        return yield* listed(publicUrl, request.url, page, toMeterValue)
      })
    })
  })
)
