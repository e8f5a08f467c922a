/** The attacks of the `isolation` bench by name. */
import { anonymous } from "./anonymous.ts"
import type { Attack } from "./attack.ts"
import { callers } from "./callers.ts"

export const attacks: Readonly<Record<string, Attack>> = { ...anonymous, ...callers }
