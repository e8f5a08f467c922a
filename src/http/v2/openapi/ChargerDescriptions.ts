/** Descriptions of chargers, their messages, configuration, history and profiles. */
import type { Descriptions } from "../../openapi/Descriptions.ts"
import { ids } from "./Common.ts"

export const chargerDescriptions: Descriptions["properties"] = {
  "NewCharger.name": ["The operators' name for the charger; drivers do not see it", "P1 left"],
  "Charger.name": ["The operators' name for the charger; drivers do not see it", "P1 left"],
  "ChargerWithPassword.name": ["The operators' name for the charger; drivers do not see it", "P1 left"],
  "ChargerChange.name": ["The operators' name for the charger; drivers do not see it", "P1 left"],
  "ChargerChange.siteId": ["Moves the charger to this site"],
  "ChargerWithPassword.password": ["Only after `generatePassword: true`; shown only once", "Kr7-Wq2-Zp9-Lm4-Xs"],
  registration: ["The answer to its BootNotification"],
  "ChargerChange.connectors": ["Descriptions of connectors; those that are left out do not change"],
  "ChargerChange.evses": ["Descriptions of EVSEs; those that are left out do not change"],
  evses: ["Its EVSEs with their connectors, as far as the charger has reported them"],
  "Evse.connectors": ["The EVSE's connectors, in order"],
  statusAt: ["Since when the connector has had this status, by the charger's clock if it is plausible"],
  assumed: ["True until the operator has described the connector; until then the other fields are a guess"],
  "Connector.status": ["The status that the connector reported, in OCPP's terms", "Available"],
  "Charger.status": ["The status that the charger reported for itself as a whole; null before the first", "Available"],
  "ChargerWithPassword.status": [
    "The status that the charger reported for itself as a whole; null before the first",
    "Available"
  ],
  errorCode: ["OCPP 1.6's ChargePointErrorCode; null if none was reported", "NoError"],
  info: ["The charger's additional text; null if there is none", null],
  vendorId: ["The vendor that defines `vendorErrorCode`; null if the charger named none", null],
  vendorErrorCode: ["The maker's own error code; null if there is none", null],
  "DataTransferCommand.vendorId": ["The vendor that defines the message, as a reversed domain name", "com.example"],
  registeredSerialNumber: [
    "The serial number that the operator registered, which a client certificate may carry instead of the chargerId; null if there is none",
    "SN-100-7"
  ],
  bootedAt: ["When its last BootNotification was accepted; null before the first"],
  offlineSince: ["When its last connection ended; null while it is connected, and if it has never connected", null],

  // Rows and counts.
  "ChargerRow.id": ["The chargerId, under the field name that all rows share", "CP-7"],
  "ChargerRow.name": ["The operators' name for the charger; drivers do not see it", "P1 left"],
  "ChargerRow.siteId": ["Where the charger is; null if unknown", ids.site],
  "ChargerRow.siteName": ["Name of that site; null if unknown", "Harbour"],
  "ChargerRow.connected": ["Whether a connection is open"],
  "ChargerRow.state": [
    "The charger's overall state: NeverConnected, Offline, else a problem (Faulted, then Unavailable), else the state of its busiest connector. While the charger is offline, its reported statuses are ignored. Unavailable also before it has reported a status"
  ],
  everConnected: ["Whether the charger has ever connected"],
  lastSeenAt: ["When the last message from the charger was received; null before the first"],
  "ChargerRow.vendor": ["Maker, as reported at boot; null before the first boot", "Kempower"],
  "ChargerRow.model": ["Model, as reported at boot; null before the first boot", "Satellite"],
  "ChargerRow.firmwareVersion": ["Firmware version, as reported at boot; null before the first boot", "5.2.0"],
  protocol: ["OCPP version of its last connection; null before the first", "1.6"],
  "ChargerRow.connectors": ["The connectors that it has reported, in the order of EVSEs"],
  "ChargerRow.powerW": ["Watts of all its sessions now; 0 if unknown", 11040],
  activeSessions: ["Running sessions at the charger", 1],
  "ChargerRowConnector.status": ["The status that the connector last reported, in OCPP's terms", "Charging"],
  "ChargerRowConnector.errorCode": ["OCPP 1.6's ChargePointErrorCode; missing if there is no error", "GroundFailure"],
  "ChargerRowConnector.info": ["The charger's additional text; missing if there is none", "RCD tripped"],
  "ChargerRowConnector.since": [
    "Since when the connector has had this status, by the charger's clock if it is plausible"
  ],
  "ChargerRowConnector.powerW": [
    "Watts that its session draws: reported in the last 15 minutes, or computed from the register. Missing if unknown, and while the charger is offline",
    11040
  ],
  "ChargerRowConnector.sessionId": ["The running session at the connector; missing if there is none"],
  "chargers.rows.query.state": ["Only chargers in these states, separated by commas", "Faulted,Offline"],
  "chargers.rows.query.firmware": ["Firmware version, exactly as the charger reports it", "5.2.0"],
  "ChargerCounts.total": ["All chargers that match the filter", 72],
  byState: ["Number of them in each state"],
  needAttention: ["Chargers that are Faulted or Offline", 3],
  "ChargerCounts.connected": ["Chargers that are connected", 69],
  "ChargerCounts.powerW": ["Watts of all sessions at connected chargers", 1748000],
  "ChargerStateCounts.Faulted": ["Chargers with a fault", 1],
  "ChargerStateCounts.Unavailable": [
    "Chargers with a connector that is out of service, and those that have reported no status yet",
    0
  ],
  "ChargerStateCounts.Charging": ["Chargers with a connector that delivers energy", 24],
  "ChargerStateCounts.SuspendedEVSE": ["Chargers whose session is suspended by the charger", 0],
  "ChargerStateCounts.SuspendedEV": ["Chargers with a vehicle that takes no energy at the moment", 2],
  "ChargerStateCounts.Finishing": ["Chargers whose session is over while the vehicle is still there", 1],
  "ChargerStateCounts.Preparing": ["Chargers with a vehicle or a card, and no session yet", 1],
  "ChargerStateCounts.Reserved": ["Chargers with a reserved connector", 0],
  "ChargerStateCounts.Available": ["Chargers with no vehicle connected", 40],
  "ChargerStateCounts.Offline": ["Chargers that have lost their connection", 2],
  "ChargerStateCounts.NeverConnected": ["Chargers that have never connected", 1],

  // What the charger sends.
  "LoggedMessage.id": ["Position in the log, rising with time", "8812"],
  "LoggedMessage.kind": ["The kind of OCPP-J frame; `Malformed` for anything else"],
  action: ["OCPP's action, such as StatusNotification; empty if the frame names none", "Heartbeat"],
  messageId: ["The message id, which is the same in a request and its answer", "c1f4a2"],
  frame: ["The frame's text, at most 64 KiB; passwords and keys are masked", '[2,"c1f4a2","Heartbeat",{}]'],
  cutFrom: ["Size of the whole frame in bytes if `frame` is only its beginning; null if `frame` is complete", null],
  "ConfigurationKey.key": ["Name of the configuration key as the charger spells it", "HeartbeatInterval"],
  "ConfigurationKey.secret": [
    "True: the name says that the value is a secret, so it is masked for callers without `chargers:secrets`",
    false
  ],
  "ConfigurationKey.value": [
    "The reported value; null if the charger has none, or hides it; masked if it is secret and the caller lacks `chargers:secrets`",
    "300"
  ],
  readonly: ["True: the charger does not accept ChangeConfiguration for it"],
  expected: ["The template's value; null if the template has none", "300"],

  // History.
  heardAt: ["When the service received it"],
  "PastStatus.status": ["The status that the connector reported, in OCPP's terms", "Charging"],
  "PastStatus.connectorId": ["The connector within its EVSE; 0 with evseId 0: the charger as a whole", 1],
  connectedAt: ["When the connection was opened"],
  disconnectedAt: ["When the connection ended; null while it is open", null],
  "PastConnection.reason": ["Why it ended, as human-readable text; null while it is open", null],
  "CountedDay.day": ["The day, in UTC", "2026-11-28"],
  "CountedDay.transactions": ["How many transactions were counted and not stored", 160],
  "CountedDay.energyWh": ["The energy of all of them, in Wh", 4200],
  "CountedDay.firstAt": ["When the first of them was counted"],
  "CountedDay.lastAt": ["When the last of them was counted"],
  totalSeconds: ["Seconds of the month that have passed since the connector's first status", 1684800],
  upSeconds: ["Seconds in which the connector could be used, or was in use", 1681200],
  downSeconds: ["Seconds in which it could not be used: offline, faulted and unavailable together", 3600],
  excludedSeconds: ["Seconds that do not count, because an operator had taken it out of service", 0],
  offlineSeconds: ["Seconds in which the charger was not connected", 3000],
  faultedSeconds: ["Seconds in which it reported a fault", 600],
  unavailableSeconds: ["Seconds in which it reported itself unavailable without an operator's order", 0],
  uptimePercent: ["Percentage of the counted seconds in which it was up; null if no seconds count", 99.786],

  // Figures over time.
  "Series.metric": ["The figure that the points show", "power"],
  "Series.unit": ["Unit of the values", "W"],
  "Series.step": ["The length of time that each point covers", "PT15M"],
  "SeriesPoint.value": [
    "The average power, the energy, the number of sessions that started, or the percentage of time in which connectors were available; null for an unknown availability",
    1748000
  ],
  "Series.overall": [
    "The same figure for the part of the range that has passed: the sum, for power the average, for availability the percentage; null if there is none",
    1312000
  ],
  "statistics.series.query.metric": ["The figure that the points show", "power"],
  "statistics.series.query.chargerId": ["Only those of this charger", "VL-0001"],
  "statistics.series.query.step": ["The length of time that each point covers; default PT15M", "PT15M"],

  // Unknown chargers.
  firstSeenAt: ["When it first tried to connect"],
  "UnknownCharger.lastSeenAt": ["When it last tried to connect"],
  attempts: ["Refused connections so far", 14],
  subprotocols: ["OCPP versions that it offered at its last attempt", ["ocpp1.6"]],
  advice: [
    "What to change at the charger so that it can connect; null if its id only has to be registered. With it the id may be one that is registered",
    null
  ],

  // What is expected of chargers.
  keys: ["The keys, each with the value that every charger should have"],
  "ConfigurationDrift.name": ["The operators' name for the charger; drivers do not see it", "P1 left"],
  "ConfigurationDrift.siteName": ["Name of the charger's site", "Harbour"],
  "ConfigurationDrift.firmwareVersion": [
    "Firmware version, as reported at the last boot; empty before the first boot",
    "5.2.0"
  ],
  "ConfigurationDrift.keys": ["Number of its keys that differ and can be set", 3],
  "ConfigurationDrift.since": ["When the service first found the difference"],
  "TemplateKey.key": ["Name of the configuration key; case does not matter", "HeartbeatInterval"],
  "TemplateKey.value": [
    "The expected value; secrets are masked without `chargers:secrets`. A value that is sent back masked stays as it is",
    "300"
  ],
  "ConfigurationTemplate.updatedAt": ["When the template was last replaced; null if never"],
  rules: ["The organisation's own rules; later rules override earlier ones"],
  "Quirk.name": ["The rule's name", "Aurora meters in kWh"],
  "NewQuirk.name": ["The rule's name, which must be unique", "Aurora meters in kWh"],
  tolerances: ["The tolerances granted to matching chargers"],
  "Quirk.vendor": ["Maker, as reported at boot; * matches any text, case does not matter", "Aurora*"],
  "Quirk.model": ["Model, as reported at boot; * matches any text, case does not matter", "X2*"],
  "Quirk.firmware": ["Firmware version, as reported at boot; * matches any text, case does not matter", "3.1.*"],
  "tolerances.callTimeoutSeconds": ["Seconds that the charger may take to answer a call", 60],
  "tolerances.waitForBootSeconds": ["Seconds for which nothing is sent before the charger has booted", 30],
  "tolerances.quietAfterBootSeconds": ["Seconds for which nothing is sent after a boot", 10],
  "tolerances.registerRollsOverAtWh": ["Wh at which its registers restart at 0", 100000000],
  "Quirk.evidence": [
    "Where the behaviour was observed, for later reference",
    "Ticket 4711: registers 1000 times too small"
  ],
  kinds: ["The tolerances that a rule can grant, in the order in which a form shows them"],
  "ToleranceKind.name": ["The name of its field in a rule's tolerances", "callTimeoutSeconds"],
  "ToleranceKind.title": ["What it is called", "Answers late"],
  "ToleranceKind.about": [
    "What the service does if the tolerance is granted",
    "A command waits this long for the charger's answer before it times out; the default is 60 seconds."
  ],
  useWhen: [
    "What operators see if a charger needs the tolerance",
    "Commands end as timed out, and the answer arrives in the log afterwards."
  ],
  "ToleranceKind.type": ["`Yes`: granted or not. `Number`: a whole number. `Choice`: one of `choices`"],
  "ToleranceKind.unit": ["Unit of a number; null if it has none", "s"],
  "ToleranceKind.minimum": ["Smallest number; null for other types", 5],
  "ToleranceKind.maximum": ["Largest number; null for other types", 600],
  "ToleranceKind.choices": ["The possible values; empty for other types", []],
  "Quirk.chargers": ["Number of the organisation's chargers that it applies to", 2],
  chargerIds: ["The first few of the chargers that it applies to", ["CP-7", "CP-8"]],

  // Smart charging.
  setAt: ["When the charger accepted it"],
  "StandingProfile.connectorId": ["OCPP 1.6's connectorId: 0 is the whole charger", 1],
  "StandingProfile.evseId": ["The EVSE that it limits; 0 is the whole charger", 1],
  "StandingProfile.chargingProfile": ["The profile, in OCPP's format"],
  "CompositeSchedule.connectorId": ["OCPP 1.6's connectorId: 0 is the whole charger", 1],
  "reported.answer": ["The charger's answer, as received", { status: "Accepted", connectorId: 1 }],
  "reported.at": ["When the charger answered"],
  "ScheduleDifference.from": ["From when the two differ"],
  "ScheduleDifference.to": ["Until when the two differ"],
  "ScheduleDifference.computed": ["Limit from the profiles in force, in A or W; null if they set none", 16],
  "ScheduleDifference.reported": ["Limit that the charger reported, in A or W; null if it reported none", 32],
  chargingProfileId: ["Number of the profile; a new profile with the same number replaces it", 12],
  stackLevel: ["Stack level, from 0: among profiles with the same purpose, the one with the highest level applies", 0],
  chargingProfilePurpose: ["Whether it limits the charger, sessions to come, or one session (OCPP 1.6 §7.13)"],
  chargingProfileKind: ["What its times are relative to (OCPP 1.6 §7.10)"],
  recurrencyKind: ["How often a recurring profile begins again"],
  validFrom: ["When the profile becomes valid; default: at once"],
  validTo: ["When the profile ceases to be valid; default: never"],
  chargingSchedule: ["The limits over time"],
  startSchedule: ["The start of an absolute or recurring schedule"],
  chargingRateUnit: ["Unit of the limits: A per phase, or W in total"],
  minChargingRate: ["Below this rate, in the same unit, charging is inefficient: the charger may pause instead", 6],
  chargingSchedulePeriod: ["The limits in order of time; the first begins at 0"],
  startPeriod: ["Seconds from the start of the schedule", 0],
  "chargingSchedulePeriod.limit": ["Maximum amperes per phase, or watts in total, from then on", 16],
  numberPhases: ["Number of phases that may be used; default 3", 3],
  duration: ["Duration of the schedule in seconds; default: until another profile applies", 86400],
  "charging-profiles.composite.query.duration": ["Seconds to compute, from now on", 86400],
  "charging-profiles.composite.query.connectorId": ["OCPP 1.6's connectorId; default 0, the whole charger", 0],

  // Local lists.
  inStep: ["Whether the charger's list has all changes of the tokens"],
  "LocalList.version": ["Version of the list that the charger has; null if unknown", 17],
  "LocalList.reason": ["Why the list is not up to date; null if it is", null],
  "LocalList.updatedAt": ["When this state was last checked; null if never"],

  // Certificates.
  csr: ["The signing request in PEM, as the charger sent it", "-----BEGIN CERTIFICATE REQUEST-----\nMIIB…"],
  certificateType: ["What the certificate is trusted for"],
  askedAt: ["When the charger reported it; null if it was never asked"],
  certificates: ["Each in the form that DeleteCertificate takes"],
  hashAlgorithm: ["The algorithm of both hashes"],
  issuerNameHash: ["Hash of the issuer's name, in hex", "9a3b0c1d2e4f5a6b7c8d9e0f1a2b3c4d"],
  issuerKeyHash: ["Hash of the issuer's public key, in hex", "0f1e2d3c4b5a69788796a5b4c3d2e1f0"],
  "certificates.serialNumber": ["The certificate's serial number, in hex", "3d2a"],
  "certificateHashData.serialNumber": ["The certificate's serial number, in hex", "3d2a"]
}
