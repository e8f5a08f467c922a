/** All error codes, written out here once more so that a code that is lost from the table is noticed. */
import type { ErrorCode } from "../../../src/ocpp/rpc/ErrorCode.ts"

export const errorCodeNames: ReadonlyArray<ErrorCode> = [
  "NotImplemented",
  "NotSupported",
  "InternalError",
  "ProtocolError",
  "SecurityError",
  "FormationViolation",
  "PropertyConstraintViolation",
  "OccurenceConstraintViolation",
  "TypeConstraintViolation",
  "GenericError",
  "MessageTypeNotSupported",
  "RpcFrameworkError"
]
