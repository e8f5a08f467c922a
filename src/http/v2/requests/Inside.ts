/** Whether a request was made by this face itself, to read the present state. It counts towards no limit, and its answer goes to no caller. */
import { Context } from "effect"

export const Inside = Context.Reference<boolean>("voltlane/http/v2/Inside", { defaultValue: () => false })
