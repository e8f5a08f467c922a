/** Swedish. */
import type { Catalogue } from "./text.ts"

export const catalogue: Catalogue = {}
