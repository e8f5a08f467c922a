/** Descriptions of organisations, keys, webhooks, events and the audit log. */
import type { Descriptions } from "../../openapi/Descriptions.ts"
import { ids } from "./Common.ts"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

export const platformDescriptions: Descriptions["properties"] = {
  // Problem documents.
  title: ["The kind of problem, the same for all problems with this `code`", "Not found"],
  "Problem.status": ["The HTTP status", 404],
  detail: ["What is wrong in this case, and what to do", "Must be a whole number from 1 to 500"],
  errors: ["All invalid values, each with its place"],

  // Organisations.
  "Organisation.id": ["The organisation's id", ids.organisation],
  "OrganisationWithKeys.id": ["The organisation's id", ids.organisation],
  "Organisation.name": ["The organisation's name", "Voltlane B.V."],
  "OrganisationWithKeys.name": ["The organisation's name", "Voltlane B.V."],
  "OrganisationChange.name": ["The organisation's name", "Voltlane B.V."],
  "NewOrganisation.name": ["The organisation's name", "Voltlane B.V."],
  "OrganisationChange.timeZone": ["IANA time zone name; the default for sites", "Europe/Amsterdam"],
  heartbeatIntervalSeconds: ["Seconds between heartbeats, sent to chargers at boot", 300],
  closeSilentSessionsAfterHours: ["Hours without news after which a session is closed and held", 48],
  apiKey: ["A first key of REST v2; shown only once", "vl_0123456789abcdef_…"],
  clientId: ["For REST v1, together with `code`", "voltlane-bv"],
  code: ["For REST v1; shown only once", "c0de…"],

  // Keys.
  "ApiKey.id": ["The key's id, not the key itself", ids.key],
  "ApiKeyWithKey.id": ["The key's id, not the key itself", ids.key],
  "ApiKey.name": ["Its purpose", "fleet-console"],
  "ApiKeyWithKey.name": ["Its purpose", "fleet-console"],
  "NewApiKey.name": ["Its purpose", "fleet-console"],
  prefix: ["The first characters of the key, to recognise it by", "vl_0123456789abcdef"],
  permissions: ["Its permissions; null: those of its operator", ["chargers:read", "sessions:read"]],
  lastUsedAt: ["When it was last used; null if never"],
  lastUsedFrom: ["The address that it was last used from; null if never", "203.0.113.24"],
  "ApiKey.expiresAt": ["When it expires; null for never", "2027-12-31T23:00:00.000Z"],
  "ApiKeyWithKey.expiresAt": ["When it expires; null for never", "2027-12-31T23:00:00.000Z"],
  networks: ["IPv4 and IPv6 networks that it can be used from; null for anywhere", ["203.0.113.0/24", "2001:db8::/32"]],
  revokedAt: ["When it was revoked; null if it was not", null],
  key: ["The key itself; shown only once", "vl_0123456789abcdef_…"],

  // Webhooks.
  "Webhook.id": ["The webhook's id", ids.webhook],
  "WebhookWithSecret.id": ["The webhook's id", ids.webhook],
  url: ["https address of a public host, where events are posted", "https://hooks.example.com/voltlane"],
  types: [
    "Only events of these types; null: all, including those that later versions add",
    ["session.ended", "cdr.issued"]
  ],
  siteIds: ["Only events at these sites; null: all events, including those that belong to no site", [ids.site]],
  "NewWebhook.types": ["Only events of these types; default: all, including those that later versions add"],
  "NewWebhook.siteIds": ["Only events at these sites; default: all events, including those that belong to no site"],
  "NewWebhook.active": ["Whether events are posted to it; default true"],
  previousSecretUntil: ["Until when messages also carry a signature by the previous secret; null if they do not", null],
  lastProblem: ["The last error; null if there was none", null],
  secret: ["For verifying signatures; shown only once", secret],
  "WebhookDelivery.id": ["The delivery's id", ids.delivery],
  eventId: ["The id of the delivered event in /v2/events", "90211"],
  "WebhookDelivery.type": ["The event's type; null if the event is no longer kept", "session.ended"],
  "WebhookDelivery.status": ["Parked: given up after three days; it can be replayed"],
  nextTryAt: ["When it is tried next; null if it is not", null],
  deliveredAt: ["When it was accepted; null until then"],
  "WebhookDelivery.parkedAt": ["When it was given up; null if it was not", null],
  "WebhookDelivery.httpStatus": ["HTTP status of the answer that accepted it; null until then", 200],
  "WebhookDelivery.problem": ["The error of the last failed attempt; null if none failed", null],
  "WebhookPing.problem": ["The error; null if it was delivered", null],
  delivered: ["Whether the address accepted it with a 2xx answer"],
  "webhooks.deliveries.query.status": ["Only deliveries with this status"],
  "webhooks.replay.id": ["The delivery's id", ids.delivery],
  "webhooks.replay.status": ["The delivery is tried again"],

  // Events.
  "events.list.query.type": ["Only events of these types, separated by commas", "session.started,session.ended"],
  "EventList.nextCursor": ["Always present: ask again with it, even after a page without items", "90211"],
  "last-event-id": ["For server-sent events: continue after this event", "90211"],
  data: ["The details of the event"],
  "Event.charger.connected.id": ["Also the cursor that continues after this event", "90211"],
  subject: ["The object that it is about, such as `session:<id>` or `charger:<id>`", `session:${ids.session}`],
  "audit-log.list.query.subject": ["Only entries about this subject", "charger:CP-7"],
  "audit-log.list.query.actor": ["Only entries of this author, in the format of `actor`", `key:${ids.key}`],
  "chargers.messages.query.kind": ["Only frames of these kinds, separated by commas", "CALLERROR,Malformed"],
  "chargers.exportMessages.query.kind": ["Only frames of these kinds, separated by commas", "CALLERROR,Malformed"],
  "chargers.messages.query.action": ["Only frames of these actions, separated by commas", "Authorize,StartTransaction"],
  "chargers.exportMessages.query.action": [
    "Only frames of these actions, separated by commas",
    "Authorize,StartTransaction"
  ],
  "chargers.messages.query.trouble": ["Only errors", true],
  "chargers.exportMessages.query.trouble": ["Only errors", true],
  "chargers.messages.query.q": ["A part of the frame or its message id; case does not matter", "GroundFailure"],
  "chargers.exportMessages.query.q": ["A part of the frame or its message id; case does not matter", "GroundFailure"],
  "audit-log.list.query.action": ["Only entries of this action", "TariffChanged"],
  ...Object.fromEntries(
    [
      "charger.connected",
      "charger.disconnected",
      "charger.booted",
      "charger.changed",
      "charger.refused",
      "frames.faulty",
      "connector.status",
      "authorization.refused",
      "transactions.counted",
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
    ].map((type) => [`Event.${type}.type`, ["The event's type, which determines the form of `data`"] as const])
  ),
  "data.reason": ["The reason, as human-readable text", "Socket closed by the charger"],
  "frames.faulty.data.fault": [
    "Control characters in a text; an answer that is no JSON; a binary frame; a frame that was refused or shortened because of its size"
  ],
  "charger.refused.data.reason": [
    "The reason: the id is not registered; the password is missing or wrong; no password is set for the charger; the security profile is too low or TLS is missing; the client certificate is not accepted; no OCPP version in common"
  ],
  "session.updated.data.reason": [
    "What changed: a meter reading was received, or an operator released or corrected the session"
  ],
  "authorization.refused.data.reason": ["The answer to the charger, in OCPP's terms", "Blocked"],
  "authorization.refused.data.source": [
    "What the decision was based on: LocalToken, RoamingToken, UnknownTokenRule, Reservation or None",
    "LocalToken"
  ],
  vendor: ["Maker, as reported at the last boot", "Aurora"],
  model: ["Model, as reported at the last boot", "X22"],
  "data.siteId": ["The charger's site; null if it was removed, or belongs to no site", ids.site],
  "data.chargerId": ["The charger; null for a session at a charger that was removed", "CP-7"],
  "data.transactionId": ["The charger's own id of the session, as text in every OCPP version", "1203944817"],
  "data.status": ["Its present state", "Accepted"],
  readAt: ["When the register was read; null if it was not"],
  change: ["What was done"],
  "command.completed.data.type": ["The command's type", "Reset"],
  "data.version": ["The tariff's version; null if the change made none", 3],
  "token.changed.data.status": ["The token's status; null if the token was removed", "Accepted"],

  // Views.
  viewId: ["A view's `id`", ids.other],
  "View.name": ["Its name", "Offline at the harbour"],
  "View.path": [
    "The page with its filters, relative to the console's address",
    "/chargers?is=offline&q=site%3Aharbour"
  ],
  "View.shared": ["Whether all operators of the organisation see it", true],
  "View.own": ["Whether the caller made it", true],
  "NewView.path": [
    "The page with its filters, relative to the console's address",
    "/chargers?is=offline&q=site%3Aharbour"
  ],

  // Search.
  "search.find.query.q": ["A part of a name or id, 2 to 100 characters; case does not matter", "utrecht"],
  "SearchAnswer.items": ["The results, best first; at most 30, and at most 5 of each kind"],
  "FoundItem.kind": ["Its kind"],
  "FoundItem.id": ["Its id, as used in the URLs of its kind", ids.site],
  "FoundItem.title": ["Its name, or its id if it has none", "Utrecht Centraal P1"],
  "FoundItem.subtitle": ["What distinguishes it from others with the same name; empty if nothing does", "Utrecht"],
  "FoundItem.path": ["The console's page for it", `/sites/${ids.site}`],

  // Work.
  "WorkCounts.heldSessions": ["Held sessions, which are not billed until an operator has checked them", 2],
  "WorkCounts.corrections": ["Sessions whose data differ from what was billed", 1],
  "WorkCounts.parkedDeliveries": ["Objects that partners finally refused, or whose delivery failed for days", 3],
  "WorkCounts.parkedEvents": ["Deliveries to webhooks that were given up", 0],
  "WorkCounts.tokenConflicts": ["Cards that several partners list as valid", 0],
  "WorkCounts.unknownChargers": ["Chargers that tried to connect and are not registered", 1],
  "WorkCounts.configurationDrifts": ["Chargers whose configuration differs from the template and can be set", 2],
  "work.changed.data.heldSessions": ["Held sessions, which are not billed until an operator has checked them", 2],
  "work.changed.data.corrections": ["Sessions whose data differ from what was billed", 1],
  "work.changed.data.parkedDeliveries": ["Objects that partners finally refused, or whose delivery failed for days", 3],
  "work.changed.data.tokenConflicts": ["Cards that several partners list as valid", 0],
  "work.changed.data.unknownChargers": [
    "Chargers that tried to connect and are not registered; 0 if the service holds several organisations",
    1
  ],
  "work.changed.data.configurationDrifts": ["Chargers whose configuration differs from the template and can be set", 2],
  "partner.health.data.state": ["Whether it answers", "Down"],
  "delivery.parked.data.kind": ["The kind of object to send", "location"],
  "delivery.parked.data.partnerId": ["The partner; null for a webhook", ids.partner],
  "delivery.parked.data.webhookId": ["The webhook; null for a partner"],
  "delivery.parked.data.deliveryId": ["The delivery's id, as in the list of parked deliveries"],
  "delivery.parked.data.objectId": ["The object's id, as in that list", ids.site],
  "delivery.parked.data.problem": ["Why it was not accepted", "HTTP 200, status 2001"],

  // Audit log.
  "AuditEntry.id": ["Position in the log, rising with time", "3310"],
  actor: ["Who did it, such as `key:<id>`; `platform` for the service itself", `key:${ids.key}`],
  "AuditEntry.action": ["What was done, such as SiteChanged or CommandIssued", "SiteChanged"],
  "AuditEntry.subject": ["The object it was done to, such as `charger:CP-7`", `site:${ids.site}`],
  before: ["The record before; missing if there was none", { name: "Utrecht" }],
  after: ["The record after; missing if there is none", { name: "Utrecht Centraal P1" }]
}
