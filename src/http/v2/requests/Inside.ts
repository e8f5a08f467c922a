/**
 * The caller of the request for which this face itself makes another, to read the present state; undefined in a request from outside. One from inside
 * counts towards no limit, and its answer goes to no caller.
 */
import { Context } from "effect"
import type { Principal } from "../../../domain/values/AuditContext.ts"

export const Inside = Context.Reference<Principal | undefined>("voltlane/http/v2/Inside", {
  defaultValue: () => undefined
})
