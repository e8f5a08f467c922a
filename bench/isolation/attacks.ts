/** The attacks of the `isolation` bench by name. */
import { anonymous } from "./anonymous.ts"
import type { Attack } from "./attack.ts"

export const attacks: Readonly<Record<string, Attack>> = { ...anonymous }
