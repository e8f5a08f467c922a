/** What each operation of REST v2 does beyond its summary: what it requires, its consequences, and common mistakes. */
import type { Descriptions } from "../../openapi/Descriptions.ts"

export const tags: Descriptions["tags"] = {
  organisations: "The organisation that the key belongs to, and its settings",
  sites: "Places with chargers, an address and a time zone: OCPI's Locations",
  chargers: "Charge points: registered here, then they connect and report themselves",
  commands: "What chargers are asked to do, in OCPP 1.6's names",
  reservations: "Connectors that are kept for a token",
  certificates: "Certificates that chargers asked for or have installed",
  sessions: "Energy delivered to vehicles, with its readings and its price",
  "token-conflicts": "Cards that several partners vouch for",
  tokens: "The organisation's own cards",
  authorizations: "What cards were answered",
  "api-keys": "Keys to this API",
  statistics: "Counts of the organisation",
  "charging-profiles": "Limits on power or current over time",
  "local-lists": "Lists by which chargers let cards charge while they are offline",
  history: "What connectors and connections were like before, and uptime",
  "audit-log": "Who did what",
  files: "Files that chargers bring or fetch",
  views: "Pages of the console that people keep",
  search: "Names and ids of all kinds at once",
  work: "What waits for a decision of an operator",
  "unknown-chargers": "Chargers that tried to connect and are not registered",
  expectations: "The configuration that chargers are to have, and what makes with quirks are granted",
  tariffs: "Prices under restrictions, in OCPI 2.2.1's model",
  cdrs: "Charge detail records: what is billed",
  partners: "Roaming partners over OCPI",
  deliveries: "What was sent to a partner, and what it refused",
  "partner-view": "What a partner sees",
  events: "The feed of what happened",
  webhooks: "Addresses that events are posted to",
  parties: "The CPO parties that the organisation speaks as",
  "partner-records": "What was exchanged with a partner, and how it goes"
}

export const operations: Descriptions["operations"] = {
  "organisations.create":
    "For the platform's own operator. The answer holds the new organisation's first keys, which are never shown again.",
  "organisations.list": "For the platform's own operator: all organisations on it, by id.",
  "organisations.get": "The organisation that the key belongs to. Other organisations are never shown.",
  "organisations.update": "Fields that are left out stay as they are.",
  "sites.create":
    "Only the name is needed. Partners see the site once it has an address, coordinates and a charger that has reported its connectors; `GET /v2/sites/{siteId}` says what is missing.",
  "sites.list":
    "All sites of the organisation, whether partners see them or not, with their chargers by state and the power that these deliver now.",
  "sites.get":
    "The site with all its fields, its chargers by state and their power now, and under `ocpi` whether partners see it and what keeps them from it.",
  "sites.update":
    "Fields that are left out stay as they are, and null clears one. Partners that see the site are informed.",
  "sites.remove": "Refused with 409 while chargers stand there. Sessions and records keep what was known of it.",
  "chargers.create":
    "The charger can connect from then on, under its id as the last part of its OCPP address. With security profile 1 or 2 it needs a password; `generatePassword` makes one and shows it in this answer alone.",
  "chargers.list": "All chargers of the organisation, with what they last reported.",
  "chargers.rows":
    "For tables and live views: some 500 bytes each, and up to 1,000 in a page. Read them once and follow `GET /v2/events` from there. `state` looks at what is stored, which is behind the connection by a second at most.",
  "chargers.counts": "Counted at the moment of the request, by the same words and filters as the rows.",
  "chargers.get":
    "What the operator set for the charger and what it reported itself: connection, connectors, configuration and last message.",
  "chargers.update":
    "Fields that are left out stay as they are. Chargers report numbers of connectors but not what they are: set standards, voltage and power here, and drivers and partners see them.",
  "chargers.remove":
    "Refused with 409 while a session runs there. Its sessions and records stay, and its id may be registered anew.",
  "chargers.messages":
    "Every frame as it was received or sent, secrets masked. The log is for looking into trouble: it is kept for a limited time and holds no promises.",
  "chargers.exportMessages": "One frame for each line, as the log shows it. The answer is a stream.",
  "chargers.configuration":
    "As of the last time that it was asked, which is after a boot or by the command GetConfiguration. `drift` compares it with the template.",
  "commands.issue":
    "The command is stored and sent as soon as the charger's line is free. `wait` holds the request until the charger has answered, for 60 seconds at most; without it, or if that is not enough, ask for the command again at the address in `Location`. A command is sent at most once.",
  "commands.listOfCharger": "Commands of operators, of partners and of the service itself to this charger.",
  "commands.list": "Commands to all chargers of the organisation.",
  "commands.get": "`wait` holds the request until the charger has answered, for 60 seconds at most.",
  "authorizations.list":
    "Every Authorize and every start of a session, of own, partners' and unknown cards. Of a card that is refused again and again an Authorize is listed once a minute. Why a card may charge or not: `GET /v2/tokens/{uid}/explanation`.",
  "views.list": "Needs no permission: what a view shows, its page asks for. `own` says which may be removed.",
  "views.create":
    "409 `view_exists` for a name that one has, `too_many_views` beyond the most, `needs_operator` for a key that belongs to no operator.",
  "views.remove": "One's own; a shared one is gone for all.",
  "reservations.list": "They are made and cancelled by the commands ReserveNow and CancelReservation.",
  "certificates.requests":
    "Sign a request with your own authority and send the result by the command CertificateSigned.",
  "certificates.installed":
    "As of the last GetInstalledCertificateIds; `changedSince` says when it is worth asking again.",
  "sessions.list": "Filters are added to each other. `periods` of a running session may be a few seconds behind.",
  "sessions.get": "With `include=meterValues` its first readings come along; the header `Link` leads to the rest.",
  "sessions.price":
    "One line for each price of the tariff that was used, then what its limits and rounding add. The lines add up to the session's `cost` exactly; of one that was billed they are those of its record.",
  "sessions.release":
    "For a session that was held since something about it could not be believed: it is billed with the figures that it has.",
  "sessions.correctionPreview":
    "What `POST` on the same path would issue, by the same functions: the credit of the record in force, and the new record. The query has the body's figures. Refused with 409 while the session runs. Nothing is stored.",
  "sessions.correct":
    "What is left out stays as it is. If the session was billed already, a credit record takes that back and a new record is made, all in one step.",
  "sessions.meterValues": "Every reading that the charger sent, with its samples as they came.",
  "token-conflicts.list":
    "It is not clear whom to bill for such a card, so chargers refuse it until all partners but one have taken it back.",
  "tokens.create": "Uids are compared without regard to case. Chargers with a managed local list get the change.",
  "tokens.list": "The organisation's own tokens; partners' tokens are not among them.",
  "tokens.get": "The uid is found whatever its case.",
  "tokens.explanation":
    "The very decision that a charger would get now, with the rule that made it, what it rests on, and the last attempts of the card. The card need not be one of yours. Partners are not asked: where their answer decides, `rule` is `partner_asked`.",
  "tokens.update": "Fields that are left out stay as they are, and null clears one.",
  "tokens.remove": "No session starts with it any more. Chargers with a managed local list get the change.",
  "api-keys.create":
    "The key is in this answer and never shown again. It acts for the operator of the key that makes it, with the same permissions or fewer.",
  "api-keys.rotate":
    "The new key has the name, permissions and networks of the old one, and is in this answer alone. Both work until the overlap is over. Keys of other operators are rotated by them.",
  "api-keys.list": "Keys of the organisation by their beginnings; the keys themselves are not stored.",
  "api-keys.revoke": "Requests with it are answered 401 from then on. A key that is revoked never comes back.",
  "statistics.get": "Counted at the moment of the request.",
  "statistics.series":
    "Out of the sessions of the range, without those that are held: a session's energy is spread evenly over its time, and power is the energy of a step by its hours. A session is counted where it started. Availability is the share of the time of all connectors together in which none of these held: the charger was offline for longer than five minutes; the connector or the charger as a whole was Faulted; or it was Unavailable without an order of an operator. Charging, Reserved and all other statuses count as available, and so does the time of an operator's own order to be out of service, exactly as in `uptimePercent` of `/v2/statistics/uptime`. A connector counts from its first known status and its charger's first connection on. Steps of P1D are 24 hours from `from`.",
  "charging-profiles.standing":
    "As far as the service knows: profiles that it set and the charger accepted, and that were not cleared since.",
  "charging-profiles.composite":
    "Computed by OCPP's rules of stacking from the profiles in force, beside what the charger last answered to GetCompositeSchedule.",
  "local-lists.get":
    "Lists are sent by hand, by the command SendLocalList, or kept by the service where the organisation's `localLists` is Managed.",
  "history.connectors": "Every change of status that the charger reported, with its own words for errors.",
  "history.connections": "When the charger was connected, from where, and why connections ended.",
  "history.uptime":
    "The month is meant in the site's time zone. Time that an operator took a connector out of service for does not count.",
  "search.find":
    "Chargers by id or name; sites, partners and tariffs by name; operators by name or email; cards by uid, printed number or note, partners' cards by their whole uid or the contract; sessions by id or transaction id and records by id or number, both from the beginning of an id with 8 digits or more. What fits exactly comes first, then what begins with the text, then what has it somewhere.",
  "work.get":
    "The items are in the lists of each kind: sessions with `held` or `needsCorrection`, parked deliveries of partners and deliveries of webhooks, token conflicts, unknown chargers, configuration drifts. The event `work.changed` says when a count has changed.",
  "audit-log.list":
    "Changes made with keys and by the platform, with the record before and after. Entries are never changed.",
  "files.list": "Diagnostics and logs that chargers brought, those that are waited for, and firmware.",
  "files.store":
    "The body is the file itself. Chargers fetch it by the commands UpdateFirmware and SignedUpdateFirmware with its `fileId`.",
  "files.get": "The file's size, state and hash; its bytes are at `/content`.",
  "files.remove": "Its bytes are gone with what was known of it. Commands that named it stay as they are.",
  "files.content": "The bytes, as they were stored. A file that is still waited for has none, and is answered 404.",
  "unknown-chargers.list":
    "Often a charger with a typing error in its address. Register it under the id that it uses, or put its address right.",
  "unknown-chargers.forget": "It is listed again when it tries again.",
  "expectations.template": "An empty list of keys where none was set.",
  "expectations.setTemplate":
    "The whole template is replaced. AuthorizationKey and SecurityProfile cannot be in it: each charger has its own.",
  "expectations.apply":
    "One ChangeConfiguration for each key that drifts. Nothing is sent where nothing drifts, and `items` is empty.",
  "expectations.drifts":
    "Keys that a charger does not have, or calls read-only, do not count: nothing can be set there. A charger is compared a few seconds after it reported, and all of them after a change of the template.",
  "expectations.quirks":
    "The organisation's own rules and those that everybody gets, each with the chargers that it applies to. `kinds` says what a rule can grant, for forms.",
  "expectations.setQuirks":
    "All of the organisation's rules are replaced; those built in stay, and are overruled by one of your own.",
  "tariffs.create":
    "Refused with every finding at its place if it could not be used. `warnings` says what is legal but strange.",
  "tariffs.list": "Tariffs in their newest versions.",
  "tariffs.get": "The newest version. Sessions keep the version that they began under.",
  "tariffs.update": "Makes a new version. Sessions that run keep the one that they began under.",
  "tariffs.remove": "Refused with 409 while it is assigned. Sessions and records keep what it said.",
  "tariffs.runningSessions":
    "Whatever is changed, these keep the version that they began under: a new version is for sessions that begin later. Reservations count where they cost something.",
  "tariffs.assignments": "The organisation, sites, chargers and connectors that have it, with what may be wrong there.",
  "tariffs.assign": "Exactly one of the four is named. Another tariff that was there gives way.",
  "tariffs.unassign":
    "Names one assignment by the query: `default=true`, `siteId`, `chargerId`, or `chargerId` with `connectorId`.",
  "tariffs.listAssignments":
    "In the order of a tree: the organisation's, then each site's, with those of its chargers and their connectors after it. Pages go on with the same `tariffId`.",
  "tariffs.ofCharger":
    "By the rule that sessions get their tariff by when they start: the narrowest assignment whose tariff is valid at that time. One item for each connector that the charger has reported or that has a tariff of its own; for a charger that has reported none, EVSE 1.",
  "tariffs.preview":
    "The same function prices real sessions. Give readings as a meter would; charging and parking are distinguished as they are for real sessions.",
  "tariffs.week":
    "By the engine that prices sessions, for seven local days from `startDate`: which prices apply when a session starts, and when something is free because no element fits. Nothing is stored.",
  "cdrs.list": "Records are never changed. One that was wrong is followed by its credit record and another one.",
  "cdrs.csv": "One line for each record, in UTF-8. The answer is a stream: a client should not wait for all of it.",
  "cdrs.jsonLines": "One record for each line, as `GET /v2/cdrs/{cdrId}` shows it. The answer is a stream.",
  "cdrs.get": "The record as it was issued, with the tariff that it was priced by.",
  "cdrs.price":
    "From the record alone, by the tariff version that it was billed with. The lines add up to its total exactly; those of a credit record are negated.",
  "cdrs.creditPreview":
    "What the credit record would be, by the same function. Refused with 409 as the credit itself would be. Nothing is stored.",
  "cdrs.credit":
    "A second credit of the same record is refused with 409. The partner of a roaming session gets it too.",
  "partners.create":
    "The answer holds a token: hand it to the partner with `versionsUrl`, and it registers itself. The token is shown once.",
  "partners.list": "Partners in every state, invited ones too.",
  "partners.get": "Who the partner says it is, which version it speaks, and what it serves.",
  "partners.update":
    "Fields that are left out stay as they are. While it is suspended its calls are refused and nothing is sent to it.",
  "partners.remove":
    "It gets a DELETE of its credentials, and its tokens are no longer accepted. Sessions and records of its drivers stay.",
  "partners.invite": "For a partner that lost its token or starts over.",
  "partners.register":
    "The other direction of an invitation: here we call the partner, with the token and the address that it gave you.",
  "partners.renew": "Both sides get new tokens, and calls go on meanwhile.",
  "deliveries.parked":
    "Objects that the partner refused, or that failed for three days. They stay until an operator decides.",
  "deliveries.replay": "The object is sent in its present state, not as it was refused.",
  "deliveries.replayAll": "At most 5000 at once; call it again for more.",
  "deliveries.discard": "Nothing of it is sent until it changes again.",
  "partner-view.view":
    "For looking into what a partner complains of: the very objects, in its version of OCPI, with nothing sent.",
  "events.get": "By its id, as the feed, the streams and webhooks have it; for as long as the feed has it.",
  "events.list":
    "Keep `nextCursor` and ask again with it: no event is missed and none comes twice. As server-sent events the connection stays open, and `Last-Event-ID` goes on where it broke.",
  "webhooks.create":
    "Events that happen from now on are posted, signed by Standard Webhooks. The secret is in this answer and never shown again.",
  "webhooks.list": "Webhooks of the organisation, switched off ones too.",
  "webhooks.get": "Its settings and what went wrong last; its deliveries are at `/deliveries`.",
  "webhooks.update":
    "Fields that are left out stay as they are. One that is switched on gets what happens from then on.",
  "webhooks.remove": "Deliveries that wait are dropped.",
  "webhooks.rotateSecret": "Change the secret at your side within a day: until then messages carry both signatures.",
  "webhooks.ping":
    "The message is signed as any other. The answer says what your address answered, and is 201 whatever that was.",
  "webhooks.deliveries":
    "Each with its event's type, how often it was tried and what was wrong with it. The event itself is at `/v2/events/{eventId}`.",
  "webhooks.replay":
    "For one that was given up. Messages keep their ids, so that a receiver knows one that it had already.",
  "parties.create": "Partners see sites under the party that the site names, with its name and address.",
  "parties.list": "Every organisation has one from the start, the default one.",
  "partner-records.exchanges":
    "Requests in both directions with their bodies, secrets masked, kept for a limited time.",
  "partner-records.health":
    "By module and direction: when it last went well and when it last failed, how its tokens are fetched, and how far deliveries to it are behind.",
  "partner-records.clients": "Only hubs send any (OCPI's hubclientinfo)."
}
