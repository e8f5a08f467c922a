/** The texts of a tariff, of which the form shows the first one as its name. */
import type { Answer } from "../../api/types.ts"

type Texts = Answer<"tariffs.get">["tariffAltText"]

/**
 * The texts to send, or undefined if there is nothing to change. The service replaces the whole list, so it gets the other languages too, and the name
 * stays in the language that it has.
 */
export const textsOf = (before: Texts, name: string): Texts | undefined => {
  const [first, ...others] = before
  if (name === "" || name === first?.text) return undefined
  return [{ language: first?.language ?? "en", text: name }, ...others]
}
