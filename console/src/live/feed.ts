/**
 * The one stream of events of this browser. One tab holds it, since a browser opens six connections to a host at most; the others listen to that tab. A
 * line that was cut comes back at the event where it ended, so that nothing is missed.
 */
import { eventTypes } from "virtual:operations"
import { call, signedOut } from "../api/client.ts"
import type { LiveEvent } from "../api/types.ts"

export type Line = "connecting" | "live" | "lost"

export interface Feed {
  readonly line: Line
  /** Since when it is not live. */
  readonly since: number
}

type Heard =
  | { readonly kind: "event"; readonly event: LiveEvent }
  | { readonly kind: "line"; readonly line: Line }
  | { readonly kind: "gap" }
  /** The sign-in has ended: for all tabs. */
  | { readonly kind: "ended" }
  /** The browser is signed in to another organisation now: for all tabs that show this one. */
  | { readonly kind: "left" }
  | { readonly kind: "ask" }

export interface Listener {
  readonly onEvent: (event: LiveEvent) => void
  /** Events were lost: everything is read anew. */
  readonly onGap: () => void
  /** What comes from now on is of another organisation. */
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
      // A tab that takes over may hear again what the tab before it passed on.
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

  /** A stream that ended comes back by itself in seconds; whether the person may go on is known at once. */
  const verify = async (): Promise<void> => {
    const me = await whoCalls()
    if (me === "gone") pass({ kind: "ended" })
    if (me === "left") pass({ kind: "left" })
  }

  /** A stream that the service refused says only that it is closed: who calls, and whether the cursor is known, is asked apart. */
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
  // Locks exist only where the page came over TLS or from this machine; elsewhere each tab holds a stream of its own.
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
