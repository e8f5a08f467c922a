/**
 * What every OCPP version must do, run once for each, so that a version's own tests cover only what is specific to it. A test that does not apply to
 * a version is skipped by name, with its reason.
 */
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { ChargerCommand, type CommandResult } from "../../src/domain/command/ChargerCommand.ts"
import type { ChargerEvent } from "../../src/domain/charger/ChargerEvent.ts"
import type { Reply } from "../../src/domain/charger/Reply.ts"
import { commandTypes } from "../../src/domain/command/Kinds.ts"
import type { ProtocolVersion } from "../../src/ocpp/ProtocolVersion.ts"
import { errorDescriptionMaxLength, parseFrame, serializeCallResult } from "../../src/ocpp/rpc/Frame.ts"
import { anyJson, mutateJson } from "../ocpp/rpc/awkward.ts"
import { forSeeds, type Random } from "../support/random.ts"

type Payload = Readonly<Record<string, unknown>>

export interface ProtocolVersionFixture {
  readonly version: ProtocolVersion
  /** Valid CALLs with the event that each makes; every action that chargers send at least once. */
  readonly examples: ReadonlyArray<{ readonly action: string; readonly payload: Payload; readonly event: ChargerEvent }>
  /** Actions that must never be answered with a CALLERROR because of their content. */
  readonly transactionActions: ReadonlyArray<string>
  /** Actions of the version that only the service sends. */
  readonly ownActions: ReadonlyArray<string>
  /** Everything that the domain answers to an action. */
  readonly replies: ReadonlyArray<{ readonly action: string; readonly reply: Reply }>
  /** Each command of the domain at least once, with valid answers and the results they are read as. */
  readonly commands: ReadonlyArray<{
    readonly command: ChargerCommand
    readonly answers: ReadonlyArray<{ readonly payload: Payload; readonly result: CommandResult }>
  }>
  /** Frames with a secret in them. */
  readonly secrets: ReadonlyArray<{ readonly frame: string; readonly secret: string }>
  /** The problem that the official schema has with a payload; undefined if there is none. */
  readonly schemaProblem: (action: string, kind: "req" | "conf", payload: unknown) => string | undefined
  /** Names of tests that do not apply, with the reason. */
  readonly skips: Readonly<Record<string, string>>
}

const now = Date.UTC(2026, 10, 20, 10)

const refusals: ReadonlyArray<Reply> = [
  { _tag: "Refused", reason: "NotAccepted", description: "not accepted" },
  { _tag: "Refused", reason: "InternalError", description: "the database is away" }
]

/** Every string in a value that should end with a Z because its name says that it is a time. */
const timesIn = (value: unknown, name = ""): ReadonlyArray<string> => {
  if (typeof value === "string") return /time|date/i.test(name) ? [value] : []
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([member, inner]) => timesIn(inner, member))
}

type Test = readonly [name: string, run: () => void]

const reading = (fixture: ProtocolVersionFixture): ReadonlyArray<Test> => {
  const { examples, ownActions, transactionActions, version } = fixture
  const mutated = (random: Random): readonly [string, unknown] => {
    const { action, payload } = random.pick(examples)
    return [action, random.next() < 0.2 ? anyJson(random) : mutateJson(random, payload)]
  }
  const isTransaction = (action: string): boolean => transactionActions.includes(action)
  return [
    [
      "reads every valid example, without a violation",
      () => {
        for (const { action, event, payload } of examples) {
          expect(fixture.schemaProblem(action, "req", payload)).toBeUndefined()
          expect(version.decodeCall(action, payload)).toEqual({ _tag: "Event", event, violations: [] })
        }
      }
    ],
    [
      "reads the same with a field that no specification has",
      () => {
        for (const { action, event, payload } of examples) {
          const own = { vendorsOwn: { deep: [1] }, ["__proto__"]: { status: "polluted" }, constructor: null }
          const extended = Object.fromEntries([...Object.entries(payload), ...Object.entries(own)])
          expect(version.decodeCall(action, extended)).toMatchObject({ _tag: "Event", event })
        }
      }
    ],
    [
      "does not change what it reads",
      () => {
        for (const { action, payload } of examples) {
          const copy = structuredClone(payload)
          version.decodeCall(action, copy)
          expect(copy).toEqual(payload)
        }
      }
    ],
    [
      "does not implement actions that the version lacks",
      () => {
        for (const action of ["", "heartbeat", "NoSuchAction", "constructor", "__proto__", "toString"]) {
          expect(version.decodeCall(action, {})).toMatchObject({ _tag: "Refused", code: "NotImplemented" })
        }
      }
    ],
    [
      "does not support actions that are ours to send",
      () => {
        expect(ownActions.length).toBeGreaterThan(0)
        for (const action of ownActions) {
          expect(version.decodeCall(action, {})).toMatchObject({ _tag: "Refused", code: "NotSupported" })
        }
      }
    ],
    [
      "keeps a transaction message that is beyond reading, and refuses any other",
      () => {
        for (const { action } of examples) {
          for (const payload of [undefined, null, "text", 1, true, [1], [{}]]) {
            const decoded = version.decodeCall(action, payload)
            if (isTransaction(action)) {
              expect(decoded).toMatchObject({ _tag: "Event", event: { _tag: "UnreadableTransactionMessage", action } })
            } else expect(decoded).toMatchObject({ _tag: "Refused", code: "FormationViolation" })
          }
        }
      }
    ],
    [
      "reads any JSON as an event or a refusal, and never refuses a transaction message",
      () => {
        forSeeds(5_000, (random) => {
          const [action, payload] = mutated(random)
          const decoded = version.decodeCall(action, payload)
          if (isTransaction(action)) expect(decoded._tag).toBe("Event")
          if (decoded._tag === "Event") return
          expect(decoded.description).not.toBe("")
          expect(decoded.description.length).toBeLessThanOrEqual(errorDescriptionMaxLength)
        })
      }
    ],
    [
      "names violations in its own words, never in the charger's",
      () => {
        forSeeds(2_000, (random) => {
          const [action, payload] = mutated(random)
          const decoded = version.decodeCall(action, payload)
          if (decoded._tag === "Event") {
            expect(decoded.violations.filter((name) => !/^[A-Za-z.]+: [a-z ]+$/.test(name))).toEqual([])
            expect(new Set(decoded.violations).size).toBe(decoded.violations.length)
          }
        })
      }
    ]
  ]
}

const answering = (fixture: ProtocolVersionFixture): ReadonlyArray<Test> => {
  const { examples, replies, version } = fixture
  return [
    [
      "answers every action that it reads",
      () => {
        const answered = new Set(replies.map(({ action }) => action))
        expect(examples.map(({ action }) => action).filter((action) => !answered.has(action))).toEqual([])
      }
    ],
    [
      "sends answers that the official schemas allow, their times in UTC with a Z",
      () => {
        for (const { action, reply } of replies) {
          const encoded = version.encodeReply(action, reply, now)
          expect(encoded).toMatchObject({ _tag: "Result" })
          if (encoded._tag !== "Result") continue
          expect(fixture.schemaProblem(action, "conf", encoded.payload)).toBeUndefined()
          for (const time of timesIn(encoded.payload)) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
          expect(JSON.stringify(encoded.payload)).not.toMatch(/null|undefined/)
          const sent = parseFrame(serializeCallResult("1", encoded.payload))
          expect(sent).toMatchObject({ _tag: "CallResult", messageId: "1" })
        }
      }
    ],
    [
      "turns the domain's refusals into CALLERRORs",
      () => {
        for (const { action } of examples) {
          expect(refusals.map((reply) => version.encodeReply(action, reply, now))).toEqual([
            { _tag: "Error", code: "SecurityError", description: "not accepted" },
            { _tag: "Error", code: "InternalError", description: "the database is away" }
          ])
        }
      }
    ],
    [
      "never sends one message's answer to another",
      () => {
        for (const { reply } of replies) {
          for (const { action } of examples) {
            const encoded = version.encodeReply(action, reply, now)
            if (encoded._tag === "Error") expect(encoded.code).toBe("InternalError")
            else expect(fixture.schemaProblem(action, "conf", encoded.payload)).toBeUndefined()
          }
        }
        const { reply } = replies[0]!
        expect(version.encodeReply("NoSuchAction", reply, now)).toMatchObject({ _tag: "Error", code: "NotImplemented" })
      }
    ]
  ]
}

/** Strings that are times, wherever they are: a name like `updateType` only sounds like one. */
const instantsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return /^\d{4}-\d\d-\d\d[T ]/.test(value) ? [value] : []
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(instantsIn) : []
}

const sending = ({ commands, ownActions, schemaProblem, version }: ProtocolVersionFixture): ReadonlyArray<Test> => [
  [
    "knows every command of the domain",
    () => {
      const known = new Set(commands.map(({ command }) => command._tag))
      expect(commandTypes.filter((type) => !known.has(type))).toEqual([])
      for (const { answers } of commands) expect(answers.length).toBeGreaterThan(0)
    }
  ],
  [
    "sends every action that is ours to send",
    () => {
      const sent = new Set(commands.map(({ command }) => version.encodeCommand(command).action))
      expect(ownActions.filter((action) => !sent.has(action))).toEqual([])
    }
  ],
  [
    "sends commands that the official schemas allow, their times in UTC with a Z, and nothing that is null",
    () => {
      for (const { command } of commands) {
        const { action, payload } = version.encodeCommand(command)
        expect([command._tag, schemaProblem(action, "req", payload)]).toEqual([command._tag, undefined])
        for (const time of instantsIn(payload)) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        // The payload survives JSON unchanged: no member without a value, and no number that JSON does not have.
        expect(JSON.parse(JSON.stringify(payload))).toStrictEqual(payload)
        expect(JSON.stringify(payload)).not.toContain("null")
      }
    }
  ],
  [
    "sends a command read back from JSON exactly like the original",
    () => {
      const stored = Schema.fromJsonString(ChargerCommand)
      for (const { command } of commands) {
        const read = Schema.decodeSync(stored)(Schema.encodeSync(stored)(command))
        expect(version.encodeCommand(read)).toEqual(version.encodeCommand(command))
      }
    }
  ]
]

const commanding = (fixture: ProtocolVersionFixture): ReadonlyArray<Test> => {
  const { commands, version } = fixture
  return [
    ...sending(fixture),
    [
      "reads valid answers to its commands, and keeps them unchanged",
      () => {
        for (const { answers, command } of commands) {
          const { action } = version.encodeCommand(command)
          for (const { payload, result } of answers) {
            expect(fixture.schemaProblem(action, "conf", payload)).toBeUndefined()
            expect(version.decodeResult(command, payload)).toEqual(result)
            expect(result).toMatchObject({ _tag: "Answered", answer: payload })
          }
        }
      }
    ],
    [
      "reads any other answer as far as it can, and never throws",
      () => {
        forSeeds(10_000, (random) => {
          const { answers, command } = random.pick(commands)
          const answer = random.next() < 0.3 ? anyJson(random) : mutateJson(random, random.pick(answers).payload)
          expect(["Answered", "Unreadable"]).toContain(version.decodeResult(command, answer)._tag)
        })
        for (const { command } of commands) {
          for (const answer of [undefined, null, "Accepted", 1, [1]]) {
            expect(version.decodeResult(command, answer)).toMatchObject({ _tag: "Unreadable", answer: answer ?? null })
          }
        }
      }
    ],
    [
      "keeps only text that the database can hold, whatever the frame contained",
      () => {
        forSeeds(2_000, (random) => {
          const { answers, command } = random.pick(commands)
          const sent = JSON.stringify([3, "1", mutateJson(random, random.pick(answers).payload)])
          const frame = parseFrame(sent)
          expect(frame._tag).toBe("CallResult")
          if (frame._tag !== "CallResult") return
          const result = version.decodeResult(command, frame.payload)
          // No NUL and no half of a surrogate pair: neither fits into a text of PostgreSQL.
          expect(JSON.stringify(result)).not.toMatch(/\\u0000|\\ud[89a-f]/i)
        })
      }
    ]
  ]
}

const masking = ({ examples, secrets, version }: ProtocolVersionFixture): ReadonlyArray<Test> => [
  [
    "takes secrets out of frames, and nothing else",
    () => {
      for (const { frame, secret } of secrets) {
        expect(frame).toContain(secret)
        const masked = version.mask(frame)
        expect(masked).not.toContain(secret)
        expect(masked).toContain("***")
        expect(version.mask(masked)).toBe(masked)
      }
    }
  ],
  [
    "leaves frames without secrets as they are",
    () => {
      for (const { action, payload } of examples) {
        const frame = `[ 2,"1", "${action}",\t${JSON.stringify(payload)}]`
        expect(version.mask(frame)).toBe(frame)
      }
      for (const broken of ["", "[2,", '[2,"1","Heartbeat",{', "\0"]) expect(version.mask(broken)).toBe(broken)
    }
  ]
]

/** Runs the suite for one version. */
export const protocolVersionContract = (fixture: ProtocolVersionFixture): void => {
  const { skips, version } = fixture
  describe(`OCPP ${version.version} as a protocol version`, () => {
    const tests: ReadonlyArray<Test> = [
      ["is named by its subprotocol", () => expect(version.subprotocol).toBe(`ocpp${version.version}`)],
      ...reading(fixture),
      ...answering(fixture),
      ...commanding(fixture),
      ...masking(fixture)
    ]
    for (const [name, run] of tests) {
      it(name, ({ skip }) => {
        const reason = skips[name]
        skip(reason !== undefined, reason)
        expect.hasAssertions()
        run()
      })
    }

    it("skips only existing tests, each with a reason", () => {
      for (const [name, reason] of Object.entries(skips)) {
        expect(tests.map(([test]) => test)).toContain(name)
        expect(reason.length).toBeGreaterThan(10)
      }
    })
  })
}
