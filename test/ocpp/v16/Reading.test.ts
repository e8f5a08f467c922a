/** Messages that deviate from the specification: what is accepted anyway, and what is refused with which code. */
import { describe, expect, it } from "vitest"
import type { ChargerEvent } from "../../../src/domain/charger/ChargerEvent.ts"
import { v16 } from "../../../src/ocpp/v16/V16.ts"
import { examples, exampleWith } from "./examples.ts"
import { withEveryEnumValue, withUnknownEnumValue } from "./schemas.ts"

type Change = Readonly<Record<string, unknown>>

const iso = "2026-11-20T10:00:00.000Z"

/** A change to a valid message, a part of the resulting event, and the violations reported. */
type Taken = readonly [
  title: string,
  action: string,
  change: Change,
  event: Partial<ChargerEvent> & object,
  violations: Array<string>
]

it("accepts every value of every enumeration in the specification without a violation", () => {
  const variants = examples.flatMap(({ action, payload }) =>
    withEveryEnumValue(action, payload).map((variant) => [action, variant] as const)
  )
  expect(variants.length).toBeGreaterThan(150)
  const reported = variants.filter(([action, variant]) => {
    const decoded = v16.decodeCall(action, variant)
    return decoded._tag === "Refused" || decoded.violations.length > 0
  })
  expect(reported).toEqual([])
})

it("accepts an unknown value unchanged in any enumerated field", () => {
  const variants = examples.flatMap(({ action, payload }) =>
    withUnknownEnumValue(action, payload).map((variant) => [action, variant] as const)
  )
  expect(variants.length).toBeGreaterThan(15)
  for (const [action, variant] of variants) {
    const decoded = v16.decodeCall(action, variant)
    expect(decoded).toMatchObject({ violations: [expect.stringMatching(/: unknown value$/)] })
    expect(JSON.stringify(decoded)).toContain('"Strange"')
  }
})

describe("accepts with a violation", () => {
  const rows: ReadonlyArray<Taken> = [
    [
      "a boot without vendor",
      "BootNotification",
      { chargePointVendor: undefined },
      { vendor: "", model: "Model" },
      ["chargePointVendor: missing"]
    ],
    [
      "a boot without vendor and model",
      "BootNotification",
      { chargePointVendor: null, chargePointModel: undefined },
      { vendor: "", model: "" },
      ["chargePointVendor: null", "chargePointModel: missing"]
    ],
    [
      "a boot with an object as its model",
      "BootNotification",
      { chargePointModel: {} },
      { model: "" },
      ["chargePointModel: wrong type"]
    ],
    [
      "a serial number that is too long",
      "BootNotification",
      { chargePointSerialNumber: "9".repeat(31) },
      { serialNumber: "9".repeat(31) },
      ["chargePointSerialNumber: too long"]
    ],
    [
      "a serial number that is a number",
      "BootNotification",
      { chargePointSerialNumber: 4711 },
      { serialNumber: "4711" },
      ["chargePointSerialNumber: other type"]
    ],
    [
      "null for optional fields",
      "BootNotification",
      { iccid: null, imsi: null },
      { iccid: undefined, imsi: undefined },
      ["iccid: null", "imsi: null"]
    ],
    ["a tag that is a number", "Authorize", { idTag: 12345678 }, { tokenUid: "12345678" }, ["idTag: other type"]],
    [
      "a tag that is too long",
      "Authorize",
      { idTag: "A".repeat(40) },
      { tokenUid: "A".repeat(40) },
      ["idTag: too long"]
    ],
    [
      "a connector written as text",
      "StatusNotification",
      { connectorId: "2" },
      { place: { evseId: 2, connectorId: 1 } },
      ["connectorId: other type"]
    ],
    [
      "a status without error code",
      "StatusNotification",
      { errorCode: undefined },
      { errorCode: undefined, status: "Faulted" },
      ["errorCode: missing"]
    ],
    [
      "an unknown error code",
      "StatusNotification",
      { errorCode: "Error" },
      { errorCode: "Error" },
      ["errorCode: unknown value"]
    ],
    [
      "an unknown status as Unavailable",
      "StatusNotification",
      { status: "Parked" },
      { status: "Unavailable", rawStatus: "Parked" },
      ["status: unknown value"]
    ],
    [
      "OCPP 2.x's word for a connector with a vehicle as Preparing",
      "StatusNotification",
      { status: "Occupied" },
      { status: "Preparing", rawStatus: "Occupied" },
      ["status: unknown value"]
    ],
    [
      "a status in another letter case",
      "StatusNotification",
      { status: "available" },
      { status: "Available", rawStatus: "available" },
      ["status: unknown value"]
    ],
    [
      "a status with an invalid time",
      "StatusNotification",
      { timestamp: "now" },
      { time: { at: undefined, raw: "now" } },
      ["timestamp: not a time"]
    ],
    [
      "a status with a number as its time",
      "StatusNotification",
      { timestamp: 1795168800 },
      { time: { at: undefined, raw: "1795168800" } },
      ["timestamp: other type", "timestamp: not a time"]
    ],
    [
      "vendor data as an object",
      "DataTransfer",
      { data: { a: [1, null] } },
      { data: '{"a":[1,null]}' },
      ["data: other type"]
    ],
    ["vendor data as a number", "DataTransfer", { data: 5 }, { data: "5" }, ["data: other type"]],
    [
      "a firmware status of a later edition",
      "FirmwareStatusNotification",
      { status: "DownloadPaused" },
      { status: "DownloadPaused" },
      ["status: unknown value"]
    ],
    [
      "a request id written as text",
      "LogStatusNotification",
      { requestId: "7" },
      { requestId: 7 },
      ["requestId: other type"]
    ],
    [
      "an invalid request id",
      "SignedFirmwareStatusNotification",
      { requestId: "x" },
      { requestId: undefined },
      ["requestId: wrong type"]
    ],
    [
      "a security event without a time",
      "SecurityEventNotification",
      { timestamp: undefined },
      { time: { at: undefined, raw: undefined } },
      ["timestamp: missing"]
    ],
    ["a heartbeat with an empty object", "Heartbeat", {}, { _tag: "HeartbeatReceived" }, []]
  ]
  it.each(rows)("%s", (_, action, change, event, violations) => {
    expect(v16.decodeCall(action, exampleWith(action, change))).toEqual({
      _tag: "Event",
      event: expect.objectContaining(event) as unknown,
      violations
    })
  })

  it("an empty array instead of an empty object", () => {
    expect(v16.decodeCall("Heartbeat", [])).toEqual({
      _tag: "Event",
      event: { _tag: "HeartbeatReceived" },
      violations: ["payload: other type"]
    })
  })

  it("empty texts of a boot as missing", () => {
    const empty = Object.fromEntries(Object.keys(exampleWith("BootNotification", {})).map((name) => [name, ""]))
    expect(v16.decodeCall("BootNotification", empty)).toEqual({
      _tag: "Event",
      event: { _tag: "Booted", vendor: "", model: "" },
      violations: []
    })
  })
})

describe("accepts of a transaction, whatever is missing,", () => {
  const rows: ReadonlyArray<Taken> = [
    [
      "a start without timestamp",
      "StartTransaction",
      { timestamp: undefined },
      { time: { at: undefined, raw: undefined } },
      ["timestamp: missing"]
    ],
    [
      "a start without meter",
      "StartTransaction",
      { meterStart: undefined },
      { meterStartWh: undefined },
      ["meterStart: missing"]
    ],
    [
      "a start whose meter is not a number",
      "StartTransaction",
      { meterStart: "n/a" },
      { meterStartWh: undefined },
      ["meterStart: wrong type"]
    ],
    [
      "a start whose meter is empty",
      "StartTransaction",
      { meterStart: "" },
      { meterStartWh: undefined },
      ["meterStart: empty"]
    ],
    [
      "a start whose meter is text",
      "StartTransaction",
      { meterStart: "1000" },
      { meterStartWh: 1000 },
      ["meterStart: other type"]
    ],
    [
      "a start whose meter has decimals",
      "StartTransaction",
      { meterStart: 1000.5 },
      { meterStartWh: 1001 },
      ["meterStart: not whole"]
    ],
    [
      "a start whose meter is out of range",
      "StartTransaction",
      { meterStart: 1e300 },
      { meterStartWh: undefined },
      ["meterStart: out of range"]
    ],
    ["a start without a tag", "StartTransaction", { idTag: undefined }, { tokenUid: "" }, ["idTag: missing"]],
    [
      "a start without connector",
      "StartTransaction",
      { connectorId: undefined },
      { place: { evseId: 0, connectorId: 0 } },
      ["connectorId: missing"]
    ],
    [
      "a start at a connector below zero",
      "StartTransaction",
      { connectorId: -1 },
      { place: { evseId: 0, connectorId: 0 } },
      ["connectorId: out of range"]
    ],
    [
      "a start with only a tag",
      "StartTransaction",
      { connectorId: null, meterStart: [], timestamp: undefined },
      { tokenUid: "04A1B2C3", meterStartWh: undefined },
      ["connectorId: null", "meterStart: wrong type", "timestamp: missing"]
    ],
    ["a reservation that is 0", "StartTransaction", { reservationId: 0 }, { reservationId: undefined }, []],
    ["a reservation that is -1", "StartTransaction", { reservationId: -1 }, { reservationId: undefined }, []],
    [
      "a stop of transaction 0",
      "StopTransaction",
      { transactionId: 0 },
      { transactionId: undefined, rawTransactionId: "0" },
      []
    ],
    [
      "a stop of transaction -1",
      "StopTransaction",
      { transactionId: -1 },
      { transactionId: undefined, rawTransactionId: "-1" },
      []
    ],
    [
      "a stop of a transaction beyond 31 bits",
      "StopTransaction",
      { transactionId: 2147483648 },
      { transactionId: undefined, rawTransactionId: "2147483648" },
      []
    ],
    [
      "a stop of transaction 2^31-1",
      "StopTransaction",
      { transactionId: 2147483647 },
      { transactionId: 2147483647, rawTransactionId: "2147483647" },
      []
    ],
    [
      "a stop of a transaction beyond 64 bits",
      "StopTransaction",
      { transactionId: 2 ** 63 },
      { transactionId: undefined, rawTransactionId: "9223372036854776000" },
      ["transactionId: out of range"]
    ],
    [
      "a stop with a fractional transaction id",
      "StopTransaction",
      { transactionId: 7.5 },
      { transactionId: undefined, rawTransactionId: "7.5" },
      ["transactionId: not whole"]
    ],
    [
      "a stop whose transaction is text",
      "StopTransaction",
      { transactionId: "77" },
      { transactionId: 77, rawTransactionId: "77" },
      ["transactionId: other type"]
    ],
    [
      "a stop whose transaction id is a word",
      "StopTransaction",
      { transactionId: "T-77" },
      { transactionId: undefined, rawTransactionId: "T-77" },
      ["transactionId: wrong type"]
    ],
    [
      "a stop without transaction",
      "StopTransaction",
      { transactionId: undefined },
      { transactionId: undefined, rawTransactionId: "" },
      ["transactionId: missing"]
    ],
    ["a stop with an empty tag", "StopTransaction", { idTag: "" }, { tokenUid: undefined }, []],
    ["a stop without reason", "StopTransaction", { reason: undefined }, { reason: "Local" }, []],
    ["a stop with an empty reason", "StopTransaction", { reason: "" }, { reason: "Local" }, ["reason: empty"]],
    [
      "a stop with an unknown reason",
      "StopTransaction",
      { reason: "Timeout" },
      { reason: "Timeout" },
      ["reason: unknown value"]
    ],
    ["a stop without meter", "StopTransaction", { meterStop: null }, { meterStopWh: undefined }, ["meterStop: null"]],
    ["a stop with an empty list of data", "StopTransaction", { transactionData: [] }, { readings: [] }, []],
    [
      "a stop with invalid data",
      "StopTransaction",
      { transactionData: "none" },
      { readings: [] },
      ["transactionData: wrong type"]
    ],
    [
      "meter values without connector",
      "MeterValues",
      { connectorId: undefined },
      { place: { evseId: 0, connectorId: 0 }, transactionId: 77 },
      ["connectorId: missing"]
    ],
    ["meter values of transaction 0", "MeterValues", { transactionId: 0 }, { transactionId: undefined }, []],
    [
      "meter values of no transaction",
      "MeterValues",
      { transactionId: null },
      { transactionId: undefined },
      ["transactionId: null"]
    ],
    ["meter values without values", "MeterValues", { meterValue: [] }, { readings: [] }, ["meterValue: empty"]],
    [
      "a single reading instead of a list",
      "MeterValues",
      { meterValue: { timestamp: iso, sampledValue: { value: "5" } } },
      { readings: [expect.objectContaining({ rawAt: iso, samples: [expect.objectContaining({ value: "5" })] })] },
      ["meterValue: other type", "meterValue.sampledValue: other type"]
    ],
    [
      "the readable parts of partly unreadable meter values",
      "MeterValues",
      { meterValue: [null, 5, { timestamp: iso, sampledValue: [null, {}, { value: 5 }] }, { sampledValue: "x" }] },
      {
        readings: [
          expect.objectContaining({
            samples: [expect.objectContaining({ value: "5", measurand: "Energy.Active.Import.Register", unit: "Wh" })]
          })
        ]
      },
      [
        "meterValue: wrong type",
        "meterValue.sampledValue: wrong type",
        "meterValue.sampledValue.value: missing",
        "meterValue.sampledValue.value: other type",
        "meterValue.timestamp: missing"
      ]
    ]
  ] as ReadonlyArray<Taken>
  it.each(rows)("%s", (_, action, change, event, violations) => {
    expect(v16.decodeCall(action, exampleWith(action, change))).toEqual({
      _tag: "Event",
      event: expect.objectContaining(event) as unknown,
      violations
    })
  })

  const nothing: ReadonlyArray<readonly [string, unknown]> = [
    ["StartTransaction", {}],
    ["StartTransaction", []],
    ["StartTransaction", { connectorId: {}, idTag: [], meterStart: "", timestamp: null, reservationId: 5 }],
    ["StopTransaction", {}],
    ["StopTransaction", { reason: "Local" }],
    ["MeterValues", {}],
    ["MeterValues", { connectorId: 1, transactionId: 7 }],
    ["MeterValues", { connectorId: 1, meterValue: "1003" }]
  ]
  it.each(nothing)("a %s without usable content, as unreadable: %j", (action, payload) => {
    expect(v16.decodeCall(action, payload)).toMatchObject({
      _tag: "Event",
      event: {
        _tag: "UnreadableTransactionMessage",
        action,
        problem: expect.stringMatching(/missing|wrong type/) as unknown
      }
    })
  })
})

describe("refuses", () => {
  const rows: ReadonlyArray<readonly [string, Change, string, string]> = [
    ["Authorize", { idTag: undefined }, "OccurenceConstraintViolation", "idTag: missing"],
    ["Authorize", { idTag: null }, "OccurenceConstraintViolation", "idTag: null"],
    ["Authorize", { idTag: ["A"] }, "TypeConstraintViolation", "idTag: wrong type"],
    ["Authorize", { idTag: {} }, "TypeConstraintViolation", "idTag: wrong type"],
    ["DataTransfer", { vendorId: undefined }, "OccurenceConstraintViolation", "vendorId: missing"],
    ["DataTransfer", { vendorId: [] }, "TypeConstraintViolation", "vendorId: wrong type"],
    ["StatusNotification", { connectorId: undefined }, "OccurenceConstraintViolation", "connectorId: missing"],
    ["StatusNotification", { connectorId: "one" }, "TypeConstraintViolation", "connectorId: wrong type"],
    ["StatusNotification", { connectorId: "" }, "PropertyConstraintViolation", "connectorId: empty"],
    ["StatusNotification", { connectorId: -1 }, "PropertyConstraintViolation", "connectorId: out of range"],
    ["StatusNotification", { connectorId: 2147483648 }, "PropertyConstraintViolation", "connectorId: out of range"],
    ["StatusNotification", { connectorId: 1.5 }, "PropertyConstraintViolation", "connectorId: not whole"],
    ["StatusNotification", { status: undefined }, "OccurenceConstraintViolation", "status: missing"],
    ["StatusNotification", { status: "" }, "PropertyConstraintViolation", "status: empty"],
    ["StatusNotification", { status: {} }, "TypeConstraintViolation", "status: wrong type"],
    ["DiagnosticsStatusNotification", { status: undefined }, "OccurenceConstraintViolation", "status: missing"],
    ["FirmwareStatusNotification", { status: [] }, "TypeConstraintViolation", "status: wrong type"],
    ["LogStatusNotification", { status: null }, "OccurenceConstraintViolation", "status: null"],
    ["SignedFirmwareStatusNotification", { status: undefined }, "OccurenceConstraintViolation", "status: missing"],
    ["SecurityEventNotification", { type: undefined }, "OccurenceConstraintViolation", "type: missing"],
    ["SecurityEventNotification", { type: {} }, "TypeConstraintViolation", "type: wrong type"],
    ["SignCertificate", { csr: undefined }, "OccurenceConstraintViolation", "csr: missing"],
    ["SignCertificate", { csr: {} }, "TypeConstraintViolation", "csr: wrong type"]
  ]
  it.each(rows)("%s with %j", (action, change, code, description) => {
    expect(v16.decodeCall(action, exampleWith(action, change))).toEqual({ _tag: "Refused", code, description })
  })
})

describe("a secret in what a charger reports about itself", () => {
  const decoded = (action: string, payload: unknown) => v16.decodeCall(action, payload)
  const status = { connectorId: 1, errorCode: "OtherError", status: "Faulted" }

  it("is masked in the texts of a StatusNotification", () => {
    const texts = { info: "pass=S3CRET", vendorErrorCode: "pw:S3CRET", vendorId: "V;password;S3CRET" }
    expect(decoded("StatusNotification", { ...status, ...texts })).toMatchObject({
      event: { info: "pass=***", vendorErrorCode: "pw:***", vendorId: "V;password;***" }
    })
  })

  it("is masked if the text is cut within it, and ordinary texts are unchanged", () => {
    const info = `${"x".repeat(30)} password="S3CRETS3CRET"`
    expect(JSON.stringify(decoded("StatusNotification", { ...status, info }))).not.toContain("S3CR")
    const plain = { info: "RCD tripped; pin 3 open", vendorErrorCode: "E:0x31", vendorId: "com.vendor" }
    expect(decoded("StatusNotification", { ...status, ...plain })).toMatchObject({ event: plain })
  })

  it("is masked in a BootNotification and in a security event", () => {
    const boot = { chargePointVendor: "V", chargePointModel: "M", firmwareVersion: "1.2 password=S3CRET" }
    expect(decoded("BootNotification", boot)).toMatchObject({ event: { firmwareVersion: "1.2 password=***" } })
    const event = { type: "SettingChanged", timestamp: iso, techInfo: "WifiPassword=S3CRET" }
    expect(decoded("SecurityEventNotification", event)).toMatchObject({ event: { techInfo: "WifiPassword=***" } })
  })
})
