/**
 * Redirects of a partner. One that keeps the method (307, 308) to the same origin is followed once: nothing was done with the request, and the
 * token goes to the same server. Any other is a refusal that names its target.
 */
import { hiddenOf } from "../../domain/roaming/ExchangeRecord.ts"
import { shownAddresses } from "../../domain/values/SecretAddresses.ts"
import type { Answered } from "../../outbound/HttpCall.ts"

interface Redirectable {
  readonly url: string
  readonly hidden?: string | undefined
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const keepingTheMethod: ReadonlySet<number> = new Set([307, 308])

/** How much of a target is shown. OCPI's URLs have at most 255 characters. */
const shownMax = 300

/** The target of a redirect; undefined for any other answer. */
const targetOf = ({ headers, status }: Answered, from: string): URL | undefined => {
  const location = headers["location"]
  if (!redirects.has(status) || location === undefined || !URL.canParse(location, from)) return undefined
  return new URL(location, from)
}

/** The same call at the target; undefined if the redirect is not followed. */
export const redirectedCall = <A extends Redirectable>(answer: Answered, what: A): A | undefined => {
  const target = targetOf(answer, what.url)
  if (target === undefined || !keepingTheMethod.has(answer.status)) return undefined
  const here = new URL(what.url)
  if (target.origin !== here.origin || target.username !== "" || target.password !== "") return undefined
  // The target may end with the same secret, or with another one.
  const hidden = what.hidden === undefined ? undefined : hiddenOf(target.href, [])
  return { ...what, url: target.href, hidden }
}

/** What operators see of a redirect that was not followed; undefined for any other answer. */
export const unfollowed = (answer: Answered, what: Redirectable): string | undefined => {
  const target = targetOf(answer, what.url)
  if (target === undefined) return undefined
  const shown = what.hidden === undefined ? shownAddresses(target.href) : `${target.origin}/***`
  return `HTTP ${answer.status}, a redirect to ${shown.slice(0, shownMax)} that is not followed`
}
