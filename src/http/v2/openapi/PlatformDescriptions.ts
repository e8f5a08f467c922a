/** Descriptions of organisations, keys, webhooks, events and the audit log. */
import type { Descriptions } from "../../openapi/Descriptions.ts"
import { ids } from "./Common.ts"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

export const platformDescriptions: Descriptions["properties"] = {
  // Problem documents.
  title: ["What kind of problem it is, the same for every problem of its `code`", "Not found"],
  "Problem.status": ["The HTTP status once more", 404],
  detail: ["What is wrong this time, and what to do", "Must be a whole number from 1 to 500"],
  errors: ["Everything that does not fit, each at its place"],

  // Organisations.
  "Organisation.id": ["The organisation's id", ids.organisation],
  "OrganisationWithKeys.id": ["The organisation's id", ids.organisation],
  "Organisation.name": ["The organisation's name", "Voltlane B.V."],
  "OrganisationWithKeys.name": ["The organisation's name", "Voltlane B.V."],
  "OrganisationChange.name": ["The organisation's name", "Voltlane B.V."],
  "NewOrganisation.name": ["The organisation's name", "Voltlane B.V."],
  "OrganisationChange.timeZone": ["IANA name; sites that name none have it", "Europe/Amsterdam"],
  heartbeatIntervalSeconds: ["Seconds between heartbeats, sent to chargers at boot", 300],
  closeSilentSessionsAfterHours: ["Hours after which a session that is heard of no more is closed and held", 48],
  apiKey: ["A first key of REST v2: shown now and never again", "vl_0123456789abcdef_…"],
  clientId: ["For REST v1, with code", "voltlane-bv"],
  code: ["For REST v1: shown now and never again", "c0de…"],

  // Keys.
  "ApiKey.id": ["The key's id, not the key itself", ids.key],
  "ApiKeyWithKey.id": ["The key's id, not the key itself", ids.key],
  "ApiKey.name": ["What it is for", "fleet-console"],
  "ApiKeyWithKey.name": ["What it is for", "fleet-console"],
  "NewApiKey.name": ["What it is for", "fleet-console"],
  prefix: ["The start of the key, to recognise it by", "vl_0123456789abcdef"],
  permissions: ["What it may do; null: whatever its operator may", ["chargers:read", "sessions:read"]],
  lastUsedAt: ["When it was last used; null where it never was"],
  lastUsedFrom: ["The address that it was last used from; null where it never was", "203.0.113.24"],
  "ApiKey.expiresAt": ["When it ends; null for never", "2027-12-31T23:00:00.000Z"],
  "ApiKeyWithKey.expiresAt": ["When it ends; null for never", "2027-12-31T23:00:00.000Z"],
  networks: ["IPv4 and IPv6 networks that it works from; null for anywhere", ["203.0.113.0/24", "2001:db8::/32"]],
  revokedAt: ["When it was revoked; null while it is good", null],
  key: ["The key itself: shown now and never again", "vl_0123456789abcdef_…"],

  // Webhooks.
  "Webhook.id": ["The webhook's id", ids.webhook],
  "WebhookWithSecret.id": ["The webhook's id", ids.webhook],
  url: ["https address of a public host, where events are posted", "https://hooks.example.com/voltlane"],
  types: ["Events of these types alone; null: all, and those that later versions add", ["session.ended", "cdr.issued"]],
  siteIds: ["Events at these sites alone; null: all events, also of what belongs to no site", [ids.site]],
  "NewWebhook.types": ["Events of these types alone; without it all, and those that later versions add"],
  "NewWebhook.siteIds": ["Events at these sites alone; without it all events, also of what belongs to no site"],
  "NewWebhook.active": ["Whether events are posted to it; true without it"],
  previousSecretUntil: ["Until then the secret before the last rotation signs as well; null where none does", null],
  lastProblem: ["What went wrong last; null where nothing did", null],
  secret: ["To verify signatures by: shown now and never again", secret],
  "WebhookDelivery.id": ["The delivery's id", ids.delivery],
  eventId: ["The event that is delivered, by its id in /v2/events", "90211"],
  "WebhookDelivery.type": ["What kind of event it is; null where the event is not kept any more", "session.ended"],
  "WebhookDelivery.status": ["Parked: given up after three days, until it is replayed"],
  nextTryAt: ["When it is tried next; null where it is not", null],
  deliveredAt: ["When it was taken; null until then"],
  "WebhookDelivery.parkedAt": ["When it was given up; null where it was not", null],
  "WebhookDelivery.httpStatus": ["Status of the answer that took it; null until then", 200],
  "WebhookDelivery.problem": ["What was wrong with the last try that failed; null where none did", null],
  "WebhookPing.problem": ["What was wrong; null where it came through", null],
  delivered: ["Whether the address took it with a 2xx"],
  "webhooks.deliveries.query.status": ["Deliveries with this status alone"],
  "webhooks.replay.id": ["The delivery's id", ids.delivery],
  "webhooks.replay.status": ["It is tried again"],

  // Events.
  "events.list.query.type": ["Events of these types alone, separated by commas", "session.started,session.ended"],
  "EventList.nextCursor": ["Always there: ask again with it, also after a page with no items", "90211"],
  "last-event-id": ["Of server-sent events: go on behind this event", "90211"],
  data: ["What happened"],
  "Event.charger.connected.id": ["Also the cursor behind this event", "90211"],
  subject: ["What it is about, as in `session:<id>` or `charger:<id>`", `session:${ids.session}`],
  "audit-log.list.query.subject": ["Entries about this subject alone", "charger:CP-7"],
  "audit-log.list.query.actor": ["Entries of this author alone, as `actor` names it", `key:${ids.key}`],
  "chargers.messages.query.kind": ["Frames of these kinds alone, separated by commas", "CALLERROR,Malformed"],
  "chargers.exportMessages.query.kind": ["Frames of these kinds alone, separated by commas", "CALLERROR,Malformed"],
  "chargers.messages.query.action": ["Of these actions alone, separated by commas", "Authorize,StartTransaction"],
  "chargers.exportMessages.query.action": ["Of these actions alone, separated by commas", "Authorize,StartTransaction"],
  "chargers.messages.query.trouble": ["Only what went wrong", true],
  "chargers.exportMessages.query.trouble": ["Only what went wrong", true],
  "chargers.messages.query.q": ["A part of the frame or its message id, whatever the case of letters", "GroundFailure"],
  "chargers.exportMessages.query.q": [
    "A part of the frame or its message id, whatever the case of letters",
    "GroundFailure"
  ],
  "audit-log.list.query.action": ["Entries of this action alone", "TariffChanged"],
  ...Object.fromEntries(
    [
      "charger.connected",
      "charger.disconnected",
      "charger.booted",
      "charger.changed",
      "charger.refused",
      "connector.status",
      "authorization.refused",
      "session.started",
      "session.updated",
      "session.ended",
      "session.held",
      "cdr.issued",
      "command.completed",
      "rollout.changed",
      "rollout.progress",
      "token.changed",
      "tariff.changed",
      "site.changed",
      "partner.changed",
      "partner.health",
      "delivery.parked",
      "work.changed"
    ].map((type) => [`Event.${type}.type`, ["What kind of event it is; `data` goes by it"] as const])
  ),
  "data.reason": ["Why, in words for people", "Socket closed by the charger"],
  "charger.refused.data.reason": [
    "Why: the id is not registered; no or a wrong password; none is set for the charger; it came with too low a security profile or without TLS; its client certificate; no OCPP version in common"
  ],
  "session.updated.data.reason": [
    "What changed: a meter reading came, or an operator released or corrected the session"
  ],
  "authorization.refused.data.reason": ["What the charger was answered, in OCPP's words", "Blocked"],
  "authorization.refused.data.source": [
    "Who decided: LocalToken, RoamingToken, UnknownTokenRule, Reservation or None",
    "LocalToken"
  ],
  vendor: ["Maker, as its last boot reported it", "Aurora"],
  model: ["Model, as its last boot reported it", "X22"],
  "data.siteId": ["The charger's site; null where it was removed, or belongs to no site", ids.site],
  "data.chargerId": ["The charger; null for a session of one that was removed", "CP-7"],
  "data.transactionId": ["The charger's own name of the session, as text whatever the OCPP version", "1203944817"],
  "data.status": ["Its present state", "Accepted"],
  readAt: ["When the register was read; null where none was"],
  change: ["What was done"],
  "command.completed.data.type": ["The command's type", "Reset"],
  "data.version": ["The tariff's version; null where the change made none", 3],
  "token.changed.data.status": ["The token's status; null for one that was removed", "Accepted"],

  // Views.
  viewId: ["A view's `id`", ids.other],
  "View.name": ["What people call it", "Offline at the harbour"],
  "View.path": ["The page with its filters, below the console's address", "/chargers?is=offline&q=site%3Aharbour"],
  "View.shared": ["Whether all operators of the organisation see it", true],
  "View.own": ["Whether the caller made it", true],
  "NewView.path": ["The page with its filters, below the console's address", "/chargers?is=offline&q=site%3Aharbour"],

  // Search.
  "search.find.query.q": ["A part of a name or id, 2 to 100 characters, whatever the case of letters", "utrecht"],
  "SearchAnswer.items": ["What was found, the best first; at most 30, and 5 of a kind"],
  "FoundItem.kind": ["What it is"],
  "FoundItem.id": ["Its id, as the address of its kind has it", ids.site],
  "FoundItem.title": ["Its name; an id where it has none", "Utrecht Centraal P1"],
  "FoundItem.subtitle": ["What distinguishes it from others of its name; empty where nothing does", "Utrecht"],
  "FoundItem.path": ["Where the console shows it", `/sites/${ids.site}`],

  // Work.
  "WorkCounts.heldSessions": ["Sessions that are not billed until an operator has checked them", 2],
  "WorkCounts.corrections": ["Sessions of which something else is known than was billed", 1],
  "WorkCounts.parkedDeliveries": ["Objects that partners refused for good, or that failed for days", 3],
  "WorkCounts.parkedEvents": ["The same of webhooks", 0],
  "WorkCounts.tokenConflicts": ["Cards that several partners vouch for", 0],
  "WorkCounts.unknownChargers": ["Chargers that tried to connect and are not registered", 1],
  "WorkCounts.configurationDrifts": ["Chargers whose configuration differs from what is expected, and could be set", 2],
  "work.changed.data.heldSessions": ["Sessions that are not billed until an operator has checked them", 2],
  "work.changed.data.corrections": ["Sessions of which something else is known than was billed", 1],
  "work.changed.data.parkedDeliveries": ["Objects that partners refused for good, or that failed for days", 3],
  "work.changed.data.tokenConflicts": ["Cards that several partners vouch for", 0],
  "work.changed.data.unknownChargers": [
    "Chargers that tried to connect and are not registered; 0 where the service holds several organisations",
    1
  ],
  "work.changed.data.configurationDrifts": [
    "Chargers whose configuration differs from what is expected, and could be set",
    2
  ],
  "partner.health.data.state": ["Whether it answers", "Down"],
  "delivery.parked.data.kind": ["What was to be sent", "location"],
  "delivery.parked.data.partnerId": ["The partner; null for a webhook", ids.partner],
  "delivery.parked.data.webhookId": ["The webhook; null for a partner"],
  "delivery.parked.data.deliveryId": ["The delivery, as the list of parked ones has it"],
  "delivery.parked.data.objectId": ["The object's id, as it is there", ids.site],
  "delivery.parked.data.problem": ["Why it was not taken", "HTTP 200, status 2001"],

  // Audit log.
  "AuditEntry.id": ["Position in the log; later entries have larger ones", "3310"],
  actor: ["Who did it, as in `key:<id>`; `platform` for the service itself", `key:${ids.key}`],
  "AuditEntry.action": ["What was done, as in SiteChanged or CommandIssued", "SiteChanged"],
  "AuditEntry.subject": ["What it was done to, as in `charger:CP-7`", `site:${ids.site}`],
  before: ["The record before; missing where there was none", { name: "Utrecht" }],
  after: ["The record after; missing where there is none", { name: "Utrecht Centraal P1" }]
}
