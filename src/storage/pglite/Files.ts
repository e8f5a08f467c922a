/**
 * The embedded database's files. A new database is made beside its directory and then moved into place, so that a process killed during the
 * first start leaves nothing that looks like a database. Also connects the engine's fsync to the disk.
 */
import { PGlite } from "@electric-sql/pglite"
import { NodeFS } from "@electric-sql/pglite/nodefs"
import { existsSync, fsyncSync, readdirSync, renameSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { dirname, join } from "node:path"
import { unpack } from "./Image.ts"
import { closeToOthers, othersRights } from "./PrivateFiles.ts"

/**
 * PGlite's own parameters, with fsync if requested. `fdatasync`, PostgreSQL's first choice on Linux, is an empty function in the
 * WebAssembly runtime; `fsync` reaches its file system. The sizes of the log matter because the engine takes no checkpoints by itself, see
 * `Worker.ts`. Buffers are allocated completely at the start; the system's file cache holds what does not fit.
 */
export const startParams = (fsync: boolean): Array<string> => [
  ...PGlite.defaultStartParams.filter((param) => param !== "-F" || !fsync),
  ...["wal_sync_method=fsync", "max_wal_size=64MB", "min_wal_size=32MB", "shared_buffers=32MB"].flatMap((setting) => [
    "-c",
    setting
  ])
]

/**
 * No checksums on pages. With them, the first read of new rows writes whole pages to the log (as many as the table has, in one statement),
 * and a read must be possible on a nearly full disk.
 */
const initDbStartParams = ["--no-data-checksums"]

/** An open file, as the runtime passes it to its file system. */
interface OpenFile {
  readonly nfd?: number
  readonly path?: string
}

type Write = (file: OpenFile, buffer: Uint8Array, offset: number, length: number, position: number) => number

/** Attributes of a file to change; the engine sets its `mode` right after creating it. */
interface Attributes {
  readonly mode?: number | undefined
}

type SetAttributes = (file: unknown, attributes: Attributes) => void

/** Removes the rights of others: the engine gives them to everyone for each file, whatever the process's umask is. */
const withoutOthers =
  (set: SetAttributes): SetAttributes =>
  (file, attributes) =>
    set(file, attributes.mode === undefined ? attributes : { ...attributes, mode: attributes.mode & ~othersRights })

/** `errno` for an input/output error in WebAssembly's system interface. */
const EIO = 29

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/**
 * PGlite's files on the disk, accessible to their owner only. Adds the `fsync` that the runtime expects and this file system lacks, before
 * the first file is opened. If a later version of PGlite no longer has this hook, nothing is counted, and the worker finds and reports that
 * commits are not synced.
 */
export class DiskFs extends NodeFS {
  /** How many fsync calls reached the disk. */
  fsyncs = 0
  /** Bytes written to the write-ahead log. Pages that are written again count again, so it is never less than the log's growth. */
  walBytes = 0
  private readonly onFailed: (error: unknown) => void

  /** `onFailed` is called when an fsync fails: the disk's content is then unknown, and nothing may be acknowledged. */
  constructor(directory: string, onFailed: (error: unknown) => void) {
    super(directory)
    this.onFailed = onFailed
  }

  override async init(...args: Parameters<NodeFS["init"]>): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(...args)
    const hook = (module: unknown): void => this.hook(module)
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), hook] } }
  }

  private hook(module: unknown): void {
    const nodeFs = isObject(module) ? module["NODEFS"] : undefined
    const operations = isObject(nodeFs) ? nodeFs["stream_ops"] : undefined
    const nodeOperations = isObject(nodeFs) ? nodeFs["node_ops"] : undefined
    if (!isObject(operations) || !isObject(nodeOperations)) return
    for (const some of [operations, nodeOperations]) {
      if (typeof some["setattr"] === "function") some["setattr"] = withoutOthers(some["setattr"] as SetAttributes)
    }
    operations["fsync"] = (file: OpenFile): number => this.sync(file)
    const write = operations["write"] as Write
    operations["write"] = (...args: Parameters<Write>) => {
      if (args[0].path?.includes("/pg_wal/") === true) this.walBytes += args[3]
      return write(...args)
    }
  }

  private sync({ nfd }: OpenFile): number {
    if (nfd === undefined) return 0
    try {
      fsyncSync(nfd)
      this.fsyncs += 1
      return 0
    } catch (error) {
      this.onFailed(error)
      return EIO
    }
  }
}

const sync = async (path: string): Promise<void> => {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Syncs every file and directory below, many at a time, since the disk then handles them together (a thousand in 0.2 s instead of 2 s). */
const syncAll = async (directory: string): Promise<void> => {
  const entries = readdirSync(directory, { recursive: true, encoding: "utf8" }).map((entry) => join(directory, entry))
  const left = [...entries, directory]
  const worker = async (): Promise<void> => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) await sync(path)
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}

/** Creates an empty database with the engine. */
const build = async (directory: string): Promise<void> => {
  const db = await PGlite.create({ fs: new NodeFS(directory), startParams: startParams(false), initDbStartParams })
  await db.close()
  closeToOthers(directory)
}

/**
 * Creates a database in `directory` unless there is one: with the schema from the file `image`, or an empty one if the image cannot be
 * used. Removes what an earlier, killed attempt left.
 */
export const ensureCreated = async (directory: string, image: string | undefined, fsync: boolean): Promise<void> => {
  if (existsSync(join(directory, "PG_VERSION"))) return
  const unfinished = `${directory}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  if (image === undefined || !unpack(image, unfinished)) await build(unfinished)
  if (fsync) await syncAll(unfinished)
  rmSync(directory, { recursive: true, force: true })
  renameSync(unfinished, directory)
  if (fsync) await sync(dirname(directory))
}
