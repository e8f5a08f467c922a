/** The author of a partner's own writes, as recorded in facts, in commands and in the audit log. */
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import type { Exchange } from "./Exchange.ts"

export const auditOf = ({ bearer: { partner }, now }: Exchange): AuditContext => ({
  by: {
    organisationId: partner.organisationId,
    actor: `partner:${partner.id}`,
    keyId: "",
    operatorId: undefined,
    permissions: []
  },
  now
})
