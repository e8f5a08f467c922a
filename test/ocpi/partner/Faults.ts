/** What a partner can do wrong on purpose, and for how long. */
import type { ServerResponse } from "node:http"

export type Fault =
  /** An HTTP error, with or without the time after which to come again. */
  | { readonly does: "status"; readonly http: number; readonly retryAfterSeconds?: number }
  /** An HTTP error without an envelope, as an ingress gives behind which nobody is. */
  | { readonly does: "bare"; readonly http: number }
  /** Takes the request and never answers. */
  | { readonly does: "hang" }
  /** Does what is asked, and keeps the answer back until the test lets it go. */
  | { readonly does: "hold"; readonly until: Promise<void> }
  /** Ends the connection without an answer. */
  | { readonly does: "hangUp" }
  /** Takes the request and loses the answer, after having done what it asks. */
  | { readonly does: "loseAnswer" }
  /** Says that more comes than does, and ends in the middle. */
  | { readonly does: "truncate" }
  /** So many bytes of one answer, as fast as they are taken. */
  | { readonly does: "flood"; readonly bytes: number }
  /** A list whose next page is itself. */
  | { readonly does: "loop" }
  | { readonly does: "notJson" }
  /** Success in HTTP, another status in the envelope, and what it says of it. */
  | { readonly does: "refuse"; readonly statusCode: number; readonly saying?: string }

export interface Planned {
  readonly fault: Fault
  readonly method?: string | undefined
  /** OCPI's module, or `versions`; every one without it. */
  readonly module?: string | undefined
  /** An id that the address has; every one without it. */
  readonly id?: string | undefined
  /** How often; for ever without it. */
  readonly times?: number | undefined
}

export class Faults {
  private plans: Array<{ readonly planned: Planned; left: number }> = []

  /** From now on. Earlier plans go first. */
  plan(planned: Planned): void {
    this.plans.push({ planned, left: planned.times ?? Number.POSITIVE_INFINITY })
  }

  clear(): void {
    this.plans = []
  }

  /** What happens to a request; it counts as once. */
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

/** Writes until enough was written or nobody takes more; answers how much went out through `sent`. */
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

/** Does what a fault says instead of an answer; true where that was all. `flooded` hears of the bytes of a flood. */
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
