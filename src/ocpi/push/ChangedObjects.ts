/** Which of the partners' objects a fact changes, by the ids in the fact. Their owners are looked up later. Pure. */
import { Schema } from "effect"
import type { JournaledFact } from "../../domain/event/Subscription.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { assignmentScopes } from "../../domain/tariff/Tariff.ts"

export type Touched =
  /** The status of one EVSE, or of all EVSEs of the charger. */
  | { readonly _tag: "Status"; readonly chargerId: string; readonly evseId: number | undefined }
  /** The charger's description, and so its location. */
  | { readonly _tag: "Charger"; readonly chargerId: string }
  | { readonly _tag: "Site"; readonly siteId: string }
  /** The statuses of some evses of a site. */
  | { readonly _tag: "Evses"; readonly siteId: string; readonly uids: ReadonlyArray<string> }
  /** Every location of the organisation. */
  | { readonly _tag: "Sites" }
  | { readonly _tag: "Tariff"; readonly tariffId: string }
  /** Every tariff of the organisation. */
  | { readonly _tag: "Tariffs" }
  | { readonly _tag: "Session"; readonly sessionId: string }
  | { readonly _tag: "Cdr"; readonly cdrId: string }

const one = Schema.decodeUnknownOption
const Id = Schema.String.check(Schema.makeFilter((text) => isUuid(text) || "expected a UUID"))

const place = one(Schema.Struct({ evseId: Schema.Int }))
const session = one(Schema.Struct({ sessionId: Id, supersedes: Schema.optional(Schema.Array(Id)) }))

/** The record before and after, in a fact about a change. */
const changed = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = one(schema)
  const Body = one(Schema.Struct({ before: Schema.optional(Schema.Unknown), after: Schema.optional(Schema.Unknown) }))
  return (body: unknown): ReadonlyArray<S["Type"]> => {
    const found = Body(body)
    if (found._tag === "None") return []
    return [found.value.before, found.value.after].flatMap((value) => {
      const decoded = decode(value)
      return decoded._tag === "None" ? [] : [decoded.value]
    })
  }
}

const sited = changed(Schema.Struct({ siteId: Id, registration: Schema.optional(Schema.String) }))
const decided = changed(Schema.Struct({ sessionId: Id }))
const recorded = changed(Schema.Struct({ id: Id, sessionId: Id }))
const dated = changed(
  Schema.Struct({ id: Id, startDateTime: Schema.optional(Schema.Finite), endDateTime: Schema.optional(Schema.Finite) })
)
const assigned = changed(
  Schema.Struct({
    tariffId: Schema.optional(Id),
    scope: Schema.Literals(assignmentScopes),
    siteId: Schema.optional(Id),
    chargerId: Schema.optional(Schema.String)
  })
)

const behind = (subject: string): string => subject.slice(subject.indexOf(":") + 1)

const sessions = (ids: ReadonlyArray<string>): ReadonlyArray<Touched> =>
  [...new Set(ids)].map((sessionId) => ({ _tag: "Session", sessionId }))

/** Partners see a tariff while it is assigned. If another tariff replaces it, both change. */
const byAssignment = (body: unknown): ReadonlyArray<Touched> =>
  assigned(body).flatMap(({ chargerId, scope, siteId, tariffId }): ReadonlyArray<Touched> => {
    const place = (): Touched => {
      if (scope === "site" && siteId !== undefined) return { _tag: "Site", siteId }
      return chargerId === undefined ? { _tag: "Sites" } : { _tag: "Charger", chargerId }
    }
    return [...(tariffId === undefined ? [] : [{ _tag: "Tariff", tariffId } as const]), place()]
  })

const bySession = (body: unknown): ReadonlyArray<Touched> => {
  const found = session(body)
  return found._tag === "None" ? [] : sessions([found.value.sessionId, ...(found.value.supersedes ?? [])])
}

const byStatus = ({ body, subject }: JournaledFact): ReadonlyArray<Touched> => {
  const found = place(body)
  // Connector 0 is the whole charger.
  const evseId = found._tag === "None" || found.value.evseId === 0 ? undefined : found.value.evseId
  return [{ _tag: "Status", chargerId: behind(subject), evseId }]
}

/** A tariff's validity decides which connectors name it. */
const byTariff = ({ body }: JournaledFact): ReadonlyArray<Touched> => {
  const versions = dated(body)
  const [first] = versions
  if (first === undefined) return []
  const isSame = versions.every(
    ({ endDateTime, startDateTime }) => startDateTime === first.startDateTime && endDateTime === first.endDateTime
  )
  return [{ _tag: "Tariff", tariffId: first.id }, ...(isSame ? [] : [{ _tag: "Sites" } as const])]
}

const charger = ({ subject }: JournaledFact): ReadonlyArray<Touched> => [
  { _tag: "Status", chargerId: behind(subject), evseId: undefined }
]
const sites = (): ReadonlyArray<Touched> => [{ _tag: "Sites" }]
const site = ({ subject }: JournaledFact): ReadonlyArray<Touched> => [{ _tag: "Site", siteId: behind(subject) }]

const located = one(Schema.Struct({ evses: Schema.Array(Id) }))

const location = ({ body, subject }: JournaledFact): ReadonlyArray<Touched> => {
  const found = located(body)
  const siteId = behind(subject)
  const uids = found._tag === "None" ? [] : found.value.evses
  return [{ _tag: "Site", siteId }, ...(uids.length === 0 ? [] : [{ _tag: "Evses", siteId, uids } as const])]
}
const described = ({ subject }: JournaledFact): ReadonlyArray<Touched> => [
  { _tag: "Charger", chargerId: behind(subject) }
]
/** A charger's registration decides the status that its EVSEs have for partners. */
const registered = (fact: JournaledFact): ReadonlyArray<Touched> => {
  const records = sited(fact.body)
  const isSame = records.every(({ registration }) => registration === records[0]?.registration)
  return [
    ...described(fact),
    ...(isSame ? [] : charger(fact)),
    ...records.map(({ siteId }): Touched => ({ _tag: "Site", siteId }))
  ]
}
/** Tariffs that were assigned to the object may not be assigned to anything else. */
const andTariffs =
  (touch: (fact: JournaledFact) => ReadonlyArray<Touched>) =>
  (fact: JournaledFact): ReadonlyArray<Touched> => [...touch(fact), { _tag: "Tariffs" }]
const decision = ({ body }: JournaledFact): ReadonlyArray<Touched> =>
  sessions(decided(body).map(({ sessionId }) => sessionId))
const ofSession = ({ body }: JournaledFact): ReadonlyArray<Touched> => bySession(body)

/** A session has its final price once its CDR is issued. */
const record = ({ body }: JournaledFact): ReadonlyArray<Touched> =>
  recorded(body).flatMap(({ id, sessionId }): ReadonlyArray<Touched> => [
    { _tag: "Session", sessionId },
    { _tag: "Cdr", cdrId: id }
  ])

const byType: Readonly<Record<string, (fact: JournaledFact) => ReadonlyArray<Touched>>> = {
  ConnectorStatusChanged: (fact) => byStatus(fact),
  ChargerConnected: charger,
  ChargerDisconnected: charger,
  ConfigurationReported: described,
  ConfigurationKeysLearned: described,
  ChargerRegistered: registered,
  ChargerChanged: registered,
  ChargerRemoved: andTariffs(registered),
  SiteCreated: site,
  SiteChanged: site,
  SiteRemoved: andTariffs(site),
  LocationChanged: location,
  OrganisationChanged: sites,
  PartyCreated: sites,
  TariffAssigned: ({ body }) => byAssignment(body),
  TariffUnassigned: ({ body }) => byAssignment(body),
  TariffCreated: byTariff,
  TariffChanged: byTariff,
  TariffRemoved: byTariff,
  SessionStarted: ofSession,
  SessionReserved: ofSession,
  ReservationEnded: ofSession,
  MeterRead: ofSession,
  SessionEnded: ofSession,
  SessionClosed: decision,
  SessionHeld: decision,
  SessionReleased: decision,
  SessionCorrected: decision,
  SessionPriced: ofSession,
  CdrIssued: record
}

/** The types of facts that change anything that partners receive. */
export const touchingTypes: ReadonlyArray<string> = Object.keys(byType)

export const touchedBy = (fact: JournaledFact): ReadonlyArray<Touched> => byType[fact.type]?.(fact) ?? []
