/**
 * Every repository of the REST side on one database, and the smallest world to try them in: organisations with an operator and a key,
 * whose writes are told apart by their author.
 */
import type { Vitest } from "@effect/vitest"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { limits } from "../../src/Config.ts"
import type { Principal } from "../../src/domain/operator/Operator.ts"
import { permissions } from "../../src/domain/operator/Permission.ts"
import { Access } from "../../src/domain/ports/Access.ts"
import type { AuditLog } from "../../src/domain/ports/AuditLog.ts"
import type { Cdrs } from "../../src/domain/ports/Cdrs.ts"
import type { Certificates } from "../../src/domain/ports/Certificates.ts"
import type { Events } from "../../src/domain/ports/Events.ts"
import type { Expectations } from "../../src/domain/ports/Expectations.ts"
import type { Files } from "../../src/domain/ports/Files.ts"
import type { Closings } from "../../src/domain/ports/Closings.ts"
import type { ChargingProfiles } from "../../src/domain/ports/ChargingProfiles.ts"
import type { ChargerHistory } from "../../src/domain/ports/ChargerHistory.ts"
import type { Chargers } from "../../src/domain/ports/Chargers.ts"
import type { Idempotency } from "../../src/domain/ports/Idempotency.ts"
import type { Knocks } from "../../src/domain/ports/Knocks.ts"
import type { Ledgers } from "../../src/domain/ports/Ledgers.ts"
import type { LocalLists } from "../../src/domain/ports/LocalLists.ts"
import type { Locations } from "../../src/domain/ports/Locations.ts"
import type { HubClients } from "../../src/domain/ports/HubClients.ts"
import type { Parties } from "../../src/domain/ports/Parties.ts"
import type { Partners } from "../../src/domain/ports/Partners.ts"
import type { Presence } from "../../src/domain/ports/Presence.ts"
import type { Reservations } from "../../src/domain/ports/Reservations.ts"
import type { RoamingCdrs } from "../../src/domain/ports/RoamingCdrs.ts"
import type { RoamingSessions } from "../../src/domain/ports/RoamingSessions.ts"
import type { RoamingTokens } from "../../src/domain/ports/RoamingTokens.ts"
import { Secrets } from "../../src/domain/ports/Secrets.ts"
import type { SessionReviews } from "../../src/domain/ports/SessionReviews.ts"
import type { Sessions } from "../../src/domain/ports/Sessions.ts"
import type { Sites, Writing } from "../../src/domain/ports/Sites.ts"
import type { Subscriptions } from "../../src/domain/ports/Subscriptions.ts"
import type { Tariffs } from "../../src/domain/ports/Tariffs.ts"
import type { Tokens } from "../../src/domain/ports/Tokens.ts"
import type { Webhooks } from "../../src/domain/ports/Webhooks.ts"
import { locationTexts } from "../../src/ocpi/objects/location/Texts.ts"
import * as AccessRepository from "../../src/storage/Access.ts"
import { layerDisk } from "../../src/storage/blobs/Disk.ts"
import * as AuditLogRepository from "../../src/storage/AuditLog.ts"
import * as CdrsRepository from "../../src/storage/Cdrs.ts"
import * as CertificatesRepository from "../../src/storage/Certificates.ts"
import * as ClosingsRepository from "../../src/storage/Closings.ts"
import * as EventsRepository from "../../src/storage/Events.ts"
import * as ExpectationsRepository from "../../src/storage/Expectations.ts"
import * as FilesRepository from "../../src/storage/Files.ts"
import * as ChargingProfilesRepository from "../../src/storage/ChargingProfiles.ts"
import * as ChargerHistoryRepository from "../../src/storage/ChargerHistory.ts"
import * as ChargersRepository from "../../src/storage/Chargers.ts"
import type { Database } from "../../src/storage/Database.ts"
import * as IdempotencyRepository from "../../src/storage/Idempotency.ts"
import * as KnocksRepository from "../../src/storage/Knocks.ts"
import * as LastSeen from "../../src/storage/LastSeen.ts"
import * as LedgersRepository from "../../src/storage/Ledgers.ts"
import * as LocalListsRepository from "../../src/storage/LocalLists.ts"
import * as LocationsRepository from "../../src/storage/Locations.ts"
import * as HubClientsRepository from "../../src/storage/HubClients.ts"
import * as PartiesRepository from "../../src/storage/Parties.ts"
import * as PartnersRepository from "../../src/storage/Partners.ts"
import * as ReservationsRepository from "../../src/storage/Reservations.ts"
import * as RoamingCdrsRepository from "../../src/storage/RoamingCdrs.ts"
import * as RoamingSessionsRepository from "../../src/storage/RoamingSessions.ts"
import * as RoamingTokensRepository from "../../src/storage/RoamingTokens.ts"
import * as NodeSecrets from "../../src/storage/Secrets.ts"
import * as SessionReviewsRepository from "../../src/storage/SessionReviews.ts"
import * as SessionsRepository from "../../src/storage/Sessions.ts"
import * as SitesRepository from "../../src/storage/Sites.ts"
import * as SubscriptionsRepository from "../../src/storage/Subscriptions.ts"
import * as TariffsRepository from "../../src/storage/Tariffs.ts"
import * as TokensRepository from "../../src/storage/Tokens.ts"
import * as WebhooksRepository from "../../src/storage/Webhooks.ts"

export type Repositories =
  | Access
  | AuditLog
  | Cdrs
  | Certificates
  | Closings
  | Events
  | Expectations
  | Files
  | ChargerHistory
  | Presence
  | Chargers
  | ChargingProfiles
  | Idempotency
  | Knocks
  | Ledgers
  | LocalLists
  | Locations
  | HubClients
  | Parties
  | Partners
  | Reservations
  | RoamingCdrs
  | RoamingSessions
  | RoamingTokens
  | Secrets
  | SessionReviews
  | Sessions
  | Sites
  | Subscriptions
  | Tariffs
  | Tokens
  | Webhooks

const filesOptions = { ...limits.files, folder: mkdtempSync(join(tmpdir(), "voltlane-files-")) }

export const repositories: Layer.Layer<Repositories, never, Database> = Layer.mergeAll(
  AccessRepository.layer,
  AuditLogRepository.layer,
  CdrsRepository.layer,
  CertificatesRepository.layer,
  ClosingsRepository.layer,
  EventsRepository.layer,
  ExpectationsRepository.layer,
  FilesRepository.layer(filesOptions).pipe(Layer.provide(layerDisk(filesOptions.folder))),
  ChargerHistoryRepository.layer.pipe(Layer.provideMerge(LastSeen.layer(limits.lastSeen))),
  ChargersRepository.layer,
  ChargingProfilesRepository.layer,
  IdempotencyRepository.layer({ nodeId: "test" }),
  KnocksRepository.layer(limits.knocks),
  LedgersRepository.layer,
  LocalListsRepository.layer,
  LocationsRepository.layer({ texts: locationTexts, version: "test" }),
  HubClientsRepository.layer,
  PartiesRepository.layer,
  PartnersRepository.layer,
  ReservationsRepository.layer,
  RoamingCdrsRepository.layer,
  RoamingSessionsRepository.layer,
  RoamingTokensRepository.layer,
  SessionReviewsRepository.layer,
  SessionsRepository.layer,
  SitesRepository.layer,
  SubscriptionsRepository.layer,
  TariffsRepository.layer,
  TokensRepository.layer,
  WebhooksRepository.layer
).pipe(Layer.provideMerge(NodeSecrets.layer(Redacted.make("a secret of the tests"))))

/** What a contract suite is given by `forEachDriver`. */
export type ContractIt = Vitest.MethodsNonLive<Repositories | Database>

/** A day of the tests: noon UTC. */
export const noon = Date.UTC(2026, 4, 20, 12)

export interface TestOrganisation {
  readonly id: string
  readonly operatorId: string
  /** Public id of its first key. */
  readonly publicId: string
  readonly clientId: string
  readonly principal: Principal
  readonly writing: (now?: number) => Writing
}

let made = 0

/** A new organisation with a party of its own. */
export const anOrganisation = Effect.gen(function* () {
  const access = yield* Access
  const secrets = yield* Secrets
  const n = made++
  const publicId = `test-key-${n}`
  const clientId = `test-client-${n}`
  const { operatorId, organisation } = yield* access.createOrganisation(
    {
      name: `Organisation ${n}`,
      countryCode: "NL",
      partyId: n.toString(36).toUpperCase().padStart(3, "0"),
      operatorEmail: `operator-${n}@example.com`,
      operatorPasswordHash: undefined,
      operatorPermissions: permissions,
      key: {
        name: "first",
        publicId,
        prefix: `vl_${publicId}`,
        verifier: secrets.verifier("api-key", `secret ${n}`),
        permissions: undefined
      },
      v1: { clientId, codeVerifier: secrets.verifier("v1-code", `code ${n}`) }
    },
    noon
  )
  const found = yield* access.findKey(publicId)
  if (found === undefined) return yield* Effect.die("a key just made was not found")
  const principal = found.principal
  return {
    id: organisation.id,
    operatorId,
    publicId,
    clientId,
    principal,
    writing: (now = noon) => ({ by: principal, now })
  } satisfies TestOrganisation
})

export interface StoredFact {
  readonly type: string
  readonly subject: string
  readonly body: {
    readonly by: string
    readonly before?: Record<string, unknown>
    readonly after?: Record<string, unknown>
  }
}

/** An organisation's facts in the order of the journal. */
export const factsOf = (organisation: TestOrganisation) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<StoredFact>`
      SELECT type, subject, body FROM journal WHERE organisation_id = ${organisation.id} ORDER BY position`
  })

/** What a test of failures looks at: the error's tag and its code, id or pointer. */
export const failureOf = <A, R>(
  effect: Effect.Effect<
    A,
    { readonly _tag: string; readonly code?: string; readonly kind?: string; readonly pointer?: string },
    R
  >
) => Effect.map(Effect.flip(effect), (error) => [error._tag, error.code ?? error.kind ?? error.pointer])
