/**
 * Chargers whose configuration differs from what is expected of them, in keys that could be changed. They are kept as a list of their own, so that it is
 * counted and read without comparing the configuration of every charger: a charger is compared again when it reports, and all of an organisation when its
 * expectations change.
 */
import { Context, type Effect } from "effect"
import type { Charger } from "./Charger.ts"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"

/** What a charger reported of itself, as far as it is compared. */
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
  /** Since when it differs, ms epoch: as the service found it. */
  readonly since: number
}

/** Facts after which their charger may differ that did not, or differ no more. A removed charger leaves the list with its row. */
const ofCharger = ["ConfigurationReported", "ConfigurationKeysLearned", "ChargerBooted", "ChargerRemoved"] as const

/** Facts after which every charger of their organisation may: the heartbeat interval of the organisation is expected of some makes. */
export const driftsOfAll = ["ConfigurationTemplateChanged", "QuirksChanged", "OrganisationChanged"] as const

export const driftFacts: ReadonlyArray<string> = [...ofCharger, ...driftsOfAll]

/** Chargers of an organisation that are to be compared again. */
export interface Compared {
  readonly organisationId: string
  /** Those that reported. */
  readonly chargerIds: ReadonlyArray<string>
  /** All of them. */
  readonly all: boolean
}

export class Drifts extends Context.Service<
  Drifts,
  {
    /** Those that differ, by chargerId. */
    readonly list: (
      organisationId: string,
      page: PageRequest
    ) => Effect.Effect<Page<Drift>, InvalidInput | StorageUnavailable>
    /** What is to be compared after the next `limit` facts of the journal; `upTo` is undefined where there are none. */
    readonly stirred: (
      limit: number
    ) => Effect.Effect<
      { readonly organisations: ReadonlyArray<Compared>; readonly upTo: number | undefined },
      StorageUnavailable
    >
    /** Chargers that have reported their configuration: those named. */
    readonly named: (
      organisationId: string,
      chargerIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Reported>, StorageUnavailable>
    /** The same of all, by chargerId: the next `limit` after one of them. */
    readonly after: (
      organisationId: string,
      chargerId: string | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Reported>, StorageUnavailable>
    /** Notes how many keys differ; one with none leaves the list. */
    readonly put: (
      organisationId: string,
      compared: ReadonlyArray<Pick<Drift, "chargerId" | "keys">>,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** Notes how far the journal was read. */
    readonly readTo: (position: number) => Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/Drifts") {}
