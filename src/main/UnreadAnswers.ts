/**
 * Ends connections whose answers are not read, so that the answers do not stay in memory forever. A slow reader is left
 * alone: what counts is that some of the answer is sent, whatever else the caller sends meanwhile.
 */
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

export interface UnreadOptions {
  /** How long an answer may make no progress, in ms. */
  readonly unreadAnswerMillis: number
  /**
   * If it is not known how much of a long chunk the kernel has accepted, a reader gets additional time: what this rate
   * (bytes per second) needs for the rest.
   */
  readonly slowestReaderBytesPerSecond: number
}

/** An answer that was begun: how much of it had been written and queued at the last check, and when it last made progress. */
interface Begun {
  readonly response: ServerResponse
  written: number
  queued: number | undefined
  since: number
}

const part = (of: unknown, name: string): unknown =>
  typeof of === "object" && of !== null ? (of as Readonly<Record<string, unknown>>)[name] : undefined

/**
 * Bytes of the current chunk that the kernel has not accepted; undefined if unknown. Node keeps the number in the
 * socket's handle, with TLS in that of the underlying socket. Deno does not have it, and what it sends over TLS leaves
 * the socket at once.
 */
const queuedIn = (socket: Socket): number | undefined => {
  const below = part(part(socket, "_parent"), "_handle") ?? part(socket, "_handle")
  const queued = part(below, "writeQueueSize")
  return typeof queued === "number" ? queued : undefined
}

/** Checks all answers at intervals, since a timer for each would cost more than most answers do. */
export const watchUnread = (options: UnreadOptions, cut: () => void) => {
  const { slowestReaderBytesPerSecond, unreadAnswerMillis } = options
  const begun = new Set<Begun>()

  const look = (one: Begun, now: number): void => {
    const { socket } = one.response
    if (socket === null || socket.destroyed) return
    const waiting = socket.writableLength
    const written = socket.bytesWritten - waiting
    const queued = queuedIn(socket)
    // Nothing is waiting while the answer is still being made (`?wait=`), or while a stream is silent.
    if (waiting === 0 || written !== one.written || queued !== one.queued) {
      Object.assign(one, { written, queued, since: now })
      return
    }
    const longer = queued === undefined ? (waiting * 1000) / slowestReaderBytesPerSecond : 0
    if (now - one.since < unreadAnswerMillis + longer) return
    cut()
    socket.destroy()
  }
  const timer = setInterval(() => {
    const now = performance.now()
    for (const one of begun) look(one, now)
  }, unreadAnswerMillis / 4)
  timer.unref()

  return {
    watch: (response: ServerResponse): void => {
      const one: Begun = { response, written: 0, queued: undefined, since: performance.now() }
      begun.add(one)
      response.once("close", () => begun.delete(one))
    },
    stop: (): void => clearInterval(timer)
  }
}
