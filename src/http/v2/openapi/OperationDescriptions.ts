/** What each operation of REST v2 does beyond its summary: what it requires, its consequences, and common mistakes. */
import type { Descriptions } from "../../openapi/Descriptions.ts"

export const tags: Descriptions["tags"] = {
  organisations: "The organisation that the key belongs to, and its settings",
  sites: "Places with chargers, an address and a time zone (OCPI Locations)",
  chargers: "Charge points: they are registered here, then connect and report what they are",
  commands: "Commands to chargers, by their OCPP 1.6 names",
  reservations: "Connectors that are reserved for a token",
  certificates: "Certificates that chargers have requested or installed",
  sessions: "Energy delivered to vehicles, with meter readings and price",
  "token-conflicts": "Cards that several partners list as valid",
  tokens: "The organisation's own cards",
  authorizations: "Decisions on cards: accepted or refused",
  "api-keys": "Keys to this API",
  statistics: "Totals of the organisation",
  "charging-profiles": "Limits on power or current over time",
  "local-lists": "Lists that let chargers accept cards while they are offline",
  history: "Past statuses and connections, and uptime",
  "audit-log": "The log of who did what",
  files: "Files that chargers upload or download",
  views: "Saved pages of the console",
  search: "Search over names and ids of all kinds",
  work: "Items that wait for an operator's decision",
  "unknown-chargers": "Chargers that tried to connect and are not registered",
  expectations: "The configuration that chargers should have, and tolerances for makes with quirks",
  tariffs: "Prices under restrictions, in OCPI 2.2.1's model",
  cdrs: "Charge detail records: what is billed",
  partners: "Roaming partners over OCPI",
  deliveries: "Deliveries to partners, and what partners refused",
  "partner-view": "The data that a partner sees",
  events: "The feed of events",
  webhooks: "Addresses that events are posted to",
  parties: "The CPO parties under which the organisation appears to partners",
  "partner-records": "The exchanges with a partner, and their health"
}

export const operations: Descriptions["operations"] = {
  "organisations.create":
    "Only for the platform's operator. The answer holds the new organisation's first keys, which are never shown again.",
  "organisations.list": "Only for the platform's operator: all organisations of this service, by id.",
  "organisations.get": "The caller's organisation. Other organisations are never shown.",
  "organisations.update": "Fields that are left out do not change.",
  "sites.create":
    "Only the name is required. Partners see the site once it has an address, coordinates and a charger that has reported its connectors; `GET /v2/sites/{siteId}` shows what is missing.",
  "sites.list":
    "All sites of the organisation, whether partners see them or not, with their chargers by state and the power that the chargers deliver now.",
  "sites.get":
    "The site with all its fields, its chargers by state and their power now; `ocpi` shows whether partners see the site and what is missing if they do not.",
  "sites.update":
    "Fields that are left out do not change; null clears a field. Partners that see the site are informed.",
  "sites.remove": "Refused with 409 while the site has chargers. Sessions and records keep the data of the site.",
  "chargers.create":
    "The charger can connect from then on, with its id as the last part of its OCPP address. With security profile 1 or 2 it needs a password; `generatePassword` makes one and shows it only in this answer.",
  "chargers.list": "All chargers of the organisation, with what they last reported.",
  "chargers.rows":
    "For tables and live views: some 500 bytes each, and up to 1,000 in a page. Read them once, then follow `GET /v2/events`. The filter `state` uses stored data, which is at most a second behind the connection.",
  "chargers.counts": "Counted at the moment of the request, with the same states and filters as the rows.",
  "chargers.get":
    "What the operator has set for the charger and what it has reported: connection, connectors, configuration and last message.",
  "chargers.update":
    "Fields that are left out do not change. Chargers report how many connectors they have, but not their types: set standards, voltage and power here, for drivers and partners to see.",
  "chargers.remove":
    "Refused with 409 while a session runs at the charger. Its sessions and records stay, and its id may be registered again.",
  "chargers.messages":
    "Every frame as received or sent, with secrets masked. The log is for troubleshooting: it is kept for a limited time and may have gaps.",
  "chargers.exportMessages": "One frame per line, as in the log. The answer is a stream.",
  "chargers.configuration":
    "As of the last time that the charger was asked, which is after a boot or by the command GetConfiguration. `drift` compares it with the template.",
  "commands.issue":
    "The command is stored, and sent as soon as the charger is ready for it. `wait` holds the request until the charger has answered, for at most 60 seconds; without `wait`, or if that is not enough, read the command at the address in `Location`. A command is sent at most once.",
  "commands.listOfCharger": "Commands from operators, from partners and from the service itself to this charger.",
  "commands.list": "Commands to all chargers of the organisation.",
  "commands.get": "`wait` holds the request until the charger has answered, for at most 60 seconds.",
  "authorizations.list":
    "Every Authorize and every start of a session, with the organisation's own, partners' and unknown cards. If a card is refused repeatedly, its Authorize is listed at most once a minute. `GET /v2/tokens/{uid}/explanation` says why a card may or may not charge.",
  "views.list":
    "Needs no permission: the page of a view checks permissions itself. `own` shows which views the caller may remove.",
  "views.create":
    "409 `view_exists` if the caller has a view of this name, `too_many_views` if the caller has the maximum number, `needs_operator` for a key that belongs to no operator.",
  "views.remove": "Only the caller's own views; a shared view is removed for everyone.",
  "reservations.list": "Reservations are made and cancelled by the commands ReserveNow and CancelReservation.",
  "certificates.requests":
    "Sign a request with your own authority and send the result by the command CertificateSigned.",
  "certificates.installed":
    "As of the last GetInstalledCertificateIds; `changedSince` shows whether certificates may have changed since then.",
  "sessions.list":
    "Filters are combined: a session must match all of them. `periods` of a running session may be a few seconds behind.",
  "sessions.get": "With `include=meterValues` the answer has the first readings; the header `Link` leads to the rest.",
  "sessions.price":
    "One line for each price of the tariff that was used, then what its limits and rounding add. The lines add up exactly to the session's `cost`; for a billed session they are those of its record.",
  "sessions.release":
    "For a session that was held because its data were implausible or incomplete: it is billed with its present figures. Refused with 409 while the session runs.",
  "sessions.correctionPreview":
    "Shows what `POST` on the same path would issue: the credit of the record in force, and the new record. The query parameters are the fields of that body. Refused with 409 while the session runs. Nothing is stored.",
  "sessions.correct":
    "Fields that are left out do not change. If the session is already billed, a credit record cancels that record and a new record is issued, in one step.",
  "sessions.meterValues": "Every reading that the charger sent, with its samples as received.",
  "token-conflicts.list":
    "It is unclear whom to bill for such a card, so it is refused until all partners but one have withdrawn it.",
  "tokens.create": "Case does not matter in uids. Chargers with a managed local list get the change.",
  "tokens.list": "The organisation's own tokens, without those of partners.",
  "tokens.get": "Case does not matter in the uid.",
  "tokens.explanation":
    "The decision that a charger would get now, with the rule behind it, the facts it is based on, and the card's last attempts. The card need not be one of yours. Partners are not asked: if their answer would decide, `rule` is `partner_asked`.",
  "tokens.update": "Fields that are left out do not change; null clears a field.",
  "tokens.remove": "No more sessions start with the token. Chargers with a managed local list get the change.",
  "api-keys.create":
    "The key is in this answer and never shown again. It acts for the operator who creates it, with the same permissions or fewer.",
  "api-keys.rotate":
    "The new key has the name, permissions and networks of the old one, and is shown only in this answer. Both work until the overlap ends. Operators can rotate only their own keys.",
  "api-keys.list":
    "Keys of the organisation, identified by their first characters; the keys themselves are not stored.",
  "api-keys.revoke": "Requests with the key are answered 401 from then on. A revoked key cannot be restored.",
  "statistics.get": "Counted at the moment of the request.",
  "statistics.series":
    "Computed from the sessions of the range, without held ones: a session's energy is spread evenly over its duration, and power is the energy of a step divided by its hours. A session is counted in the step in which it started. Availability is the share of the time of all connectors together in which none of these was true: the charger was offline for longer than five minutes; the connector or the charger as a whole was Faulted; or it was Unavailable without an operator's order. Charging, Reserved and all other statuses count as available, and so does time out of service by an operator's order, exactly as in `uptimePercent` of `/v2/statistics/uptime`. A connector counts from its first known status and its charger's first connection. Steps of P1D are 24 hours, counted from `from`.",
  "charging-profiles.standing":
    "The profiles known to the service: it set them, the charger accepted them, and they were not cleared since.",
  "charging-profiles.composite":
    "Computed by OCPP's stacking rules from the profiles in force, together with the charger's last answer to GetCompositeSchedule.",
  "local-lists.get":
    "Lists are sent manually with the command SendLocalList, or by the service if the organisation's `localLists` is Managed.",
  "history.connectors": "Every status change that the charger reported, with its own error texts.",
  "history.connections": "When the charger was connected, from where, and why connections ended.",
  "history.countedTransactions":
    "A charger that begins more transactions than are stored of it in a day has those that took less than 100 Wh and a minute counted instead. A list that is not empty shows a faulty charger.",
  "history.uptime":
    "The month is in the site's time zone. Time for which an operator took a connector out of service does not count.",
  "search.find":
    "Finds chargers by id or name; sites, partners and tariffs by name; operators by name or email; cards by uid, printed number or note, partners' cards by their whole uid or the contract; sessions by id or transaction id and records by id or number, both from the first 8 digits of an id. Exact matches come first, then those that begin with the text, then those that contain it.",
  "work.get":
    "The items themselves are in the lists of each kind: sessions with `held` or `needsCorrection`, parked deliveries of partners and deliveries of webhooks, token conflicts, unknown chargers, configuration drifts. The event `work.changed` reports changed counts.",
  "audit-log.list":
    "Changes by operators, keys, partners and the platform. A record that was created or removed is shown as a whole; of a change, `before` and `after` have the fields that differ, and those that identify the record. Of lists whose elements have ids, they have the elements that differ. Entries are never changed.",
  "files.list": "Diagnostics and logs that chargers have uploaded or are expected to upload, and firmware.",
  "files.store":
    "The body is the file itself. Chargers download it after the commands UpdateFirmware and SignedUpdateFirmware with its `fileId`.",
  "files.get": "The file's size, state and hash; its content is at `/content`.",
  "files.remove": "Both the content and the record of the file are removed. Commands that named it do not change.",
  "files.content": "The content as stored. The answer is 404 for a file that has not been uploaded yet.",
  "unknown-chargers.list":
    "Often a charger with a typing error in its address. Register it under the id that it uses, or correct the address in the charger.",
  "unknown-chargers.forget": "It is listed again if it tries to connect again.",
  "expectations.template": "The list of keys is empty if no template was set.",
  "expectations.setTemplate":
    "Replaces the whole template. It cannot contain AuthorizationKey and SecurityProfile: each charger has its own.",
  "expectations.apply":
    "Sends one ChangeConfiguration for each key that differs. If none differs, nothing is sent and `items` is empty.",
  "expectations.drifts":
    "Keys that a charger does not have, or reports as read-only, do not count: they cannot be set. A charger is compared a few seconds after it has reported its configuration, and all chargers after a change of the template.",
  "expectations.quirks":
    "The organisation's own rules and the built-in ones, each with the chargers that it applies to. `kinds` describes what a rule can grant, for forms.",
  "expectations.setQuirks":
    "Replaces all of the organisation's rules; the built-in rules stay, and your own override them.",
  "tariffs.create":
    "A tariff that could not be used is refused, with all findings at their places. `warnings` lists what is allowed but unusual.",
  "tariffs.list": "Tariffs in their newest versions.",
  "tariffs.get": "The newest version. Sessions keep the version under which they began.",
  "tariffs.update": "Makes a new version. Running sessions keep the version under which they began.",
  "tariffs.remove": "Refused with 409 while the tariff is assigned. Sessions and records keep its prices.",
  "tariffs.runningSessions":
    "These sessions keep the version under which they began: a new version applies to sessions that begin later. Only reservations that cost something are counted.",
  "tariffs.assignments":
    "The organisation, sites, chargers and connectors that the tariff is assigned to, with possible problems there.",
  "tariffs.assign": "Name exactly one of the four. A tariff that is already assigned there is replaced.",
  "tariffs.unassign":
    "The query names one assignment: `default=true`, `siteId`, `chargerId`, or `chargerId` with `connectorId`.",
  "tariffs.listAssignments":
    "In tree order: the organisation's, then each site's, followed by those of its chargers and their connectors. Send the same `tariffId` with each page.",
  "tariffs.ofCharger":
    "Uses the same rule as a session's start: the narrowest assignment whose tariff is valid at that time. One item for each connector that the charger has reported or that has a tariff of its own; for a charger that has reported none, EVSE 1.",
  "tariffs.preview":
    "Priced in the same way as real sessions. Give readings as a meter would; charging and parking are distinguished as in real sessions.",
  "tariffs.week":
    "Computed as for real sessions, for seven local days from `startDate`: which prices apply when a session starts, and when something is free because no element matches. Nothing is stored.",
  "cdrs.list": "Records are never changed. A wrong record is followed by its credit record and a new record.",
  "cdrs.csv":
    "One line per record, in UTF-8, with times in the organisation's time zone. All amounts of a credit record are negative, so that columns add up. The answer is a stream: process it as it arrives.",
  "cdrs.jsonLines": "One record per line, as `GET /v2/cdrs/{cdrId}` shows it. The answer is a stream.",
  "cdrs.get": "The record as issued, with the tariff that it was priced by.",
  "cdrs.price":
    "Computed only from the record, by the tariff version that it was billed with. The lines add up exactly to its total; those of a credit record are negated.",
  "cdrs.creditPreview":
    "Shows the credit record that would be issued. Refused with 409 in the same cases as the credit itself. Nothing is stored.",
  "cdrs.credit":
    "A second credit for the same record is refused with 409. The partner of a roaming session gets the credit too.",
  "partners.create":
    "The answer holds a token: give it to the partner together with `versionsUrl`, and the partner registers itself. The token is shown only once.",
  "partners.list": "Partners in every state, including invited ones.",
  "partners.get": "The partner's parties, its OCPI version, and the modules that it serves.",
  "partners.update":
    "Fields that are left out do not change. While the partner is suspended, its calls are refused and nothing is sent to it.",
  "partners.remove":
    "The partner gets a DELETE of its credentials, and its tokens are no longer accepted. Sessions and records of its drivers stay.",
  "partners.invite": "For a partner that lost its token or starts over.",
  "partners.register":
    "The other direction of an invitation: this service calls the partner, with the token and the address that the partner gave you.",
  "partners.renew": "Both sides get new tokens; calls continue meanwhile.",
  "deliveries.parked":
    "Objects that the partner refused, or whose delivery failed for three days. They stay until an operator decides.",
  "deliveries.replay": "The object is sent in its present state, not in the state that was refused.",
  "deliveries.replayAll": "At most 5000 at once; repeat the request for more.",
  "deliveries.discard": "The object is not sent until it changes again.",
  "partner-view.view":
    "To look into a partner's complaint: the exact objects, in the partner's version of OCPI. Nothing is sent.",
  "events.get":
    "By its id, as given in the feed, the streams and webhooks; available for as long as it is in the feed.",
  "events.list":
    "Keep `nextCursor` and ask again with it: no event is missed or repeated. With server-sent events the connection stays open, and `Last-Event-ID` continues where it broke off.",
  "webhooks.create":
    "Events from now on are posted, signed as in Standard Webhooks. The secret is in this answer and never shown again.",
  "webhooks.list": "Webhooks of the organisation, including those that are switched off.",
  "webhooks.get": "Its settings and its last error; its deliveries are at `/deliveries`.",
  "webhooks.update":
    "Fields that are left out do not change. A webhook that is switched on gets the events from then on.",
  "webhooks.remove": "Waiting deliveries are dropped.",
  "webhooks.rotateSecret": "Change the secret on your side within a day: until then messages carry both signatures.",
  "webhooks.ping":
    "The message is signed like any other. The answer reports what your address answered, and is 201 in any case.",
  "webhooks.deliveries":
    "Each with the event's type, the number of attempts and the last error. The event itself is at `/v2/events/{eventId}`.",
  "webhooks.replay":
    "For a delivery that was given up. Messages keep their ids, so that a receiver recognises one that it already has.",
  "parties.create": "Partners see sites under the party that the site names, with its name and address.",
  "parties.list": "Every organisation has a default party from the start.",
  "partner-records.exchanges":
    "Requests in both directions with their bodies, with secrets masked; kept for a limited time.",
  "partner-records.health":
    "By module and direction: the last success and the last failure; also how fetching the partner's tokens goes, and how far deliveries to it are behind.",
  "partner-records.clients": "Only hubs report such parties (OCPI's hubclientinfo)."
}
