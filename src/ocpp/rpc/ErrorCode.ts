/**
 * The codes of a CALLERROR: one closed set for all OCPP versions, the spelling of each in each version, and the code
 * for each of the domain's refusals. The program uses the spelling of OCPP 1.6; `spell` writes a code for a version,
 * and `readErrorCode` accepts every spelling.
 */
import type { Reply } from "../../domain/charger/Reply.ts"

/**
 * Each code with its spelling by version (OCPP-J 1.6 §4.2.3; OCPP 2.x Part 4 §4.3). 1.6 lacks the last two and uses the
 * nearest code.
 */
const spellings = {
  NotImplemented: { v16: "NotImplemented", v2: "NotImplemented" },
  NotSupported: { v16: "NotSupported", v2: "NotSupported" },
  InternalError: { v16: "InternalError", v2: "InternalError" },
  ProtocolError: { v16: "ProtocolError", v2: "ProtocolError" },
  SecurityError: { v16: "SecurityError", v2: "SecurityError" },
  FormationViolation: { v16: "FormationViolation", v2: "FormatViolation" },
  PropertyConstraintViolation: { v16: "PropertyConstraintViolation", v2: "PropertyConstraintViolation" },
  // OCPP 1.6 spells it with one r, and chargers compare it exactly.
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
    // A spelling that is another code's own name stays with that code (1.6's substitutes for the last two).
    return [name, v16, v2]
      .filter((text) => text === name || !Object.hasOwn(spellings, text))
      .map((text): [string, ErrorCode] => [text.toLowerCase(), code])
  })
)

/** The code that a charger meant, in any version's spelling and any case; undefined if no version defines it. */
export const readErrorCode = (text: string): ErrorCode | undefined => known.get(text.trim().toLowerCase())

type Refusal = Extract<Reply, { readonly _tag: "Refused" }>["reason"]

/**
 * The code for each of the domain's refusals, by version. Before a boot is accepted, 2.x requires SecurityError
 * (B02.FR.09); 1.6 has it too.
 */
export const refusalCodes: Readonly<Record<OcppVersion, Readonly<Record<Refusal, ErrorCode>>>> = {
  "1.6": { NotAccepted: "SecurityError", InternalError: "InternalError" },
  "2.0.1": { NotAccepted: "SecurityError", InternalError: "InternalError" },
  "2.1": { NotAccepted: "SecurityError", InternalError: "InternalError" }
}
