/** Copying text, also where the page came by plain http and the browser has no clipboard for it. */

const bySelection = (text: string): boolean => {
  const field = document.createElement("textarea")
  field.value = text
  field.setAttribute("readonly", "")
  field.style.position = "fixed"
  field.style.opacity = "0"
  // Inside an open dialog nothing else can have the focus.
  const place = document.querySelector("dialog[open]") ?? document.body
  const focused = document.activeElement
  place.append(field)
  field.select()
  const isDone = document.execCommand("copy")
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isDone
}

/** Answers whether it was copied. */
export const copied = async (text: string): Promise<boolean> => {
  if (!window.isSecureContext) return bySelection(text)
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => bySelection(text)
  )
}
