/** As whom a partner's own writes are recorded: in facts, in commands and in the audit log. */
import type { Writing } from "../../domain/values/AuditContext.ts"
import type { Exchange } from "./Exchange.ts"

export const writingOf = ({ bearer: { partner }, now }: Exchange): Writing => ({
  by: {
    organisationId: partner.organisationId,
    actor: `partner:${partner.id}`,
    keyId: "",
    operatorId: undefined,
    permissions: []
  },
  now
})
