/** Buttons. A button for which the person lacks a permission is shown disabled, and says what is missing. */
import { useId, type ReactNode } from "react"
import type { Name } from "../api/types.ts"
import { missingFor, useMe } from "../app/me.ts"
import { t } from "../text/text.ts"
import { copied } from "./clipboard.ts"

export interface ActProps {
  readonly children: ReactNode
  /** The operations that it calls. */
  readonly needs: ReadonlyArray<Name>
  readonly onClick: () => void
  readonly kind?: "main" | "danger" | "small"
  readonly busy?: boolean
  readonly off?: boolean
}

export const Act = ({ busy = false, children, kind, needs, off = false, onClick }: ActProps) => {
  const missing = missingFor(useMe(), ...needs)
  const id = useId()
  const isMissing = missing.length > 0
  const reason = isMissing ? t("state.needs", { permissions: missing.join(", ") }) : undefined
  return (
    <>
      <button
        type="button"
        className={`button${kind === undefined ? "" : ` ${kind}`}`}
        aria-disabled={isMissing || busy || off}
        aria-describedby={isMissing ? id : undefined}
        title={reason}
        data-needs={needs.join(" ")}
        onClick={() => {
          if (!isMissing && !busy && !off) onClick()
        }}
      >
        {children}
      </button>
      {isMissing ? (
        <span id={id} className="hide">
          {reason}
        </span>
      ) : null}
    </>
  )
}

export const Copy = ({ text, label }: { readonly text: string; readonly label?: string }) => (
  <button
    type="button"
    className="button small"
    onClick={({ currentTarget }) => {
      void copied(text).then((isDone) => {
        if (!isDone) return
        currentTarget.classList.add("done")
        setTimeout(() => currentTarget.classList.remove("done"), 1_500)
      })
    }}
  >
    {label ?? t("action.copy")}
  </button>
)
