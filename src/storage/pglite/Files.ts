/**
 * The embedded database's files: made aside and put in place whole, so that a process killed during the first start leaves nothing
 * that looks like a database; and the way by which the engine's fsync reaches the disk.
 */
import { PGlite } from "@electric-sql/pglite"
import { existsSync, fsyncSync, readdirSync, renameSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { dirname, join } from "node:path"

/**
 * PGlite's own parameters, but fsync on when asked for. `fdatasync`, PostgreSQL's first choice on Linux, is an empty function in the
 * WebAssembly runtime, `fsync` reaches its file system. The sizes matter because nothing checkpoints by itself here, see `worker.ts`.
 */
export const startParams = (fsync: boolean): Array<string> => [
  ...PGlite.defaultStartParams.filter((param) => param !== "-F" || !fsync),
  ...["wal_sync_method=fsync", "max_wal_size=64MB", "min_wal_size=32MB"].flatMap((setting) => ["-c", setting])
]

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/**
 * Gives the runtime's disk file system the `fsync` that it looks for and lacks. Answers a count of the calls, by which the worker
 * proves that a commit really reaches the disk; undefined when this version of PGlite has no such place any more.
 */
export const passFsync = (db: PGlite): (() => number) | undefined => {
  const nodeFs: unknown = (db.Module as { readonly NODEFS?: unknown }).NODEFS
  const operations = isObject(nodeFs) ? nodeFs["stream_ops"] : undefined
  if (!isObject(operations)) return undefined
  let calls = 0
  operations["fsync"] = (stream: { readonly nfd?: number }) => {
    if (stream.nfd === undefined) return 0
    fsyncSync(stream.nfd)
    calls += 1
    return 0
  }
  return () => calls
}

const sync = async (path: string): Promise<void> => {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Every file and directory below; many at a time, since the disk then takes them together (a thousand in 0.2 s, not in 2 s). */
const syncAll = async (directory: string): Promise<void> => {
  const entries = readdirSync(directory, { recursive: true, encoding: "utf8" }).map((entry) => join(directory, entry))
  const left = [...entries, directory]
  const worker = async (): Promise<void> => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) await sync(path)
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}

/** Makes an empty database in `directory` unless one is there. What an earlier, killed attempt left beside it is thrown away. */
export const ensureCreated = async (directory: string, fsync: boolean): Promise<void> => {
  if (existsSync(join(directory, "PG_VERSION"))) return
  const unfinished = `${directory}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  const db = await PGlite.create({ dataDir: unfinished, startParams: startParams(false) })
  await db.close()
  if (fsync) await syncAll(unfinished)
  rmSync(directory, { recursive: true, force: true })
  renameSync(unfinished, directory)
  if (fsync) await sync(dirname(directory))
}
