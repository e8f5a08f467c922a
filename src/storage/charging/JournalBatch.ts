/**
 * Converts facts of many chargers into the parameters of the database function `journal_commit`. Pure code with one pass over the facts,
 * since every message of every charger goes through it.
 */
import type {
  ChargerBooted,
  ChargerFact,
  ConnectorStatusChanged,
  MeterRead,
  OrphanRecorded,
  PastStatusReported,
  SessionEnded,
  SessionStarted,
  SupersededEnd
} from "../../domain/charger/Fact.ts"
import { isAtHand } from "../../domain/session/Matching.ts"
import { tokenKey } from "../../domain/token/Token.ts"
import { shownFields } from "../../domain/command/SecretParts.ts"
import { nulSpelt } from "../../domain/values/OutsideText.ts"
import type { Secrets } from "../../domain/values/Secrets.ts"
import { sealedCommand } from "../commands/SealedCommands.ts"
import { float8Array, int4Array, textArray, timestamptzArray, uuidArray } from "../kernel/Arrays.ts"
import { sealedEntry } from "./SealedConfiguration.ts"

type Document = Array<Readonly<Record<string, unknown>>>

/** The columns of a batch. `ord` in documents counts from 1, like PostgreSQL's ordinality. */
interface Columns {
  readonly keys: Array<string>
  readonly organisations: Array<string>
  readonly types: Array<string>
  readonly chargers: Array<string>
  readonly at: Array<number>
  readonly heard: Array<number>
  readonly bodies: Array<string>
  readonly epochs: Array<number | null>
  /** Ordinal of the fact in the same commit that this one depends on: it is dropped if that one is. */
  readonly requires: Array<number | null>
  readonly meterOrd: Array<number>
  readonly meterSessions: Array<string | null>
  readonly meterEvses: Array<number>
  readonly meterConnectors: Array<number>
  readonly meterAt: Array<number>
  /** The text that the charger sent as the time, if it is not a valid time. */
  readonly meterRawAt: Array<string | null>
  readonly meterEnergy: Array<number | null>
  readonly meterSamples: Array<string>
  readonly registerOrd: Array<number>
  readonly registerSessions: Array<string>
  /** Null for readings that have only power. */
  readonly registerWh: Array<number | null>
  readonly registerAt: Array<number>
  /** Null for a session that was ended by its own stop. */
  readonly registerEnergy: Array<number | null>
  /** Null if no reading has it. */
  readonly registerPower: Array<number | null>
  readonly registerPowerAt: Array<number | null>
  /** How registers change sessions whose card was refused; there are few of those. */
  readonly refused: Document
  readonly starts: Document
  readonly ends: Document
  readonly statuses: Document
  readonly boots: Document
  readonly configurations: Document
  readonly orphans: Document
}

const emptyColumns = (): Columns => ({
  keys: [],
  organisations: [],
  types: [],
  chargers: [],
  at: [],
  heard: [],
  bodies: [],
  epochs: [],
  requires: [],
  meterOrd: [],
  meterSessions: [],
  meterEvses: [],
  meterConnectors: [],
  meterAt: [],
  meterRawAt: [],
  meterEnergy: [],
  meterSamples: [],
  registerOrd: [],
  registerSessions: [],
  registerWh: [],
  registerAt: [],
  registerEnergy: [],
  registerPower: [],
  registerPowerAt: [],
  refused: [],
  starts: [],
  ends: [],
  statuses: [],
  boots: [],
  configurations: [],
  orphans: []
})

const addMeter = (columns: Columns, fact: MeterRead, ord: number): void => {
  const { body } = fact
  for (const reading of body.readings) {
    columns.meterOrd.push(ord)
    columns.meterSessions.push(body.sessionId ?? null)
    columns.meterEvses.push(body.evseId)
    columns.meterConnectors.push(body.connectorId)
    // The charger's own time, plausible or not, since it is part of the reading's identity. Without one, the time of receipt.
    columns.meterAt.push(reading.at ?? fact.heardAt)
    columns.meterRawAt.push(reading.at === undefined ? (reading.rawAt ?? null) : null)
    columns.meterEnergy.push(reading.registerWh ?? null)
    columns.meterSamples.push(JSON.stringify(reading.samples))
  }
  const at = body.registerAt ?? body.powerAt
  if (body.sessionId === undefined || at === undefined) return
  columns.registerOrd.push(ord)
  columns.registerSessions.push(body.sessionId)
  columns.registerWh.push(body.registerWh ?? null)
  columns.registerAt.push(at)
  columns.registerEnergy.push(body.energyWh ?? null)
  columns.registerPower.push(body.powerW ?? null)
  columns.registerPowerAt.push(body.powerAt ?? null)
  if (body.refused === undefined || body.registerAt === undefined) return
  const { heldReason, status } = body.refused
  columns.refused.push({ ord, id: body.sessionId, at: body.registerAt, status, held: heldReason })
}

/** The number if it fits into its column, otherwise undefined. */
const int32 = (value: number | undefined): number | undefined =>
  value === undefined || (Number.isInteger(value) && Math.abs(value) <= 0x7fffffff) ? value : undefined

const startDocument = (fact: SessionStarted, ord: number) => ({
  ord,
  id: fact.body.sessionId,
  charger: fact.chargerId,
  evse: fact.body.evseId,
  connector: fact.body.connectorId,
  tx: String(fact.body.transactionId),
  token: fact.body.tokenUid,
  token_key: tokenKey(fact.body.tokenUid),
  auth: fact.body.authorization.status,
  source: fact.body.authorization.source,
  auth_at: fact.body.authorization.decidedAt,
  auth_until: fact.body.authorization.expiresAt,
  parent: fact.body.authorization.parentUid,
  at: fact.at,
  heard: fact.heardAt,
  meter: fact.body.meterStartWh,
  unmetered: fact.body.meterStartMissing,
  reservation: int32(fact.body.reservationId),
  reserved: fact.body.reserved,
  keeps_tariff: fact.body.keepsTariff,
  clock_ignored: fact.body.clockIgnored,
  consumes: fact.body.consumes,
  follows: fact.body.follows,
  tariff: fact.body.tariff?.tariffId,
  tariff_version: fact.body.tariff?.version,
  time_zone: fact.body.tariff?.timeZone,
  roaming: fact.body.authorization.roaming
})

const endDocument = (fact: SessionEnded, ord: number) => ({
  ord,
  id: fact.body.sessionId,
  at: fact.at,
  heard: fact.heardAt,
  meter_start: fact.body.meterStartWh,
  meter: fact.body.meterStopWh,
  energy: fact.body.energyWh,
  reason: fact.body.reason,
  status: fact.body.status,
  held: fact.body.heldReason,
  orphan: fact.body.orphanId,
  unheard: fact.body.unheard,
  jumped: fact.body.clock?.jumped,
  ahead: fact.body.clock?.aheadMillis,
  reported: fact.body.reported
})

/** The end of a session that a later start shows to be over. */
const supersededDocument = (
  { at, heldReason, reason, sessionId, status }: SupersededEnd,
  heard: number,
  ord: number
) => ({
  ord,
  id: sessionId,
  at,
  heard,
  reason,
  status,
  held: heldReason,
  unheard: true
})

const statusDocument = ({ body, chargerId, type }: ConnectorStatusChanged | PastStatusReported, ord: number) => ({
  ord,
  charger: chargerId,
  evse: body.evseId,
  connector: body.connectorId,
  status: body.status,
  raw: body.rawStatus,
  error: body.errorCode,
  info: body.info,
  vendor: body.vendorId,
  vendor_error: body.vendorErrorCode,
  past: type === "PastStatusReported" ? true : undefined
})

const bootDocument = ({ body, chargerId }: ChargerBooted, ord: number) => ({
  ord,
  charger: chargerId,
  vendor: body.vendor,
  model: body.model,
  serial: body.serialNumber ?? "",
  firmware: body.firmwareVersion ?? "",
  iccid: body.iccid,
  imsi: body.imsi,
  meter_type: body.meterType,
  meter_serial: body.meterSerialNumber,
  accepted: body.registration === "Accepted"
})

const orphanDocument = ({ body }: OrphanRecorded, ord: number) => ({
  ord,
  id: body.orphanId,
  action: body.action,
  tx: body.rawTransactionId,
  token: body.tokenUid,
  meter: body.meterStopWh,
  reason: body.reason,
  raw_at: body.rawAt,
  problem: body.problem,
  // A frame that is not JSON can contain U+0000.
  raw: nulSpelt(body.raw),
  at_hand: isAtHand(body),
  contradicts: body.contradicts,
  readings: body.readings
})

/** Adds the projection that a fact changes, if any. */
const addProjection = (columns: Columns, fact: ChargerFact, ord: number): void => {
  switch (fact.type) {
    case "MeterRead":
      return addMeter(columns, fact, ord)
    case "SessionStarted":
      for (const end of fact.body.ends ?? []) columns.ends.push(supersededDocument(end, fact.heardAt, ord))
      return void columns.starts.push(startDocument(fact, ord))
    case "SessionEnded":
      return void columns.ends.push(endDocument(fact, ord))
    case "ConnectorStatusChanged":
    case "PastStatusReported":
      return void columns.statuses.push(statusDocument(fact, ord))
    case "ChargerBooted":
      return void columns.boots.push(bootDocument(fact, ord))
    case "ConfigurationReported":
      return void columns.configurations.push({ ord, charger: fact.chargerId, keys: fact.body.keys })
    case "OrphanRecorded":
      return void columns.orphans.push(orphanDocument(fact, ord))
    default:
      return
  }
}

/** The body of a fact in the journal. Readings are stored in `meter`, so their fact only has their number. */
const journalBody = (fact: ChargerFact): string => {
  if (fact.type === "OrphanRecorded") {
    const { readings: _, ...rest } = fact.body
    return JSON.stringify({ ...rest, raw: nulSpelt(rest.raw) })
  }
  if (fact.type !== "MeterRead") return JSON.stringify(fact.body)
  const { readings, ...rest } = fact.body
  return JSON.stringify({ ...rest, count: readings.length })
}

const documentOrNull = (document: Document): string | null => (document.length === 0 ? null : JSON.stringify(document))

const requiredOrdinal = (fact: ChargerFact, commit: ReadonlyArray<ChargerFact>, before: number): number | null => {
  const key = "requires" in fact ? fact.requires : undefined
  if (key === undefined) return null
  const index = commit.findIndex((other) => other.key === key)
  // If the required fact is not in the commit, the fact requires itself and so is never new.
  return index < 0 ? before + commit.indexOf(fact) + 1 : before + index + 1
}

type Sealing = Pick<Secrets["Service"], "seal">

/** The fact with its secrets masked, and beside that sealed for those who need them. */
const withoutSecrets = (fact: ChargerFact, secrets: Sealing): ChargerFact => {
  switch (fact.type) {
    case "ConfigurationReported":
      return { ...fact, body: { ...fact.body, keys: fact.body.keys.map((one) => sealedEntry(secrets, one)) } }
    case "ConfigurationKeysLearned":
      return { ...fact, body: { ...fact.body, keys: fact.body.keys.map((one) => sealedEntry(secrets, one)) } }
    case "CommandIssued": {
      const { sealed, shown } = sealedCommand(secrets, fact.body.command)
      if (sealed === undefined) return fact
      const body = { ...fact.body, command: shown, parameters: shownFields(fact.body.parameters), sealed }
      return { ...fact, body }
    }
    default:
      return fact
  }
}

const addFact = (columns: Columns, fact: ChargerFact): void => {
  columns.keys.push(fact.key)
  columns.organisations.push(fact.organisationId)
  columns.types.push(fact.type)
  columns.chargers.push(fact.chargerId)
  columns.at.push(fact.at)
  columns.heard.push(fact.heardAt)
  columns.bodies.push(journalBody(fact))
  columns.epochs.push("epoch" in fact ? fact.epoch : null)
  addProjection(columns, fact, columns.keys.length)
}

/** The parameters of `journal_commit`, in its order, for commits that are written together. */
export const journalParameters = (commits: ReadonlyArray<ReadonlyArray<ChargerFact>>, secrets: Sealing) => {
  const columns = emptyColumns()
  for (const commit of commits) {
    const before = columns.keys.length
    for (const fact of commit) {
      columns.requires.push(requiredOrdinal(fact, commit, before))
      addFact(columns, withoutSecrets(fact, secrets))
    }
  }
  return {
    keys: textArray(columns.keys),
    organisations: uuidArray(columns.organisations),
    types: textArray(columns.types),
    chargers: textArray(columns.chargers),
    at: timestamptzArray(columns.at),
    heard: timestamptzArray(columns.heard),
    bodies: textArray(columns.bodies),
    epochs: float8Array(columns.epochs),
    requires: int4Array(columns.requires),
    meterOrd: int4Array(columns.meterOrd),
    meterSessions: uuidArray(columns.meterSessions),
    meterEvses: int4Array(columns.meterEvses),
    meterConnectors: int4Array(columns.meterConnectors),
    meterAt: timestamptzArray(columns.meterAt),
    meterRawAt: textArray(columns.meterRawAt),
    meterEnergy: float8Array(columns.meterEnergy),
    meterSamples: textArray(columns.meterSamples),
    registerOrd: int4Array(columns.registerOrd),
    registerSessions: uuidArray(columns.registerSessions),
    registerWh: float8Array(columns.registerWh),
    registerAt: timestamptzArray(columns.registerAt),
    registerEnergy: float8Array(columns.registerEnergy),
    registerPower: float8Array(columns.registerPower),
    registerPowerAt: timestamptzArray(columns.registerPowerAt),
    refused: documentOrNull(columns.refused),
    starts: documentOrNull(columns.starts),
    ends: documentOrNull(columns.ends),
    statuses: documentOrNull(columns.statuses),
    boots: documentOrNull(columns.boots),
    configurations: documentOrNull(columns.configurations),
    orphans: documentOrNull(columns.orphans)
  }
}
