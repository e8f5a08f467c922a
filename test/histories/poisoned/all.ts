/** Threat T28: messages of a false or broken meter or clock. No driver is billed a wrong amount because of them without an operator's decision. */
import type { Story } from "../Story.ts"
import { clocks } from "./Clocks.ts"
import { registers } from "./Registers.ts"

export const poisoned: ReadonlyArray<Story> = [...registers, ...clocks]
