/** Threat T28: what a false or broken meter or clock may tell. Nobody is billed a wrong amount for it without a human's word. */
import type { Story } from "../Story.ts"
import { clocks } from "./Clocks.ts"
import { registers } from "./Registers.ts"

export const poisoned: ReadonlyArray<Story> = [...registers, ...clocks]
