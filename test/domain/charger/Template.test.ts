import { driftOf } from "../../../src/domain/decide/Templating.ts"
import { describe, expect, it } from "vitest"
import {
  compare,
  isRefused,
  keptSecrets,
  sameValue,
  shownTemplate,
  toChange
} from "../../../src/domain/charger/Template.ts"

const reported = (key: string, value: string | undefined, readonly = false) => ({ key, value, readonly })

describe("two values of a key", () => {
  const same: ReadonlyArray<readonly [string, string]> = [
    ["true", "TRUE"],
    ["60", "060"],
    ["60", "60.0"],
    ["A,B", "A, B"],
    [" x ", "x"],
    ["", ""]
  ]
  for (const [one, other] of same)
    it(`${one} and ${other} are the same`, () => expect(sameValue(one, other)).toBe(true))

  const different: ReadonlyArray<readonly [string, string]> = [
    ["true", "false"],
    ["60", "61"],
    ["A,B", "B,A"],
    ["abc", "ABC"],
    ["", "0"]
  ]
  for (const [one, other] of different)
    it(`${one} and ${other} differ`, () => expect(sameValue(one, other)).toBe(false))
})

describe("a configuration against its template", () => {
  const open = { secret: false, unknown: false }
  const template = [
    { key: "heartbeatinterval", value: "300" },
    { key: "LocalPreAuthorize", value: "true" },
    { key: "NumberOfConnectors", value: "9" },
    { key: "VendorKey", value: "x" }
  ]
  const configuration = [
    reported("HeartbeatInterval", "60"),
    reported("LocalPreAuthorize", "True"),
    reported("NumberOfConnectors", "2", true),
    reported("Other", undefined)
  ]

  it("shows what differs and what is missing, in the charger's own spelling", () => {
    expect(compare(template, configuration)).toEqual([
      { key: "HeartbeatInterval", value: "60", readonly: false, expected: "300", drift: true, missing: false, ...open },
      {
        key: "LocalPreAuthorize",
        value: "True",
        readonly: false,
        expected: "true",
        drift: false,
        missing: false,
        ...open
      },
      { key: "NumberOfConnectors", value: "2", readonly: true, expected: "9", drift: true, missing: false, ...open },
      { key: "Other", value: undefined, readonly: false, expected: undefined, drift: false, missing: false, ...open },
      { key: "VendorKey", value: undefined, readonly: false, expected: "x", drift: true, missing: true, ...open }
    ])
  })

  it("leads to changes of the keys that differ and can be changed", () =>
    expect(toChange(template, configuration)).toEqual([{ key: "HeartbeatInterval", value: "300" }]))

  it("counts a key without a value as different", () =>
    expect(toChange([{ key: "Other", value: "1" }], configuration)).toEqual([{ key: "Other", value: "1" }]))
})

it("refuses password and security profile in a template, however they are spelt", () => {
  expect([" authorizationKEY", "SecurityProfile"].map(isRefused)).toEqual([true, true])
  expect(isRefused("HeartbeatInterval")).toBe(false)
})

describe("a charger's drift", () => {
  const policy = { template: [{ key: "A", value: "1" }], quirks: [], heartbeatIntervalSeconds: 300 }
  const charger = (...configuration: ReadonlyArray<readonly [string, string, boolean?]>) => ({
    chargerId: "CP-1",
    manufacturer: "Maker",
    model: "M",
    firmwareVersion: "1",
    configuration: configuration.map(([key, value, readonly = false]) => ({ key, value, readonly }))
  })

  it("is the number of writable keys that differ", () => {
    expect(driftOf(charger(["a", "2"]), policy)).toBe(1)
    expect(driftOf(charger(["A", "1"]), policy)).toBe(0)
    expect(driftOf(charger(["A", "2", true]), policy)).toBe(0)
    expect(driftOf(charger(["B", "2"]), policy)).toBe(0)
    expect(driftOf(charger(), policy)).toBe(0)
  })

  it("counts the keys that its make needs beside those of the template", () => {
    const quirks = [{ name: "q", vendor: "Mak*", tolerances: { heartbeatByConfiguration: true } }]
    const differing = charger(["A", "2"], ["HeartbeatInterval", "60"])
    expect(driftOf(differing, { ...policy, quirks })).toBe(2)
    expect(driftOf({ ...differing, manufacturer: "Other" }, { ...policy, quirks })).toBe(1)
  })
})

describe("a secret of the template", () => {
  const template = [{ key: "WifiPassword", value: "hunter22" }]

  it.each([undefined, "", "****", "••••••", "xxxxxxxx", "<hidden>", "null"])(
    "is unknown at a charger that answers %j",
    (value) => {
      const configuration = [reported("WifiPassword", value)]
      expect(compare(template, configuration)).toMatchObject([{ drift: false, unknown: true, secret: true }])
      expect(toChange(template, configuration)).toEqual([])
      expect(toChange(template, configuration, true)).toEqual(template)
    }
  )

  it("is compared with a value that the charger reports", () => {
    expect(toChange(template, [reported("WifiPassword", "hunter22")], true)).toEqual([])
    expect(toChange(template, [reported("WifiPassword", "old")])).toEqual(template)
  })

  it("is shown masked, and stays if it is sent back masked", () => {
    const all = [...template, { key: "HeartbeatInterval", value: "300" }]
    expect(shownTemplate(all)).toEqual([{ key: "WifiPassword", value: "***" }, all[1]])
    expect(keptSecrets(shownTemplate(all), all)).toEqual(all)
    expect(keptSecrets(shownTemplate(all), [])).toMatchObject({ pointer: "/keys/0/value" })
    expect(shownTemplate([{ key: "WifiPassword", value: "other" }], all)).toEqual([
      { key: "WifiPassword", value: "*** (changed)" }
    ])
  })
})
