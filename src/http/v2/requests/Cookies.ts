/**
 * Cookies of sign-ins, and what a browser must show before a request with one changes anything: that a page of this service sent it. A cookie goes along with
 * requests that another site's page makes, and a key never does.
 */
import { Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { signInPurposes, wholeMillis } from "../../../domain/operator/SignIn.ts"
import type { Secrets } from "../../../domain/values/Secrets.ts"
import { toBase62, toHex } from "../../../domain/values/KeyFormat.ts"

type Request = HttpServerRequest.HttpServerRequest

/** A device is known for so long after its last sign-in. */
const deviceMillis = 365 * 24 * 3_600_000

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith("https:")

/** `__Host-`: set by this host alone, over TLS alone (RFC 6265bis §4.1.3.2). Browsers refuse that name over plain http. */
const nameOf = (publicUrl: string, suffix = ""): string => `${isSecure(publicUrl) ? "__Host-" : ""}voltlane${suffix}`

const setting = (publicUrl: string, name: string, value: string, maxAgeMillis: number) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.orDie(
      HttpServerResponse.setCookie(response, name, value, {
        httpOnly: true,
        secure: isSecure(publicUrl),
        sameSite: "lax",
        path: "/",
        maxAge: maxAgeMillis
      })
    )
  )

/** The secret of the sign-in that a request carries. */
export const cookieOf = (publicUrl: string, { cookies }: Pick<Request, "cookies">): string | undefined =>
  cookies[nameOf(publicUrl)]

export const setSignIn = (publicUrl: string, secret: string) =>
  setting(publicUrl, nameOf(publicUrl), secret, wholeMillis)

export const clearSignIn = (publicUrl: string) => setting(publicUrl, nameOf(publicUrl), "", 0)

const flowName = (publicUrl: string): string => nameOf(publicUrl, "-sign-on")

/** What a browser went to an identity provider with. Only the browser that has it is signed in when it comes back. */
export const flowOf = (publicUrl: string, { cookies }: Pick<Request, "cookies">): string | undefined =>
  cookies[flowName(publicUrl)]

export const setFlow = (publicUrl: string, sealed: string, maxAgeMillis: number) =>
  setting(publicUrl, flowName(publicUrl), sealed, maxAgeMillis)

export const clearFlow = (publicUrl: string) => setting(publicUrl, flowName(publicUrl), "", 0)

const deviceName = (publicUrl: string): string => nameOf(publicUrl, "-device")

const proofOf = (secrets: Pick<Secrets["Service"], "verifier">, operatorId: string, device: string): string =>
  toHex(secrets.verifier(signInPurposes.device, `${operatorId} ${device}`))

/** Marks the browser as one that this operator signed in with. */
export const setDevice = (
  publicUrl: string,
  secrets: Secrets["Service"],
  operatorId: string,
  known: string | undefined
) => {
  const device = known ?? toBase62(secrets.randomBytes(16), 22)
  const value = `${device}.${proofOf(secrets, operatorId, device)}`
  return setting(publicUrl, deviceName(publicUrl), value, deviceMillis)
}

/** The device, if this operator signed in with it before. */
export const deviceOf = (
  publicUrl: string,
  secrets: Secrets["Service"],
  operatorId: string,
  { cookies }: Pick<Request, "cookies">
): string | undefined => {
  const [, device, proof] = /^([0-9A-Za-z]{22})\.([0-9a-f]{64})$/.exec(cookies[deviceName(publicUrl)] ?? "") ?? []
  if (device === undefined || proof === undefined) return undefined
  const bytes = Uint8Array.from(proof.match(/../g) ?? [], (two) => Number.parseInt(two, 16))
  return secrets.verify(signInPurposes.device, `${operatorId} ${device}`, bytes) ? device : undefined
}

const isRead = (method: string): boolean => method === "GET" || method === "HEAD" || method === "OPTIONS"

/**
 * Whether a page of another origin may have sent this write. `Sec-Fetch-Site` is set by the browser and by no script; a browser that does not send it sends
 * `Origin` with every write. Without both it is no browser, which `lenient` lets through: it has no cookies that others could use.
 */
export const isFromElsewhere = (publicUrl: string, { headers, method }: Request, lenient: boolean): boolean => {
  if (isRead(method)) return false
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site !== "same-origin"
  const { origin } = headers
  return origin === undefined ? !lenient : origin !== new URL(publicUrl).origin
}

/** A body that does not say what it is: pages of other origins can send such a one without asking first (Fetch §2.2.2). */
export const isUntyped = ({ headers, method }: Request): boolean =>
  !isRead(method) &&
  headers["content-type"] === undefined &&
  (Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined)
