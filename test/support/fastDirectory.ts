/**
 * Directories for what tests store. Every commit of the embedded database waits for the disk; what need not outlive the machine is faster in
 * memory, where there is enough of it that can be used as a disk.
 */
import { mkdtempSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const memory = "/dev/shm"

/** Several databases of 100 MB each, with their logs. */
const neededBytes = 2 * 1024 ** 3

const parent = (): string => {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= neededBytes ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** A new one. */
export const fastDirectory = (): string => mkdtempSync(join(parent(), "voltlane-tests-"))
