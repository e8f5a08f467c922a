/** The document's elements, made without markup in text: what a description says is never read as HTML. */

/** What is there of what may be nested and may be missing. */
const flat = (children) => children.flat(Infinity).filter((child) => child !== undefined)

/** An element with attributes and children; text becomes text. */
export const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value)
  }
  element.append(...flat(children))
  return element
}

/** Text with `code` in backticks, in one line. */
export const prose = (text) =>
  text.split(/(`[^`]+`)/).map((part) => (/^`[^`]+`$/.test(part) ? make("code", {}, part.slice(1, -1)) : part))

/** Text as paragraphs. */
export const paragraphs = (text) =>
  (text ?? "")
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== "")
    .map((part) => make("p", {}, prose(part.replaceAll(/\s+/g, " "))))

/** What opens on a click and is made then; large schemas are made only when they are looked at. */
export const later = (summary, attributes, content) => {
  const details = make("details", attributes, make("summary", {}, summary))
  const fill = () => {
    if (details.open && details.children.length === 1) details.append(...flat([content()]))
  }
  details.addEventListener("toggle", fill)
  // Opened by a link, it has to have its height before the page scrolls to it.
  details.fill = () => {
    details.open = true
    fill()
  }
  return details
}

/** Text that can be copied. */
export const copied = (text) => {
  const button = make("button", { type: "button" }, "Copy")
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text)
      button.textContent = "Copied"
    } catch {
      button.textContent = "Not allowed here"
    }
    setTimeout(() => (button.textContent = "Copy"), 2000)
  })
  return [make("pre", { tabindex: "0" }, make("code", {}, text)), button]
}

export const json = (value) => (typeof value === "string" ? value : JSON.stringify(value, undefined, 2))
