/**
 * Reads `/proc` (Linux): which processes belong to a tree, the CPU time they have used, and the memory they hold. The
 * bench charges a server with its whole tree and, if it stores, with PostgreSQL's whole tree. It never charges the load
 * generator.
 */
import { readdirSync, readFileSync } from "node:fs"

/** Clock ticks a second in `/proc/PID/stat`. Linux has shown 100 to user space on every architecture since 2.6. */
const TICKS_PER_SECOND = 100

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    // The process ended between the listing and the reading.
    return ""
  }
}

const threadsOf = (pid: number): ReadonlyArray<string> => {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** The fields of `/proc/PID/stat` after the command's name, which may hold spaces and brackets: state, ppid, … */
const statFields = (pid: number): ReadonlyArray<string> => {
  const stat = read(`/proc/${pid}/stat`)
  return stat === "" ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ")
}

export const parentOf = (pid: number): number => Number(statFields(pid)[1] ?? 0)

/** The living processes of the tree below `root`, itself included. */
export const processTree = (root: number): ReadonlyArray<number> => {
  const children = new Map<number, Array<number>>()
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry)
    if (!Number.isInteger(pid)) continue
    const parent = parentOf(pid)
    children.set(parent, [...(children.get(parent) ?? []), pid])
  }
  const tree: Array<number> = [root]
  for (let i = 0; i < tree.length; i++) tree.push(...(children.get(tree[i]!) ?? []))
  return tree
}

/**
 * CPU seconds that the tree has used: utime + stime + cutime + cstime of every member. A child that ended and was reaped
 * has moved its time into its parent's cutime and cstime, so the sum never falls.
 */
export const cpuSeconds = (root: number): number => {
  let ticks = 0
  for (const pid of processTree(root)) {
    for (const field of statFields(pid).slice(11, 15)) ticks += Number(field)
  }
  return ticks / TICKS_PER_SECOND
}

const threadNanos = (root: number): ReadonlyMap<string, number> => {
  const nanos = new Map<string, number>()
  for (const pid of processTree(root)) {
    for (const thread of threadsOf(pid)) {
      nanos.set(thread, Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]))
    }
  }
  return nanos
}

/**
 * CPU milliseconds that the tree's living threads have used, with nanosecond precision: for work that is far shorter than a clock tick. The time of a
 * thread that ended is missing, so use it for the difference over some requests, not over a whole run.
 */
export const cpuMillisNow = (root: number): number => {
  let nanos = 0
  for (const [, used] of threadNanos(root)) nanos += used
  return nanos / 1_000_000
}

/**
 * A clock of CPU seconds in nanoseconds instead of ticks, for a tree that is almost idle. Each call returns what was used since the call before. The
 * time of a thread that ended in between is missing, so call it often.
 */
export const preciseClock = (root: number): (() => number) => {
  let before = threadNanos(root)
  return () => {
    const now = threadNanos(root)
    let used = 0
    for (const [thread, nanos] of now) used += nanos - (before.get(thread) ?? 0)
    before = now
    return used / 1e9
  }
}

const kib = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0)

/** Resident memory of the tree in KiB. `pss` divides shared pages among the processes that use them, so it may be added over processes. */
export const memoryKiB = (root: number): { readonly rss: number; readonly pss: number } => {
  let rss = 0
  let pss = 0
  for (const pid of processTree(root)) {
    rss += kib(read(`/proc/${pid}/status`), "VmRSS")
    pss += kib(read(`/proc/${pid}/smaps_rollup`), "Pss")
  }
  return { rss, pss }
}
