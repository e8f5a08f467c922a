/** Answers to our commands that are not as the specification wants them, and what is sent. */
import { describe, expect, it } from "vitest"
import { v16 } from "../../../src/ocpp/v16/V16.ts"

const getAll = { _tag: "GetConfiguration", keys: [] } as const
const trigger = { _tag: "TriggerMessage", requestedMessage: "BootNotification", connectorId: undefined } as const

describe("GetConfiguration", () => {
  it("asks for all keys by naming none", () => {
    expect(v16.encodeCommand(getAll)).toEqual({ action: "GetConfiguration", payload: {} })
    expect(v16.encodeCommand({ _tag: "GetConfiguration", keys: ["A"] }).payload).toEqual({ key: ["A"] })
  })

  it("takes what it can of the answer", () => {
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
    expect(v16.decodeResult(getAll, answer)).toEqual({
      _tag: "ConfigurationKeys",
      keys: [
        { key: "A", readonly: true, value: "5" },
        { key: "B", readonly: false, value: undefined },
        { key: "D".repeat(60), readonly: true, value: "x".repeat(600) }
      ],
      unknown: ["E"]
    })
  })

  it("takes lists that are null, missing or no lists", () => {
    for (const answer of [
      { configurationKey: null, unknownKey: null },
      {},
      { configurationKey: "x", unknownKey: {} }
    ]) {
      expect(v16.decodeResult(getAll, answer)).toMatchObject({ _tag: "ConfigurationKeys", keys: [] })
    }
  })

  it("never tells the charger's password", () => {
    for (const key of ["AuthorizationKey", "authorizationkey", " AUTHORIZATIONKEY "]) {
      expect(v16.decodeResult(getAll, { configurationKey: [{ key, readonly: false, value: "4f5a" }] })).toEqual({
        _tag: "ConfigurationKeys",
        keys: [{ key, readonly: false, value: undefined }],
        unknown: []
      })
    }
  })
})

describe("an answer that is a status", () => {
  it("keeps a word that no list has", () => {
    expect(v16.decodeResult(trigger, { status: "Maybe" })).toEqual({ _tag: "Status", status: "Maybe" })
  })

  it.each([{}, { status: "" }, { status: null }, { status: {} }, "Accepted", null])(
    "is unreadable without one: %j",
    (answer) => {
      expect(v16.decodeResult(trigger, answer)).toMatchObject({ _tag: "Unreadable" })
    }
  )
})

it("TriggerMessage names a connector only if there is one to name", () => {
  expect(v16.encodeCommand(trigger).payload).toEqual({ requestedMessage: "BootNotification" })
  expect(v16.encodeCommand({ ...trigger, connectorId: 0 }).payload).toEqual({
    requestedMessage: "BootNotification",
    connectorId: 0
  })
})
