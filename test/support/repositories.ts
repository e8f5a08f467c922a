/**
 * Every repository of REST on one database, and the smallest world to test them in: organisations with an operator and a key, whose writes are
 * distinguished by their author.
 */
import type { Vitest } from "@effect/vitest"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { limits } from "../../src/Config.ts"
import type { Principal, AuditContext } from "../../src/domain/values/AuditContext.ts"
import { permissions } from "../../src/domain/operator/Permission.ts"
import { Access } from "../../src/domain/operator/Access.ts"
import type { SingleSignOns } from "../../src/domain/operator/SingleSignOns.ts"
import type { Accounts } from "../../src/domain/operator/Accounts.ts"
import { ownerWith } from "../../src/domain/operator/Role.ts"
import type { Authorizations } from "../../src/domain/token/Authorizations.ts"
import type { AuditLog } from "../../src/domain/operator/AuditLog.ts"
import type { Cdrs } from "../../src/domain/cdr/Cdrs.ts"
import type { Certificates } from "../../src/domain/charger/Certificates.ts"
import type { Events } from "../../src/domain/event/Events.ts"
import type { Drifts } from "../../src/domain/charger/Drifts.ts"
import type { Expectations } from "../../src/domain/charger/Expectations.ts"
import type { Files } from "../../src/domain/file/Files.ts"
import type { Closings } from "../../src/domain/session/Closings.ts"
import type { ChargingProfiles } from "../../src/domain/command/ChargingProfiles.ts"
import type { ChargerHistory } from "../../src/domain/charger/ChargerHistory.ts"
import type { Chargers } from "../../src/domain/charger/Chargers.ts"
import type { Idempotency } from "../../src/domain/operator/Idempotency.ts"
import type { UnknownChargerAttempts } from "../../src/domain/charger/UnknownChargerAttempts.ts"
import type { Ledgers } from "../../src/domain/session/Ledgers.ts"
import type { LocalLists } from "../../src/domain/command/LocalLists.ts"
import type { Locations } from "../../src/domain/site/Locations.ts"
import type { HubClients } from "../../src/domain/roaming/HubClients.ts"
import type { Parties } from "../../src/domain/roaming/Parties.ts"
import type { Partners } from "../../src/domain/roaming/Partners.ts"
import type { Presence } from "../../src/domain/charger/Presence.ts"
import type { Reservations } from "../../src/domain/reservation/Reservations.ts"
import type { RoamingCdrs } from "../../src/domain/cdr/RoamingCdrs.ts"
import type { RoamingSessions } from "../../src/domain/session/RoamingSessions.ts"
import type { RoamingTokens } from "../../src/domain/token/RoamingTokens.ts"
import { Secrets } from "../../src/domain/values/Secrets.ts"
import type { Passkeys } from "../../src/domain/operator/Passkeys.ts"
import type { Search } from "../../src/domain/search/Search.ts"
import type { SessionReviews } from "../../src/domain/session/SessionReviews.ts"
import type { Sessions } from "../../src/domain/session/Sessions.ts"
import type { Sites } from "../../src/domain/site/Sites.ts"
import type { Subscriptions } from "../../src/domain/event/Subscriptions.ts"
import type { Tariffs } from "../../src/domain/tariff/Tariffs.ts"
import type { Tokens } from "../../src/domain/token/Tokens.ts"
import type { Webhooks } from "../../src/domain/event/Webhooks.ts"
import type { RolloutQueue, Rollouts } from "../../src/domain/rollout/Rollouts.ts"
import type { SavedViews } from "../../src/domain/search/SavedViews.ts"
import type { Work } from "../../src/domain/work/Work.ts"
import { locationTexts } from "../../src/ocpi/objects/location/Texts.ts"
import { textArray } from "../../src/storage/kernel/Arrays.ts"
import * as AccessRepository from "../../src/storage/operators/Access.ts"
import * as SingleSignOnsRepository from "../../src/storage/operators/SingleSignOns.ts"
import * as AccountsRepository from "../../src/storage/operators/Accounts.ts"
import { layerDisk } from "../../src/storage/blobs/Disk.ts"
import * as AuthorizationsRepository from "../../src/storage/charging/Authorizations.ts"
import * as AuditLogRepository from "../../src/storage/operators/AuditLog.ts"
import * as CdrsRepository from "../../src/storage/billing/Cdrs.ts"
import * as CertificatesRepository from "../../src/storage/charging/Certificates.ts"
import * as ClosingsRepository from "../../src/storage/billing/Closings.ts"
import * as EventsRepository from "../../src/storage/delivery/Events.ts"
import * as DriftsRepository from "../../src/storage/charging/Drifts.ts"
import * as ExpectationsRepository from "../../src/storage/charging/Expectations.ts"
import * as FilesRepository from "../../src/storage/files/Files.ts"
import * as ChargingProfilesRepository from "../../src/storage/commands/ChargingProfiles.ts"
import * as ChargerHistoryRepository from "../../src/storage/charging/ChargerHistory.ts"
import * as ChargersRepository from "../../src/storage/charging/Chargers.ts"
import type { Database } from "../../src/storage/kernel/Database.ts"
import * as IdempotencyRepository from "../../src/storage/operators/Idempotency.ts"
import * as UnknownChargerAttemptsRepository from "../../src/storage/charging/UnknownChargerAttempts.ts"
import * as LastSeen from "../../src/storage/charging/LastSeen.ts"
import * as LedgersRepository from "../../src/storage/billing/Ledgers.ts"
import * as LocalListsRepository from "../../src/storage/charging/LocalLists.ts"
import * as LocationsRepository from "../../src/storage/sites/Locations.ts"
import * as HubClientsRepository from "../../src/storage/roaming/HubClients.ts"
import * as PartiesRepository from "../../src/storage/roaming/Parties.ts"
import * as PartnersRepository from "../../src/storage/roaming/Partners.ts"
import * as ReservationsRepository from "../../src/storage/charging/Reservations.ts"
import * as RoamingCdrsRepository from "../../src/storage/billing/RoamingCdrs.ts"
import * as RoamingSessionsRepository from "../../src/storage/billing/RoamingSessions.ts"
import * as RoamingTokensRepository from "../../src/storage/roaming/RoamingTokens.ts"
import { testSecrets } from "./databases.ts"
import * as PasskeysRepository from "../../src/storage/operators/Passkeys.ts"
import * as SearchRepository from "../../src/storage/search/Search.ts"
import * as RolloutQueueRepository from "../../src/storage/rollouts/RolloutQueue.ts"
import * as RolloutsRepository from "../../src/storage/rollouts/Rollouts.ts"
import * as SavedViewsRepository from "../../src/storage/search/SavedViews.ts"
import * as WorkRepository from "../../src/storage/work/Work.ts"
import * as SessionReviewsRepository from "../../src/storage/billing/SessionReviews.ts"
import * as SessionsRepository from "../../src/storage/charging/Sessions.ts"
import * as SitesRepository from "../../src/storage/sites/Sites.ts"
import * as SubscriptionsRepository from "../../src/storage/delivery/Subscriptions.ts"
import * as TariffsRepository from "../../src/storage/tariffs/Tariffs.ts"
import * as TokensRepository from "../../src/storage/charging/Tokens.ts"
import * as WebhooksRepository from "../../src/storage/delivery/Webhooks.ts"

export type Repositories =
  | Access
  | Accounts
  | SingleSignOns
  | AuditLog
  | Authorizations
  | Cdrs
  | Certificates
  | Closings
  | Events
  | Drifts
  | Expectations
  | Files
  | ChargerHistory
  | Presence
  | Chargers
  | ChargingProfiles
  | Idempotency
  | UnknownChargerAttempts
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
  | Passkeys
  | Search
  | SessionReviews
  | Sessions
  | Sites
  | Subscriptions
  | Tariffs
  | Tokens
  | Webhooks
  | RolloutQueue
  | Rollouts
  | SavedViews
  | Work

const filesOptions = { ...limits.files, folder: mkdtempSync(join(tmpdir(), "voltlane-files-")) }

const stored = Layer.mergeAll(
  AccessRepository.layer,
  AccountsRepository.layer,
  SingleSignOnsRepository.layer,
  AuditLogRepository.layer,
  AuthorizationsRepository.layer,
  CdrsRepository.layer,
  CertificatesRepository.layer,
  ClosingsRepository.layer,
  EventsRepository.layer,
  DriftsRepository.layer,
  ExpectationsRepository.layer,
  FilesRepository.layer(filesOptions).pipe(Layer.provide(layerDisk(filesOptions.folder))),
  ChargerHistoryRepository.layer.pipe(Layer.provideMerge(LastSeen.layer(limits.lastSeen))),
  ChargersRepository.layer,
  ChargingProfilesRepository.layer,
  IdempotencyRepository.layer({ nodeId: "test" }),
  UnknownChargerAttemptsRepository.layer(limits.attempts),
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
  PasskeysRepository.layer,
  SearchRepository.layer,
  RolloutQueueRepository.layer,
  RolloutsRepository.layer,
  SavedViewsRepository.layer,
  WorkRepository.layer,
  SessionReviewsRepository.layer,
  SessionsRepository.layer,
  SitesRepository.layer,
  SubscriptionsRepository.layer,
  TariffsRepository.layer,
  TokensRepository.layer,
  WebhooksRepository.layer
)

export const repositories: Layer.Layer<Repositories, never, Database> = stored.pipe(Layer.provideMerge(testSecrets))

/** The same beside other layers that need secrets: those are the driver's. */
export const besideRepositories: Layer.Layer<Exclude<Repositories, Secrets>, never, Database> = stored.pipe(
  Layer.provide(testSecrets)
)

/** The test functions that `forEachDriver` passes to a contract suite. */
export type ContractIt = Vitest.MethodsNonLive<Repositories | Database>

/** A day for the tests: noon UTC. */
export const noon = Date.UTC(2026, 4, 20, 12)

export interface TestOrganisation {
  readonly id: string
  readonly operatorId: string
  /** The public id of its first key. */
  readonly publicId: string
  readonly clientId: string
  readonly principal: Principal
  readonly writing: (now?: number) => AuditContext
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

/** Sets the permissions of an operator to exactly these. */
export const permitOnly = (operatorId: string, wanted: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { additions, removals } = ownerWith(wanted)
    yield* sql`UPDATE membership SET role = 'Owner', additions = ${textArray(additions)}, removals = ${textArray(removals)}
      WHERE operator_id = ${operatorId}`
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

/** What tests check of a failure: the error's tag and its code, id or pointer. */
export const failureOf = <A, R>(
  effect: Effect.Effect<
    A,
    { readonly _tag: string; readonly code?: string; readonly kind?: string; readonly pointer?: string },
    R
  >
) => Effect.map(Effect.flip(effect), (error) => [error._tag, error.code ?? error.kind ?? error.pointer])
