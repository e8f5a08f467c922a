/** Who may read the files that a service has stored. */
import { lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"

/** Every file and directory below `directory` to which anyone but its owner has access, with its mode. */
export const openToOthers = (directory: string): ReadonlyArray<string> =>
  ["", ...readdirSync(directory, { recursive: true, encoding: "utf8" })].flatMap((name) => {
    const stats = lstatSync(join(directory, name))
    const isOpen = !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0
    return isOpen ? [`${(stats.mode & 0o777).toString(8)} ${name}`] : []
  })
