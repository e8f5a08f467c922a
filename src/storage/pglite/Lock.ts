/**
 * One process per data directory. The embedded database has no lock of its own: two processes could both open it and acknowledge writes,
 * and the rows of one would be lost without an error. The lock is a file that names its holder. A process that finds it checks whether the
 * holder is still running; if not, it takes over the lock atomically.
 */
import { Data, Effect, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { hostname } from "node:os"
import { dirname, join } from "node:path"

/** Another process uses the directory, or it cannot be written. `message` names the holder and says what to do. */
export class LockRefused extends Data.TaggedError("LockRefused")<{ readonly message: string }> {}

/** The content of the lock file. */
export interface Holder {
  readonly pid: number
  /** When the process started, in clock ticks since boot (/proc/PID/stat, field 22); "" if the system does not report it. */
  readonly processStart: string
  /** Host, boot and process-id namespace. We can check the pid only if these are the same as ours. */
  readonly place: string
  readonly host: string
  readonly nodeId: string
  readonly startedAt: string
  /** New at every start: distinguishes our lock from a later one of another process. */
  readonly nonce: string
}

/** How often the holder touches its file. This is the only sign of life that a process on another machine or in another container can see. */
const beatMillis = 2_000

/** A holder elsewhere that has not touched its file for this long is gone. */
const goneMillis = 12_000

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

const parse = (text: string | undefined): Holder | undefined => {
  if (text === undefined) return undefined
  const lines = new Map(
    text.split("\n").map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)])
  )
  const pid = Number(lines.get("pid"))
  const nonce = lines.get("nonce")
  if (!Number.isInteger(pid) || pid <= 0 || nonce === undefined) return undefined
  const get = (name: string): string => lines.get(name) ?? ""
  return {
    pid,
    nonce,
    processStart: get("processStart"),
    place: get("place"),
    host: get("host"),
    nodeId: get("nodeId"),
    startedAt: get("startedAt")
  }
}

const format = (holder: Holder): string =>
  Object.entries(holder)
    .map(([name, value]) => `${name} ${value}\n`)
    .join("")

/** Field 22 of /proc/PID/stat, counted from after the command's name, which may contain spaces and brackets. */
const processStart = (pid: number): string => {
  const stat = read(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
}

const place = (): string => {
  let namespace = ""
  try {
    namespace = readlinkSync("/proc/self/ns/pid")
  } catch {
    // Not Linux: use only the host's name.
  }
  return [hostname(), (read("/proc/sys/kernel/random/boot_id") ?? "").trim(), namespace].join("/")
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process is running and belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/** Why the holder of `path` must be left alone, or undefined if it is gone. */
const livingHolder = (path: string, scratch: string): string | undefined => {
  const holder = parse(read(path))
  // Not readable as a lock: our files appear complete, so this is not one of ours.
  if (holder === undefined) return undefined
  const who = `process ${holder.pid} on ${holder.host || "this host"} (NODE_ID ${holder.nodeId}, since ${holder.startedAt})`
  if (holder.place === place()) {
    if (!isAlive(holder.pid)) return undefined
    const start = processStart(holder.pid)
    const reused = start !== "" && holder.processStart !== "" && start !== holder.processStart
    return reused ? undefined : `is in use by ${who}; stop that process, or set another DATA_DIR for this one`
  }
  // A pid of another host or container cannot be checked. Its age is the difference to a file just created on the same disk.
  const silentMillis = statSync(scratch).mtimeMs - statSync(path).mtimeMs
  if (silentMillis > goneMillis) return undefined
  return `is in use by ${who}; stop it or, if it is already gone, try again in ${Math.ceil(goneMillis / 1000)} s`
}

/** Puts `scratch` in place as `path`; false if `path` exists. Content and name appear at once, which O_EXCL alone does not ensure. */
const putInPlace = (scratch: string, path: string): boolean => {
  try {
    linkSync(scratch, path)
    return true
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    if (code === "EEXIST") return false
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error
    // The file system has no hard links.
    try {
      writeFileSync(path, readFileSync(scratch), { flag: "wx", mode: 0o600 })
      return true
    } catch (second) {
      if (second instanceof Error && "code" in second && second.code === "EEXIST") return false
      throw second
    }
  }
}

/**
 * Replaces the lock of a process that is gone. Only one process at a time may check and replace it. Otherwise the second of two would
 * remove the new lock of the first. The file `.takeover` ensures this. If the process that made it died, another one removes it after 5 s.
 */
const takeOver = (path: string, scratch: string): string | undefined => {
  const mutex = `${path}.takeover`
  if (!putInPlace(scratch, mutex)) {
    if (statSync(scratch).mtimeMs - statSync(mutex).mtimeMs < 5_000)
      return "is being taken over by another process; try again"
    rmSync(mutex, { force: true })
    if (!putInPlace(scratch, mutex)) return "is being taken over by another process; try again"
  }
  try {
    const living = livingHolder(path, scratch)
    if (living !== undefined) return living
    rmSync(path, { force: true })
    return putInPlace(scratch, path) ? undefined : "was taken by another process at the same moment; try again"
  } finally {
    rmSync(mutex, { force: true })
  }
}

const acquire = (path: string, holder: Holder): string | undefined => {
  const scratch = `${path}.${holder.nonce}`
  writeFileSync(scratch, format(holder), { flag: "wx", mode: 0o600 })
  try {
    return putInPlace(scratch, path) ? undefined : (livingHolder(path, scratch) ?? takeOver(path, scratch))
  } finally {
    unlinkSync(scratch)
  }
}

/** With `recursive`, Node retries for ever if a directory cannot be made although its parent exists (below /proc, for example). */
const makeDirectory = (path: string): void => {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeDirectory(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
  }
}

export interface LockOptions {
  /** Created if it does not exist. */
  readonly directory: string
  readonly nodeId: string
  /** The lock was taken by another process, after this one was frozen for a long time. Must end the process before it writes again. */
  readonly onLost: (line: string) => void
}

const failed = (directory: string, cause: unknown): LockRefused =>
  new LockRefused({
    message: `DATA_DIR: cannot write to ${directory}: ${cause instanceof Error ? cause.message : String(cause)}`
  })

/** Locks the directory for this process until the scope closes, or fails at once with the holder's name. */
export const holdLock = (options: LockOptions): Effect.Effect<Holder, LockRefused, Scope.Scope> => {
  const path = join(options.directory, "voltlane.lock")
  const holder: Holder = {
    pid: process.pid,
    processStart: processStart(process.pid),
    place: place(),
    host: hostname(),
    nodeId: options.nodeId,
    startedAt: new Date().toISOString(),
    nonce: randomUUID()
  }
  // The lock is lost only if the file is gone or names another holder. A process without free file descriptors cannot read it, but still
  // has the lock.
  const isOurs = (): boolean => {
    try {
      return parse(readFileSync(path, "utf8"))?.nonce === holder.nonce
    } catch (error) {
      return !(error instanceof Error && "code" in error && error.code === "ENOENT")
    }
  }
  const take = Effect.try({
    try: () => {
      makeDirectory(options.directory)
      return acquire(path, holder)
    },
    catch: (cause) => failed(options.directory, cause)
  }).pipe(
    Effect.flatMap((refusal) =>
      refusal === undefined
        ? Effect.succeed(startBeating(path, isOurs, options.onLost))
        : Effect.fail(new LockRefused({ message: `DATA_DIR: ${options.directory} ${refusal}` }))
    )
  )
  return Effect.acquireRelease(take, (stop) =>
    Effect.sync(() => {
      stop()
      if (isOurs()) rmSync(path, { force: true })
    })
  ).pipe(Effect.as(holder))
}

const startBeating = (path: string, isOurs: () => boolean, onLost: (line: string) => void): (() => void) => {
  const timer = setInterval(() => {
    if (!isOurs()) {
      clearInterval(timer)
      return onLost(`the lock ${path} was taken by another process while this one was suspended`)
    }
    try {
      const now = new Date()
      utimesSync(path, now, now)
    } catch {
      // A full or read-only disk is handled by its own guard, and the lock is still ours.
    }
  }, beatMillis)
  timer.unref()
  return () => clearInterval(timer)
}
