/** A webhook is an operator's URL to which events are posted, by the Standard Webhooks convention (standardwebhooks.com, 1.0). */
import { Schema } from "effect"
import { type Event, type EventType, eventTypes } from "./Event.ts"

export interface Webhook {
  readonly id: string
  readonly organisationId: string
  readonly url: string
  /** Undefined for all types, including those that later versions add. */
  readonly types: ReadonlyArray<EventType> | undefined
  /** Undefined for all events. If it is set, events without a site are left out. */
  readonly siteIds: ReadonlyArray<string> | undefined
  /** False if its operator switched it off, or its receiver answered 410 Gone. */
  readonly active: boolean
  /** The last failure, if there was one; `at` in ms epoch. */
  readonly problem: { readonly at: number; readonly message: string } | undefined
  /** Until when the previous secret also signs after a rotation; ms epoch. */
  readonly previousSecretUntil: number | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** The maximum number of webhooks of one organisation. It is limited because each webhook reads every event of the organisation. */
export const maxWebhooks = 50

/** The maximum number of sites of one webhook. For more, an operator can subscribe to all sites. */
export const maxSiteIds = 500

/** How long both secrets sign after a rotation, so that the receiver has time to install the new one. */
export const overlapMillis = 24 * 60 * 60 * 1000

/** The size of a secret; Standard Webhooks allows 24 to 64 random bytes. */
export const secretBytes = 32

export const secretPrefix = "whsec_"

const base64 = Schema.encodeSync(Schema.Uint8ArrayFromBase64)

/** A secret in the form that the operator gets. */
export const writtenSecret = (bytes: Uint8Array): string => secretPrefix + base64(bytes)

const isEventType = (type: string): type is EventType => (eventTypes as ReadonlyArray<string>).includes(type)

/** Reads stored types. A type that a newer version added is ignored. */
export const knownTypes = (types: ReadonlyArray<string> | undefined): ReadonlyArray<EventType> | undefined =>
  types?.filter(isEventType)

/** Whether a webhook should get an event. */
export const wants = ({ siteIds, types }: Pick<Webhook, "siteIds" | "types">, { data, type }: Event): boolean => {
  // Otherwise a webhook that refuses everything would get a new event for each one that it refused.
  if (type === "delivery.parked" && data.webhookId !== null) return false
  if (types !== undefined && !types.includes(type)) return false
  if (siteIds === undefined) return true
  return "siteId" in data && data.siteId !== null && siteIds.includes(data.siteId)
}

/** The text that is signed: id, time (whole seconds) and body, so that none of them can be replaced. */
export const signedContent = (id: string, seconds: number, body: string): string => `${id}.${seconds}.${body}`

/** How long nothing is sent to a webhook after a failed delivery, in ms. It is longer the longer deliveries have failed. */
export const pauseAfter = (failingForMillis: number): number =>
  Math.min(maxPauseMillis, Math.max(minPauseMillis, Math.floor(failingForMillis / 4)))

/** The shortest pause, in ms. A single refused event delays the others by no more than this. */
const minPauseMillis = 1_000

/** The longest pause, in ms: how soon the service notices that a webhook answers again. */
const maxPauseMillis = 5 * 60_000

/** The secret before the last rotation, while it is valid. */
export const previousIfGood = (
  secret: string | undefined,
  until: number | undefined,
  now: number
): string | undefined => (until !== undefined && now < until ? secret : undefined)
