/**
 * Cookies of sign-ins, and the check that a write with a cookie was sent by a page of this service. Browsers attach cookies to requests by
 * other sites' pages, which never happens with a key.
 */
import { Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { signInPurposes, wholeMillis } from "../../../domain/operator/SignIn.ts"
import type { Secrets } from "../../../domain/values/Secrets.ts"
import { toBase62, toHex } from "../../../domain/values/KeyFormat.ts"

type Request = HttpServerRequest.HttpServerRequest

/** How long a device is remembered after its last sign-in. */
const deviceMillis = 365 * 24 * 3_600_000

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith("https:")

/**
 * The prefix `__Host-` means that only this host can set the cookie, and only over TLS (RFC 6265bis §4.1.3.2). Browsers refuse it over
 * plain http.
 */
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

/** The secret of the sign-in whose cookie the request has. */
export const cookieOf = (publicUrl: string, { cookies }: Pick<Request, "cookies">): string | undefined =>
  cookies[nameOf(publicUrl)]

export const setSignIn = (publicUrl: string, secret: string) =>
  setting(publicUrl, nameOf(publicUrl), secret, wholeMillis)

export const clearSignIn = (publicUrl: string) => setting(publicUrl, nameOf(publicUrl), "", 0)

const flowName = (publicUrl: string): string => nameOf(publicUrl, "-sign-on")

/** The sealed state that a browser took to an identity provider. Only the browser that has it is signed in when it returns. */
export const flowOf = (publicUrl: string, { cookies }: Pick<Request, "cookies">): string | undefined =>
  cookies[flowName(publicUrl)]

export const setFlow = (publicUrl: string, sealed: string, maxAgeMillis: number) =>
  setting(publicUrl, flowName(publicUrl), sealed, maxAgeMillis)

export const clearFlow = (publicUrl: string) => setting(publicUrl, flowName(publicUrl), "", 0)

const deviceName = (publicUrl: string): string => nameOf(publicUrl, "-device")

const proofOf = (secrets: Pick<Secrets["Service"], "verifier">, operatorId: string, device: string): string =>
  toHex(secrets.verifier(signInPurposes.device, `${operatorId} ${device}`))

/** Marks the browser as a device with which this operator has signed in. */
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

/** The device in the request's cookie, if this operator has signed in with it before. */
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

/** The place of a known device in the counts of wrong codes. A hash, since the device's id is a part of its cookie. */
export const devicePlace = (
  secrets: Pick<Secrets["Service"], "verifier">,
  operatorId: string,
  device: string | undefined
): string | undefined =>
  device === undefined ? undefined : toHex(secrets.verifier(signInPurposes.devicePlace, `${operatorId} ${device}`))

const isRead = (method: string): boolean => method === "GET" || method === "HEAD" || method === "OPTIONS"

/**
 * Whether a page of another origin may have sent this write. Browsers set `Sec-Fetch-Site`, and scripts cannot. A browser that does not
 * send it sends `Origin` with every write. A request without both is not from a browser. `lenient` allows it, since it has no cookies that
 * another site could use.
 */
export const isFromElsewhere = (publicUrl: string, { headers, method }: Request, lenient: boolean): boolean => {
  if (isRead(method)) return false
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site !== "same-origin"
  const { origin } = headers
  return origin === undefined ? !lenient : origin !== new URL(publicUrl).origin
}

/** Whether the body has no content type: pages of other origins can send such a request without a preflight (Fetch §2.2.2). */
export const isUntyped = ({ headers, method }: Request): boolean =>
  !isRead(method) &&
  headers["content-type"] === undefined &&
  (Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined)
