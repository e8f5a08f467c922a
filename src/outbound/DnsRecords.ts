/**
 * The port `DomainRecords`: TXT records by the system's DNS servers or those of a setting. Names and answers are chosen by others, so the number of
 * look-ups, their time and the size of what is read are limited. No answer leads to another request.
 */
import { Resolver } from "node:dns/promises"
import { Effect, Layer } from "effect"
import { DomainRecords, LookupFailed } from "../domain/operator/DomainRecords.ts"

export interface DnsRecordsOptions {
  /** Addresses of DNS servers, with a port if it is not 53. Empty: the system's. */
  readonly servers: ReadonlyArray<string>
  /** How long one server is waited for, and how often it is asked. */
  readonly timeoutMillis?: number
  readonly tries?: number
}

/** All of a look-up, over all servers and tries. */
const wholeMillis = 5_000

/** Simultaneous look-ups. People make one after they have changed a record, so that more are a flood. */
const atOnce = 16

/** How many records are read, and how long each may be. Names have a dozen at most, and ours has 70 characters. */
const recordsMost = 100
const textMost = 255

/** The answers that say that there is no such record. */
const absent: ReadonlySet<string> = new Set(["ENODATA", "ENOTFOUND"])

const busy = new LookupFailed({ message: "Too many look-ups are running: try again in a few seconds." })
const unanswered = new LookupFailed({ message: "The DNS did not answer: try again in a few minutes." })

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""

const lookUp = ({ servers, timeoutMillis = 2_000, tries = 2 }: DnsRecordsOptions, name: string) =>
  Effect.tryPromise({
    try: (signal) => {
      const resolver = new Resolver({ timeout: timeoutMillis, tries })
      if (servers.length > 0) resolver.setServers(servers)
      signal.addEventListener("abort", () => resolver.cancel(), { once: true })
      return resolver.resolveTxt(name)
    },
    catch: codeOf
  }).pipe(
    Effect.map((records) =>
      records
        .slice(0, recordsMost)
        .map((parts) => parts.join(""))
        .filter(({ length }) => length <= textMost)
    ),
    Effect.catch((code) => (absent.has(code) ? Effect.succeed([]) : Effect.fail(unanswered))),
    Effect.timeoutOrElse({ duration: wholeMillis, orElse: () => Effect.fail(unanswered) })
  )

export const layer = (options: DnsRecordsOptions): Layer.Layer<DomainRecords> =>
  Layer.sync(DomainRecords, () => {
    let running = 0
    return DomainRecords.of({
      texts: (name) =>
        Effect.suspend(() => {
          if (running >= atOnce) return Effect.fail(busy)
          running++
          return Effect.ensuring(
            lookUp(options, name),
            Effect.sync(() => void running--)
          )
        })
    })
  })
