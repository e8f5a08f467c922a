/** Calls REST v2 by the names of its definition. The cookie identifies the caller; a refusal becomes a `Problem` that says what is missing. */
import { operations } from "virtual:operations"
import type { Answer, Asked, Name } from "./types.ts"

export interface FieldError {
  readonly pointer: string
  readonly detail: string
}

export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly requiredPermissions: ReadonlyArray<string>
  /** Which fields are invalid, and why. */
  readonly errors: ReadonlyArray<FieldError>

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(typeof body["detail"] === "string" ? body["detail"] : `HTTP ${status}`)
    this.status = status
    this.code = typeof body["code"] === "string" ? body["code"] : "unreachable"
    this.requiredPermissions = Array.isArray(body["requiredPermissions"]) ? body["requiredPermissions"] : []
    this.errors = Array.isArray(body["errors"]) ? body["errors"] : []
  }
}

/** Called when a call is answered 401: the person has to sign in again. */
let onSignedOut: () => void = () => undefined
export const whenSignedOut = (act: () => void): void => {
  onSignedOut = act
}

/** Called when a call asks for the second factor again. True if the person has given it: the call is then repeated once. */
let onFactorAsked: () => Promise<boolean> = () => Promise.resolve(false)
export const whenFactorAsked = (act: () => Promise<boolean>): void => {
  onFactorAsked = act
}

export const signedOut = (): void => onSignedOut()

/** Writes that are not answered yet. */
const writing = new Set<Promise<unknown>>()

/** How long another tab may take to store a new sign-in, in ms. */
const exchangeMillis = 250

let asking: Promise<boolean> | undefined

/**
 * Whether a 401 means that the sign-in has ended. When a sign-in gets stronger, or the organisation changes, it is replaced by another one. The old
 * one ends then, and for a moment the browser still sends it. So this waits for the answers of pending writes and then checks once more.
 */
const isSignedOut = (): Promise<boolean> => {
  asking ??= (async () => {
    if (writing.size > 0) await Promise.allSettled(writing)
    else await new Promise((resolve) => setTimeout(resolve, exchangeMillis))
    try {
      await send("GET", operations["me.get"]![1])
      return false
    } catch (error) {
      return error instanceof Problem && error.status === 401
    } finally {
      asking = undefined
    }
  })()
  return asking
}

const send = async (method: string, url: string, body?: unknown, signal?: AbortSignal): Promise<unknown> => {
  const headers: Record<string, string> = {}
  if (body !== undefined) headers["content-type"] = "application/json"
  // A retry of a lost request must not do its work twice.
  if (method === "POST") headers["idempotency-key"] = crypto.randomUUID()
  const answer = await fetch(url, {
    method,
    credentials: "same-origin",
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal })
  })
  if (answer.status === 204) return undefined
  const content = (await answer.json().catch(() => ({}))) as Readonly<Record<string, unknown>>
  if (answer.ok) return content
  throw new Problem(answer.status, content)
}

/** The address of an operation, for example for download links. */
export const urlOf = <N extends Name>(name: N, asked: Asked<N>): string => {
  const { params, query } = asked as {
    readonly params?: Readonly<Record<string, string>>
    readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  }
  const filled = operations[name]![1].replaceAll(/:(\w+)/g, (_, part: string) =>
    encodeURIComponent(String(params?.[part] ?? ""))
  )
  const given = Object.entries(query ?? {}).flatMap(([key, value]) =>
    value === undefined || value === "" ? [] : [[key, String(value)] as [string, string]]
  )
  return given.length === 0 ? filled : `${filled}?${new URLSearchParams(given).toString()}`
}

/** Operations that a person calls before signing in: their 401 is the answer to a wrong password. */
const isOpen = (name: Name): boolean =>
  name === "sign-ins.create" ||
  name === "set-up.create" ||
  name === "invitations.accept" ||
  name === "single-sign-on.complete" ||
  name === "passkeys.signIn"

export const call = async <N extends Name>(name: N, asked: Asked<N>, signal?: AbortSignal): Promise<Answer<N>> => {
  const { body } = asked as { readonly body?: unknown }
  const method = operations[name]![0]
  const once = async () => {
    const sent = send(method, urlOf(name, asked), body, signal)
    if (method === "GET") return (await sent) as Answer<N>
    writing.add(sent)
    try {
      return (await sent) as Answer<N>
    } finally {
      writing.delete(sent)
    }
  }
  try {
    return await once()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // For a person who is signed in, a wrong password or code is answered with another error code.
    if (error.status === 401 && error.code === "unauthorized" && !isOpen(name)) {
      if (await isSignedOut()) signedOut()
      else if (method === "GET") return once()
    }
    if (error.code === "second_factor_stale" && (await onFactorAsked())) return once()
    throw error
  }
}

/** The permissions that an operation needs. */
export const permissionsOf = (name: Name): ReadonlyArray<string> => operations[name]?.[2] ?? []
