/**
 * The browser's own dialog: it keeps the focus inside, closes by Escape, and returns the focus. A click beside it closes it only if nothing can be
 * lost by that, such as filled-in fields or a password that is shown once.
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
  /** Nothing is lost by closing it, so a click beside it closes it. */
  readonly isLight?: boolean
}) => {
  const box = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = box.current
    if (dialog !== null && !dialog.open) {
      dialog.showModal()
      // The browser would focus the first element, which is the close button.
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
