/** What a page shows when there is nothing, when something failed, and when the person may not see it. */
import type { ReactNode } from "react"
import { Problem } from "../api/client.ts"
import { t } from "../text/text.ts"

export const Empty = ({
  action,
  text,
  title
}: {
  readonly title: string
  readonly text: string
  readonly action?: ReactNode
}) => (
  <div className="empty">
    <h2>{title}</h2>
    <p>{text}</p>
    {action}
  </div>
)

export const NotPermitted = ({ permissions }: { readonly permissions: ReadonlyArray<string> }) => (
  <div className="empty" role="note">
    <h2>{t("state.notPermitted")}</h2>
    <p>{t("state.needs", { permissions: permissions.join(", ") })}</p>
  </div>
)

export const problemText = (error: unknown): string =>
  error instanceof Problem && error.status === 403 && error.requiredPermissions.length > 0
    ? t("state.needs", { permissions: error.requiredPermissions.join(", ") })
    : error instanceof Problem
      ? error.message
      : t("state.unreachable")

export const Failed = ({
  error,
  retry,
  what
}: {
  readonly error: unknown
  readonly what: string
  readonly retry?: () => void
}) => (
  <div className="failed" role="alert">
    <p>
      <b>{what}</b> {problemText(error)}
    </p>
    {retry === undefined ? null : (
      <button type="button" className="button" onClick={retry}>
        {t("action.tryAgain")}
      </button>
    )}
  </div>
)

/** The placeholder while something is being read. */
export const Loading = ({ rows = 6 }: { readonly rows?: number }) => (
  <div className="loading" role="status" aria-label={t("state.loading")}>
    {Array.from({ length: rows }, (_, index) => (
      <i key={index} />
    ))}
  </div>
)
