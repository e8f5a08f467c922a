/** Charging sessions in REST v2, and their meter readings. Most of their data comes from chargers. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { flag, text, Time, Uuid, whole, wholeInQuery } from "../../Fields.ts"
import { Conflict409, NotFound404 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"
import { Roaming } from "../roaming/RoamingShape.ts"
import { PriceExplanation } from "../tariffs/PriceSchema.ts"
import { Period } from "../tariffs/TariffSchema.ts"
import { sessionPlace, sessionStatuses } from "../../../domain/session/ChargingSession.ts"

const SampledValue = Schema.Struct({
  value: Schema.String.annotate({ description: "As the charger sent it" }),
  measurand: Schema.String,
  context: Schema.String,
  format: Schema.String,
  location: Schema.String,
  unit: Schema.String,
  phase: Schema.NullOr(Schema.String)
}).annotate({ identifier: "SampledValue" })

export const MeterValue = Schema.Struct({
  at: Time.annotate({ description: "The charger's time, or the time of receipt if the charger's cannot be read" }),
  receivedAt: Time,
  rawAt: Schema.NullOr(Schema.String).annotate({
    description: "The charger's timestamp, if it could not be read"
  }),
  energyWh: Schema.NullOr(Schema.Finite).annotate({
    description: "The energy register in Wh, derived from the samples, if they have one"
  }),
  samples: Schema.Array(SampledValue)
}).annotate({ identifier: "MeterValue" })

const Cost = Schema.Struct({ currency: Schema.String, exclVat: Schema.Finite, inclVat: Schema.Finite })

const Preferences = Schema.Struct({
  profileType: Schema.String,
  departureAt: Schema.NullOr(Time),
  energyNeedWh: Schema.NullOr(Schema.Finite),
  dischargeAllowed: Schema.NullOr(Schema.Boolean)
}).annotate({ identifier: "ChargingPreferences" })

export const Session = Schema.Struct({
  ...sessionPlace,
  transactionId: Schema.NullOr(Schema.Union([Schema.Int, Schema.String])).annotate({
    description: "An integer for OCPP 1.6, a string for 2.x; null for a reservation that was not used"
  }),
  ocppVersion: Schema.String,
  tokenUid: Schema.String,
  reservationId: Schema.NullOr(Schema.Int).annotate({
    description: "The reservation that the session used, or that it bills"
  }),
  authorization: Schema.Struct({ status: Schema.String, source: Schema.String, decidedAt: Time }),
  roaming: Schema.NullOr(Roaming).annotate({ description: "Null for one of your own cards" }),
  preferences: Schema.NullOr(Preferences).annotate({
    description: "The charging preferences of the partner's driver, as far as they were accepted"
  }),
  status: Schema.Literals(sessionStatuses),
  startedAt: Time,
  endedAt: Schema.NullOr(Time),
  energyWh: Schema.Finite,
  meterStartWh: Schema.Finite,
  meterStopWh: Schema.NullOr(Schema.Finite),
  stopReason: Schema.NullOr(Schema.String),
  heldReason: Schema.NullOr(Schema.String).annotate({
    description: "Why the session is held, so that it is not billed until an operator releases or corrects it"
  }),
  revision: Schema.Int.annotate({ description: "How often it was corrected" }),
  needsCorrection: Schema.Boolean.annotate({
    description:
      "True: data received after its record was issued would change the total, or a further stop contradicts the one that ended it; check the session and correct it"
  }),
  cost: Schema.NullOr(Cost).annotate({
    description:
      "The price so far, or the total once the session has ended; for a billed session, that of its record. Null if no tariff was assigned when it began"
  }),
  periods: Schema.Array(Period).annotate({
    description:
      "Periods with one price each; for a billed session, those of its record. In a list they may be a few seconds behind"
  }),
  createdAt: Time,
  updatedAt: Time
}).annotate({ identifier: "Session" })

/** Readings that `include=meterValues` embeds. The rest is at `/meter-values`, as the Link header says. */
export const embeddedReadings = 100

const SessionWithReadings = HttpApiSchema.WithHeaders(
  Schema.Struct({ ...Session.fields, meterValues: Schema.optionalKey(Schema.Array(MeterValue)) }).annotate({
    identifier: "SessionWithMeterValues"
  }),
  { link: Schema.optionalKey(Schema.String.annotate({ description: "Further meter values, if there are any" })) }
)

const params = { sessionId: Uuid }

/** Longest reason. It may be read years later. */
const reasonMax = 1000

/** Wh; more than any session delivers. */
const energyMax = 1_000_000_000

const Correction = Schema.Struct({
  energyWh: Schema.optionalKey(whole(0, energyMax)),
  startedAt: Schema.optionalKey(Time),
  endedAt: Schema.optionalKey(Time),
  reason: text(reasonMax)
}).annotate({ identifier: "SessionCorrection", description: "Fields that are left out do not change" })

/** A record that the correction would credit. */
const CreditToBe = Schema.Struct({
  recordId: Schema.String,
  number: Schema.Int,
  price: PriceExplanation
}).annotate({ identifier: "CreditToBe" })

export const CorrectionPreview = Schema.Struct({
  energyWh: Schema.Finite,
  startedAt: Time,
  endedAt: Time,
  credits: Schema.Array(CreditToBe),
  bill: Schema.NullOr(PriceExplanation),
  change: Schema.NullOr(Cost)
}).annotate({ identifier: "CorrectionPreview" })

/** Longest uid that a filter may name: chargers of later OCPP versions send more than the 36 of OCPI. */
export const uidMax = 255

export class SessionsApi extends HttpApiGroup.make("sessions").add(
  HttpApiEndpoint.get("list", "/v2/sessions", {
    query: {
      ...PageQuery,
      chargerId: Schema.optionalKey(text(48)),
      tokenUid: Schema.optionalKey(
        text(uidMax).annotate({ description: "Only those of this card; case does not matter" })
      ),
      siteId: Schema.optionalKey(Uuid),
      partnerId: Schema.optionalKey(Uuid.annotate({ description: "Only those of drivers of this roaming partner" })),
      status: Schema.optionalKey(Schema.Literals(sessionStatuses)),
      held: Schema.optionalKey(
        flag("true: only held sessions, which have a `heldReason`; false: only those that are not held")
      ),
      needsCorrection: Schema.optionalKey(
        flag("true: only sessions with `needsCorrection`; false: only those without")
      ),
      from: Schema.optionalKey(Time.annotate({ description: "Started at or after" })),
      to: Schema.optionalKey(Time.annotate({ description: "Started before" }))
    },
    success: listOf(Session)
  }).annotateMerge(operation("List sessions, newest first", "sessions:read")),
  HttpApiEndpoint.get("get", "/v2/sessions/:sessionId", {
    params,
    query: {
      include: Schema.optionalKey(
        Schema.Literals(["meterValues"]).annotate({
          description: `meterValues: also the first ${embeddedReadings} readings in order of time`
        })
      )
    },
    success: SessionWithReadings,
    error: NotFound404
  }).annotateMerge(operation("Read a session", "sessions:read")),
  HttpApiEndpoint.get("price", "/v2/sessions/:sessionId/price", {
    params,
    success: PriceExplanation,
    error: NotFound404
  }).annotateMerge(operation("Explain a session's price line by line", "sessions:read")),
  HttpApiEndpoint.post("release", "/v2/sessions/:sessionId/release", {
    params,
    headers: IdempotencyHeader,
    success: Session,
    error: [NotFound404, Conflict409]
  }).annotateMerge(operation("Release a held session: it is billed as it is", "sessions:write")),
  HttpApiEndpoint.get("correctionPreview", "/v2/sessions/:sessionId/correct", {
    params,
    query: {
      energyWh: Schema.optionalKey(wholeInQuery(0, energyMax)),
      startedAt: Schema.optionalKey(Time),
      endedAt: Schema.optionalKey(Time)
    },
    success: CorrectionPreview,
    error: [NotFound404, Conflict409]
  }).annotateMerge(
    operation("Preview a correction's records line by line, before they are issued", "sessions:read", "cdrs:read")
  ),
  HttpApiEndpoint.post("correct", "/v2/sessions/:sessionId/correct", {
    params,
    headers: IdempotencyHeader,
    payload: Correction,
    success: Session,
    error: [NotFound404, Conflict409]
  }).annotateMerge(
    operation("Correct a session and bill it; a record that was issued is credited at the same time", "sessions:write")
  ),
  HttpApiEndpoint.get("meterValues", "/v2/sessions/:sessionId/meter-values", {
    params,
    query: PageQuery,
    success: listOf(MeterValue),
    error: NotFound404
  }).annotateMerge(operation("List the session's meter readings in order of the charger's time", "sessions:read"))
) {}
