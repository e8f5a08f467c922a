/** Faults that a partner can be made to have, and for how long. */
import type { ServerResponse } from "node:http"

export type Fault =
  /** An HTTP error, with or without Retry-After. */
  | { readonly does: "status"; readonly http: number; readonly retryAfterSeconds?: number }
  /** An HTTP error without an envelope, as from an ingress without a backend. */
  | { readonly does: "bare"; readonly http: number }
  /** Reads the request and never answers. */
  | { readonly does: "hang" }
  /** Does what the request asks, and delays the answer until the test releases it. */
  | { readonly does: "hold"; readonly until: Promise<void> }
  /** Closes the connection without an answer. */
  | { readonly does: "hangUp" }
  /** Does what the request asks, and loses the answer. */
  | { readonly does: "loseAnswer" }
  /** Announces more bytes than it sends, and ends in the middle. */
  | { readonly does: "truncate" }
  /** Sends this many bytes in one answer, as fast as they are read. */
  | { readonly does: "flood"; readonly bytes: number }
  /** A list whose next page is itself. */
  | { readonly does: "loop" }
  | { readonly does: "notJson" }
  /** Success in HTTP, and an error in the envelope, with its message. */
  | { readonly does: "refuse"; readonly statusCode: number; readonly saying?: string }

export interface Planned {
  readonly fault: Fault
  readonly method?: string | undefined
  /** OCPI's module, or `versions`. All modules if undefined. */
  readonly module?: string | undefined
  /** An id in the address. All addresses if undefined. */
  readonly id?: string | undefined
  /** How often. Always if undefined. */
  readonly times?: number | undefined
}

export class Faults {
  private plans: Array<{ readonly planned: Planned; left: number }> = []

  /** Starts now. Earlier plans are used first. */
  plan(planned: Planned): void {
    this.plans.push({ planned, left: planned.times ?? Number.POSITIVE_INFINITY })
  }

  clear(): void {
    this.plans = []
  }

  /** The fault for a request, which counts as one time. */
  next(method: string, module: string, path: ReadonlyArray<string>): Fault | undefined {
    const plan = this.plans.find(
      ({ left, planned }) =>
        left > 0 &&
        (planned.method === undefined || planned.method === method) &&
        (planned.module === undefined || planned.module === module) &&
        (planned.id === undefined || path.includes(planned.id))
    )
    if (plan === undefined) return undefined
    plan.left -= 1
    return plan.planned.fault
  }
}

const chunk = Buffer.alloc(64 * 1024, "x")

/** Writes until all is written or the reader stops. Reports how much was sent through `sent`. */
const flood = (response: ServerResponse, bytes: number, sent: (total: number) => void): void => {
  let total = 0
  response.writeHead(200, { "content-type": "application/json" })
  response.write('{"status_code":1000,"timestamp":"2026-11-20T08:30:00Z","data":"')
  const more = (): void => {
    while (total < bytes && !response.destroyed) {
      total += chunk.length
      sent(total)
      if (!response.write(chunk)) return void response.once("drain", more)
    }
    response.end('"}')
  }
  more()
}

/** An envelope with a message in it. */
const saying = (envelope: string, message: string | undefined): string =>
  message === undefined ? envelope : envelope.replace(/}$/, `,"status_message":${JSON.stringify(message)}}`)

/** Acts out a fault instead of an answer. Returns true if nothing else must be sent. `flooded` receives the bytes of a flood. */
export const commit = (
  fault: Fault,
  response: ServerResponse,
  envelope: (statusCode: number) => string,
  flooded: (total: number) => void
): boolean => {
  const headers = { "content-type": "application/json" }
  switch (fault.does) {
    case "status": {
      const again = fault.retryAfterSeconds === undefined ? {} : { "retry-after": String(fault.retryAfterSeconds) }
      response.writeHead(fault.http, { ...headers, ...again }).end(envelope(3000))
      return true
    }
    case "bare":
      response.writeHead(fault.http, { "content-type": "text/plain" }).end(`default backend - ${fault.http}`)
      return true
    case "hang":
      return true
    case "hangUp":
      response.destroy()
      return true
    case "truncate":
      response.writeHead(200, { ...headers, "content-length": "4096" })
      response.write('{"status_code":1000,"data":[{"uid":"', () => response.destroy())
      return true
    case "flood":
      flood(response, fault.bytes, flooded)
      return true
    case "notJson":
      response.writeHead(200, { "content-type": "text/html" }).end("<html>It works!</html>")
      return true
    case "refuse":
      response.writeHead(200, headers).end(saying(envelope(fault.statusCode), fault.saying))
      return true
    case "hold":
    case "loop":
    case "loseAnswer":
      return false
  }
}
