/** Reads the outlines of countries when a map first needs them. They are a file of the console's own and not part of any page. */
import address from "world-atlas/countries-50m.json?url"
import { type Outlines, outlinesOf, type Topology } from "./outlines.ts"

export const loadOutlines = async (): Promise<Outlines> => {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`)
  return outlinesOf((await answer.json()) as Topology)
}
