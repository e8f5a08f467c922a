/** Builds the page's elements without parsing markup: the text of a description is never read as HTML. */

/** Flattens nested children and leaves out the missing ones. */
const flat = (children) => children.flat(Infinity).filter((child) => child !== undefined)

/** An element with attributes and children; strings become text nodes. */
export const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value)
  }
  element.append(...flat(children))
  return element
}

/** One line of text, with the parts in backticks as `code` elements. */
export const prose = (text) =>
  text.split(/(`[^`]+`)/).map((part) => (/^`[^`]+`$/.test(part) ? make("code", {}, part.slice(1, -1)) : part))

/** Text as paragraphs. */
export const paragraphs = (text) =>
  (text ?? "")
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== "")
    .map((part) => make("p", {}, prose(part.replaceAll(/\s+/g, " "))))

/** A section whose content is made when it is first opened, since schemas can be large. */
export const later = (summary, attributes, content) => {
  const details = make("details", attributes, make("summary", {}, summary))
  const fill = () => {
    if (details.open && details.children.length === 1) details.append(...flat([content()]))
  }
  details.addEventListener("toggle", fill)
  // If a link opens it, its content must be there before the page scrolls to it.
  details.fill = () => {
    details.open = true
    fill()
  }
  return details
}

/** Text with a button that copies it. */
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
