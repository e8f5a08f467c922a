/**
 * What the service keeps on its disk is read by its own user alone: the embedded database has drivers' cards and chargers' keyed hashes in it, and
 * the secret key is beside it. The engine makes its files with every right for everybody, and directories are often made by hand before
 * the first start; so all that is there is closed to others at each start. On Windows the rights of a directory are inherited, and these modes mean nothing.
 * Without Effect: the engine's thread would load it for this alone.
 */
import { chmodSync, type Dirent, lstatSync, readdirSync, statSync, type Stats } from "node:fs"
import { join } from "node:path"

/** Something is open to others and cannot be closed. `message` names it and says what to do. */
export class NotPrivate extends Error {
  readonly _tag = "NotPrivate"
}

/** The rights of the group and of everybody else. */
export const othersRights = 0o077

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)

const isOpen = ({ mode }: Stats): boolean => (mode & othersRights) !== 0

const octal = ({ mode }: Stats): string => (mode & 0o777).toString(8).padStart(4, "0")

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

const refuse = (path: string, stats: Stats, why: string): never => {
  throw new NotPrivate(
    `${path} can be read by other users of this machine (mode ${octal(stats)}), and that cannot be changed (${why}); ` +
      `let it belong to the user of this service, or set DATA_DIR to a directory of its own below it`
  )
}

/** Takes every right from others; answers whether there was one. */
const close = (path: string, stats: Stats): boolean => {
  if (!isOpen(stats)) return false
  try {
    chmodSync(path, stats.mode & 0o7777 & ~othersRights)
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw error
    refuse(path, stats, String(codeOf(error) ?? error))
  }
  // Some file systems (FAT, shares) say yes and change nothing.
  if (isOpen(statSync(path))) refuse(path, stats, "the file system keeps it as it is")
  return true
}

/** Charger's files: made private one by one, and so many that they are not all looked at where their folder is closed already. */
const isManyFiles = (name: string): boolean => name === "files"

/** Closes one entry and all below it. Another process may take it away meanwhile, such as a scratch file. */
const closeEntry = (directory: string, entry: Dirent): number => {
  const path = join(directory, entry.name)
  // What a link leads to is not ours; the link itself has no rights.
  if (!entry.isDirectory() && !entry.isFile()) return 0
  try {
    const isClosed = close(path, lstatSync(path))
    const isLookedInto = entry.isDirectory() && (isClosed || !isManyFiles(entry.name))
    return (isClosed ? 1 : 0) + (isLookedInto ? closeBelow(path) : 0)
  } catch (error) {
    if (codeOf(error) === "ENOENT") return 0
    throw error
  }
}

const closeBelow = (directory: string): number =>
  readdirSync(directory, { withFileTypes: true }).reduce((closed, entry) => closed + closeEntry(directory, entry), 0)

/** Our own directories of `DATA_DIR`, which operators put on other disks by a link. */
const ours = ["database", "files"]

/**
 * Closes `directory` and all that is in it to everybody but its owner; answers how many of them were open. Nothing where there is no such
 * directory. Throws `NotPrivate`.
 */
export const closeToOthers = (directory: string): number => {
  if (process.platform === "win32") return 0
  let stats: Stats
  try {
    stats = statSync(directory)
  } catch (error) {
    if (codeOf(error) === "ENOENT") return 0
    throw new NotPrivate(`${directory} cannot be looked at: ${String(codeOf(error) ?? error)}`)
  }
  const self = close(directory, stats) ? 1 : 0
  const elsewhere = ours.map((name) => join(directory, name)).filter(isLink)
  return elsewhere.reduce((closed, path) => closed + closeToOthers(path), self + closeBelow(directory))
}
