/**
 * Makes the service's files on disk readable by its own user only. The embedded database contains drivers' cards and chargers' keyed
 * hashes, and the secret key is beside it. The engine creates files with all rights for everyone, and directories are often made by hand
 * before the first start. So at each start, the rights of others are removed from all of them. On Windows a directory's rights are
 * inherited, and these modes have no effect. This file does not use Effect, because the engine's thread would load Effect only for this.
 */
import { chmodSync, type Dirent, lstatSync, readdirSync, statSync, type Stats } from "node:fs"
import { join } from "node:path"

/** A file or directory is open to others and cannot be closed. `message` names it and says what to do. */
export class NotPrivate extends Error {
  readonly _tag = "NotPrivate"
}

/** The rights of the group and of all others. */
export const othersRights = 0o077

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)

const isOpen = ({ mode }: Stats): boolean => (mode & othersRights) !== 0

const octal = ({ mode }: Stats): string => (mode & 0o777).toString(8).padStart(4, "0")

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

const refuse = (path: string, stats: Stats, why: string): never => {
  throw new NotPrivate(
    `${path} can be read by other users of this machine (mode ${octal(stats)}), and its mode cannot be changed (${why}); ` +
      "make the service's user its owner, or set DATA_DIR to a subdirectory of its own"
  )
}

/** Removes all rights of others; returns whether there were any. */
const close = (path: string, stats: Stats): boolean => {
  if (!isOpen(stats)) return false
  try {
    chmodSync(path, stats.mode & 0o7777 & ~othersRights)
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw error
    refuse(path, stats, String(codeOf(error) ?? error))
  }
  // Some file systems (FAT, network shares) report success and change nothing.
  if (isOpen(statSync(path))) refuse(path, stats, "the file system does not apply the change")
  return true
}

/** Chargers' files. Each is created private, and there are very many. If their folder is already closed, they are not checked one by one. */
const isManyFiles = (name: string): boolean => name === "files"

/** Closes one entry and everything below it. Another process may delete it meanwhile, such as a scratch file. */
const closeEntry = (directory: string, entry: Dirent): number => {
  const path = join(directory, entry.name)
  // The target of a symbolic link is not ours, and the link itself has no rights.
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

/** Our own directories in `DATA_DIR`; operators put them on other disks with a symbolic link. */
const ours = ["database", "files"]

/**
 * Closes `directory` and everything in it to all but its owner; returns how many entries were open. Does nothing if the directory does not
 * exist. Throws `NotPrivate`.
 */
export const closeToOthers = (directory: string): number => {
  if (process.platform === "win32") return 0
  let stats: Stats
  try {
    stats = statSync(directory)
  } catch (error) {
    if (codeOf(error) === "ENOENT") return 0
    throw new NotPrivate(`${directory} cannot be inspected: ${String(codeOf(error) ?? error)}`)
  }
  const self = close(directory, stats) ? 1 : 0
  const elsewhere = ours.map((name) => join(directory, name)).filter(isLink)
  return elsewhere.reduce((closed, path) => closed + closeToOthers(path), self + closeBelow(directory))
}
