/**
 * The endpoint that shows what a partner sees, over the domain's ports. Its cursors are offsets, since OCPI's lists are paged by offset.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { InvalidInput } from "../../../domain/Errors.ts"
import { PartnerView } from "../../../domain/roaming/PartnerView.ts"
import { Partners } from "../../../domain/roaming/Partners.ts"
import { windowMaxLimit } from "../../../domain/values/Window.ts"
import { Api } from "../Api.ts"
import { organisationId } from "../requests/Caller.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"

const cursorOf = (module: string, offset: number): string =>
  Buffer.from(`view ${module} ${offset}`, "utf8").toString("base64url")

/** The offset in a cursor; undefined for a cursor of another list. */
const offsetOf = (module: string, cursor: string | undefined): number | undefined => {
  if (cursor === undefined) return 0
  const found = /^view (\w+) (\d{1,9})$/.exec(Buffer.from(cursor, "base64url").toString("utf8"))
  return found?.[1] === module ? Number(found[2]) : undefined
}

const seen = (item: unknown): Readonly<Record<string, unknown>> =>
  typeof item === "object" && item !== null ? { ...item } : {}

export const layer = HttpApiBuilder.group(
  Api,
  "partner-view",
  Effect.fn(function* (handlers) {
    const partners = yield* Partners
    const views = yield* PartnerView
    const publicUrl = yield* PublicUrl
    return handlers.handleAll({
      view: Effect.fn("v2.partners.view")(function* ({ params: { module, partnerId }, query, request }) {
        const partner = yield* partners.get(yield* organisationId, partnerId)
        const { cursor, limit } = pageRequest(query)
        const offset = offsetOf(module, cursor)
        if (offset === undefined) {
          return yield* new InvalidInput({ pointer: "/cursor", detail: "is not a cursor of this list" })
        }
        const window = { offset, limit: Math.min(limit, windowMaxLimit) }
        const { items, total } = yield* views.page(partner, module, window)
        const next = offset + items.length
        const nextCursor = items.length > 0 && next < total ? cursorOf(module, next) : null
        const cursorAfter = (count: number) => cursorOf(module, offset + count)
        return yield* listed(publicUrl, request.url, { items, nextCursor, cursorAfter }, seen)
      })
    })
  })
)
