/** Reads the outlines of countries, a file of the console's own that is no part of any page: when a map first wants them. */
import address from "world-atlas/countries-50m.json?url"
import { type Outlines, outlinesOf, type Topology } from "./outlines.ts"

export const loadOutlines = async (): Promise<Outlines> => {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`)
  return outlinesOf((await answer.json()) as Topology)
}
