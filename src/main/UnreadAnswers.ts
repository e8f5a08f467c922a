/**
 * Answers that are not read: their connection is ended, so that what was made for them does not stay in memory for ever. A slow reader is left
 * alone; what counts is that some of it goes, whatever else the caller sends meanwhile.
 */
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

export interface UnreadOptions {
  /** So long nothing of an answer may go. */
  readonly unreadAnswerMillis: number
  /** Where it is not known what the kernel has taken of a long piece, a reader has in addition the time that so many bytes a second need. */
  readonly slowestReaderBytesPerSecond: number
}

/** One that was begun: how much of it waited when it was last looked at, and since when nothing has gone. */
interface Begun {
  readonly response: ServerResponse
  written: number
  queued: number | undefined
  since: number
}

const part = (of: unknown, name: string): unknown =>
  typeof of === "object" && of !== null ? (of as Readonly<Record<string, unknown>>)[name] : undefined

/**
 * Bytes of the piece at hand that the kernel has not taken. Node keeps them beside its socket, where there is TLS beside the one below it; Deno keeps them
 * nowhere, and what it sends over TLS has left the socket at once.
 */
const queuedIn = (socket: Socket): number | undefined => {
  const below = part(part(socket, "_parent"), "_handle") ?? part(socket, "_handle")
  const queued = part(below, "writeQueueSize")
  return typeof queued === "number" ? queued : undefined
}

/** Looks at all answers from time to time, since a timer for each would cost more than most answers do. */
export const watchUnread = (options: UnreadOptions, cut: () => void) => {
  const { slowestReaderBytesPerSecond, unreadAnswerMillis } = options
  const begun = new Set<Begun>()

  const look = (one: Begun, now: number): void => {
    const { socket } = one.response
    if (socket === null || socket.destroyed) return
    const waiting = socket.writableLength
    const written = socket.bytesWritten - waiting
    const queued = queuedIn(socket)
    // Nothing waits while it is still being made (`?wait=`), or a stream is silent.
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
