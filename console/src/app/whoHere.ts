/**
 * One browser has one sign-in, whatever its tabs show: when another person signs in or the organisation changes in one tab, what the others show is not
 * theirs any more, and what they send would be done for the wrong organisation. So each tab says whom it shows, and those that show another begin anew.
 */
import { signedOut } from "../api/client.ts"
import { stopLive } from "../live/store.ts"
import type { Me } from "./me.ts"

interface Shown {
  /** Nothing where the person signed out. */
  readonly operator: string | undefined
  readonly organisation: string | undefined
}

const name = "voltlane.who"

const isSame = (a: Shown, b: Shown): boolean => a.operator === b.operator && a.organisation === b.organisation

/** Goes to a page as if the browser had just come. What was shown is shown no more, also not by the way back, where browsers keep pages as they were. */
export const leaveTo = (path: string): void => {
  stopLive()
  document.body.hidden = true
  location.assign(path)
}

/** Begins anew as the person who has signed in now. */
export const beginAnew = (): void => leaveTo("/")

/** A page that the browser kept while another one was there may be of a person who has signed out since. */
export const reloadWhenKept = (): void =>
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return
    document.body.hidden = true
    location.reload()
  })

/** Says whom this tab shows, for as long as it does; answers how to stop. */
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

/** Says that the person signed out. */
export const shownNoMore = (): void => {
  if (typeof BroadcastChannel === "undefined") return
  const channel = new BroadcastChannel(name)
  channel.postMessage({ operator: undefined, organisation: undefined } satisfies Shown)
  channel.close()
}
