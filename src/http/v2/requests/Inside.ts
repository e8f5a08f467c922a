/**
 * The caller of the request for which REST v2 makes an internal request to read the current state; undefined in an external request. An
 * internal request counts towards no limit, and its answer is not sent to the caller.
 */
import { Context } from "effect"
import type { Principal } from "../../../domain/values/AuditContext.ts"

export const Inside = Context.Reference<Principal | undefined>("voltlane/http/v2/Inside", {
  defaultValue: () => undefined
})
