/**
 * The thread that owns the embedded database. Its queries block the thread they run in, so they run in this one, and the main thread
 * watches it. One session serves whichever connection is the newest; what this engine does not do for itself is done here: it takes
 * no checkpoints while it runs (its log would grow without bound), and it does not reach the disk's fsync.
 */
import { PGlite } from "@electric-sql/pglite"
import { parentPort, workerData } from "node:worker_threads"
import { DiskFs, ensureCreated, startParams } from "./Files.ts"
import {
  concat,
  firstValue,
  type FromWorker,
  kindOf,
  scan,
  type Scanned,
  simpleQuery,
  type ToWorker,
  type WorkerOptions
} from "./Protocol.ts"

const port = parentPort
if (port === null) throw new Error("worker.ts runs in a worker thread only")

const options = workerData as WorkerOptions
const post = (message: FromWorker, transfer: ReadonlyArray<ArrayBuffer> = []): void =>
  port.postMessage(message, [...transfer])
const broken = (cause: unknown): void =>
  post({ _tag: "Broken", id: 0, message: cause instanceof Error ? cause.message : String(cause) })

const { directory, tar } = options
if (directory !== undefined) await ensureCreated(directory, options.image, options.fsync)

const disk = directory === undefined ? undefined : new DiskFs(directory, broken)
const db = await PGlite.create({
  startParams: startParams(options.fsync),
  ...(disk === undefined ? {} : { fs: disk }),
  ...(disk === undefined && tar !== undefined ? { loadDataDir: new Blob([new Uint8Array(tar)]) } : {})
})

let status: Scanned["status"] = "I"

/**
 * Runs messages to their end, which is synchronous inside. The streaming call is used for its bytes alone: the plain one also parses
 * every answer into a list that is never emptied. After a PANIC a server would be gone; here it must not go on either.
 */
const run = (bytes: Uint8Array): Scanned => {
  const parts: Array<Uint8Array> = []
  db.execProtocolRawStream(bytes, { syncToFs: false, onRawData: (part) => void parts.push(part.slice()) }).catch(broken)
  const scanned = scan(concat(parts))
  if (scanned.status !== undefined) status = scanned.status
  if (scanned.panic !== undefined) broken(scanned.panic)
  return scanned
}

let connection = 0

/** A new connection finds the session as a new one would: no transaction, no prepared statements, no locks. Listeners stay. */
const reset = (): void => {
  if (status !== "I") run(simpleQuery("ROLLBACK"))
  run(simpleQuery("DEALLOCATE ALL; SELECT pg_advisory_unlock_all()"))
}

const send = (message: ToWorker & { readonly _tag: "Send" }): void => {
  if (message.connection < connection) return post({ _tag: "Superseded", id: message.id })
  if (message.connection > connection) {
    connection = message.connection
    if (kindOf(message.bytes) === "startup") reset()
  }
  const { bytes, notices } = run(message.bytes)
  post({ _tag: "Answer", id: message.id, bytes, notices }, [bytes.buffer as ArrayBuffer])
  if ((disk?.walBytes ?? 0) - walBytesAt > lookBytes) checkpoint()
}

/** So much may be written to the log before it is asked how far it has come. A small commit writes a page of 8 KiB for a few bytes. */
const lookBytes = 4 * 1024 * 1024

const walPosition = (): number =>
  Number(firstValue(run(simpleQuery("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")).bytes))

let walBytesAt = disk?.walBytes ?? 0
let checkpointAt = walPosition()
let checkpointTime = performance.now()

/**
 * Between transactions only. The log since the last checkpoint is what a start after a kill must read again, and bounds what is changed
 * in memory and has yet to find room on the disk.
 */
const checkpoint = (): void => {
  if (status !== "I") return
  walBytesAt = disk?.walBytes ?? 0
  const position = walPosition()
  const due = performance.now() - checkpointTime > options.checkpointMillis && position > checkpointAt
  if (position - checkpointAt < options.checkpointBytes && !due) return
  run(simpleQuery("CHECKPOINT"))
  checkpointAt = walPosition()
  checkpointTime = performance.now()
}

/** Where little is written, the log is looked at by time. */
const lookMillis = 10_000

/** True when a commit is followed by an fsync of the disk: shown by one, not believed. */
const provesFsync = (): boolean => {
  const before = disk?.fsyncs ?? 0
  run(simpleQuery("SELECT pg_logical_emit_message(true, 'voltlane', 'fsync proof')"))
  return (disk?.fsyncs ?? 0) > before
}

port.on("message", (message: ToWorker) => {
  switch (message._tag) {
    case "Send":
      return send(message)
    case "Ping":
      return post({ _tag: "Done", id: message.id })
    case "Close":
      clearInterval(timer)
      return void db.close().then(() => post({ _tag: "Done", id: message.id }), broken)
  }
})

const synced = provesFsync()
const timer = setInterval(checkpoint, lookMillis)
post({ _tag: "Ready", id: 0, synced })
