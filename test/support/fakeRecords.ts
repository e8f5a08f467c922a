/**
 * Fakes of the storage ports in memory, for tests of REST alone: small, scoped by organisation like the real ones, and able to fail on demand. What
 * storage itself promises is tested in `test/contracts`.
 */
import { Effect } from "effect"
import type { Charger, ChargerRegistration } from "../../src/domain/charger/Charger.ts"
import { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../../src/domain/Errors.ts"
import type { ApiKey, Organisation } from "../../src/domain/operator/Operator.ts"
import type { Principal } from "../../src/domain/values/AuditContext.ts"
import type { ChargingSession, SessionReading } from "../../src/domain/session/ChargingSession.ts"
import type { Partner } from "../../src/domain/roaming/Partner.ts"
import type { Site } from "../../src/domain/site/Site.ts"
import { tokenKey, type Token } from "../../src/domain/token/Token.ts"
import { Precondition } from "../../src/domain/operator/Precondition.ts"
import type { StoredAnswer } from "../../src/domain/operator/Idempotency.ts"
import type { KeptFrame } from "../../src/domain/charger/MessageLog.ts"
import type { Seen } from "../../src/domain/charger/Presence.ts"
import type { Page, PageRequest } from "../../src/domain/values/Page.ts"

export interface FakeKey extends ApiKey {
  readonly organisationId: string
  readonly publicId: string
  readonly verifier: Uint8Array
}

export interface FakeOperator {
  readonly id: string
  readonly organisationId: string
  permissions: ReadonlyArray<string>
  name?: string
}

/** All data of the fakes; tests read and change it directly. */
export class FakeWorld {
  readonly organisations = new Map<string, Organisation>()
  readonly operators = new Map<string, FakeOperator>()
  readonly keys = new Map<string, FakeKey>()
  readonly v1 = new Map<string, { readonly verifier: Uint8Array; readonly principal: Principal }>()
  readonly sites = new Map<string, Site>()
  readonly chargers = new Map<string, Charger>()
  /** Verifiers of chargers' passwords, by chargerId. */
  readonly passwords = new Map<string, Uint8Array>()
  readonly sessions = new Map<string, ChargingSession>()
  readonly readings = new Map<string, Array<SessionReading>>()
  readonly tokens = new Map<string, Token>()
  readonly partners = new Map<string, Partner>()
  readonly answers = new Map<string, { readonly fingerprint: string; answer: StoredAnswer | undefined }>()
  readonly frames: Array<KeptFrame> = []
  /** How many pages of frames were computed. */
  pagesOfFrames = 0
  readonly seen = new Map<string, Seen>()
  readonly reconsidered: Array<string> = []
  readonly disconnected: Array<{ readonly chargerId: string; readonly reason: string }> = []
  /** Chargers whose actor was notified of a waiting command. */
  readonly woken: Array<string> = []
  readonly used: Array<string> = []
  /** How many storage calls were made. */
  calls = 0
  /** While set, every storage call fails with this. */
  unavailable: StorageUnavailable["reason"] | undefined
  /** While set, every storage call dies with this. */
  defect: unknown
  /** Every storage write waits for this, so that two requests can overlap. */
  gate: Effect.Effect<void> = Effect.void
  private made = 0

  uuid(): string {
    this.made++
    return `01900000-0000-7000-8000-${this.made.toString(16).padStart(12, "0")}`
  }

  nextGroupId(): number {
    return this.sites.size + 1
  }

  /** Runs a storage call, unless storage is set to fail. */
  ask<A, E>(run: () => Effect.Effect<A, E>): Effect.Effect<A, E | StorageUnavailable> {
    return Effect.suspend((): Effect.Effect<A, E | StorageUnavailable> => {
      this.calls++
      if (this.defect !== undefined) return Effect.die(this.defect)
      if (this.unavailable === undefined) return run()
      return Effect.fail(new StorageUnavailable({ message: "pg://secret-host:5432 refused", reason: this.unavailable }))
    })
  }

  write<A, E>(run: () => Effect.Effect<A, E>): Effect.Effect<A, E | StorageUnavailable> {
    return Effect.andThen(
      this.gate,
      this.ask(() => Effect.andThen(Effect.flatten(Precondition), Effect.suspend(run)))
    )
  }
}

/** A page by key: the cursor is the key of the last item. */
export const paged = <A>(
  items: Iterable<A>,
  key: (item: A) => string,
  page: PageRequest
): Effect.Effect<Page<A>, InvalidInput> => {
  const all = [...items].toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
  if (page.cursor !== undefined && !page.cursor.startsWith("after:")) {
    return Effect.fail(new InvalidInput({ pointer: "/cursor", detail: "Is not a cursor of this list" }))
  }
  const after = page.cursor?.slice("after:".length)
  const rest = after === undefined ? all : all.filter((item) => key(item) > after)
  const found = rest.slice(0, page.limit)
  const cursorAfter = (count: number): string => `after:${key(found[count - 1]!)}`
  return Effect.succeed({
    items: found,
    nextCursor: rest.length > found.length && found.length > 0 ? cursorAfter(found.length) : null,
    ...(found.length > 1 ? { cursorAfter } : {})
  })
}

export const owned = <A extends { readonly organisationId: string }>(
  record: A | undefined,
  organisationId: string,
  kind: string,
  id: string
): Effect.Effect<A, NotFound> =>
  record === undefined || record.organisationId !== organisationId
    ? Effect.fail(new NotFound({ kind, id }))
    : Effect.succeed(record)

/** A charger as it is before it has ever connected. */
export const newCharger = (
  registration: ChargerRegistration & { readonly siteId: string },
  organisationId: string,
  now: number
): Charger => ({
  chargerId: registration.chargerId,
  organisationId,
  siteId: registration.siteId,
  name: registration.name,
  securityProfile: registration.securityProfile,
  registration: registration.registration ?? "Accepted",
  ocppVersion: undefined,
  manufacturer: "",
  model: "",
  serialNumber: "",
  registeredSerialNumber: registration.registeredSerialNumber,
  firmwareVersion: "",
  bootedAt: undefined,
  configuration: [],
  connectors: [],
  wholeStatus: undefined,
  lastSeen: undefined,
  lastMessage: "",
  epoch: undefined,
  connected: false,
  offlineSince: undefined,
  pushed: false,
  createdAt: now,
  updatedAt: now
})

/** The charger's site: the given one, or the organisation's oldest. */
export const siteFor = (
  world: FakeWorld,
  organisationId: string,
  siteId: string | undefined
): Effect.Effect<Site, NotFound | Conflict> => {
  if (siteId !== undefined) return owned(world.sites.get(siteId), organisationId, "site", siteId)
  const oldest = [...world.sites.values()].find((site) => site.organisationId === organisationId)
  return oldest === undefined
    ? Effect.fail(new Conflict({ code: "site_required", message: "Create a site first." }))
    : Effect.succeed(oldest)
}

export const tokenId = (organisationId: string, uid: string): string => `${organisationId}/${tokenKey(uid)}`

/** Applies a patch in which null clears a field and undefined leaves it. */
export const patched = <A extends object>(record: A, patch: object, now: number): A => ({
  ...record,
  ...Object.fromEntries(
    Object.entries(patch)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, value === null ? undefined : value])
  ),
  updatedAt: now
})

/** True if one of the texts contains the search text, or if there is none. */
export const mentions = (texts: ReadonlyArray<string | undefined>, looked: string | undefined): boolean =>
  looked === undefined || texts.some((text) => text?.toLowerCase().includes(looked.toLowerCase()))
