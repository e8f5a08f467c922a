/** The objects that partners receive, each with its kind, id and lane. */
import type { ModuleId } from "../protocol/EndpointTable.ts"
import type { ObjectRef, PushedKind } from "../../domain/event/Subscription.ts"

/** The partner's module that receives each kind. */
export const moduleOf: Readonly<Record<PushedKind, ModuleId>> = {
  location: "locations",
  evse: "locations",
  tariff: "tariffs",
  session: "sessions",
  cdr: "cdrs"
}

export const isPushedKind = (kind: string): kind is PushedKind => Object.hasOwn(moduleOf, kind)

export const locationRef = (siteId: string): ObjectRef => ({ kind: "location", id: siteId, lane: `location:${siteId}` })

/** In its location's lane, since a push of the location includes it. */
export const evseRef = (siteId: string, uid: string): ObjectRef => ({
  kind: "evse",
  id: `${siteId}/${uid}`,
  lane: `location:${siteId}`
})

export const tariffRef = (id: string): ObjectRef => ({ kind: "tariff", id, lane: `tariff:${id}` })

export const sessionRef = (id: string): ObjectRef => ({ kind: "session", id, lane: `session:${id}` })

/** In its session's lane: a CDR follows the end of its session, and a credit record follows the CDR that it reverses. */
export const cdrRef = (id: string, sessionId: string): ObjectRef => ({ kind: "cdr", id, lane: `session:${sessionId}` })
