/** What chargers reported, as the journal's projections store it. Written here by hand, so that reading is tested without the code that writes. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { uuid7 } from "../../src/domain/values/Uuid7.ts"
import { tariffAt } from "./decidedStart.ts"
import { evse } from "./events.ts"
import { noon, type TestOrganisation } from "./repositories.ts"

const date = (ms: number | undefined): Date | null => (ms === undefined ? null : new Date(ms))

let made = 0

/** A UUIDv7 for `at`, different at every call. */
export const idAt = (at: number): string => {
  const n = made++
  return uuid7(at, Uint8Array.from([1, 2, 3, 4, 5, 6, n >>> 24, n >>> 16, n >>> 8, n]))
}

export interface ReportedSession {
  readonly chargerId: string
  readonly siteId: string
  readonly startedAt?: number
  readonly endedAt?: number
  readonly evseId?: number
  readonly energyWh?: number
  /** When the start was received, which determines the session's id. */
  readonly heardAt?: number
  readonly meterStartWh?: bigint
  readonly parentUid?: string
  readonly tokenUid?: string
}

/** A session, running unless it has an end; returns its id. */
export const aSession = (organisation: TestOrganisation, session: ReportedSession) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { chargerId, endedAt, energyWh = 0, siteId, startedAt = noon } = session
    const heardAt = date(session.heardAt ?? startedAt)
    const id = idAt(session.heardAt ?? startedAt)
    yield* sql`
      INSERT INTO session (id, organisation_id, charger_id, site_id, evse_id, connector_id, transaction_id, ocpp_version, token_uid,
        token_key, status, authorization_status, authorization_source, authorized_at, parent_uid, started_at, ended_at,
        meter_start_wh, energy_wh, created_at, updated_at)
      VALUES (${id}, ${organisation.id}, ${chargerId}, ${siteId}, ${session.evseId ?? 1}, 1, ${String(made)}, '1.6',
        ${session.tokenUid ?? "Card"}, ${(session.tokenUid ?? "Card").toLowerCase()},
        ${endedAt === undefined ? "ACTIVE" : "COMPLETED"}, 'Accepted', 'LocalToken', ${heardAt}, ${session.parentUid},
        ${date(startedAt)}, ${date(endedAt)}, ${session.meterStartWh ?? 100n}, ${energyWh}, ${heardAt}, ${heardAt})`
    const tariff = yield* tariffAt(organisation.id, chargerId, evse(session.evseId ?? 1), startedAt)
    if (tariff !== undefined) {
      yield* sql`
        INSERT INTO session_tariff (session_id, organisation_id, tariff_id, version, time_zone)
        VALUES (${id}, ${organisation.id}, ${tariff.tariffId}, ${tariff.version}, ${tariff.timeZone})`
    }
    return id
  })

/** A meter reading of a session at `at`; `n` distinguishes readings of the same instant. */
export const aReading = (organisation: TestOrganisation, chargerId: string, sessionId: string, at: number, n: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const samples = JSON.stringify([
      {
        value: String(n),
        measurand: "Energy.Active.Import.Register",
        context: "Sample.Periodic",
        format: "Raw",
        location: "Outlet",
        unit: "Wh"
      }
    ])
    yield* sql`
      INSERT INTO meter (charger_id, at, key, organisation_id, session_id, evse_id, connector_id, heard_at, energy_wh, samples)
      VALUES (${chargerId}, ${date(at)}, ${Uint8Array.from([n])}, ${organisation.id}, ${sessionId}, 1, 1, ${date(at + 5)},
        ${n === 0 ? null : n}, ${samples}::jsonb)`
  })

/** A connector's status; (0, 0) is the whole charger. */
export const aConnector = (chargerId: string, evseId: number, connectorId: number, status: string, info?: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      INSERT INTO connector (charger_id, evse_id, connector_id, status, raw_status, error_code, info, status_at, heard_at)
      VALUES (${chargerId}, ${evseId}, ${connectorId}, ${status}, ${status}, 'NoError', ${info}, ${date(noon + 123)}, ${date(noon)})`
  })

/** A connection on a node whose lease ends `leaseMillis` from now by the database's clock; if negative, it has ended. */
export const aConnection = (organisation: TestOrganisation, chargerId: string, leaseMillis: number, closed = false) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const node = `node ${chargerId}`
    yield* sql`
      INSERT INTO node (node_id, started_at, lease_until) VALUES (${node}, now(), now() + ${leaseMillis} * interval '1 ms')`
    yield* sql`
      INSERT INTO connection (charger_id, organisation_id, node_id, epoch, ocpp_version, security_profile, remote_address, connected_at,
        closed_at)
      VALUES (${chargerId}, ${organisation.id}, ${node}, 1, '1.6', 0, '127.0.0.1', now(), ${closed ? date(noon) : null})`
  })

/** The boot information of a charger, and the time when it was last heard from. */
export const aBoot = (chargerId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      UPDATE charger SET ocpp_version = '1.6', manufacturer = 'Maker', model = 'M1', serial_number = 'S1', firmware_version = '1.0',
        booted_at = ${date(noon)} WHERE charger_id = ${chargerId}`
    const keys = JSON.stringify([
      { key: "HeartbeatInterval", value: "300", readonly: false },
      { key: "SupportedFeatureProfiles", readonly: true }
    ])
    yield* sql`
      INSERT INTO charger_configuration (charger_id, keys, reported_at) VALUES (${chargerId}, ${keys}::jsonb, ${date(noon)})`
    yield* sql`
      INSERT INTO charger_seen (charger_id, last_seen, last_message) VALUES (${chargerId}, ${date(noon + 1)}, '[2,"1","Heartbeat",{}]')`
  })
