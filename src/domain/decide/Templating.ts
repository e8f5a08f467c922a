/**
 * How an organisation's template comes to a charger: after each boot, once the charger has reported its configuration, what differs is sent
 * as commands like any other; when the last of a round has ended the configuration is asked for again, until nothing is left to try.
 */
import type { ChargerFact, CommandAnswered, CommandIssued } from "../charger/Fact.ts"
import type { ConfigurationKey } from "../command/ChargerCommand.ts"
import type { ChargerState, Templating } from "../charger/ChargerState.ts"
import type { FollowUp, FreshIds } from "../charger/Decision.ts"
import { askConfiguration } from "./FollowUps.ts"
import { tolerancesOf } from "../charger/Quirks.ts"
import { nameOf, type TemplateKey, toChange } from "../charger/Template.ts"

/** Commands of one round: a charger's queue has room for an operator's beside them. */
export const templateRound = 16

const fresh: Templating = { tried: [], open: [], changed: false, done: false }

const heartbeatKey = "HeartbeatInterval"

/** What is expected of this charger: the organisation's template, and what its make needs to be sent by key. */
export const expectedOf = (
  make: Parameters<typeof tolerancesOf>[0],
  policy: Pick<ChargerState["policy"], "template" | "quirks" | "heartbeatIntervalSeconds">
): ReadonlyArray<TemplateKey> => {
  const template = policy.template ?? []
  if (tolerancesOf(make, policy.quirks).heartbeatByConfiguration !== true) return template
  if (template.some(({ key }) => nameOf(key) === nameOf(heartbeatKey))) return template
  return [...template, { key: heartbeatKey, value: String(policy.heartbeatIntervalSeconds) }]
}

/** The commands that bring the charger nearer to what is expected of it, after it has reported what it has. */
export const templateCommands = (
  state: ChargerState,
  reported: ReadonlyArray<ConfigurationKey>,
  now: number,
  ids: FreshIds
): ReadonlyArray<CommandIssued> => {
  const { done, open, tried } = state.templating ?? fresh
  if (state.bootedHere !== true || state.registration !== "Accepted" || done || open.length > 0) return []
  return toChange(expectedOf(state, state.policy), reported)
    .filter(({ key }) => !tried.includes(nameOf(key)))
    .slice(0, templateRound)
    .map(({ key, value }) => {
      const commandId = ids.uuid()
      return {
        type: "CommandIssued",
        key: `command-issued|${commandId}`,
        organisationId: state.organisationId,
        chargerId: state.chargerId,
        at: now,
        heardAt: now,
        body: {
          by: "platform",
          commandId,
          type: "ChangeConfiguration",
          parameters: { key, value },
          command: { _tag: "ChangeConfiguration", key, value },
          expiresAt: null
        }
      }
    })
}

/** When the last command of a round has ended, and the charger said yes to one of them, it is asked what it has now. */
export const afterTemplate = ({ templating }: ChargerState, { body }: CommandAnswered): ReadonlyArray<FollowUp> => {
  if (templating === undefined || !templating.open.every((id) => id === body.commandId)) return []
  if (!templating.open.includes(body.commandId)) return []
  const changed = templating.changed || body.status === "Accepted"
  return changed ? [{ command: askConfiguration, afterMillis: 0 }] : []
}

/** What remains of it after a fact. */
export const templatingAfter = (templating: Templating | undefined, fact: ChargerFact): Templating | undefined => {
  switch (fact.type) {
    case "ChargerBooted":
      return undefined
    // Those that were issued with it follow, and show that it is not done.
    case "ConfigurationReported":
      return (templating?.open.length ?? 0) > 0 ? templating : { ...fresh, ...templating, changed: false, done: true }
    case "CommandIssued": {
      const { command, commandId } = fact.body
      if (command._tag !== "ChangeConfiguration") return templating
      const { open, tried } = templating ?? fresh
      return { tried: [...tried, nameOf(command.key)], open: [...open, commandId], changed: false, done: false }
    }
    case "CommandAnswered": {
      if (templating === undefined || !templating.open.includes(fact.body.commandId)) return templating
      const open = templating.open.filter((id) => id !== fact.body.commandId)
      return { ...templating, open, changed: templating.changed || fact.body.status === "Accepted" }
    }
    default:
      return templating
  }
}
