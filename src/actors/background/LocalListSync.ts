/**
 * Keeps the local authorisation lists of chargers in step with the tokens of their organisations, if the organisation
 * has them managed. A few seconds after new facts, a round picks some chargers that are out of step and issues the next
 * command for each. It does not wait for the answer: the end of the command updates what is known of the list, and the
 * next round continues from there. In this way a change of a token reaches all chargers over time.
 */
import { Clock, Effect, Layer } from "effect"
import type { ChargerCommand } from "../../domain/command/ChargerCommand.ts"
import type { Principal } from "../../domain/values/AuditContext.ts"
import { Commands } from "../../domain/command/Commands.ts"
import { Events } from "../../domain/event/Events.ts"
import { type ClaimedList, LocalLists } from "../../domain/command/LocalLists.ts"
import { abilitiesOf, entriesOf, nextStep, type Send } from "../../domain/command/LocalList.ts"
import { rounds } from "./BackgroundLoop.ts"

export interface LocalListSyncOptions {
  readonly everyMillis: number
  /**
   * The time between rounds while there are no new facts. It is also the longest delay for work that is due by time
   * alone, or whose notification was lost.
   */
  readonly quietMillis: number
  /** Maximum number of chargers commanded in one round, so that a token's change does not command all of them at once. */
  readonly chargersPerRound: number
  /** How long after connecting a charger gets no list commands: other requests to it come first. */
  readonly settleMillis: number
}

export const defaultLocalListOptions: LocalListSyncOptions = {
  everyMillis: 5_000,
  quietMillis: 60_000,
  chargersPerRound: 50,
  settleMillis: 10_000
}

/** The time until a charger is checked again after its command could not be issued. */
const leaseMillis = 30_000

/**
 * The time until a charger is checked again that has no list or has switched it off. It is checked sooner if it reports
 * its configuration.
 */
const unkeptMillis = 600_000

/** What the charger's configuration says, and what to do about it. */
const reasons = {
  Disabled: "the charger has LocalAuthListEnabled switched off; set it to true with ChangeConfiguration, if possible",
  Unsupported:
    "the charger's configuration has neither LocalAuthListManagement in SupportedFeatureProfiles nor any key of local lists"
} as const

/** How long a token's removal is stored. A charger that was offline for longer gets the whole list. */
const removalsKeptMillis = 90 * 86_400_000

/** How often old removals are deleted. */
const forgetEveryMillis = 3_600_000

/** The platform acts for the organisation whose charger it is. */
const platform = (organisationId: string): Principal => ({
  organisationId,
  actor: "platform",
  keyId: "platform",
  operatorId: undefined,
  permissions: []
})

interface Keeping {
  readonly lists: LocalLists["Service"]
  readonly commands: Commands["Service"]
  readonly now: number
}

/** Issues the command. If that fails (the charger is gone, or too many commands wait for it), it is tried again after the lease. */
const issue = (
  { commands, now }: Keeping,
  one: ClaimedList,
  command: ChargerCommand,
  parameters: Record<string, unknown>
) =>
  commands
    .issue(
      { chargerId: one.chargerId, command, parameters, expiresInSeconds: undefined },
      { by: platform(one.organisationId), now }
    )
    .pipe(
      Effect.asVoid,
      Effect.catchTag(["NotFound", "Conflict", "InvalidInput", "TooMany"], (error) =>
        Effect.logDebug(`local list of ${one.chargerId}: not issued`, error)
      )
    )

const send = (keeping: Keeping, one: ClaimedList, step: Send) =>
  Effect.gen(function* () {
    const { lists, now } = keeping
    const { chargerId, organisationId } = one
    const { after, fillTo, limit, listVersion, newest, upTo, updateType } = step
    const full = updateType === "Full"
    const changes = yield* lists.changes(organisationId, { after, upTo, limit, newest, removed: !full })
    const { entries, losses } = entriesOf(changes, updateType, now)
    // A page that is not full was the last one before `upTo`.
    const seq = changes.length < limit ? upTo : (changes.at(-1)?.seq ?? upTo)
    if (losses.length > 0) yield* Effect.logDebug(`local list of ${chargerId}: skipped`, losses)
    if (entries.length === 0 && !full) return yield* lists.caughtUp(chargerId, seq, now)
    yield* lists.pending(chargerId, { version: listVersion, seq, fillTo, full }, now)
    yield* issue(keeping, one, { _tag: "SendLocalList", listVersion, updateType, entries }, { listVersion, updateType })
  })

const lookAt = (keeping: Keeping, one: ClaimedList) => {
  const step = nextStep(one.list, abilitiesOf(one.configuration), one.listable)
  const unkept = (state: "Disabled" | "Unsupported") => {
    const why = { state, reason: reasons[state], until: keeping.now + unkeptMillis }
    return keeping.lists.unkept(one.chargerId, why, keeping.now)
  }
  switch (step._tag) {
    case "Unsupported":
    case "Disabled":
      return unkept(step._tag)
    case "AskVersion":
      return issue(keeping, one, { _tag: "GetLocalListVersion" }, {})
    case "InStep":
      return keeping.lists.caughtUp(one.chargerId, one.list.syncedSeq, keeping.now)
    case "Send":
      return send(keeping, one, step)
  }
}

/** One round; returns the number of chargers that were checked. */
export const keepInStep = (options: LocalListSyncOptions) =>
  Effect.gen(function* () {
    const lists = yield* LocalLists
    const commands = yield* Commands
    const now = yield* Clock.currentTimeMillis
    const { chargersPerRound: limit, settleMillis } = options
    const claimed = yield* lists.claim({ now, limit, leaseMillis, settleMillis })
    for (const one of claimed) yield* lookAt({ lists, commands, now }, one)
    return claimed.length
  })

/** Runs the loop until the scope closes. */
export const layer = (
  options: LocalListSyncOptions = defaultLocalListOptions
): Layer.Layer<never, never, LocalLists | Commands | Events> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const lists = yield* LocalLists
      const { committed } = yield* Events
      const { everyMillis, quietMillis, settleMillis } = options
      let forgotAt = Number.NEGATIVE_INFINITY
      const round = Effect.gen(function* () {
        yield* keepInStep(options)
        const now = yield* Clock.currentTimeMillis
        if (now - forgotAt >= forgetEveryMillis) {
          forgotAt = now
          yield* lists.forget(now - removalsKeptMillis)
        }
        return false
      })
      // A charger that has just connected is not commanded yet, and one whose command could not be issued is checked
      // again after the lease.
      const livelyMillis = Math.max(settleMillis, leaseMillis) + 2 * everyMillis
      const wakeups = { notifications: committed, otherwiseEveryMillis: quietMillis, livelyMillis }
      yield* rounds({ name: "local lists", everyMillis, wakeups, round })
    })
  )
