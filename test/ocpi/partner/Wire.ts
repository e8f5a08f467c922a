/**
 * How the tests' own partners communicate: OCPI over `node:http`, implemented from the standard. It shares no code with the service that it
 * checks.
 */
import { request as plainRequest } from "node:http"
import type { Version } from "../schemas/Schemas.ts"

export type Json = Readonly<Record<string, unknown>>

export type Method = "DELETE" | "GET" | "PATCH" | "POST" | "PUT"

export interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export interface Got {
  readonly http: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** How long an answer may take, in ms. */
const patienceMillis = 30_000

/** Sends one request. Fails if there is no answer. */
export const send = ({ body, headers, method, url }: Sent): Promise<Got> =>
  new Promise((resolve, reject) => {
    const outgoing = plainRequest(url, { method, headers, agent: false, timeout: patienceMillis }, (incoming) => {
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => void chunks.push(chunk))
      incoming.on("error", reject)
      incoming.on("end", () => {
        const received = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const)
        resolve({
          http: incoming.statusCode ?? 0,
          headers: Object.fromEntries(received),
          text: Buffer.concat(chunks).toString("utf8")
        })
      })
    })
    outgoing.on("timeout", () => outgoing.destroy(new Error(`${method} ${url} had no answer`)))
    outgoing.on("error", reject)
    outgoing.end(body)
  })

/** Differences between versions in their transport. */
export interface Transport {
  /** `Authorization: Token` carries Base64 of the token. */
  readonly base64: boolean
  /** Endpoints have roles, requests have ids and say between whom they go. */
  readonly modern: boolean
}

export const transportOf = (version: Version): Transport =>
  version === "2.1.1" ? { base64: false, modern: false } : { base64: true, modern: true }

export const authorization = (token: string, base64: boolean): string =>
  `Token ${base64 ? Buffer.from(token, "utf8").toString("base64") : token}`

/** In the standard's format, which 2.1.1 accepts too. */
export const printed = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, "Z")

export const now = (): string => printed(Date.now())

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A field of a value that may not be an object. */
export const field = (value: unknown, name: string): unknown => (isJson(value) ? value[name] : undefined)

/** The address behind `rel="next"`. */
export const nextPage = (link: string | undefined): string | undefined =>
  /<([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? "")?.[1]
