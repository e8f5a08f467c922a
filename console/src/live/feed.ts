/**
 * The one event stream of this browser. One tab holds it, since a browser opens at most six connections to a host; the other tabs listen to that tab.
 * After a disconnect the stream resumes at the last event, so that nothing is missed.
 */
import { eventTypes } from "virtual:operations"
import { call, signedOut } from "../api/client.ts"
import type { LiveEvent } from "../api/types.ts"

export type Line = "connecting" | "live" | "lost"

export interface Feed {
  readonly line: Line
  /** Since when the stream is not live. */
  readonly since: number
}

type Heard =
  | { readonly kind: "event"; readonly event: LiveEvent }
  | { readonly kind: "line"; readonly line: Line }
  | { readonly kind: "gap" }
  /** The sign-in has ended; sent to all tabs. */
  | { readonly kind: "ended" }
  /** The browser is now signed in to another organisation; sent to all tabs that show this one. */
  | { readonly kind: "left" }
  | { readonly kind: "ask" }

export interface Listener {
  readonly onEvent: (event: LiveEvent) => void
  /** Events were lost: everything must be read again. */
  readonly onGap: () => void
  /** The browser is now signed in to another organisation; further events would be of that one. */
  readonly onLeft: () => void
  readonly onLine: (line: Line) => void
}

const firstPauseMillis = 1_000
const longestPauseMillis = 15_000

/** Follows the feed until it is stopped. */
export const followFeed = (organisationId: string, listener: Listener): (() => void) => {
  const name = `voltlane.feed.${organisationId}`
  const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(name)
  let source: EventSource | undefined
  let line: Line = "connecting"
  let last = ""
  let isHolder = false
  let isStopped = false
  let pause = firstPauseMillis
  let timer: ReturnType<typeof setTimeout> | undefined
  let release: () => void = () => undefined

  const hear = (heard: Heard): void => {
    if (isStopped) return
    if (heard.kind === "event") {
      // A tab that takes over may receive an event again that the tab before it passed on.
      if (heard.event.id === last) return
      last = heard.event.id
      listener.onEvent(heard.event)
    } else if (heard.kind === "ended") {
      signedOut()
    } else if (heard.kind === "left") {
      listener.onLeft()
    } else if (heard.kind === "gap") {
      last = ""
      listener.onGap()
    } else if (heard.kind === "line" && heard.line !== line) {
      line = heard.line
      listener.onLine(line)
    }
  }
  const pass = (heard: Heard): void => {
    channel?.postMessage(heard)
    hear(heard)
  }

  const whoCalls = (): Promise<"known" | "gone" | "left" | "away"> =>
    call("me.get", {}).then(
      ({ organisation }) => (organisation.id === organisationId ? "known" : "left"),
      (error: { readonly status?: number }) => (error.status === 401 ? "gone" : "away")
    )

  /** A stream that ended reconnects by itself within seconds; this checks at once whether the person is still signed in. */
  const verify = async (): Promise<void> => {
    const me = await whoCalls()
    if (me === "gone") pass({ kind: "ended" })
    if (me === "left") pass({ kind: "left" })
  }

  /** If the service refuses a stream, the browser only reports that it is closed. So the sign-in and the cursor are checked by separate calls. */
  const again = async (): Promise<void> => {
    const me = await whoCalls()
    if (isStopped) return
    if (me === "gone") return pass({ kind: "ended" })
    if (me === "left") return pass({ kind: "left" })
    if (me === "known" && last !== "") {
      const fits = await call("events.list", { query: { cursor: last, limit: 1 } }).then(
        () => true,
        (error: { readonly status?: number }) => error.status !== 409
      )
      if (!fits) pass({ kind: "gap" })
    }
    timer = setTimeout(open, pause)
    pause = Math.min(pause * 2, longestPauseMillis)
  }

  const open = (): void => {
    if (isStopped) return
    const query = last === "" ? "" : `?cursor=${encodeURIComponent(last)}`
    source = new EventSource(`/cpo/v2/events${query}`)
    source.addEventListener("open", () => {
      pause = firstPauseMillis
      pass({ kind: "line", line: "live" })
    })
    source.addEventListener("error", () => {
      const isClosed = source?.readyState === EventSource.CLOSED
      pass({ kind: "line", line: isClosed ? "lost" : "connecting" })
      void (isClosed ? again() : verify())
    })
    const onMessage = ({ data }: MessageEvent<string>) => pass({ kind: "event", event: JSON.parse(data) as LiveEvent })
    for (const type of eventTypes) source.addEventListener(type, onMessage)
  }

  const hold = (): Promise<void> =>
    new Promise((resolve) => {
      release = resolve
      if (isStopped) return resolve()
      isHolder = true
      open()
    })

  channel?.addEventListener("message", ({ data }: MessageEvent<Heard>) => {
    if (data.kind !== "ask") hear(data)
    else if (isHolder) channel.postMessage({ kind: "line", line } satisfies Heard)
  })
  // Locks exist only if the page came over TLS or from this machine; otherwise each tab holds a stream of its own.
  const locks = channel === undefined ? undefined : (navigator.locks as LockManager | undefined)
  const waiting = new AbortController()
  if (locks === undefined) void hold()
  else {
    channel?.postMessage({ kind: "ask" } satisfies Heard)
    locks.request(name, { signal: waiting.signal }, hold).catch(() => undefined)
  }
  return () => {
    isStopped = true
    waiting.abort()
    clearTimeout(timer)
    source?.close()
    channel?.close()
    release()
  }
}
