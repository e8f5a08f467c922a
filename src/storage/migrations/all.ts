/** Every migration in order. Adding one is a new file and a new line here; a released one is never edited. */
import { baseline } from "./0001_baseline.ts"

export const migrations = {
  "0001_baseline": baseline
}
