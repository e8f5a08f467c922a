/** Every migration in order. To add one, add a file and a line here; a released migration is never edited. */
import { baseline } from "./0001_baseline.ts"

export const migrations = {
  "0001_baseline": baseline
}
