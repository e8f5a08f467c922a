/** All permissions that operations need, from the table of operations. */
import { operations } from "virtual:operations"

export const allPermissions: ReadonlyArray<string> = [
  ...new Set(Object.values(operations).flatMap(([, , permissions]) => permissions))
]
  .filter((one) => one !== "platform:admin")
  .sort()
