/**
 * Reads the list of a partner's module page by page (OCPI 2.2.1 §4.1.3): by the `Link` of each page, or by offset if the partner sends no `Link`
 * although its `X-Total-Count` says that there is more. A partner's list may be endless or loop.
 */
import { Effect, Schema } from "effect"
import type { Partner } from "../../domain/roaming/Partner.ts"
import type { ModuleId } from "../protocol/EndpointTable.ts"
import type { Answered } from "./OcpiClient.ts"
import type { At, PartnerClient, PartnerRequest } from "./PartnerClient.ts"

const decodeList = Schema.decodeUnknownEffect(Schema.Array(Schema.Unknown))

/** A partner's answers are not a valid list, or not all of it. */
export class NoList extends Schema.TaggedError<NoList>()("NoList", { message: Schema.String }) {}

export const noList = (message: string) => new NoList({ message })

/** Longest URL of a page. No reasonable one is nearly as long, and all URLs of one list are kept in memory. */
const addressMax = 2_000

/**
 * The URL of the next page, from the answer's `Link` (RFC 8288); undefined on the last page. It is used unchanged, but never on another
 * host.
 */
const nextPage = (link: string | undefined, here: string): Effect.Effect<string | undefined, NoList> => {
  const [, target] = /<([^>]*)>\s*;[^,<]*\brel\s*=\s*"?next\b/i.exec(link ?? "") ?? []
  if (target === undefined) return Effect.undefined
  if (!URL.canParse(target, here) || target.length > addressMax) {
    return Effect.fail(noList("the next page's address is not a URL"))
  }
  const next = new URL(target, here)
  return next.host === new URL(here).host
    ? Effect.succeed(next.href)
    : Effect.fail(noList(`the next page is on another host, ${next.host}`))
}

/** The number in `X-Total-Count`: how many objects the whole list has. */
const totalOf = (header: string | undefined): number => (/^\s*\d{1,9}\s*$/.test(header ?? "") ? Number(header) : 0)

export interface ListRequest extends Pick<PartnerRequest, "correlationId" | "from" | "to"> {
  readonly client: PartnerClient["Service"]
  readonly partner: Partner
  /** A module of which the partner is the sender. */
  readonly module: ModuleId
  readonly query?: Readonly<Record<string, string>>
  /** Objects requested per page; partners return fewer. */
  readonly pageSize: number
  /** Most pages of one list. */
  readonly pagesMax: number
}

/** Reads the pages one after the other. `onPage` gets the objects of each before the next one is requested. */
export const readList = <E>(request: ListRequest, onPage: (data: ReadonlyArray<unknown>) => Effect.Effect<void, E>) =>
  Effect.gen(function* () {
    const { client, correlationId, from, module, pageSize, pagesMax, partner, to } = request
    const address = client.endpointOf(partner, module, "SENDER")
    if (address === undefined) return yield* noList(`the partner has no list of ${module}`)
    const query = { limit: String(pageSize), ...request.query }
    const seen = new Set<string>()
    let at: At = { module, role: "SENDER", query }
    let here = address
    let received = 0
    let before: string | undefined
    for (let pages = 1; ; pages++) {
      const answer: Answered = yield* client.call(partner, { method: "GET", at, correlationId, from, to })
      const data = yield* Effect.mapError(decodeList(answer.data ?? []), () => noList("the page is not a list"))
      const total = totalOf(answer.headers["x-total-count"])
      const isByOffset = answer.headers["link"] === undefined && seen.size === 0
      const text: string | undefined = isByOffset && total > 0 ? JSON.stringify(data) : undefined
      const isAgain = before !== undefined && (data.length === 0 || text === before)
      if (isAgain && received < total) {
        const missing = "neither a Link nor an offset leads to the others"
        return yield* noList(`the list is incomplete: ${received} of ${total} objects, and ${missing}`)
      }
      yield* onPage(data)
      received += data.length
      const next: string | undefined = yield* nextPage(answer.headers["link"], here)
      const isComplete = next === undefined && (!isByOffset || data.length === 0 || received >= total)
      if (isComplete) return
      if (next !== undefined && seen.has(next)) return yield* noList("the next page is one that was already fetched")
      if (pages >= pagesMax) return yield* noList(`the list has more than ${pagesMax} pages`)
      if (next === undefined) {
        before = text
        at = { module, role: "SENDER", query: { ...query, offset: String(received) } }
      } else {
        seen.add(next)
        at = { url: next }
        here = next
      }
    }
  })
