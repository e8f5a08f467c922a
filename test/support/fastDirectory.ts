/**
 * Directories for the data of tests. Every commit of the embedded database waits for the disk. Data that need not survive the machine is faster in
 * memory, if enough of it is available as a file system.
 */
import { mkdtempSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const memory = "/dev/shm"

/** Enough for several databases of 100 MB each, with their logs. */
const neededBytes = 2 * 1024 ** 3

const parent = (): string => {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= neededBytes ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** Creates a new directory. */
export const fastDirectory = (): string => mkdtempSync(join(parent(), "voltlane-tests-"))
