/** Copies text, also on a page that came by plain http, where the browser offers no clipboard. */

const bySelection = (text: string): boolean => {
  const field = document.createElement("textarea")
  field.value = text
  field.setAttribute("readonly", "")
  field.style.position = "fixed"
  field.style.opacity = "0"
  // Inside an open dialog nothing else can have the focus, so the text is selected there.
  const place = document.querySelector("dialog[open]") ?? document.body
  const focused = document.activeElement
  place.append(field)
  field.select()
  const isDone = document.execCommand("copy")
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isDone
}

/** Returns whether the text was copied. */
export const copied = async (text: string): Promise<boolean> => {
  if (!window.isSecureContext) return bySelection(text)
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => bySelection(text)
  )
}
