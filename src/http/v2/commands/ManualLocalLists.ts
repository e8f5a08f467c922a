/**
 * Local authorisation lists that an operator sends by hand: the next version, which of the organisation's tokens a list can hold, and
 * whether the charger has reported a limit that the list exceeds.
 */
import { Clock, Effect } from "effect"
import type { CommandOf } from "../../../domain/command/ChargerCommand.ts"
import { Conflict } from "../../../domain/Errors.ts"
import { LocalLists } from "../../../domain/command/LocalLists.ts"
import { Tokens } from "../../../domain/token/Tokens.ts"
import { brokenLimit, entriesOf, nextVersion, type TokenChange } from "../../../domain/command/LocalList.ts"

/** Most tokens in one list. The largest charger lists hold a few thousand; a larger message does not fit into a frame. */
const tokensAtMost = 2_000

/** Explains how to send a list that does not fit into one message. */
const goOn = (inOne: number) =>
  `Send the first ${inOne} as localAuthorizationList, and the others in messages with updateType Differential; or set the organisation's ` +
  "localLists to Managed, so that the service does it."

export const listsByHand = Effect.gen(function* () {
  const lists = yield* LocalLists
  const tokens = yield* Tokens

  const versionAfter = Effect.fnUntraced(function* (organisationId: string, chargerId: string) {
    return nextVersion((yield* lists.byHand(organisationId, chargerId)).version)
  })

  /** The organisation's own tokens as entries, and how many of them do not fit a list of OCPP 1.6. */
  const ownEntries = Effect.fnUntraced(function* (organisationId: string) {
    const found: Array<TokenChange> = []
    let cursor: string | undefined
    do {
      const page = yield* tokens.list(organisationId, { limit: 500, cursor })
      found.push(...page.items.map((token, i) => ({ seq: found.length + i, uid: token.uid, token })))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined && found.length <= tokensAtMost)
    if (found.length > tokensAtMost) {
      const message = `One message can hold at most ${tokensAtMost} tokens. ${goOn(tokensAtMost)}`
      return yield* new Conflict({ code: "too_many_tokens", message })
    }
    const { entries, losses } = entriesOf(found, "Full", yield* Clock.currentTimeMillis)
    return { entries, leftOut: losses.filter(({ what }) => what === "UidTooLong").length }
  })

  /** Refuses a list that exceeds a limit reported by the charger. */
  const within = Effect.fnUntraced(function* (
    organisationId: string,
    chargerId: string,
    { entries, updateType }: CommandOf<"SendLocalList">
  ) {
    const { configuration } = yield* lists.byHand(organisationId, chargerId)
    const broken = brokenLimit(configuration, updateType, entries.length)
    if (broken === undefined) return
    const { key, limit } = broken
    const how =
      key === "LocalAuthListMaxLength"
        ? "It cannot hold more: send the most important entries as localAuthorizationList."
        : goOn(limit)
    return yield* new Conflict({
      code: "list_too_long",
      message: `The charger reports in ${key} that it accepts at most ${limit} entries, and this list has ${entries.length}. ${how}`
    })
  })

  return { versionAfter, ownEntries, within }
})
