/** Descriptions of chargers, their messages, configuration, history and profiles. */
import type { Descriptions } from "../../openapi/Descriptions.ts"
import { ids } from "./Common.ts"

export const chargerDescriptions: Descriptions["properties"] = {
  "NewCharger.name": ["What operators call the charger; drivers do not see it", "P1 left"],
  "Charger.name": ["What operators call the charger; drivers do not see it", "P1 left"],
  "ChargerWithPassword.name": ["What operators call the charger; drivers do not see it", "P1 left"],
  "ChargerChange.name": ["What operators call the charger; drivers do not see it", "P1 left"],
  "ChargerChange.siteId": ["Moves the charger to this site"],
  "ChargerWithPassword.password": ["Only after generatePassword: true, and only now", "Kr7-Wq2-Zp9-Lm4-Xs"],
  registration: ["What its BootNotification is answered"],
  "ChargerChange.connectors": ["What connectors are; those that are not named stay as they are"],
  "ChargerChange.evses": ["Descriptions of EVSEs; those that are not named stay as they are"],
  evses: ["Its EVSEs with their connectors, as far as the charger has reported them"],
  "Evse.connectors": ["The EVSE's connectors in their order"],
  statusAt: ["Since when the connector has this status, by the charger's clock where that can be believed"],
  assumed: ["True until the operator has described the connector, and the rest is a guess"],
  "Connector.status": ["What the connector reported, in OCPP's words", "Available"],
  "Charger.status": ["What the charger reported of itself as a whole; null before it has", "Available"],
  "ChargerWithPassword.status": ["What the charger reported of itself as a whole; null before it has", "Available"],
  errorCode: ["OCPP 1.6's ChargePointErrorCode; null where none was reported", "NoError"],
  info: ["What the charger added in words; null where it added nothing", null],
  vendorId: ["Who gives `vendorErrorCode` its meaning; null where the charger named none", null],
  vendorErrorCode: ["The maker's own error code; null where there is none", null],
  "DataTransferCommand.vendorId": ["Who gives the message its meaning, as a domain in reverse", "com.example"],
  registeredSerialNumber: [
    "The serial number that the operator registered; a client certificate may name it in place of the chargerId. Null where there is none",
    "SN-100-7"
  ],
  bootedAt: ["When its last BootNotification was accepted; null before the first"],
  offlineSince: ["The end of its last connection; null while it is connected and for one that never was", null],

  // Rows and counts.
  "ChargerRow.id": ["The chargerId, under the name that every row has", "CP-7"],
  "ChargerRow.name": ["What operators call the charger; drivers do not see it", "P1 left"],
  "ChargerRow.siteId": ["Where the charger is; null where that is not known", ids.site],
  "ChargerRow.siteName": ["Name of that site; null where it is not known", "Harbour"],
  "ChargerRow.connected": ["Whether a connection is open"],
  "ChargerRow.state": [
    "The charger in one word: NeverConnected, Offline, else trouble (Faulted, then Unavailable), else what its busiest connector does. While it is offline, nothing that it reported counts. Unavailable also before it has reported a status"
  ],
  everConnected: ["Whether the charger has ever connected"],
  lastSeenAt: ["When the charger was last heard; null before it ever was"],
  "ChargerRow.vendor": ["Maker as its boot reports it; null before the first boot", "Kempower"],
  "ChargerRow.model": ["Model as its boot reports it; null before the first boot", "Satellite"],
  "ChargerRow.firmwareVersion": ["Firmware as its boot reports it; null before the first boot", "5.2.0"],
  protocol: ["OCPP version of its last connection; null before the first", "1.6"],
  "ChargerRow.connectors": ["Its connectors, as far as it has reported them, in the order of EVSEs"],
  "ChargerRow.powerW": ["Watts of all its sessions now; 0 where none is known", 11040],
  activeSessions: ["Sessions that run there", 1],
  "ChargerRowConnector.status": ["What the connector reported last, in OCPP's words", "Charging"],
  "ChargerRowConnector.errorCode": [
    "OCPP 1.6's ChargePointErrorCode; missing where there is no error",
    "GroundFailure"
  ],
  "ChargerRowConnector.info": ["What the charger added in words; missing where it added nothing", "RCD tripped"],
  "ChargerRowConnector.since": [
    "Since when the connector has this status, by the charger's clock where that can be believed"
  ],
  "ChargerRowConnector.powerW": [
    "Watts that its session draws: reported in the last 15 minutes, or computed from the register. Missing where that is not known, and while the charger is offline",
    11040
  ],
  "ChargerRowConnector.sessionId": ["The session that runs there; missing where none does"],
  "chargers.rows.query.state": ["Chargers in these states alone, separated by commas", "Faulted,Offline"],
  "chargers.rows.query.firmware": ["Firmware exactly as the charger reports it", "5.2.0"],
  "ChargerCounts.total": ["All chargers that fit the filter", 72],
  byState: ["How many of them are in which state"],
  needAttention: ["Those that are Faulted or Offline", 3],
  "ChargerCounts.connected": ["Those that are connected", 69],
  "ChargerCounts.powerW": ["Watts of all sessions at connected chargers", 1748000],
  "ChargerStateCounts.Faulted": ["Chargers with a fault", 1],
  "ChargerStateCounts.Unavailable": [
    "Chargers with a connector that is out of service, and those that have reported no status yet",
    0
  ],
  "ChargerStateCounts.Charging": ["Chargers with a connector that delivers energy", 24],
  "ChargerStateCounts.SuspendedEVSE": ["Chargers that hold a session back", 0],
  "ChargerStateCounts.SuspendedEV": ["Chargers with a vehicle that takes no energy now", 2],
  "ChargerStateCounts.Finishing": ["Chargers with a session that is over and a vehicle that is still there", 1],
  "ChargerStateCounts.Preparing": ["Chargers with a vehicle or a card, and no session yet", 1],
  "ChargerStateCounts.Reserved": ["Chargers with a reserved connector", 0],
  "ChargerStateCounts.Available": ["Chargers that nothing is connected to", 40],
  "ChargerStateCounts.Offline": ["Chargers that have lost their connection", 2],
  "ChargerStateCounts.NeverConnected": ["Chargers that have never connected", 1],

  // What the charger sends.
  "LoggedMessage.id": ["Position in the log; later frames have larger ones", "8812"],
  "LoggedMessage.kind": ["The kind of OCPP-J frame; `Malformed` for what is none"],
  action: ["OCPP's action, as in StatusNotification; empty where the frame names none", "Heartbeat"],
  messageId: ["The message id that an answer repeats", "c1f4a2"],
  frame: ["The frame's text, of at most 64 KiB; passwords and keys are masked", '[2,"c1f4a2","Heartbeat",{}]'],
  cutFrom: ["Bytes of the whole frame where `frame` is only its beginning; null where it is all of it", null],
  "ConfigurationKey.key": ["Name of the configuration key as the charger spells it", "HeartbeatInterval"],
  "ConfigurationKey.value": ["What the charger reported; null where it has none, or hides it", "300"],
  readonly: ["True: the charger takes no ChangeConfiguration for it"],
  expected: ["What the template says; null where it says nothing", "300"],

  // History.
  heardAt: ["When the service heard of it"],
  "PastStatus.status": ["What the connector reported, in OCPP's words", "Charging"],
  "PastStatus.connectorId": ["The connector within its EVSE; 0 with evseId 0: the charger as a whole", 1],
  connectedAt: ["When the connection began"],
  disconnectedAt: ["When the connection ended; null while it lasts", null],
  "PastConnection.reason": ["Why it ended, in words for people; null while it lasts", null],
  totalSeconds: ["Seconds of the month that have passed since the connector was first heard of", 1684800],
  upSeconds: ["Seconds in which the connector could be used, or was in use", 1681200],
  downSeconds: ["Seconds in which it could not: offline, faulted and unavailable together", 3600],
  excludedSeconds: ["Seconds that do not count, since an operator had taken it out of service", 0],
  offlineSeconds: ["Seconds in which the charger was not connected", 3000],
  faultedSeconds: ["Seconds in which it reported a fault", 600],
  unavailableSeconds: ["Seconds in which it reported itself unavailable, by no order of an operator", 0],
  uptimePercent: ["Percent of the seconds that count in which it was up; null when none counts", 99.786],

  // Figures over time.
  "Series.metric": ["What the points are of", "power"],
  "Series.unit": ["What their values are in", "W"],
  "Series.step": ["How much time each point is for", "PT15M"],
  "SeriesPoint.value": [
    "The average power, the energy, the number of sessions that started, or the percentage of the connectors' time in which they were available; null for an availability of which nothing is known",
    1748000
  ],
  "Series.overall": [
    "The same figure of the whole range, as far as it has passed: the sum, of power the average, of availability the percentage; null where there is none",
    1312000
  ],
  "statistics.series.query.metric": ["What the points are of", "power"],
  "statistics.series.query.chargerId": ["Of this charger alone", "VL-0001"],
  "statistics.series.query.step": ["How much time each point is for; PT15M where it is missing", "PT15M"],

  // Unknown chargers.
  firstSeenAt: ["When it first tried to connect"],
  "UnknownCharger.lastSeenAt": ["When it last tried to connect"],
  attempts: ["Refused connections so far", 14],
  subprotocols: ["OCPP versions that its last attempt offered", ["ocpp1.6"]],

  // What is expected of chargers.
  keys: ["The keys, each with the value that every charger is to have"],
  "ConfigurationDrift.name": ["What operators call the charger; drivers do not see it", "P1 left"],
  "ConfigurationDrift.siteName": ["Name of the charger's site", "Harbour"],
  "ConfigurationDrift.firmwareVersion": ["Firmware as its last boot reported it; empty before the first", "5.2.0"],
  "ConfigurationDrift.keys": ["How many of its keys differ and could be set", 3],
  "ConfigurationDrift.since": ["Since when it differs, as the service found it"],
  "TemplateKey.key": ["Name of the configuration key; case does not matter", "HeartbeatInterval"],
  "TemplateKey.value": ["The value that it is to have", "300"],
  "ConfigurationTemplate.updatedAt": ["When the template was last replaced; null where it never was"],
  rules: ["The organisation's own rules; the lower ones have the last word"],
  "Quirk.name": ["What the rule is called", "Aurora meters in kWh"],
  "NewQuirk.name": ["What the rule is called; each has a name of its own", "Aurora meters in kWh"],
  tolerances: ["What chargers of that make are granted"],
  "Quirk.vendor": ["Maker as its boot reports it; * fits any text, case does not matter", "Aurora*"],
  "Quirk.model": ["Model as its boot reports it; * fits any text, case does not matter", "X2*"],
  "Quirk.firmware": ["Firmware as its boot reports it; * fits any text, case does not matter", "3.1.*"],
  "tolerances.callTimeoutSeconds": ["Seconds that it may take to answer a call", 60],
  "tolerances.waitForBootSeconds": ["Seconds for which it is sent nothing before it has booted", 30],
  "tolerances.quietAfterBootSeconds": ["Seconds for which it is sent nothing after a boot", 10],
  "tolerances.registerRollsOverAtWh": ["Wh at which its registers begin at 0 again", 100000000],
  "Quirk.evidence": ["Where it was seen, for later readers", "Ticket 4711: registers 1000 times too small"],
  kinds: ["What a rule can grant, in the order in which a form shows it"],
  "ToleranceKind.name": ["Its field among the tolerances of a rule", "callTimeoutSeconds"],
  "ToleranceKind.title": ["What it is called", "Answers late"],
  "ToleranceKind.about": [
    "What the service does where it is granted",
    "A command waits this long for the charger's answer before it is given up; 60 seconds otherwise."
  ],
  useWhen: [
    "What operators see of a charger that needs it",
    "Commands end as timed out, and the answer arrives in the log afterwards."
  ],
  "ToleranceKind.type": ["`Yes`: granted or not. `Number`: a whole number. `Choice`: one of `choices`"],
  "ToleranceKind.unit": ["Unit of a number; null where it has none", "s"],
  "ToleranceKind.minimum": ["Smallest number; null for other types", 5],
  "ToleranceKind.maximum": ["Largest number; null for other types", 600],
  "ToleranceKind.choices": ["The words that can be chosen; empty for other types", []],
  "Quirk.chargers": ["How many chargers of the organisation it applies to", 2],
  chargerIds: ["The first few of the chargers that it applies to", ["CP-7", "CP-8"]],

  // Smart charging.
  setAt: ["When the charger accepted it"],
  "StandingProfile.connectorId": ["OCPP 1.6's connectorId: 0 is the whole charger", 1],
  "StandingProfile.evseId": ["The EVSE that it limits; 0 is the whole charger", 1],
  "StandingProfile.chargingProfile": ["The profile as OCPP has it"],
  "CompositeSchedule.connectorId": ["OCPP 1.6's connectorId: 0 is the whole charger", 1],
  "reported.answer": ["The charger's answer as it came", { status: "Accepted", connectorId: 1 }],
  "reported.at": ["When the charger answered"],
  "ScheduleDifference.from": ["From when on the two differ"],
  "ScheduleDifference.to": ["Until when the two differ"],
  "ScheduleDifference.computed": ["Limit by the profiles that stand, A or W; null where they set none", 16],
  "ScheduleDifference.reported": ["Limit that the charger reported, A or W; null where it reported none", 32],
  chargingProfileId: ["Number of the profile; another one with it takes its place", 12],
  stackLevel: ["Of profiles with one purpose the one with the highest level counts, from 0", 0],
  chargingProfilePurpose: ["Whether it limits the charger, sessions to come, or one session (OCPP 1.6 §7.13)"],
  chargingProfileKind: ["What its times are counted from (OCPP 1.6 §7.10)"],
  recurrencyKind: ["How often a recurring profile begins again"],
  validFrom: ["Counts from then on; at once without it"],
  validTo: ["Does not count from then on; for ever without it"],
  chargingSchedule: ["The limits over time"],
  startSchedule: ["The moment that an absolute or recurring schedule is counted from"],
  chargingRateUnit: ["Unit of the limits: A on each phase, or W in all"],
  minChargingRate: ["Below this rate, in the same unit, charging is inefficient: the charger may pause instead", 6],
  chargingSchedulePeriod: ["The limits one after the other; the first begins at 0"],
  startPeriod: ["Seconds from the schedule's beginning", 0],
  "chargingSchedulePeriod.limit": ["Most amperes on each phase, or watts in all, from then on", 16],
  numberPhases: ["Phases that may be used; 3 without it", 3],
  duration: ["Seconds that the schedule lasts; without it, until something else counts", 86400],
  "charging-profiles.composite.query.duration": ["Seconds that are computed, from now on", 86400],
  "charging-profiles.composite.query.connectorId": ["OCPP 1.6's connectorId: 0, the whole charger, without it", 0],

  // Local lists.
  inStep: ["Whether the charger's list has every change of the tokens"],
  "LocalList.version": ["Version of the list that the charger has; null where it is not known", 17],
  "LocalList.reason": ["What is in the way of being in step; null where nothing is", null],
  "LocalList.updatedAt": ["When this state was last looked at; null where it never was"],

  // Certificates.
  csr: ["The signing request in PEM, as the charger sent it", "-----BEGIN CERTIFICATE REQUEST-----\nMIIB…"],
  certificateType: ["What the certificate is trusted for"],
  askedAt: ["When the charger reported it; null where it was never asked"],
  certificates: ["Each as DeleteCertificate takes it"],
  hashAlgorithm: ["The algorithm of both hashes"],
  issuerNameHash: ["Hash of the issuer's name, in hex", "9a3b0c1d2e4f5a6b7c8d9e0f1a2b3c4d"],
  issuerKeyHash: ["Hash of the issuer's public key, in hex", "0f1e2d3c4b5a69788796a5b4c3d2e1f0"],
  "certificates.serialNumber": ["The certificate's serial number, in hex", "3d2a"],
  "certificateHashData.serialNumber": ["The certificate's serial number, in hex", "3d2a"]
}
