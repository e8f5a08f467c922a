/**
 * The thread that owns the embedded database. Queries block the thread they run in, so they run in this one, and the main thread watches
 * it. One session serves the newest connection. This code also does what the engine does not do itself: it takes checkpoints (otherwise the
 * log would grow without limit), and it passes fsync to the disk.
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
 * Runs messages to their end, synchronously. The streaming call is used only for its bytes; the plain one also parses every answer into a
 * list that is never emptied. A PANIC would end a server, so this engine must not continue after one either.
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

/** Resets the session for a new connection: no transaction, no prepared statements, no advisory locks. LISTEN remains in force. */
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

/** Bytes written to the log before its position is queried. A small commit writes a whole page of 8 KiB for a few bytes. */
const lookBytes = 4 * 1024 * 1024

const walPosition = (): number =>
  Number(firstValue(run(simpleQuery("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")).bytes))

let walBytesAt = disk?.walBytes ?? 0
let checkpointAt = walPosition()
let checkpointTime = performance.now()

/**
 * Takes a checkpoint if one is due, only between transactions. A start after a kill must read the log since the last checkpoint. That log
 * also limits how much is changed in memory and not yet written to the disk.
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

/** How often a checkpoint is considered if few bytes are written. */
const lookMillis = 10_000

/** True if a commit is followed by an fsync of the disk; this is tested with a commit. */
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
