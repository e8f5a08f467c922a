/** The endpoints of charge detail records over the domain's port. */
import { Effect, Option, Stream } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import type { StorageUnavailable } from "../../../domain/Errors.ts"
import { type Cdr as DomainCdr, creditOf, creditRefusal } from "../../../domain/cdr/Cdr.ts"
import type { Place } from "../../../domain/site/CdrLocation.ts"
import { isPricedPlainly } from "../../../domain/cdr/RoamingCdr.ts"
import { type CdrFilter, Cdrs } from "../../../domain/cdr/Cdrs.ts"
import { vatSharesOf } from "../../../domain/cdr/VatShares.ts"
import { Access } from "../../../domain/operator/Access.ts"
import { vatOf } from "../../../domain/values/Amount.ts"
import { RoamingCdrs } from "../../../domain/cdr/RoamingCdrs.ts"
import type { SignedData } from "../../../domain/session/SignedData.ts"
import { mapInSlices, readingFor } from "../../../domain/values/ThreadTime.ts"
import type { Page } from "../../../domain/values/Page.ts"
import { Api } from "../Api.ts"
import { organisationId, audit } from "../requests/Caller.ts"
import { Caller } from "../requests/Middleware.ts"
import { csvHead, csvLine, jsonLine } from "./CdrLines.ts"
import { recordExplanation } from "../tariffs/PriceLines.ts"
import type { Cdr } from "./CdrsApi.ts"
import { toRoaming } from "../roaming/RoamingShape.ts"
import { listed, located, pageRequest, PublicUrl } from "../requests/Paging.ts"

const hourMillis = 3_600_000

const toLocation = (place: Place): NonNullable<(typeof Cdr.Type)["location"]> => ({
  siteName: place.siteName ?? null,
  streetAddress: place.streetAddress ?? null,
  streetNumber: place.streetNumber ?? null,
  houseLetter: place.houseLetter ?? null,
  postalNumber: place.postalNumber ?? null,
  city: place.city ?? null,
  area: place.area ?? null,
  country: place.country ?? null,
  latitude: place.latitude ?? null,
  longitude: place.longitude ?? null,
  chargerName: place.chargerName ?? null,
  standard: place.standard ?? null,
  format: place.format ?? null,
  powerType: place.powerType ?? null,
  maxVoltage: place.maxVoltage ?? null,
  maxAmperage: place.maxAmperage ?? null,
  maxPowerW: place.maxPowerW ?? null
})

const toSignedData = ({ encodingMethod, publicKey, signedValues }: SignedData) => ({
  encodingMethod: encodingMethod ?? null,
  publicKey: publicKey ?? null,
  signedValues: signedValues.map(({ nature, plainData, signedData }) => ({
    nature,
    plainData: plainData ?? null,
    signedData
  }))
})

/** Ids of records that partners receive only in part, or not at all. */
interface NotSent {
  readonly withheld: ReadonlySet<string>
  readonly tariffLeftOut: ReadonlySet<string>
}

const toCdr = ({ body, ...cdr }: DomainCdr, { tariffLeftOut, withheld }: NotSent): typeof Cdr.Type => ({
  id: cdr.id,
  number: cdr.number,
  sessionId: cdr.sessionId,
  chargerId: cdr.chargerId,
  siteId: cdr.siteId,
  evseId: body.evseId,
  connectorId: body.connectorId,
  tokenUid: body.tokenUid,
  tokenType: body.tokenType ?? null,
  authorization: body.authorization ?? null,
  reservationId: body.reservationId ?? null,
  roaming:
    body.roaming === undefined
      ? null
      : {
          ...toRoaming(body.roaming),
          withheld: withheld.has(cdr.id),
          tariffLeftOut: tariffLeftOut.has(cdr.id)
        },
  startedAt: cdr.startedAt,
  endedAt: cdr.endedAt,
  timeZone: body.timeZone,
  location: body.place === undefined ? null : toLocation(body.place),
  currency: body.currency,
  totalCost: body.total,
  totalFixedCost: body.costs.fixed,
  totalEnergyCost: body.costs.energy,
  totalTimeCost: body.costs.time,
  totalParkingCost: body.costs.parking,
  totalReservationCost: body.costs.reservation,
  vatShares: vatSharesOf({ body, creditReferenceId: cdr.creditReferenceId }).map(({ rate = null, ...share }) => ({
    rate: rate === "mixed" ? null : rate,
    isMixed: rate === "mixed",
    ...share,
    vat: vatOf(share)
  })),
  totalEnergyKwh: body.energyWh / 1000,
  totalTimeHours: body.durationMillis / hourMillis,
  totalParkingTimeHours: body.parkingMillis / hourMillis,
  meterStartWh: body.meterStartWh,
  meterStopWh: body.meterStopWh ?? null,
  signedData: body.signedData === undefined ? null : toSignedData(body.signedData),
  periods: body.periods,
  tariff: body.tariff,
  credit: cdr.creditReferenceId !== undefined,
  creditReferenceId: cdr.creditReferenceId ?? null,
  issuedAt: cdr.issuedAt
})

const none: ReadonlySet<string> = new Set()
const allSent: NotSent = { withheld: none, tariffLeftOut: none }

/** Records per page of an export: as many as one statement reads. */
const exportPage = 500

const explanationOf = ({ body, creditReferenceId }: Pick<DomainCdr, "body" | "creditReferenceId">) =>
  recordExplanation(body, { credit: creditReferenceId !== undefined })

/** The credit record that would be issued. Fails if the record is a credit record itself or has already been credited. */
const creditToBe = Effect.fn("v2.cdrs.creditPreview")(function* (cdrs: Cdrs["Service"], id: string) {
  const organisation = yield* organisationId
  const cdr = yield* cdrs.get(organisation, id)
  const { items } = yield* cdrs.list(organisation, { limit: exportPage, sessionId: cdr.sessionId })
  const isCredited = items.some(({ creditReferenceId }) => creditReferenceId === cdr.id)
  if (cdr.creditReferenceId !== undefined || isCredited) return yield* creditRefusal(cdr)
  return explanationOf({ ...cdr, body: creditOf(cdr), creditReferenceId: cdr.id })
})

/** A download with the name under which it is saved. */
const named = <A>(name: string, body: A) =>
  HttpApiSchema.withHeaders({ body, headers: { "content-disposition": `attachment; filename="${name}"` } })

/** All matching records. Pages are read as the client consumes them; the first one is read before the answer begins. */
const exporting = (
  cdrs: Cdrs["Service"],
  shown: (organisation: string, page: Page<DomainCdr>) => Effect.Effect<Page<typeof Cdr.Type>, StorageUnavailable>
) =>
  Effect.fnUntraced(function* (filter: CdrFilter, head: string, line: (cdr: typeof Cdr.Type) => string) {
    const { keyId, organisationId: organisation } = yield* Caller
    const read = (cursor: string | undefined) =>
      Effect.flatMap(cdrs.list(organisation, { limit: exportPage, cursor, ...filter }), (page) =>
        shown(organisation, page)
      )
    const first = yield* read(undefined)
    const pages = Stream.paginate(first, (page) =>
      Effect.gen(function* () {
        const text = (yield* mapInSlices(page.items, line)).join("")
        const next =
          page.nextCursor === null ? Option.none() : Option.some(yield* readingFor(keyId, read(page.nextCursor)))
        return [[text], next] as const
      })
    )
    return Stream.encodeText(Stream.concat(Stream.make(head), pages))
  })

export const layer = HttpApiBuilder.group(
  Api,
  "cdrs",
  Effect.fn(function* (handlers) {
    const access = yield* Access
    const cdrs = yield* Cdrs
    const roaming = yield* RoamingCdrs
    const publicUrl = yield* PublicUrl

    /** Adds what partners do not receive. Of roaming records, only corrected and credit records can be withheld. */
    const shown = Effect.fnUntraced(function* (organisation: string, page: Page<DomainCdr>) {
      const theirs = page.items.filter(({ body }) => body.roaming !== undefined)
      const idsOf = (some: (cdr: DomainCdr) => boolean) => theirs.filter(some).map(({ id }) => id)
      const notSent: NotSent = {
        withheld: yield* roaming.withheld(
          organisation,
          idsOf(({ creditReferenceId, revision }) => creditReferenceId !== undefined || revision > 0)
        ),
        tariffLeftOut: yield* roaming.ofPlainTariffs(
          organisation,
          idsOf(({ body, creditReferenceId }) => creditReferenceId === undefined && !isPricedPlainly(body))
        )
      }
      return { ...page, items: yield* mapInSlices(page.items, (cdr) => toCdr(cdr, notSent)) }
    })

    const one = Effect.fnUntraced(function* (organisation: string, cdr: DomainCdr) {
      const { items } = yield* shown(organisation, { items: [cdr], nextCursor: null })
      return items[0] ?? toCdr(cdr, allSent)
    })

    const lines = exporting(cdrs, shown)

    return handlers.handleAll({
      list: Effect.fn("v2.cdrs.list")(function* ({ query, request }) {
        const organisation = yield* organisationId
        const page = yield* shown(organisation, yield* cdrs.list(organisation, { ...query, ...pageRequest(query) }))
        return yield* listed(publicUrl, request.url, page, (cdr) => cdr)
      }),
      csv: Effect.fn("v2.cdrs.csv")(function* ({ query }) {
        const { timeZone } = yield* Effect.catchTag(access.organisation(yield* organisationId), "NotFound", Effect.die)
        return named("cdrs.csv", yield* lines(query, csvHead, csvLine(timeZone)))
      }),
      jsonLines: Effect.fn("v2.cdrs.jsonLines")(function* ({ query }) {
        return named("cdrs.jsonl", yield* lines(query, "", jsonLine))
      }),
      get: Effect.fn("v2.cdrs.get")(function* ({ params }) {
        const organisation = yield* organisationId
        return yield* one(organisation, yield* cdrs.get(organisation, params.cdrId))
      }),
      price: Effect.fn("v2.cdrs.price")(function* ({ params }) {
        return explanationOf(yield* cdrs.get(yield* organisationId, params.cdrId))
      }),
      creditPreview: ({ params }) => creditToBe(cdrs, params.cdrId),
      credit: Effect.fn("v2.cdrs.credit")(function* ({ params }) {
        const cdr = yield* cdrs.credit(params.cdrId, yield* audit)
        return located(publicUrl, `/v2/cdrs/${cdr.id}`, yield* one(yield* organisationId, cdr))
      })
    })
  })
)
