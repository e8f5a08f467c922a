/** "Who changed this?": from a thing to its entries in the audit log. */
import { Link } from "@tanstack/react-router"
import { t } from "../text/text.ts"

/** What the audit log is asked for: `subject` as in `charger:CP-1`, and an action where the subject alone would be too much. */
export interface Changes {
  readonly subject: string
  readonly action?: string
}

export const auditLog = (changes: Changes) => ({ to: "/audit-log" as never, search: { ...changes } as never })

/** In a row of a list. On the page of one thing `Side` has it, with a key. */
export const History = ({ of, isKey = false }: { readonly of: Changes; readonly isKey?: boolean }) => (
  <Link className="button small" aria-keyshortcuts={isKey ? "h" : undefined} {...auditLog(of)}>
    {t("action.history")}
  </Link>
)
