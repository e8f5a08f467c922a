/**
 * Applies an organisation's template to a charger. After each boot, once the charger has reported its configuration, the keys that differ are sent as
 * ordinary commands. When the last command of a round has ended, the configuration is read again, until nothing is left to try.
 */
import type { ChargerFact, CommandAnswered, CommandIssued } from "../charger/Fact.ts"
import type { ConfigurationKey } from "../command/ChargerCommand.ts"
import type { ChargerState, Templating } from "../charger/ChargerState.ts"
import type { Reported } from "../charger/Drifts.ts"
import type { FollowUp, FreshIds } from "../charger/Decision.ts"
import { askConfiguration } from "./FollowUps.ts"
import { tolerancesOf } from "../charger/Quirks.ts"
import { nameOf, type TemplateKey, toChange } from "../charger/Template.ts"

/** The maximum number of commands in one round: the charger's queue must also have room for an operator's commands. */
export const templateRound = 16

const fresh: Templating = { tried: [], open: [], changed: false, done: false }
const nothingToDo: Templating = { ...fresh, done: true }

const heartbeatKey = "HeartbeatInterval"

/** The configuration that this charger must have: the organisation's template, and the keys that its make needs. */
export const expectedOf = (
  make: Parameters<typeof tolerancesOf>[0],
  policy: Pick<ChargerState["policy"], "template" | "quirks" | "heartbeatIntervalSeconds">
): ReadonlyArray<TemplateKey> => {
  const template = policy.template ?? []
  if (tolerancesOf(make, policy.quirks).heartbeatByConfiguration !== true) return template
  if (template.some(({ key }) => nameOf(key) === nameOf(heartbeatKey))) return template
  return [...template, { key: heartbeatKey, value: String(policy.heartbeatIntervalSeconds) }]
}

/** How many keys of a charger differ from the expected configuration and could be changed. */
export const driftOf = (
  { configuration, firmwareVersion, manufacturer, model }: Reported,
  policy: Parameters<typeof expectedOf>[1]
): number => toChange(expectedOf({ vendor: manufacturer, model, firmwareVersion }, policy), configuration).length

/** The next round of commands that bring the charger closer to the expected configuration, given the one that it reported. */
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

/** Reads the configuration again when the last command of a round has ended and at least one was accepted. */
export const afterTemplate = ({ templating }: ChargerState, { body }: CommandAnswered): ReadonlyArray<FollowUp> => {
  if (templating === undefined || !templating.open.every((id) => id === body.commandId)) return []
  if (!templating.open.includes(body.commandId)) return []
  const changed = templating.changed || body.status === "Accepted"
  return changed ? [{ command: askConfiguration, afterMillis: 0 }] : []
}

/** The state of the work on the template after a fact. */
export const templatingAfter = (templating: Templating | undefined, fact: ChargerFact): Templating | undefined => {
  switch (fact.type) {
    case "ChargerBooted":
      return undefined
    // If commands were issued in the same decision, their facts follow and set `done` back to false.
    case "ConfigurationReported":
      if (templating === undefined) return nothingToDo
      return templating.open.length > 0 ? templating : { ...templating, changed: false, done: true }
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
