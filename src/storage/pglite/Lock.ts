/**
 * One process per data directory. The embedded database has no lock of its own: two processes would both open it, both acknowledge,
 * and one's rows would vanish without an error. The lock is a file that names its holder; a process that finds it looks whether the holder
 * still lives, and takes it over, atomically, when not.
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

/** Another process has the directory, or it cannot be written. `message` names the holder and says what to do. */
export class LockRefused extends Data.TaggedError("LockRefused")<{ readonly message: string }> {}

/** What the file holds. */
export interface Holder {
  readonly pid: number
  /** When the process started, in clock ticks since boot (/proc/PID/stat, field 22); "" where the system does not tell. */
  readonly processStart: string
  /** Host, boot and process-id namespace: only where these are ours does a pid mean anything to us. */
  readonly place: string
  readonly host: string
  readonly nodeId: string
  readonly startedAt: string
  /** Made anew at every start: distinguishes our own lock from one that another process has put there since. */
  readonly nonce: string
}

/** How often the holder touches its file, which is all that a process on another machine or in another container can see of it. */
const beatMillis = 2_000

/** A holder elsewhere that has not touched its file for so long is gone. */
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

/** Field 22 of /proc/PID/stat, counted after the command's name, which may hold spaces and brackets itself. */
const processStart = (pid: number): string => {
  const stat = read(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
}

const place = (): string => {
  let namespace = ""
  try {
    namespace = readlinkSync("/proc/self/ns/pid")
  } catch {
    // Not Linux: the host's name has to do.
  }
  return [hostname(), (read("/proc/sys/kernel/random/boot_id") ?? "").trim(), namespace].join("/")
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives and belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/** Why the holder of `path` is to be left alone, or undefined when it is gone. */
const livingHolder = (path: string, scratch: string): string | undefined => {
  const holder = parse(read(path))
  // Nothing legible: the file is put in place whole, so this is no lock of ours.
  if (holder === undefined) return undefined
  const who = `process ${holder.pid} on ${holder.host || "this host"} (NODE_ID ${holder.nodeId}, since ${holder.startedAt})`
  if (holder.place === place()) {
    if (!isAlive(holder.pid)) return undefined
    const start = processStart(holder.pid)
    const reused = start !== "" && holder.processStart !== "" && start !== holder.processStart
    return reused ? undefined : `is in use by ${who}; stop that process, or give this one a DATA_DIR of its own`
  }
  // Elsewhere a pid says nothing; how long ago the file was touched is seen beside a file made just now on the same disk.
  const silentMillis = statSync(scratch).mtimeMs - statSync(path).mtimeMs
  if (silentMillis > goneMillis) return undefined
  return `is in use by ${who}; stop it, or if it is gone already, try again in ${Math.ceil(goneMillis / 1000)} s`
}

/** Puts `scratch` in place as `path`; false when something is there. Content and name appear at once, unlike with O_EXCL alone. */
const putInPlace = (scratch: string, path: string): boolean => {
  try {
    linkSync(scratch, path)
    return true
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    if (code === "EEXIST") return false
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error
    // A file system without hard links.
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
 * Replaces a dead holder's lock. Only one process at a time may judge and replace, or the second of two would throw away the living
 * lock of the first: that is what the file `.takeover` is for, itself left alone unless its maker died within these milliseconds.
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

/** With `recursive`, Node tries for ever where a directory cannot be made although its parent is there (below /proc, say). */
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
  /** Made when it is not there. */
  readonly directory: string
  readonly nodeId: string
  /** The lock was taken away, after this process was frozen for long: it must end before it writes again. */
  readonly onLost: (line: string) => void
}

const failed = (directory: string, cause: unknown): LockRefused =>
  new LockRefused({
    message: `DATA_DIR: cannot write to ${directory}: ${cause instanceof Error ? cause.message : String(cause)}`
  })

/** Takes the directory for this process until the scope closes, or fails at once with the holder's name. */
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
  // Only a lock that is gone or another's is lost: a process out of file descriptors cannot read, and holds it all the same.
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
      return onLost(`the lock ${path} was taken by another process while this one stood still`)
    }
    try {
      const now = new Date()
      utimesSync(path, now, now)
    } catch {
      // A full or read-only disk: the guard for that is elsewhere, and the lock is still ours.
    }
  }, beatMillis)
  timer.unref()
  return () => clearInterval(timer)
}
