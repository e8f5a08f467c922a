/** Each type of command over REST: the domain command for its parameters, with as few and as many of them as possible. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { commandTypes } from "../../../src/domain/command/Kinds.ts"
import { certificate } from "../../support/certificate.ts"
import { commandsOf } from "../../support/fakeCommands.ts"
import { fakeApp, type Json, withCharger } from "../../support/restApp.ts"

let app: Awaited<ReturnType<typeof fakeApp>>

beforeAll(async () => {
  app = await fakeApp()
  await withCharger(app.ask, app.key, "CP-1")
})
afterAll(() => app.close())

const at = "2026-06-01T10:00:00Z"
const ms = Date.parse(at)
const ahead = "2126-06-01T10:00:00Z"
const location = "https://files.example/one"
const place = { evseId: 2, connectorId: 1 }
const whole = { evseId: 0, connectorId: 0 }
const retrying = { retries: 3, retryInterval: 60 }
const retries = { retries: 3, retryIntervalSeconds: 60 }
const hash = { hashAlgorithm: "SHA256", issuerNameHash: "aa", issuerKeyHash: "bb", serialNumber: "01" }

const leastProfile = {
  chargingProfileId: 1,
  stackLevel: 0,
  chargingProfilePurpose: "TxDefaultProfile",
  chargingProfileKind: "Relative",
  chargingSchedule: { chargingRateUnit: "A", chargingSchedulePeriod: [{ startPeriod: 0, limit: 16 }] }
}
const leastProfileInside = {
  profileId: 1,
  stackLevel: 0,
  purpose: "TxDefaultProfile",
  kind: "Relative",
  schedule: { chargingRateUnit: "A", periods: [{ startPeriod: 0, limit: 16 }] }
}
const fullProfile = {
  chargingProfileId: 2,
  transactionId: 42,
  stackLevel: 3,
  chargingProfilePurpose: "TxProfile",
  chargingProfileKind: "Recurring",
  recurrencyKind: "Daily",
  validFrom: at,
  validTo: "2026-06-02T10:00:00Z",
  chargingSchedule: {
    duration: 86400,
    startSchedule: at,
    chargingRateUnit: "W",
    minChargingRate: 100.5,
    chargingSchedulePeriod: [
      { startPeriod: 0, limit: 11000, numberPhases: 3 },
      { startPeriod: 3600, limit: 3680.5, numberPhases: 1 }
    ]
  }
}
const fullProfileInside = {
  profileId: 2,
  transactionId: 42,
  stackLevel: 3,
  purpose: "TxProfile",
  kind: "Recurring",
  recurrency: "Daily",
  validFrom: ms,
  validTo: ms + 86_400_000,
  schedule: {
    duration: 86400,
    startSchedule: ms,
    chargingRateUnit: "W",
    minChargingRate: 100.5,
    periods: [
      { startPeriod: 0, limit: 11000, numberPhases: 3 },
      { startPeriod: 3600, limit: 3680.5, numberPhases: 1 }
    ]
  }
}
const { transactionId: _, ...startProfile } = fullProfile
const { transactionId: __, ...startProfileInside } = fullProfileInside
const firmware = { location, retrieveDateTime: at, signingCertificate: "PEM", signature: "c2ln" }

const inOneLine = certificate.replaceAll(/([A-Za-z0-9+/=])\n(?!-)/g, "$1")

/** The parameters beside `type`, and the fields to be stored beside `_tag`. */
type Case = readonly [type: string, parameters: Json, expected: Json]

const cases: ReadonlyArray<Case> = [
  ["RemoteStart", { idTag: "CARD" }, { tokenUid: "CARD" }],
  [
    "RemoteStart",
    { idTag: "CARD", connectorId: 2, chargingProfile: startProfile },
    { tokenUid: "CARD", place, chargingProfile: startProfileInside }
  ],
  ["RemoteStop", { transactionId: 42 }, { transactionId: 42 }],
  ["UnlockConnector", { connectorId: 2 }, { place }],
  ["Reset", { resetType: "Hard" }, { kind: "Hard" }],
  ["Reset", { resetType: "Soft" }, { kind: "Soft" }],
  ["ChangeAvailability", { connectorId: 2, operationalStatus: "Inoperative" }, { place, availability: "Inoperative" }],
  [
    "ChangeAvailability",
    { connectorId: 0, operationalStatus: "Operative" },
    { place: whole, availability: "Operative" }
  ],
  ["GetConfiguration", {}, { keys: [] }],
  ["GetConfiguration", { key: "HeartbeatInterval" }, { keys: ["HeartbeatInterval"] }],
  ["GetConfiguration", { key: ["A", "B"] }, { keys: ["A", "B"] }],
  ["ChangeConfiguration", { key: "SecurityProfile", value: "2" }, { key: "SecurityProfile", value: "2" }],
  ["ChangeConfiguration", { key: "A", value: "" }, { key: "A", value: "" }],
  ["ClearCache", {}, {}],
  ["DataTransfer", { vendorId: "V" }, { vendorId: "V" }],
  ["DataTransfer", { vendorId: "V", messageId: "M", data: "{}" }, { vendorId: "V", messageId: "M", data: "{}" }],
  ["GetDiagnostics", { location }, { location }],
  [
    "GetDiagnostics",
    { location, startTime: at, stopTime: at, ...retrying },
    { location, startTime: ms, stopTime: ms, ...retries }
  ],
  ["UpdateFirmware", { location, retrieveDate: at }, { location, retrieveAt: ms }],
  ["UpdateFirmware", { location, retrieveDate: at, ...retrying }, { location, retrieveAt: ms, ...retries }],
  ["GetLocalListVersion", {}, {}],
  [
    "SendLocalList",
    { listVersion: 5, updateType: "Full", localAuthorizationList: [] },
    { listVersion: 5, updateType: "Full", entries: [] }
  ],
  [
    "SendLocalList",
    {
      listVersion: 5,
      updateType: "Differential",
      localAuthorizationList: [
        { idTag: "GONE" },
        { idTag: "CARD", idTagInfo: { status: "Accepted", expiryDate: at, parentIdTag: "FAMILY" } }
      ]
    },
    {
      listVersion: 5,
      updateType: "Differential",
      entries: [
        { tokenUid: "GONE" },
        { tokenUid: "CARD", authorization: { status: "Accepted", expiresAt: ms, parentUid: "FAMILY" } }
      ]
    }
  ],
  [
    "ReserveNow",
    { connectorId: 0, idTag: "CARD", expiryDate: ahead, reservationId: 9 },
    { place: whole, tokenUid: "CARD", expiresAt: Date.parse(ahead), reservationId: 9 }
  ],
  [
    "ReserveNow",
    { connectorId: 2, idTag: "CARD", expiryDate: ahead, reservationId: 9, parentIdTag: "FAMILY" },
    { place, tokenUid: "CARD", expiresAt: Date.parse(ahead), reservationId: 9, parentUid: "FAMILY" }
  ],
  ["CancelReservation", { reservationId: 9 }, { reservationId: 9 }],
  [
    "SetChargingProfile",
    { connectorId: 0, chargingProfile: leastProfile },
    { place: whole, profile: leastProfileInside }
  ],
  ["SetChargingProfile", { connectorId: 2, csChargingProfiles: fullProfile }, { place, profile: fullProfileInside }],
  ["ClearChargingProfile", {}, {}],
  [
    "ClearChargingProfile",
    { id: 1, connectorId: 2, chargingProfilePurpose: "TxProfile", stackLevel: 3 },
    { profileId: 1, place, purpose: "TxProfile", stackLevel: 3 }
  ],
  ["GetCompositeSchedule", { connectorId: 0, duration: 60 }, { place: whole, durationSeconds: 60 }],
  [
    "GetCompositeSchedule",
    { connectorId: 2, duration: 60, chargingRateUnit: "W" },
    { place, durationSeconds: 60, rateUnit: "W" }
  ],
  ["TriggerMessage", { requestedMessage: "Heartbeat" }, { requestedMessage: "Heartbeat" }],
  [
    "TriggerMessage",
    { requestedMessage: "StatusNotification", connectorId: 2 },
    { requestedMessage: "StatusNotification", place }
  ],
  ["ExtendedTriggerMessage", { requestedMessage: "Heartbeat" }, { requestedMessage: "Heartbeat" }],
  [
    "ExtendedTriggerMessage",
    { requestedMessage: "StatusNotification", connectorId: 2 },
    { requestedMessage: "StatusNotification", place }
  ],
  ["CertificateSigned", { certificateChain: certificate }, { certificateChain: certificate }],
  [
    "CertificateSigned",
    { certificateChain: `subject=CN = x\n${certificate}${certificate}` },
    { certificateChain: `subject=CN = x\n${certificate}${certificate}` }
  ],
  ["DeleteCertificate", { certificateHashData: hash }, { hash }],
  [
    "GetInstalledCertificateIds",
    { certificateType: "ManufacturerRootCertificate" },
    { certificateType: "ManufacturerRootCertificate" }
  ],
  [
    "InstallCertificate",
    { certificateType: "CentralSystemRootCertificate", certificate },
    { certificateType: "CentralSystemRootCertificate", certificate }
  ],
  [
    "InstallCertificate",
    { certificateType: "CentralSystemRootCertificate", certificate: inOneLine },
    { certificateType: "CentralSystemRootCertificate", certificate: inOneLine }
  ],
  ["GetLog", { logType: "SecurityLog", requestId: 3, location }, { logType: "SecurityLog", requestId: 3, location }],
  [
    "GetLog",
    {
      logType: "DiagnosticsLog",
      requestId: 3,
      log: { remoteLocation: location, oldestTimestamp: at, latestTimestamp: at },
      ...retrying
    },
    { logType: "DiagnosticsLog", requestId: 3, location, oldestAt: ms, latestAt: ms, ...retries }
  ],
  [
    "SignedUpdateFirmware",
    { requestId: 3, firmware },
    { requestId: 3, location, retrieveAt: ms, signingCertificate: "PEM", signature: "c2ln" }
  ],
  [
    "SignedUpdateFirmware",
    { requestId: 3, firmware: { ...firmware, installDateTime: at }, ...retrying },
    { requestId: 3, location, retrieveAt: ms, installAt: ms, signingCertificate: "PEM", signature: "c2ln", ...retries }
  ]
]

const post = (body: Json) => app.ask("POST", "/cpo/v2/chargers/CP-1/commands", { key: app.key, body })

it("has a case for each type", () => {
  expect([...new Set(cases.map(([type]) => type))].toSorted()).toEqual([...commandTypes].toSorted())
})

it.each(cases)("turns a %s into the expected domain command", async (type, parameters, expected) => {
  const answer = await post({ type, ...parameters })
  expect([answer.status, answer.json.type, answer.json.parameters]).toEqual([202, type, withMillis(parameters)])
  expect(commandsOf(app.world).issued.at(-1)?.command).toEqual({ _tag: type, ...expected })
})

/** Times are answered in the service's own format. */
const withMillis = (parameters: Json): Json =>
  JSON.parse(JSON.stringify(parameters).replaceAll(/(T\d\d:\d\d:\d\d)Z/g, "$1.000Z"))

const profileWith = (schedule: Json, rest: Json = {}) => ({
  connectorId: 0,
  chargingProfile: { ...leastProfile, ...rest, chargingSchedule: { ...leastProfile.chargingSchedule, ...schedule } }
})
const period = "/chargingProfile/chargingSchedule/chargingSchedulePeriod"

const fileId = "01900000-0000-7000-8000-000000000001"
const { location: ___, ...homeless } = firmware
const broken = certificate.replace("MIIB", "MIIC")
const key = certificate.replaceAll("CERTIFICATE", ["PRIVATE", "KEY"].join(" "))

/** Invalid parameters and the pointer of the error. */
const wrong: ReadonlyArray<readonly [type: string, parameters: Json, pointer: string]> = [
  ["Nonsense", {}, "/type"],
  ["RemoteStart", {}, "/idTag"],
  ["RemoteStart", { idTag: "A".repeat(21) }, "/idTag"],
  ["RemoteStart", { idTag: "A", connectorId: 0 }, "/connectorId"],
  ["RemoteStart", { idTag: "A", expiresIn: 0 }, "/expiresIn"],
  ["RemoteStart", { idTag: "A", expiresIn: 604_801 }, "/expiresIn"],
  ["RemoteStart", { idTag: "A", chargingProfile: leastProfile }, "/chargingProfile/chargingProfilePurpose"],
  ["RemoteStop", {}, "/transactionId"],
  ["RemoteStop", { transactionId: "x" }, "/transactionId"],
  ["RemoteStop", { sessionId: "x" }, "/sessionId"],
  ["UnlockConnector", { connectorId: 0 }, "/connectorId"],
  ["UnlockConnector", { connectorId: 1.5 }, "/connectorId"],
  ["Reset", { resetType: "Immediate" }, "/resetType"],
  ["ChangeAvailability", { connectorId: -1, operationalStatus: "Operative" }, "/connectorId"],
  ["ChangeAvailability", { connectorId: 1, operationalStatus: "On" }, "/operationalStatus"],
  ["ChangeConfiguration", { key: "K".repeat(51), value: "" }, "/key"],
  ["ChangeConfiguration", { key: "K", value: "V".repeat(501) }, "/value"],
  ["ChangeConfiguration", { key: "K" }, "/value"],
  ["ChangeConfiguration", { key: "authorizationkey", value: "short" }, "/value"],
  ...["x", "", "4", "-1", "2.0"].map(
    (value) => ["ChangeConfiguration", { key: " SECURITYPROFILE", value }, "/value"] as const
  ),
  ["DataTransfer", {}, "/vendorId"],
  ["DataTransfer", { vendorId: "V", messageId: "M".repeat(51) }, "/messageId"],
  ["GetDiagnostics", { location: "file:///etc/passwd" }, "/location"],
  ["UpdateFirmware", { location, retrieveDate: "tomorrow" }, "/retrieveDate"],
  ["UpdateFirmware", { retrieveDate: at }, "/location"],
  ["UpdateFirmware", { location, fileId, retrieveDate: at }, "/fileId"],
  ["SendLocalList", { localAuthorizationList: [{ idTag: "A" }] }, "/localAuthorizationList"],
  ["SendLocalList", { updateType: "Differential" }, "/localAuthorizationList"],
  [
    "SendLocalList",
    { localAuthorizationList: [{ idTag: "A".repeat(21), idTagInfo: { status: "Accepted" } }] },
    "/localAuthorizationList/0/idTag"
  ],
  ["ReserveNow", { connectorId: 1, idTag: "A" }, "/expiryDate"],
  ["ReserveNow", { connectorId: 1, idTag: "A", expiryDate: at }, "/expiryDate"],
  ["CancelReservation", {}, "/reservationId"],
  ["SetChargingProfile", { connectorId: 0 }, "/chargingProfile"],
  [
    "SetChargingProfile",
    { connectorId: 0, chargingProfile: leastProfile, csChargingProfiles: leastProfile },
    "/csChargingProfiles"
  ],
  ["SetChargingProfile", profileWith({ chargingSchedulePeriod: [] }), period],
  ["SetChargingProfile", profileWith({ chargingSchedulePeriod: [{ startPeriod: 60, limit: 1 }] }), `${period}`],
  ["SetChargingProfile", profileWith({ chargingSchedulePeriod: [{ startPeriod: 0, limit: -1 }] }), `${period}/0/limit`],
  ["SetChargingProfile", profileWith({}, { chargingProfilePurpose: "TxProfile" }), "/chargingProfile/transactionId"],
  ["SetChargingProfile", profileWith({ startSchedule: at }), "/chargingProfile/chargingSchedule/startSchedule"],
  [
    "SetChargingProfile",
    { connectorId: 1, csChargingProfiles: { ...leastProfile, validFrom: at, validTo: at } },
    "/csChargingProfiles/validTo"
  ],
  ["ClearChargingProfile", { stackLevel: -1 }, "/stackLevel"],
  ["GetCompositeSchedule", { connectorId: 0, duration: 0 }, "/duration"],
  ["TriggerMessage", {}, "/requestedMessage"],
  ["TriggerMessage", { requestedMessage: "heartbeat" }, "/requestedMessage"],
  ["TriggerMessage", { requestedMessage: "LogStatusNotification" }, "/requestedMessage"],
  ["TriggerMessage", { requestedMessage: "MeterValues", connectorId: 0 }, "/connectorId"],
  ["ExtendedTriggerMessage", { requestedMessage: "DiagnosticsStatusNotification" }, "/requestedMessage"],
  ["ExtendedTriggerMessage", { requestedMessage: "Heartbeat", connectorId: 0 }, "/connectorId"],
  ["CertificateSigned", { certificateChain: "C".repeat(10_001) }, "/certificateChain"],
  ...["", "PEM", certificate.slice(1), certificate + key, certificate + broken, `${certificate}-----BEGIN`].map(
    (certificateChain) => ["CertificateSigned", { certificateChain }, "/certificateChain"] as const
  ),
  ...["PEM", key, broken, certificate.toLowerCase(), certificate + certificate].map(
    (pem) =>
      [
        "InstallCertificate",
        { certificateType: "ManufacturerRootCertificate", certificate: pem },
        "/certificate"
      ] as const
  ),
  ["DeleteCertificate", { certificateHashData: { ...hash, serialNumber: "" } }, "/certificateHashData/serialNumber"],
  ["GetInstalledCertificateIds", { certificateType: "V2G" }, "/certificateType"],
  ["InstallCertificate", { certificateType: "V2G", certificate: "PEM" }, "/certificateType"],
  ["GetLog", { logType: "Everything", location }, "/logType"],
  ["GetLog", { logType: "SecurityLog", location, log: { remoteLocation: location } }, "/location"],
  ["SignedUpdateFirmware", { firmware: { ...firmware, retrieveDateTime: 5 } }, "/firmware/retrieveDateTime"],
  ["SignedUpdateFirmware", { firmware: homeless }, "/firmware/location"],
  ["SignedUpdateFirmware", { firmware, fileId }, "/fileId"]
]

it.each(wrong.map(([type, parameters, pointer]) => [type, pointer, parameters] as const))(
  "refuses a %s with an error at %s",
  async (type, pointer, parameters) => {
    const before = commandsOf(app.world).issued.length
    const answer = await post({ type, ...parameters })
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_input"])
    expect(answer.json.errors.map((one: Json) => one.pointer)).toContain(pointer)
    expect(commandsOf(app.world).issued.length).toBe(before)
  }
)

it.each([
  [
    "TriggerMessage",
    { requestedMessage: "x" },
    /"BootNotification".*"DiagnosticsStatusNotification".*"StatusNotification"/
  ],
  ["ExtendedTriggerMessage", { requestedMessage: "x" }, /"LogStatusNotification".*"SignChargePointCertificate"/],
  ["UpdateFirmware", { retrieveDate: at }, /sftp URL.*or fileId.*POST \/cpo\/v2\/files/],
  ["SignedUpdateFirmware", { firmware: homeless }, /sftp URL.*or fileId.*POST \/cpo\/v2\/files/]
])("lists the alternatives for an invalid %s", async (type, parameters, detail) => {
  const [error, ...others] = (await post({ type, ...parameters })).json.errors
  expect(error.detail).toMatch(detail)
  expect(others).toEqual([])
})

const entry = { idTag: "A", idTagInfo: { status: "Accepted" } }
const profileOf = (more: Json) => ({ connectorId: 0, chargingProfile: { ...leastProfile, ...more } })

/** An unknown name, its pointer, and the known name that is listed first. */
const misspelt: ReadonlyArray<readonly [type: string, parameters: Json, pointer: string, first: string]> = [
  ["ClearCache", { id: 1 }, "/id", "type"],
  ["ClearChargingProfile", { chargingProfileId: 31 }, "/chargingProfileId", "chargingProfilePurpose"],
  ["RemoteStart", { idTag: "A", conectorId: 2 }, "/conectorId", "connectorId"],
  ["RemoteStart", { idTag: "A", ExpiresIn: 60 }, "/ExpiresIn", "expiresIn"],
  ["RemoteStart", { idTag: "A", "": 1, "a/b": 1 }, "/a~1b", "type"],
  ["SetChargingProfile", profileOf({ stacklevel: 1 }), "/chargingProfile/stacklevel", "stackLevel"],
  [
    "SetChargingProfile",
    profileWith({ startScedule: at }),
    "/chargingProfile/chargingSchedule/startScedule",
    "startSchedule"
  ],
  [
    "SetChargingProfile",
    profileWith({ chargingSchedulePeriod: [{ startPeriod: 0, limit: 1, phases: 3 }] }),
    `${period}/0/phases`,
    "limit"
  ],
  ["SendLocalList", { localAuthorizationList: [entry, { ...entry, name: "x" }] }, "/localAuthorizationList/1/name", ""],
  [
    "SendLocalList",
    { localAuthorizationList: [{ ...entry, idTagInfo: { status: "Accepted", expires: at } }] },
    "/localAuthorizationList/0/idTagInfo/expires",
    "expiryDate"
  ],
  ["DeleteCertificate", { certificateHashData: { ...hash, serial: "1" } }, "/certificateHashData/serial", ""],
  ["GetLog", { logType: "SecurityLog", log: { remotelocation: location } }, "/log/remotelocation", "remoteLocation"],
  ["SignedUpdateFirmware", { firmware: { ...firmware, retries: 1 } }, "/firmware/retries", ""]
]

it.each(misspelt.map(([type, parameters, pointer, first]) => [type, pointer, parameters, first] as const))(
  "refuses a %s with the unknown %s and lists the known names",
  async (type, pointer, parameters, first) => {
    const before = commandsOf(app.world).issued.length
    const answer = await post({ type, ...parameters })
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_input"])
    const found = answer.json.errors.find((one: Json) => one.pointer === pointer)
    expect(found?.detail).toContain(`Is not a known name. Known names: ${first}`)
    expect(commandsOf(app.world).issued.length).toBe(before)
  }
)

it("names each unknown parameter along with the other errors", async () => {
  const answer = await post({ type: "RemoteStart", conectorId: 2, tag: "A" })
  expect(answer.json.errors.map((one: Json) => one.pointer).toSorted()).toEqual(["/conectorId", "/idTag", "/tag"])
})

it("limits the work for many or very long unknown names", async () => {
  const many = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`parameter${i}`, 1]))
  const long = { ["x".repeat(900_000)]: 1 }
  for (const names of [many, long]) {
    const before = process.cpuUsage()
    const answer = await post({ type: "RemoteStart", idTag: "A", ...names })
    expect([answer.status, answer.json.errors.length <= 100]).toEqual([400, true])
    // CPU time rather than wall time, since the machine that runs the tests is busy.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5_000)
  }
})
