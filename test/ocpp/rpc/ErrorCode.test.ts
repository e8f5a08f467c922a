import { describe, expect, it } from "vitest"
import { readErrorCode, refusalCodes, spell, type OcppVersion } from "../../../src/ocpp/rpc/ErrorCode.ts"
import { errorCodeNames } from "./names.ts"

const versions: ReadonlyArray<OcppVersion> = ["1.6", "2.0.1", "2.1"]

/** The ten codes of OCPP-J 1.6 §4.2.3, with its spelling. */
const of16 = new Set([
  "NotImplemented",
  "NotSupported",
  "InternalError",
  "ProtocolError",
  "SecurityError",
  "FormationViolation",
  "PropertyConstraintViolation",
  "OccurenceConstraintViolation",
  "TypeConstraintViolation",
  "GenericError"
])

describe("the codes of a CALLERROR", () => {
  it("are spelt for 1.6 as OCPP 1.6 spells them", () => {
    for (const code of errorCodeNames) expect(of16).toContain(spell(code, "1.6"))
    expect(spell("OccurenceConstraintViolation", "1.6")).toBe("OccurenceConstraintViolation")
    expect(spell("FormationViolation", "1.6")).toBe("FormationViolation")
  })

  it("are spelt for 2.x as OCPP 2.x spells them", () => {
    for (const version of ["2.0.1", "2.1"] as const) {
      expect(spell("OccurenceConstraintViolation", version)).toBe("OccurrenceConstraintViolation")
      expect(spell("FormationViolation", version)).toBe("FormatViolation")
      expect(spell("RpcFrameworkError", version)).toBe("RpcFrameworkError")
    }
  })

  it("are recognised in every version's spelling and any letter case", () => {
    for (const code of errorCodeNames) {
      expect(readErrorCode(code)).toBe(code)
      for (const version of ["2.0.1", "2.1"] as const) expect(readErrorCode(spell(code, version))).toBe(code)
    }
    for (const code of of16) expect(readErrorCode(code)).toBe(code)
    expect(readErrorCode(" occurrenceconstraintviolation ")).toBe("OccurenceConstraintViolation")
    expect(readErrorCode("constructor")).toBeUndefined()
    expect(readErrorCode("")).toBeUndefined()
  })

  it("are defined for each refusal of the domain in every version", () => {
    for (const version of versions) {
      expect(refusalCodes[version]).toEqual({ NotAccepted: "SecurityError", InternalError: "InternalError" })
    }
  })
})
