/** Whether a request was made by this face itself, to look at what stands. Nobody is limited, told or answered by it. */
import { Context } from "effect"

export const Inside = Context.Reference<boolean>("voltlane/http/v2/Inside", { defaultValue: () => false })
