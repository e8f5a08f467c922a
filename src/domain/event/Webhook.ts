/** Webhooks: an operator's own address to which events are posted, by the Standard Webhooks convention (standardwebhooks.com, 1.0). */
import { Schema } from "effect"
import { type Event, type EventType, eventTypes } from "./Event.ts"

export interface Webhook {
  readonly id: string
  readonly organisationId: string
  readonly url: string
  /** Undefined: all, and those that later versions add. */
  readonly types: ReadonlyArray<EventType> | undefined
  /** Undefined: everything. With it, what belongs to no site is left out. */
  readonly siteIds: ReadonlyArray<string> | undefined
  /** Switched off by its operator, or by its own address with 410 Gone. */
  readonly active: boolean
  /** What went wrong last, if anything ever did; `at` in ms epoch. */
  readonly problem: { readonly at: number; readonly message: string } | undefined
  /** Until when the secret before the last rotation signs as well; ms epoch. */
  readonly previousSecretUntil: number | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** Webhooks of one organisation: each reads every event of it. */
export const maxWebhooks = 50

/** Sites of one webhook; one that wants more of them wants all. */
export const maxSiteIds = 500

/** For so long two secrets sign after a rotation: time for the receiver to take the new one. */
export const overlapMillis = 24 * 60 * 60 * 1000

/** What Standard Webhooks has for a secret: 24 to 64 random bytes. */
export const secretBytes = 32

export const secretPrefix = "whsec_"

const base64 = Schema.encodeSync(Schema.Uint8ArrayFromBase64)

/** A secret as it is handed out. */
export const writtenSecret = (bytes: Uint8Array): string => secretPrefix + base64(bytes)

const isEventType = (type: string): type is EventType => (eventTypes as ReadonlyArray<string>).includes(type)

/** Types as they were stored; one of a newer version is passed over. */
export const knownTypes = (types: ReadonlyArray<string> | undefined): ReadonlyArray<EventType> | undefined =>
  types?.filter(isEventType)

/** Whether a webhook is to get an event. */
export const wants = ({ siteIds, types }: Pick<Webhook, "siteIds" | "types">, { data, type }: Event): boolean => {
  if (types !== undefined && !types.includes(type)) return false
  if (siteIds === undefined) return true
  return "siteId" in data && data.siteId !== null && siteIds.includes(data.siteId)
}

/** What is signed: id, time (whole seconds) and body, so that none of them can be replaced. */
export const signedContent = (id: string, seconds: number, body: string): string => `${id}.${seconds}.${body}`

/** Of a delivery that failed: for how long its webhook is left alone, more the longer it has failed. */
export const pauseAfter = (failingForMillis: number): number =>
  Math.min(maxPauseMillis, Math.max(minPauseMillis, Math.floor(failingForMillis / 4)))

/** A single event that is not taken holds up the others by no more than this. */
const minPauseMillis = 1_000

/** A subscriber that is back is found out within this. */
const maxPauseMillis = 5 * 60_000

/** The secret before the last rotation, while it is good. */
export const previousIfGood = (
  secret: string | undefined,
  until: number | undefined,
  now: number
): string | undefined => (until !== undefined && now < until ? secret : undefined)
