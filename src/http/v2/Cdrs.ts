/** The endpoints of charge detail records over the domain's port. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Cdr as DomainCdr } from "../../domain/cdr/Cdr.ts"
import { Cdrs } from "../../domain/ports/Cdrs.ts"
import { Api } from "./Api.ts"
import { organisationId, writing } from "./Caller.ts"
import type { Cdr } from "./CdrsApi.ts"
import { listed, located, pageRequest, PublicUrl } from "./Paging.ts"

const hourMillis = 3_600_000

const toCdr = ({ body, ...cdr }: DomainCdr): typeof Cdr.Type => ({
  id: cdr.id,
  number: cdr.number,
  sessionId: cdr.sessionId,
  chargerId: cdr.chargerId,
  siteId: cdr.siteId,
  evseId: body.evseId,
  connectorId: body.connectorId,
  tokenUid: body.tokenUid,
  startedAt: cdr.startedAt,
  endedAt: cdr.endedAt,
  timeZone: body.timeZone,
  currency: body.currency,
  totalCost: body.total,
  totalFixedCost: body.costs.fixed,
  totalEnergyCost: body.costs.energy,
  totalTimeCost: body.costs.time,
  totalParkingCost: body.costs.parking,
  totalReservationCost: body.costs.reservation,
  totalEnergyKwh: body.energyWh / 1000,
  totalTimeHours: body.durationMillis / hourMillis,
  totalParkingTimeHours: body.parkingMillis / hourMillis,
  meterStartWh: body.meterStartWh,
  meterStopWh: body.meterStopWh ?? null,
  periods: body.periods,
  tariff: body.tariff,
  credit: cdr.creditReferenceId !== undefined,
  creditReferenceId: cdr.creditReferenceId ?? null,
  issuedAt: cdr.issuedAt
})

export const layer = HttpApiBuilder.group(
  Api,
  "cdrs",
  Effect.fn(function* (handlers) {
    const cdrs = yield* Cdrs
    const publicUrl = yield* PublicUrl
    return handlers.handleAll({
      list: Effect.fn("v2.cdrs.list")(function* ({ query, request }) {
        const { chargerId, from, sessionId, siteId, to } = query
        const filter = { ...pageRequest(query), chargerId, from, sessionId, siteId, to }
        return listed(publicUrl, request.url, yield* cdrs.list(yield* organisationId, filter), toCdr)
      }),
      get: Effect.fn("v2.cdrs.get")(function* ({ params }) {
        return toCdr(yield* cdrs.get(yield* organisationId, params.cdrId))
      }),
      credit: Effect.fn("v2.cdrs.credit")(function* ({ params }) {
        const cdr = yield* cdrs.credit(params.cdrId, yield* writing)
        return located(publicUrl, `/v2/cdrs/${cdr.id}`, toCdr(cdr))
      })
    })
  })
)
