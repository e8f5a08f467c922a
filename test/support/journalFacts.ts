/** An organisation with a site and chargers in the database, and facts about them, for suites of the journal and of what depends on it. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type {
  ChargerFact,
  ConnectorStatusChanged,
  MeterRead,
  OrphanRecorded,
  SessionEnded,
  SessionStarted
} from "../../src/domain/charger/Fact.ts"
import { supersededEnd } from "../../src/domain/session/Superseded.ts"
import type { MeteredReading } from "../../src/domain/charger/MeterValue.ts"
import { uuid7 } from "../../src/domain/values/Uuid7.ts"

let made = 0

/** A new id, different at every call. */
export const freshId = (): string => {
  made++
  return uuid7(
    1_760_000_000_000 + made,
    new Uint8Array(10).map((_, i) => (made * 31 + i * 7) & 0xff)
  )
}

export interface Seeded {
  readonly organisationId: string
  readonly siteId: string
}

/** Inserts an organisation, a site and the chargers named. */
export const seedChargers = (chargerIds: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const organisationId = freshId()
    const siteId = freshId()
    const party = String(made).padStart(3, "0").slice(-3)
    yield* sql`INSERT INTO organisation (id, name, country_code, party_id, created_at)
      VALUES (${organisationId}::uuid, 'Org', ${`X${made}`}, ${party}, now())`
    yield* sql`INSERT INTO site (id, organisation_id, name, time_zone, created_at, updated_at)
      VALUES (${siteId}::uuid, ${organisationId}::uuid, 'Site', 'UTC', now(), now())`
    for (const id of chargerIds) {
      yield* sql`INSERT INTO charger (charger_id, organisation_id, site_id, name, security_profile, created_at, updated_at)
        VALUES (${id}, ${organisationId}::uuid, ${siteId}::uuid, 'Charger', 0, now(), now())`
    }
    const seeded: Seeded = { organisationId, siteId }
    return seeded
  })

export const noon = Date.UTC(2026, 10, 20, 12)

const base = (seeded: Seeded, chargerId: string, key: string, at: number) => ({
  key,
  organisationId: seeded.organisationId,
  chargerId,
  at,
  heardAt: at + 500
})

export interface Transaction {
  readonly chargerId: string
  readonly sessionId: string
  readonly transactionId: number
}

export const started = (
  seeded: Seeded,
  tx: Transaction,
  more: {
    readonly key?: string
    readonly at?: number
    readonly supersedes?: ReadonlyArray<string>
    readonly tokenUid?: string
  } = {}
): SessionStarted => ({
  ...base(seeded, tx.chargerId, more.key ?? `start:${tx.sessionId}`, more.at ?? noon),
  type: "SessionStarted",
  body: {
    evseId: 1,
    connectorId: 1,
    sessionId: tx.sessionId,
    transactionId: tx.transactionId,
    tokenUid: more.tokenUid ?? "CARD",
    meterStartWh: 1000,
    reservationId: undefined,
    authorization: {
      status: "Accepted",
      source: "LocalToken",
      decidedAt: noon,
      expiresAt: undefined,
      parentUid: undefined
    },
    rawAt: undefined,
    supersedes: more.supersedes ?? [],
    ends: (more.supersedes ?? []).map((sessionId) => supersededEnd({ sessionId, startedAt: noon }, more.at ?? noon))
  }
})

export const reading = (at: number, wh: number): MeteredReading => ({
  registerWh: wh,
  at,
  rawAt: new Date(at).toISOString(),
  samples: [
    {
      value: String(wh),
      measurand: "Energy.Active.Import.Register",
      context: "Sample.Periodic",
      format: "Raw",
      location: "Outlet",
      unit: "Wh"
    }
  ]
})

export const metered = (seeded: Seeded, tx: Transaction, at: number, wh: number): MeterRead => ({
  ...base(seeded, tx.chargerId, `meter:${tx.sessionId}:${at}:${wh}`, at),
  type: "MeterRead",
  body: {
    evseId: 1,
    connectorId: 1,
    sessionId: tx.sessionId,
    readings: [reading(at, wh)],
    registerWh: wh,
    registerAt: at,
    energyWh: wh - 1000,
    fromStop: false
  }
})

export const ended = (
  seeded: Seeded,
  tx: Transaction,
  more: { readonly at?: number; readonly meterStopWh?: number; readonly orphanId?: string } = {}
): SessionEnded => ({
  ...base(seeded, tx.chargerId, `stop:${tx.chargerId}:${tx.transactionId}`, more.at ?? noon + 3_600_000),
  type: "SessionEnded",
  body: {
    sessionId: tx.sessionId,
    tokenUid: "CARD",
    meterStopWh: more.meterStopWh ?? 6000,
    energyWh: (more.meterStopWh ?? 6000) - 1000,
    reason: "Local",
    status: "COMPLETED",
    heldReason: undefined,
    rawAt: undefined,
    orphanId: more.orphanId
  }
})

export const statusChanged = (
  seeded: Seeded,
  chargerId: string,
  epoch: number,
  status: ConnectorStatusChanged["body"]["status"],
  key: string
): ConnectorStatusChanged => ({
  ...base(seeded, chargerId, key, noon),
  epoch,
  type: "ConnectorStatusChanged",
  body: {
    evseId: 1,
    connectorId: 1,
    status,
    rawStatus: status,
    errorCode: "NoError",
    info: undefined,
    vendorId: undefined,
    vendorErrorCode: undefined
  }
})

export const orphaned = (seeded: Seeded, chargerId: string, orphanId: string): OrphanRecorded => ({
  ...base(seeded, chargerId, `orphan:${orphanId}`, noon),
  type: "OrphanRecorded",
  body: {
    orphanId,
    action: "StopTransaction",
    rawTransactionId: "-1",
    tokenUid: "CARD",
    meterStopWh: 6000,
    reason: "PowerLoss",
    rawAt: undefined,
    problem: "no such transaction",
    raw: '[2,"1","StopTransaction",{}]'
  }
})

/** A small fact that only the journal stores. */
export const transferred = (seeded: Seeded, chargerId: string, key: string): ChargerFact => ({
  ...base(seeded, chargerId, key, noon),
  type: "DataTransferred",
  body: { vendorId: "vendor", messageId: undefined, data: "data" }
})
