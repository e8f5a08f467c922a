/**
 * Texts from outside that are kept and shown as they came, and that no Schema refuses: why a partner did not take something, what a connection
 * said when it broke. They may hold what no database takes; the statement that stores them must not be lost for it, nor all that is stored beside them.
 */

/** U+0000, which no database's text takes, spelt out. Nearly no text has it, and many are looked at a second. */
export const nulSpelt = (text: string): string => (text.includes("\0") ? text.replaceAll("\0", "\\u0000") : text)

/** Text of at most `max` UTF-16 units that can be stored: U+0000 is spelt out, and halves of surrogate pairs are U+FFFD. */
export const outsideText = (text: string, max: number): string => {
  const spelt = nulSpelt(text.slice(0, max)).slice(0, max)
  // Both cuts may have gone through the middle of a pair, whose first half is left off then.
  return (/[\ud800-\udbff]$/.test(spelt) && spelt.length === max ? spelt.slice(0, -1) : spelt).toWellFormed()
}
