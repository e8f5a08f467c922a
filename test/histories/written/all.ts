/** All written histories whose messages are true. Those of false meters and clocks are in `poisoned`. */
import type { Story } from "../Story.ts"
import { calendar } from "./Calendar.ts"
import { messages } from "./Messages.ts"
import { meters } from "./Meters.ts"
import { prices } from "./Prices.ts"
import { restrictions } from "./Restrictions.ts"
import { reviews } from "./Reviews.ts"

export const stories: ReadonlyArray<Story> = [
  ...prices,
  ...restrictions,
  ...calendar,
  ...meters,
  ...messages,
  ...reviews
]
