/**
 * The platform's own dialog: it keeps the focus inside, closes by Escape, and gives the focus back. A click beside it closes only one in which nothing can
 * be lost: what is filled in, or a password that is shown once, would be.
 */
import { useEffect, useId, useRef, type ReactNode } from "react"
import { t } from "../text/text.ts"
import { Icon } from "./Icon.tsx"

export const Dialog = ({
  children,
  isLight = false,
  onClose,
  title,
  wide = false
}: {
  readonly title: string
  readonly children: ReactNode
  readonly onClose: () => void
  readonly wide?: boolean
  /** Nothing is lost by closing it. */
  readonly isLight?: boolean
}) => {
  const box = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = box.current
    if (dialog !== null && !dialog.open) {
      dialog.showModal()
      // The browser focuses what comes first, which is the button that closes.
      const first = dialog.querySelector<HTMLElement>(".dialog > :not(header) :is(input, select, textarea)")
      const field = dialog.querySelector<HTMLElement>(".dialog > :is(input, select, textarea)")
      const ready = dialog.querySelector<HTMLElement>("[data-ready]")
      ;(ready ?? field ?? first ?? dialog.querySelector<HTMLElement>(".button.main, .button.danger"))?.focus()
    }
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={box}
      className={wide ? "wide" : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={(event) => {
        if (isLight && event.target === box.current) onClose()
      }}
    >
      <div className="dialog">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" className="ghost" aria-label={t("action.close")} onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}
