/** All error codes, listed a second time so that a code missing from the table is noticed. */
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
