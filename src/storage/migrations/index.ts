/** Every migration in order. Adding one is a new file and a new line here; a released one is never edited. */
import { spine } from "./0001_spine.ts"

export const migrations = {
  "0001_spine": spine
}
