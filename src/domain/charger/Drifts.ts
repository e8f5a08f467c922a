/**
 * Chargers whose configuration differs from the expected one in keys that could be changed. The list is stored, so that counting and reading it
 * does not compare the configuration of every charger. A charger is compared again when it reports its configuration or boots, and all chargers of
 * an organisation when its expectations change.
 */
import { Context, type Effect } from "effect"
import type { Charger } from "./Charger.ts"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"

/** The part of a charger's reports that is compared. */
export type Reported = Pick<Charger, "chargerId" | "manufacturer" | "model" | "firmwareVersion" | "configuration">

export interface Drift {
  readonly chargerId: string
  readonly name: string
  readonly siteId: string
  readonly siteName: string
  readonly manufacturer: string
  readonly model: string
  readonly firmwareVersion: string
  /** How many keys differ and could be changed; 1 or more. */
  readonly keys: number
  /** When the service first found the difference, ms epoch. */
  readonly since: number
}

/** Facts that can change whether their charger differs. A removed charger leaves the list together with its row. */
const ofCharger = ["ConfigurationReported", "ConfigurationKeysLearned", "ChargerBooted", "ChargerRemoved"] as const

/** Facts that can change this for all chargers of an organisation. One is its heartbeat interval, which some makes need as a key. */
export const driftsOfAll = ["ConfigurationTemplateChanged", "QuirksChanged", "OrganisationChanged"] as const

export const driftFacts: ReadonlyArray<string> = [...ofCharger, ...driftsOfAll]

/** Chargers of an organisation that are to be compared again. */
export interface Compared {
  readonly organisationId: string
  /** The chargers that the facts are about. */
  readonly chargerIds: ReadonlyArray<string>
  /** True if all chargers of the organisation are to be compared. */
  readonly all: boolean
}

export class Drifts extends Context.Service<
  Drifts,
  {
    /** The chargers that differ, ordered by chargerId. */
    readonly list: (
      organisationId: string,
      page: PageRequest
    ) => Effect.Effect<Page<Drift>, InvalidInput | StorageUnavailable>
    /** Reads the next `limit` facts of the journal and returns what must be compared again. `upTo` is undefined if there are none; `facts` is how many. */
    readonly stirred: (
      limit: number
    ) => Effect.Effect<
      { readonly organisations: ReadonlyArray<Compared>; readonly upTo: number | undefined; readonly facts: number },
      StorageUnavailable
    >
    /** Those of the named chargers that have reported their configuration. */
    readonly named: (
      organisationId: string,
      chargerIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Reported>, StorageUnavailable>
    /** The next `limit` chargers with a reported configuration after `chargerId`, ordered by chargerId. */
    readonly after: (
      organisationId: string,
      chargerId: string | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Reported>, StorageUnavailable>
    /** Stores how many keys of each charger differ. A charger with none leaves the list. */
    readonly put: (
      organisationId: string,
      compared: ReadonlyArray<Pick<Drift, "chargerId" | "keys">>,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** Stores how far the journal was read. */
    readonly readTo: (position: number) => Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/Drifts") {}
