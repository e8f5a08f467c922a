/**
 * Texts from outside that no Schema checks, and that are stored and shown as they came: why a partner did not accept something, or the error of a
 * broken connection. They may contain characters that no database accepts. That must not fail the statement that stores them, or the rest of its data
 * would be lost too.
 */

/** Replaces U+0000, which no database accepts in text, by its escape. Almost no text has one, and many texts are checked every second. */
export const nulSpelt = (text: string): string => (text.includes("\0") ? text.replaceAll("\0", "\\u0000") : text)

/** At most `max` UTF-16 units of a text in a form that can be stored: U+0000 is escaped, and halves of surrogate pairs become U+FFFD. */
export const outsideText = (text: string, max: number): string => {
  const spelt = nulSpelt(text.slice(0, max)).slice(0, max)
  // Both cuts may have split a surrogate pair; its first half is then dropped.
  return (/[\ud800-\udbff]$/.test(spelt) && spelt.length === max ? spelt.slice(0, -1) : spelt).toWellFormed()
}
