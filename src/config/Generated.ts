/**
 * The two settings that the service generates if they are not given: the key of all keyed hashes, and the name of this
 * process. They are kept in `DATA_DIR`, so that they survive a restart.
 */
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { randomBytes } from "node:crypto"
import { dirname, join } from "node:path"
import { ConfigProblem } from "./ConfigProblem.ts"

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)

const readIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8").trim()
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined
    throw error
  }
}

/**
 * Creates a directory and its parents. With `recursive`, Node retries forever if a directory cannot be created although
 * its parent exists (for example below /proc).
 */
const makeDirectory = (path: string): void => {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeDirectory(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error
  }
}

/**
 * Creates a file completely or not at all, and never overwrites one: if two processes start together, both use the file
 * of the first.
 */
const createOnce = (path: string, content: string): void => {
  const scratch = `${path}.${randomBytes(6).toString("hex")}`
  writeFileSync(scratch, `${content}\n`, { flag: "wx", mode: 0o600, flush: true })
  try {
    linkSync(scratch, path)
  } catch (error) {
    if (codeOf(error) === "EEXIST") return
    // The file system has no hard links. O_EXCL still prevents two processes from overwriting each other's file.
    writeFileSync(path, `${content}\n`, { flag: "wx", mode: 0o600, flush: true })
  } finally {
    unlinkSync(scratch)
  }
}

const keep = (directory: string, variable: string, file: string, make: () => string): string => {
  const path = join(directory, file)
  try {
    makeDirectory(directory)
    if (readIfThere(path) === undefined) createOnce(path, make())
    return readIfThere(path) ?? ""
  } catch (error) {
    throw new ConfigProblem({
      variable: "DATA_DIR",
      message: `cannot keep ${variable} in ${path} (${reasonOf(error)}); make it writable, or set ${variable}`
    })
  }
}

/** The kept key, or a new one of 256 random bits. */
export const generatedSecretKey = (directory: string): string =>
  keep(directory, "SECRET_KEY", "secret-key", () => randomBytes(32).toString("base64url"))

export const generatedNodeId = (directory: string): string =>
  keep(directory, "NODE_ID", "node-id", () => `node-${randomBytes(6).toString("hex")}`)
