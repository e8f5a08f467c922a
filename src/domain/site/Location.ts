/**
 * A location as partners see it (OCPI 2.2.1 §8): a site with its EVSEs and their connectors. It is a pure function of its sources (`LocationSources`)
 * and of the location as it was shown before. The latter is needed for `lastUpdated`: each part has the time of its last real change.
 */
import type { BusinessDetails } from "../roaming/Party.ts"
import type { PartyId } from "../values/PartyId.ts"
import { type Company, type EvseDetails, type SiteDetails, siteDetailsOf } from "./Details.ts"
import { type EvseStatus, statusOf } from "./EvseStatus.ts"
import { missingOf } from "./Missing.ts"
import type { OpeningHours } from "./OpeningHours.ts"
import type { LocationSources, SourceCharger, SourceConnector, SourceEvse } from "./LocationSources.ts"
import { type AssignedTariff, assignedTo, type ConnectorPlace, validityAt } from "../tariff/Choice.ts"

export const capabilities = [
  "CHARGING_PREFERENCES_CAPABLE",
  "CHARGING_PROFILE_CAPABLE",
  "REMOTE_START_STOP_CAPABLE",
  "RESERVABLE",
  "RFID_READER",
  "START_SESSION_CONNECTOR_REQUIRED",
  "UNLOCK_CAPABLE"
] as const
export type Capability = (typeof capabilities)[number]

/** The tariffs that a connector is shown with. */
export interface ChosenTariffs {
  /** The tariff of a session that starts now; undefined if it would have no price. */
  readonly tariffId: string | undefined
  /** Tariffs with a narrower assignment that are not valid yet. Each replaces the tariff when it becomes valid. */
  readonly laterTariffIds: ReadonlyArray<string>
}

export interface LocationConnector extends ChosenTariffs {
  /** Unique within its EVSE. */
  readonly id: string
  readonly standard: string
  readonly format: "SOCKET" | "CABLE"
  readonly powerType: string
  /** V, line to neutral. */
  readonly maxVoltage: number
  /** A, of one phase. */
  readonly maxAmperage: number
  readonly maxPowerW: number
  /** True if the operator has not set the equipment. */
  readonly assumed: boolean
  readonly termsAndConditions?: string | undefined
  /** ms epoch. */
  readonly lastUpdated: number
}

export interface LocationEvse {
  readonly uid: string
  /** The ISO 15118 id. A removed EVSE keeps it, unless it is in use at another place. */
  readonly evseId: string | undefined
  readonly status: EvseStatus
  readonly capabilities: ReadonlyArray<Capability>
  /** At least one. */
  readonly connectors: ReadonlyArray<LocationConnector>
  /** Undefined if the operator has set nothing for it. */
  readonly details?: EvseDetails | undefined
  /** ms epoch; for a removed EVSE, the time of its removal. */
  readonly lastUpdated: number
}

export interface Location {
  /** The site's id. */
  readonly id: string
  readonly organisationId: string
  readonly party: PartyId
  readonly operator: BusinessDetails | Company
  readonly name: string
  readonly address: string
  readonly postalCode: string | undefined
  readonly city: string
  readonly state: string | undefined
  /** ISO 3166-1 alpha-3. */
  readonly country: string
  readonly latitude: number
  readonly longitude: number
  readonly timeZone: string
  readonly openingHours: OpeningHours | undefined
  readonly evses: ReadonlyArray<LocationEvse>
  /** Other details that the operator has set for the site; undefined if there are none. */
  readonly details?: LocationDetails | undefined
  /** ms epoch: since when it is no longer public. Set only for as long as removed objects are shown. */
  readonly unpublishedAt?: number | undefined
  /** ms epoch. */
  readonly lastUpdated: number
}

/** A site's details without its operator. */
export type LocationDetails = Omit<SiteDetails, "operator">

/** How many days removed objects are still shown, so that partners who poll for changes learn of the removal. */
export const removedShownDays = 90

const removedShownMillis = removedShownDays * 86_400_000

/** The capabilities of an EVSE: from the charger's feature profiles, and those that every charger has (OCPP 1.6 §3.3). */
const capabilitiesOf = (
  { featureProfiles }: SourceCharger,
  connectors: ReadonlyArray<Pick<LocationConnector, "format">>
): ReadonlyArray<Capability> => {
  const has = (profile: string) => featureProfiles.some((one) => one.toLowerCase() === profile)
  return [
    "RFID_READER",
    "REMOTE_START_STOP_CAPABLE",
    ...(connectors.some(({ format }) => format === "SOCKET") ? (["UNLOCK_CAPABLE"] as const) : []),
    ...(has("reservation") ? (["RESERVABLE"] as const) : []),
    ...(has("smartcharging") ? (["CHARGING_PROFILE_CAPABLE", "CHARGING_PREFERENCES_CAPABLE"] as const) : []),
    ...(connectors.length > 1 ? (["START_SESSION_CONNECTOR_REQUIRED"] as const) : [])
  ]
}

/** Sets `lastUpdated` to `now`, unless nothing has changed. */
const since = <A extends { readonly lastUpdated: number }>(
  next: Omit<A, "lastUpdated">,
  before: A | undefined,
  now: number
): A => {
  const dated = { ...next, lastUpdated: before?.lastUpdated ?? now } as A
  return before !== undefined && same(dated, before) ? before : ({ ...next, lastUpdated: now } as A)
}

/** Equality as JSON: an undefined field counts as missing, and the order of fields does not matter. */
export const same = (one: unknown, other: unknown): boolean => {
  if (Object.is(one, other)) return true
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const a = one as Record<string, unknown>
  const b = other as Record<string, unknown>
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => same(a[key], b[key]))
}

/** The tariff, chosen as for sessions (`tariffOf` of tariff/Choice), and those that will replace it once they are valid. */
export const tariffsOf = (
  place: ConnectorPlace,
  assigned: ReadonlyArray<AssignedTariff>,
  now: number
): ChosenTariffs => {
  const upcoming: Array<string> = []
  for (const tariff of assignedTo(place, assigned)) {
    const validity = validityAt(tariff, now)
    if (validity === "Valid") return { tariffId: tariff.tariffId, laterTariffIds: upcoming }
    if (validity === "Later") upcoming.push(tariff.tariffId)
  }
  return { tariffId: undefined, laterTariffIds: upcoming }
}

const connectorOf = (
  connector: SourceConnector,
  charger: SourceCharger,
  tariffs: ReadonlyArray<AssignedTariff>,
  before: LocationEvse | undefined,
  now: number
): LocationConnector => {
  const id = String(connector.connectorId)
  const place = { chargerId: charger.chargerId, evseId: connector.evseId, connectorId: connector.connectorId }
  return since<LocationConnector>(
    { id, ...connector.equipment, assumed: connector.assumed, ...tariffsOf(place, tariffs, now) },
    before?.connectors.find((one) => one.id === id),
    now
  )
}

/** A removed connector without its tariffs, because these may end while it is still shown. */
const untariffed = (connector: LocationConnector, at: number): LocationConnector =>
  connector.tariffId === undefined && connector.laterTariffIds.length === 0
    ? connector
    : { ...connector, tariffId: undefined, laterTariffIds: [], lastUpdated: at }

export const removed = (before: LocationEvse, at: number): LocationEvse =>
  before.status === "REMOVED"
    ? before
    : {
        ...before,
        status: "REMOVED",
        capabilities: [],
        connectors: before.connectors.map((connector) => untariffed(connector, at)),
        lastUpdated: at
      }

/** The EVSE without its public id, if that is in use at another place. The time of its removal remains. */
const nameless = (evse: LocationEvse, named: SourceEvse | undefined): LocationEvse =>
  named?.usedAgain === true && evse.evseId !== undefined ? { ...evse, evseId: undefined } : evse

/** False for EVSEs that were removed too long ago. */
const isShown = (evse: LocationEvse, now: number): boolean =>
  evse.status !== "REMOVED" || evse.lastUpdated > now - removedShownMillis

const detailsOf = ({ evses = [] }: SourceCharger, evseId: number): EvseDetails | undefined => {
  const { evseId: _, ...details } = evses.find((one) => one.evseId === evseId) ?? { evseId }
  return Object.keys(details).length === 0 ? undefined : details
}

const evseOf = (
  named: SourceEvse,
  sources: LocationSources,
  before: LocationEvse | undefined,
  now: number
): LocationEvse | undefined => {
  const charger = sources.chargers.find(({ chargerId }) => chargerId === named.chargerId)
  const reported = charger?.connectors.filter(({ evseId }) => evseId === named.evseId) ?? []
  if (charger === undefined || reported.length === 0 || named.removed) {
    return before === undefined ? undefined : nameless(removed(before, now), named)
  }
  const connectors = reported.map((one) => connectorOf(one, charger, sources.tariffs, before, now))
  const status = statusOf(charger, reported)
  const next = {
    uid: named.uid,
    evseId: named.publicId,
    status,
    capabilities: capabilitiesOf(charger, connectors),
    connectors,
    details: detailsOf(charger, named.evseId)
  }
  return since<LocationEvse>(next, before, now)
}

const addressOf = ({ houseLetter, streetAddress, streetNumber }: LocationSources["site"] & object): string =>
  [streetAddress, `${streetNumber ?? ""}${houseLetter ?? ""}`]
    .filter((part) => part !== undefined && part !== "")
    .join(" ")

/** The details of a site: its operator, and the rest. */
const describedBy = (site: LocationSources["site"] & object) => {
  const { operator, ...details } = siteDetailsOf(site) ?? {}
  return { operator, details: Object.keys(details).length === 0 ? undefined : details }
}

/**
 * Since when a location that was public is no longer public. Undefined if it is public, was never shown, or has been non-public for longer than
 * removed objects are shown.
 */
const unpublishedAtOf = (isPublished: boolean, before: Location | undefined, now: number): number | undefined => {
  if (isPublished || before === undefined) return undefined
  const at = before.details?.publish === false ? before.unpublishedAt : now
  return at === undefined || at <= now - removedShownMillis ? undefined : at
}

/** A location that was shown, with all its EVSEs removed. */
const withdrawn = (before: Location, named: ReadonlyArray<SourceEvse>, now: number): Location | undefined => {
  const evses = before.evses
    .map((evse) =>
      nameless(
        removed(evse, now),
        named.find(({ uid }) => uid === evse.uid)
      )
    )
    .filter((evse) => isShown(evse, now))
  return evses.length === 0 ? undefined : since<Location>({ ...before, evses }, before, now)
}

/**
 * The location for these sources; `before` is the one that was shown until now. Undefined if there is none. A site without all required data is
 * withdrawn: its EVSEs are shown as removed for a while.
 */
export const locationOf = (
  sources: LocationSources,
  before: Location | undefined,
  now: number
): Location | undefined => {
  const { party, site } = sources
  const { address, city, country, latitude, longitude } = {
    ...site,
    address: site === undefined ? "" : addressOf(site)
  }
  const isComplete = site !== undefined && missingOf(sources).length === 0
  if (!isComplete || city === undefined || country === undefined || latitude === undefined || longitude === undefined) {
    return before === undefined ? undefined : withdrawn(before, sources.evses, now)
  }
  const known = new Map(before?.evses.map((evse) => [evse.uid, evse]))
  const evses = sources.evses
    .map((named) => evseOf(named, sources, known.get(named.uid), now))
    .filter((evse): evse is LocationEvse => evse !== undefined && isShown(evse, now))
  const { details, operator } = describedBy(site)
  const next = {
    id: site.id,
    organisationId: site.organisationId,
    party: { countryCode: party.countryCode, partyId: party.partyId },
    operator: operator ?? party.businessDetails,
    name: site.name,
    address,
    postalCode: site.postalNumber,
    city,
    state: site.area,
    country,
    latitude,
    longitude,
    timeZone: site.timeZone,
    openingHours: site.openingHours,
    evses,
    details,
    unpublishedAt: unpublishedAtOf(details?.publish !== false, before, now)
  }
  return since<Location>(next, before, now)
}

/** The next time, ms epoch, at which the location changes without a new fact; undefined if never. */
export const dueOf = (location: Location, sources: LocationSources, now: number): number | undefined => {
  const forgotten = location.evses
    .filter(({ status }) => status === "REMOVED")
    .map(({ lastUpdated }) => lastUpdated + removedShownMillis)
  const bounds = sources.tariffs.flatMap(({ endsAt, startsAt }) => [startsAt, endsAt])
  const unpublished = location.unpublishedAt === undefined ? [] : [location.unpublishedAt + removedShownMillis]
  const times = [...forgotten, ...unpublished, ...bounds].filter((at): at is number => at !== undefined && at > now)
  return times.length === 0 ? undefined : Math.min(...times)
}
