/** How each command is sent, checked in full, and how answers that deviate from the specification are handled. */
import { describe, expect, it } from "vitest"
import type { ChargerCommand } from "../../../src/domain/command/ChargerCommand.ts"
import { v16 } from "../../../src/ocpp/v16/V16.ts"
import { answered } from "./commandAnswers.ts"
import { sentCommands, smallProfile } from "./commands.ts"
import { inSpecifiedOrder, schemaProblem, statusesOf } from "./schemas.ts"

const whole = { evseId: 0, connectorId: 0 }
const trigger: ChargerCommand = { _tag: "TriggerMessage", requestedMessage: "BootNotification" }
const composite: ChargerCommand = { _tag: "GetCompositeSchedule", place: whole, durationSeconds: 60 }
const certificates: ChargerCommand = {
  _tag: "GetInstalledCertificateIds",
  certificateType: "CentralSystemRootCertificate"
}

describe("a command", () => {
  it.each(sentCommands.map(({ action, command, payload }) => [command._tag, action, command, payload] as const))(
    "%s is sent as %s",
    (_, action, command, payload) => {
      expect(v16.encodeCommand(command)).toStrictEqual({ action, payload })
    }
  )

  it.each(sentCommands)("has the fields of $action in the specification's order: $payload", ({ action, command }) => {
    const { payload } = v16.encodeCommand(command)
    expect(JSON.stringify(payload)).toBe(JSON.stringify(inSpecifiedOrder(action, payload)))
  })

  it("is sent without the fields that are undefined", () => {
    // As built by code without exact optional properties.
    const loose = { _tag: "RemoteStart", tokenUid: "TAG", place: undefined } as unknown as ChargerCommand
    expect(Object.keys(v16.encodeCommand(loose).payload)).toEqual(["idTag"])
  })

  it("has limits with one decimal, as the official schemas require", () => {
    for (let i = 0; i < 2_000; i++) {
      const limit = i * 0.0371
      const periods = [{ startPeriod: 0, limit }]
      const schedule = { chargingRateUnit: "A", periods } as const
      const command = { _tag: "SetChargingProfile", place: whole, profile: { ...smallProfile, schedule } } as const
      const { action, payload } = v16.encodeCommand(command)
      expect(schemaProblem(action, "req", payload)).toBeUndefined()
      const [, sent = ""] = /"limit":([^,}]*)/.exec(JSON.stringify(payload)) ?? []
      expect(sent).toMatch(/^\d+(?:\.\d)?$/)
      // Never more than was asked.
      expect(limit - Number(sent)).toBeGreaterThanOrEqual(-1e-6)
      expect(limit - Number(sent)).toBeLessThan(0.1)
    }
  })
})

describe("an answer that is a status", () => {
  const withStatus = sentCommands.filter(({ action }) => statusesOf(action).length > 0)
  const noText = [{ status: null }, { status: {} }, { status: ["Accepted"] }, { status: 1 }, { status: true }]
  const withoutOne = [{}, { status: "" }, { status: "  " }, ...noText]

  it("is required for all commands except four", () => {
    const without = sentCommands.filter((sent) => !withStatus.includes(sent)).map(({ action }) => action)
    expect(new Set(without)).toEqual(
      new Set(["GetConfiguration", "GetDiagnostics", "UpdateFirmware", "GetLocalListVersion"])
    )
  })

  it("is recognised in any letter case and with spaces, and stored as received", () => {
    for (const { action, command } of withStatus) {
      for (const status of statusesOf(action)) {
        for (const said of [status, status.toLowerCase(), ` ${status.toUpperCase()} `]) {
          expect(v16.decodeResult(command, { status: said })).toMatchObject({ status, answer: { status: said } })
        }
      }
    }
  })

  it("may be an unknown status", () => {
    for (const { command } of withStatus) {
      expect(v16.decodeResult(command, { status: "Maybe" })).toMatchObject({ _tag: "Answered", status: "Maybe" })
    }
  })

  it("is unreadable without a status, and stored", () => {
    for (const { command } of withStatus) {
      for (const answer of withoutOne) {
        expect(v16.decodeResult(command, answer)).toEqual({
          _tag: "Unreadable",
          problem: "the answer has no status",
          answer
        })
      }
    }
  })

  it("is unreadable if it is not an object", () => {
    for (const answer of ["Accepted", 1, true, null, [{ status: "Accepted" }]]) {
      expect(v16.decodeResult(trigger, answer)).toMatchObject({
        _tag: "Unreadable",
        problem: "the answer is not a JSON object",
        answer
      })
    }
  })

  it("is not required where the specification has no status", () => {
    const update: ChargerCommand = { _tag: "UpdateFirmware", location: "https://files.example/f", retrieveAt: 0 }
    expect(v16.decodeResult(update, { vendors: "own" })).toEqual(answered({ vendors: "own" }, undefined))
    expect(v16.decodeResult(update, [])).toEqual(answered({}, undefined))
  })
})

describe("an answer about a local list", () => {
  const ask: ChargerCommand = { _tag: "GetLocalListVersion" }

  it.each([
    [{ listVersion: "7" }, 7],
    [{ listVersion: " -1 " }, -1],
    [{ listVersion: 3, status: "Accepted" }, 3]
  ])("%j is version %d", (answer, version) => {
    expect(v16.decodeResult(ask, answer)).toEqual(answered(answer, undefined, { _tag: "LocalListVersion", version }))
  })

  it.each([{}, { listVersion: null }, { listVersion: "new" }, { listVersion: 1.5 }, { status: "Accepted" }])(
    "%j is unreadable",
    (answer) => {
      expect(v16.decodeResult(ask, answer)).toEqual({
        _tag: "Unreadable",
        problem: "the answer has no listVersion",
        answer
      })
    }
  )
})

describe("an answer that names a file", () => {
  const diagnostics: ChargerCommand = { _tag: "GetDiagnostics", location: "ftp://files.example/" }
  const log: ChargerCommand = { _tag: "GetLog", logType: "SecurityLog", requestId: 1, location: "ftp://files.example/" }

  it.each([
    [diagnostics, { filename: "a.zip" }, "a.zip"],
    [diagnostics, { fileName: "", filename: null }, undefined],
    [diagnostics, { fileName: {} }, undefined],
    [log, { status: "AcceptedCanceled", fileName: "b.zip" }, "b.zip"],
    [log, { status: "Rejected", filename: 5 }, "5"]
  ] as const)("to %j: %j", (command, answer, fileName) => {
    expect(v16.decodeResult(command, answer)).toMatchObject({ content: { _tag: "FileName", fileName } })
  })

  it("has the key in our own URL masked", () => {
    const fileName = "https://csms.example/files/uploads/t0k3n"
    const result = v16.decodeResult(diagnostics, { fileName })
    expect(result).toMatchObject({ content: { fileName: "https://csms.example/files/uploads/***" } })
    expect(JSON.stringify(result)).not.toContain("t0k3n")
  })
})

describe("a composite schedule", () => {
  const period = { startPeriod: 0, limit: 16 }
  const scheduleOf = (chargingSchedule: unknown): unknown => {
    const result = v16.decodeResult(composite, { status: "Accepted", connectorId: "1", chargingSchedule })
    expect(result).toMatchObject({ status: "Accepted", content: { _tag: "CompositeSchedule", evseId: 1 } })
    return result._tag === "Answered" && result.content?._tag === "CompositeSchedule" && result.content.schedule
  }

  it("is read from numbers written as strings and units in lower case", () => {
    const chargingSchedulePeriod = [{ startPeriod: "0", limit: "16.5", numberPhases: null }]
    expect(scheduleOf({ chargingRateUnit: "a", chargingSchedulePeriod })).toStrictEqual({
      chargingRateUnit: "A",
      periods: [{ startPeriod: 0, limit: 16.5 }]
    })
  })

  it.each([
    undefined,
    null,
    "A",
    {},
    { chargingRateUnit: "A", chargingSchedulePeriod: [] },
    { chargingRateUnit: "kW", chargingSchedulePeriod: [period] },
    { chargingSchedulePeriod: [period] },
    { chargingRateUnit: "A", chargingSchedulePeriod: [period, { startPeriod: 60 }] }
  ])("is undefined when a part of it cannot be read: %j", (chargingSchedule) => {
    expect(scheduleOf(chargingSchedule)).toBeUndefined()
  })
})

describe("installed certificates", () => {
  const hash = { hashAlgorithm: "SHA256", issuerNameHash: "ab", issuerKeyHash: "cd", serialNumber: "01" }

  it("are those with a complete hash", () => {
    const certificateHashData = [
      { ...hash, hashAlgorithm: "sha-256" },
      { ...hash, serialNumber: 17 },
      { ...hash, serialNumber: undefined },
      { ...hash, hashAlgorithm: "MD5" },
      null,
      "hash"
    ]
    const result = v16.decodeResult(certificates, { status: "Accepted", certificateHashData })
    expect(result).toMatchObject({ content: { _tag: "Certificates", hashes: [hash, { ...hash, serialNumber: "17" }] } })
  })
})
