/**
 * A browser has one sign-in for all its tabs. When another person signs in or the organisation changes in one tab, the other tabs show data that no
 * longer belongs to them, and would send requests for the wrong organisation. So each tab announces the person and organisation that it shows, and
 * tabs that show another one start again.
 */
import { signedOut } from "../api/client.ts"
import { stopLive } from "../live/store.ts"
import type { Me } from "./me.ts"

interface Shown {
  /** Undefined if the person signed out. */
  readonly operator: string | undefined
  readonly organisation: string | undefined
}

const name = "voltlane.who"

const isSame = (a: Shown, b: Shown): boolean => a.operator === b.operator && a.organisation === b.organisation

/**
 * Goes to a page as if the browser had just arrived. What was shown is hidden first, so that going back does not show it either in browsers that keep
 * pages in memory.
 */
export const leaveTo = (path: string): void => {
  stopLive()
  document.body.hidden = true
  location.assign(path)
}

/** Starts again as the person who has signed in now. */
export const beginAnew = (): void => leaveTo("/")

/** Reloads a page that the browser kept in memory while another one was open: the person that it shows may have signed out since. */
export const reloadWhenKept = (): void =>
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return
    document.body.hidden = true
    location.reload()
  })

/** Announces the person and organisation that this tab shows, and watches for others; returns a function that stops it. */
export const showing = ({ operator, organisation }: Me): (() => void) => {
  if (typeof BroadcastChannel === "undefined") return () => undefined
  const shown: Shown = { operator: operator?.id, organisation: organisation.id }
  const channel = new BroadcastChannel(name)
  channel.addEventListener("message", ({ data }: MessageEvent<Shown>) => {
    if (isSame(data, shown)) return
    if (data.organisation === undefined) signedOut()
    else beginAnew()
  })
  channel.postMessage(shown)
  return () => channel.close()
}

/** Announces to the other tabs that the person signed out. */
export const shownNoMore = (): void => {
  if (typeof BroadcastChannel === "undefined") return
  const channel = new BroadcastChannel(name)
  channel.postMessage({ operator: undefined, organisation: undefined } satisfies Shown)
  channel.close()
}
