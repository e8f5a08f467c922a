/** What partners receive, one by one: the objects of subscriptions, by kinds, ids and lanes. */
import type { ModuleId } from "../protocol/EndpointTable.ts"
import type { ObjectRef, PushedKind } from "../../domain/event/Subscription.ts"

/** Which module of the partner's takes it. */
export const moduleOf: Readonly<Record<PushedKind, ModuleId>> = {
  location: "locations",
  evse: "locations",
  tariff: "tariffs",
  session: "sessions",
  cdr: "cdrs"
}

export const isPushedKind = (kind: string): kind is PushedKind => Object.hasOwn(moduleOf, kind)

export const locationRef = (siteId: string): ObjectRef => ({ kind: "location", id: siteId, lane: `location:${siteId}` })

/** In the lane of its location, whose pushes carry it as well. */
export const evseRef = (siteId: string, uid: string): ObjectRef => ({
  kind: "evse",
  id: `${siteId}/${uid}`,
  lane: `location:${siteId}`
})

export const tariffRef = (id: string): ObjectRef => ({ kind: "tariff", id, lane: `tariff:${id}` })

export const sessionRef = (id: string): ObjectRef => ({ kind: "session", id, lane: `session:${id}` })

/** In the lane of its session: a record comes after the session's end, and after the record that it takes back. */
export const cdrRef = (id: string, sessionId: string): ObjectRef => ({ kind: "cdr", id, lane: `session:${sessionId}` })
