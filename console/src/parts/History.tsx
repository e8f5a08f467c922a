/** "Who changed this?": a link from a thing to its entries in the audit log. */
import { Link } from "@tanstack/react-router"
import { t } from "../text/text.ts"

/** The filter of the audit log: `subject`, for example `charger:CP-1`, and an action if the subject alone would match too much. */
export interface Changes {
  readonly subject: string
  readonly action?: string
}

export const auditLog = (changes: Changes) => ({ to: "/audit-log" as never, search: { ...changes } as never })

/** For a row of a list. On the page of one thing, `Side` has the link, with a key. */
export const History = ({ of, isKey = false }: { readonly of: Changes; readonly isKey?: boolean }) => (
  <Link className="button small" aria-keyshortcuts={isKey ? "h" : undefined} {...auditLog(of)}>
    {t("action.history")}
  </Link>
)
