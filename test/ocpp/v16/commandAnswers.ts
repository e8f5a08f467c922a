/** Valid answers to each command: every status that its answer may have and its other fields, with the expected result. */
import type { AnswerContent, ChargerCommand, CommandResult } from "../../../src/domain/command/ChargerCommand.ts"
import { statusesOf } from "./schemas.ts"

type Payload = Readonly<Record<string, unknown>>
type Type = ChargerCommand["_tag"]

export interface Answer {
  readonly payload: Payload
  readonly result: CommandResult
}

export const answered = (
  answer: Payload,
  status: string | undefined,
  content: AnswerContent | undefined = undefined
): CommandResult => ({ _tag: "Answered", status, answer, content })

const of = (payload: Payload, content: AnswerContent | undefined = undefined): Answer => ({
  payload,
  result: answered(payload, typeof payload["status"] === "string" ? payload["status"] : undefined, content)
})

const noFile: AnswerContent = { _tag: "FileName", fileName: undefined }
const noSchedule: AnswerContent = {
  _tag: "CompositeSchedule",
  evseId: undefined,
  startAt: undefined,
  schedule: undefined
}

/** The content of an answer that has only a status. */
const bare: { readonly [Tag in Type]?: AnswerContent } = {
  GetLog: noFile,
  GetCompositeSchedule: noSchedule,
  GetInstalledCertificateIds: { _tag: "Certificates", hashes: [] }
}

const configuration = (keys: ReadonlyArray<unknown>, unknownKey: ReadonlyArray<string>): Payload => ({
  configurationKey: keys,
  unknownKey
})

const hash = { hashAlgorithm: "SHA384", issuerNameHash: "ab", issuerKeyHash: "cd", serialNumber: "01" } as const
const startsAt = "2026-11-21T10:00:00Z"
const start = Date.UTC(2026, 10, 21, 10)

const fuller: { readonly [Tag in Type]?: ReadonlyArray<Answer> } = {
  GetConfiguration: [
    of({}, { _tag: "Configuration", keys: [], unknown: [] }),
    of(
      configuration(
        [
          { key: "HeartbeatInterval", readonly: false, value: "300" },
          { key: "NumberOfConnectors", readonly: true }
        ],
        ["Nonsense"]
      ),
      {
        _tag: "Configuration",
        keys: [
          { key: "HeartbeatInterval", readonly: false, value: "300" },
          { key: "NumberOfConnectors", readonly: true, value: undefined }
        ],
        unknown: ["Nonsense"]
      }
    )
  ],
  DataTransfer: [of({ status: "Accepted", data: '{"own":[1]}' })],
  GetDiagnostics: [of({}, noFile), of({ fileName: "d.zip" }, { _tag: "FileName", fileName: "d.zip" })],
  UpdateFirmware: [of({})],
  GetLocalListVersion: [-1, 0, 7].map((version) => of({ listVersion: version }, { _tag: "LocalListVersion", version })),
  GetLog: [of({ status: "Accepted", filename: "l.zip" }, { _tag: "FileName", fileName: "l.zip" })],
  GetCompositeSchedule: [
    of(
      {
        status: "Accepted",
        connectorId: 2,
        scheduleStart: startsAt,
        chargingSchedule: {
          duration: 60,
          startSchedule: startsAt,
          chargingRateUnit: "A",
          minChargingRate: 6.1,
          chargingSchedulePeriod: [
            { startPeriod: 0, limit: 16.1, numberPhases: 3 },
            { startPeriod: 30, limit: 0 }
          ]
        }
      },
      {
        _tag: "CompositeSchedule",
        evseId: 2,
        startAt: start,
        schedule: {
          duration: 60,
          startSchedule: start,
          chargingRateUnit: "A",
          minChargingRate: 6.1,
          periods: [
            { startPeriod: 0, limit: 16.1, numberPhases: 3 },
            { startPeriod: 30, limit: 0 }
          ]
        }
      }
    )
  ],
  GetInstalledCertificateIds: [
    of({ status: "Accepted", certificateHashData: [hash] }, { _tag: "Certificates", hashes: [hash] })
  ]
}

export const answersTo = (type: Type, action: string): ReadonlyArray<Answer> => [
  ...statusesOf(action).map((status) => of({ status }, bare[type])),
  ...(fuller[type] ?? [])
]
