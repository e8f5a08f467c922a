/** Answers about configuration keys: what is read from them, and that the charger's password is never stored. */
import { describe, expect, it } from "vitest"
import type { ChargerCommand } from "../../../src/domain/command/ChargerCommand.ts"
import { v16 } from "../../../src/ocpp/v16/V16.ts"
import { answered } from "./commandAnswers.ts"

const getAll: ChargerCommand = { _tag: "GetConfiguration", keys: [] }

describe("GetConfiguration", () => {
  it("reads what it can of the answer", () => {
    const answer = {
      configurationKey: [
        { key: "A", readonly: "true", value: 5 },
        { key: "B", value: null },
        { key: "", readonly: false, value: "x" },
        { readonly: false, value: "x" },
        null,
        "C",
        { key: "D".repeat(60), readonly: 1, value: "x".repeat(600), vendors: "own" }
      ],
      unknownKey: "E"
    }
    expect(v16.decodeResult(getAll, answer)).toEqual(
      answered(answer, undefined, {
        _tag: "Configuration",
        keys: [
          { key: "A", readonly: true, value: "5" },
          { key: "B", readonly: false, value: undefined },
          { key: `${"D".repeat(49)}…`, readonly: true, value: "x".repeat(600) }
        ],
        unknown: ["E"]
      })
    )
  })

  it("accepts lists that are null, missing or not lists", () => {
    for (const answer of [
      { configurationKey: null, unknownKey: null },
      {},
      { configurationKey: "x", unknownKey: {} }
    ]) {
      expect(v16.decodeResult(getAll, answer)).toMatchObject({ answer, content: { _tag: "Configuration", keys: [] } })
    }
  })

  it("never reveals the charger's password, in what is read or in the stored answer", () => {
    for (const key of ["AuthorizationKey", "authorizationkey", " AUTHORIZATIONKEY "]) {
      const other = { key: "A", readonly: false, value: "1" }
      const reported = { configurationKey: [{ key, readonly: false, value: "4f5a" }, other] }
      expect(v16.decodeResult(getAll, reported)).toEqual(
        answered({ configurationKey: [{ key, readonly: false, value: "***" }, other] }, undefined, {
          _tag: "Configuration",
          keys: [{ key, readonly: false, value: undefined }, other],
          unknown: []
        })
      )
      expect(reported.configurationKey[0]?.value).toBe("4f5a")
    }
  })

  it("does not reveal it even when the answer cannot be read", () => {
    const reported = [{ configurationKey: [{ key: "AuthorizationKey", value: "4f5a" }] }]
    const result = v16.decodeResult(getAll, reported)
    expect(result).toMatchObject({ _tag: "Unreadable" })
    expect(JSON.stringify(result)).not.toContain("4f5a")
  })
})

describe("ChangeConfiguration of the password", () => {
  const value = '"0123456789abcde'
  const change: ChargerCommand = { _tag: "ChangeConfiguration", key: "AuthorizationKey", value }

  it("is masked in the stored answer", () => {
    const result = v16.decodeResult(change, { status: "Rejected", reason: `${value} is too short`, [value]: 1 })
    expect(result).toEqual(answered({ status: "Rejected", reason: "*** is too short", "***": 1 }, "Rejected"))
  })

  it("is masked in any letter case, and not treated as a pattern", () => {
    for (const password of ["0123456789abcdef0123456789ABCDEF", "a.c+[x](y)*{z}|\\^$-/"]) {
      const said = { status: "Rejected", reason: `${password.toUpperCase()} ${password.toLowerCase()} abcd+xyz` }
      expect(v16.decodeResult({ ...change, value: password }, said)).toMatchObject({
        answer: { reason: "*** *** abcd+xyz" }
      })
    }
  })

  it("is masked in a CALLERROR, which may repeat it in any form", () => {
    const hidden = { _tag: "CallError", code: "***", description: "***" }
    expect(v16.decodeError(change, "no such code", `not ${value}`)).toEqual(hidden)
    expect(v16.decodeError(change, "genericerror", "")).toEqual({ ...hidden, code: "GenericError", description: "" })
  })

  it("hides the answer completely if masking would break its JSON", () => {
    const digits: ChargerCommand = { ...change, value: "1234567812345678" }
    const result = v16.decodeResult(digits, { status: "Rejected", reason: 1234567812345678 })
    expect(result).toEqual(answered({}, "Rejected"))
  })

  it("leaves other answers unchanged when its value is empty, or a common word", () => {
    for (const said of ["", "Rejected"]) {
      const answer = { status: "Accepted", reason: "Rejecte" }
      expect(v16.decodeResult({ ...change, value: said }, answer)).toEqual(answered(answer, "Accepted"))
    }
  })
})

describe("what a charger repeats of a secret that it was sent", () => {
  const secret = "s3cr3t-w1f1"
  const sent: ReadonlyArray<readonly [string, ChargerCommand]> = [
    ["a whole DataTransfer", { _tag: "DataTransfer", vendorId: "V", messageId: "SetWifiPassword", data: secret }],
    [
      "a member of a DataTransfer",
      { _tag: "DataTransfer", vendorId: "V", data: `{"ssid":"a","password":"${secret}"}` }
    ],
    ["a pair of a DataTransfer", { _tag: "DataTransfer", vendorId: "V", data: `ssid=a;password=${secret}` }],
    ["an address", { _tag: "ChangeConfiguration", key: "Backend", value: `wss://h/p?apikey=${secret}&v=2` }]
  ]
  it.each(sent)("is masked if it was %s", (_, command) => {
    expect(v16.decodeResult(command, { status: "Accepted", data: secret })).toEqual(
      answered({ status: "Accepted", data: "***" }, "Accepted")
    )
    expect(v16.decodeError(command, "GenericError", `bad ${secret}`)).toMatchObject({ description: "***" })
  })

  it("is masked as a whole text if it is short", () => {
    const command: ChargerCommand = { _tag: "DataTransfer", vendorId: "V", messageId: "SetSimPin", data: "4711" }
    const said = { status: "Accepted", data: "4711", count: "47110" }
    expect(v16.decodeResult(command, said)).toEqual(answered({ ...said, data: "***" }, "Accepted"))
  })

  it("is shown if it was no secret", () => {
    const command: ChargerCommand = { _tag: "DataTransfer", vendorId: "V", messageId: "SetSsid", data: "home-net-1" }
    const said = { status: "Accepted", data: "home-net-1" }
    expect(v16.decodeResult(command, said)).toEqual(answered(said, "Accepted"))
    expect(v16.decodeError(command, "GenericError", "bad home-net-1")).toMatchObject({ description: "bad home-net-1" })
  })
})
