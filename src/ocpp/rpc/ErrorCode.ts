/**
 * The codes of a CALLERROR: one closed set for all OCPP versions, how each version spells them, and the table from the domain's refusals
 * to them. In the program a code goes by OCPP 1.6's spelling; `spell` writes it for a version and `readErrorCode` takes every spelling.
 */
import type { Reply } from "../../domain/charger/Reply.ts"

/** Each code with its spelling by version (OCPP-J 1.6 §4.2.3; OCPP 2.x Part 4 §4.3). 1.6 lacks the last two and says what comes nearest. */
const spellings = {
  NotImplemented: { v16: "NotImplemented", v2: "NotImplemented" },
  NotSupported: { v16: "NotSupported", v2: "NotSupported" },
  InternalError: { v16: "InternalError", v2: "InternalError" },
  ProtocolError: { v16: "ProtocolError", v2: "ProtocolError" },
  SecurityError: { v16: "SecurityError", v2: "SecurityError" },
  FormationViolation: { v16: "FormationViolation", v2: "FormatViolation" },
  PropertyConstraintViolation: { v16: "PropertyConstraintViolation", v2: "PropertyConstraintViolation" },
  // OCPP 1.6 writes it with one r, and chargers compare it letter by letter.
  OccurenceConstraintViolation: { v16: "OccurenceConstraintViolation", v2: "OccurrenceConstraintViolation" },
  TypeConstraintViolation: { v16: "TypeConstraintViolation", v2: "TypeConstraintViolation" },
  GenericError: { v16: "GenericError", v2: "GenericError" },
  MessageTypeNotSupported: { v16: "ProtocolError", v2: "MessageTypeNotSupported" },
  RpcFrameworkError: { v16: "GenericError", v2: "RpcFrameworkError" }
} as const

export type ErrorCode = keyof typeof spellings

/** The versions of `ProtocolVersion.version`. */
export type OcppVersion = "1.6" | "2.0.1" | "2.1"

/** The code as `version` writes it on the wire. */
export const spell = (code: ErrorCode, version: OcppVersion): string =>
  spellings[code][version === "1.6" ? "v16" : "v2"]

const known: ReadonlyMap<string, ErrorCode> = new Map(
  Object.entries(spellings).flatMap(([name, { v16, v2 }]) => {
    const code = name as ErrorCode
    // A spelling that belongs to another code of its own is not taken from it (1.6's stand-ins for the last two).
    return [name, v16, v2]
      .filter((text) => text === name || !Object.hasOwn(spellings, text))
      .map((text): [string, ErrorCode] => [text.toLowerCase(), code])
  })
)

/** The code that a charger meant, by any version's spelling and case; undefined when no version defines it. */
export const readErrorCode = (text: string): ErrorCode | undefined => known.get(text.trim().toLowerCase())

type Refusal = Extract<Reply, { readonly _tag: "Refused" }>["reason"]

/** What the domain's refusals become, per version. Before a boot is accepted 2.x demands SecurityError (B02.FR.09); 1.6 has it too. */
export const refusalCodes: Readonly<Record<OcppVersion, Readonly<Record<Refusal, ErrorCode>>>> = {
  "1.6": { NotAccepted: "SecurityError", InternalError: "InternalError" },
  "2.0.1": { NotAccepted: "SecurityError", InternalError: "InternalError" },
  "2.1": { NotAccepted: "SecurityError", InternalError: "InternalError" }
}
