/**
 * Decides on a charger's answer to a command: it ends the command, for its issuer, and makes new facts about the charger. A command without an answer
 * ends too. What the charger did is then unknown, so no facts about the charger are made.
 */
import { endingOf } from "../command/Command.ts"
import type { SetProfile } from "../command/ChargingProfile.ts"
import { applied, awaited, cleared, withoutTransaction } from "../command/Stack.ts"
import { passwordKey } from "../command/Kinds.ts"
import type {
  ChargerDocumentChanged,
  ChargerFact,
  CommandAnswered,
  ConfigurationKeysLearned,
  ConfigurationReported
} from "../charger/Fact.ts"
import { act, doNothing } from "./Acting.ts"
import { afterTemplate, templateCommands } from "./Templating.ts"
import type {
  AnswerContent,
  ChargerCommand,
  CommandOf,
  CommandResult,
  ConfigurationKey
} from "../command/ChargerCommand.ts"
import type { ChargerState } from "../charger/ChargerState.ts"
import type { Decision, FreshIds, Input } from "../charger/Decision.ts"
import { commandKey, occurrenceKey } from "../charger/Keys.ts"
import { nameOf } from "../charger/Template.ts"

type Answered = Extract<Input, { readonly _tag: "CommandAnswered" }>

/** The fields that all these facts have. */
const base = (state: ChargerState, key: string, now: number) => ({
  key,
  organisationId: state.organisationId,
  chargerId: state.chargerId,
  at: now,
  heardAt: now
})

/** Some chargers report the password although it is write-only. */
const withoutSecret = (entry: ConfigurationKey): ConfigurationKey =>
  entry.key.trim().toLowerCase() === passwordKey ? { ...entry, value: undefined } : entry

/** The fact about some configuration keys, which were reported by name or changed successfully. */
const keysLearned = (
  state: ChargerState,
  body: ConfigurationKeysLearned["body"],
  now: number
): ReadonlyArray<ConfigurationKeysLearned> => {
  if (body.keys.length === 0 && body.gone.length === 0) return []
  const key = occurrenceKey("configuration-keys", state, "", now, body.keys.map((one) => one.key).join(","))
  return [{ type: "ConfigurationKeysLearned", ...base(state, key, now), epoch: state.epoch, body }]
}

/** The fact about a key that the charger changed at once. A key that changes at its next boot is reported after that boot. */
const keyChanged = (
  state: ChargerState,
  { key, value }: CommandOf<"ChangeConfiguration">,
  status: string | undefined,
  now: number
) =>
  status?.trim().toLowerCase() !== "accepted" || nameOf(key) === passwordKey
    ? []
    : keysLearned(state, { keys: [{ key: key.trim(), value }], gone: [] }, now)

/** The fact about a whole configuration that the charger reported. */
const configurationReported = (
  state: ChargerState,
  { keys, unknown }: Extract<AnswerContent, { readonly _tag: "Configuration" }>,
  now: number
): ConfigurationReported => ({
  type: "ConfigurationReported",
  ...base(state, occurrenceKey("configuration", state, "", now), now),
  epoch: state.epoch,
  body: { keys: keys.map(withoutSecret), unknown }
})

/** The profiles in force after an accepted command; undefined if it changed none. */
const profilesAfter = (
  state: ChargerState,
  command: ChargerCommand,
  commandId: string | undefined,
  now: number
): ReadonlyArray<SetProfile> | undefined => {
  const current = state.profiles ?? []
  if (command._tag === "SetChargingProfile") return applied(current, command.place.evseId, command.profile, now)
  if (command._tag === "RemoteStart" && command.chargingProfile !== undefined) {
    // Some chargers start before they answer: then the transaction is known already.
    const begun = state.sessions.findLast(({ follows }) => follows !== undefined && follows === commandId)
    if (begun === undefined) return awaited(current, command, command.chargingProfile, now)
    const { place, status, transactionId } = begun
    return status === "Open"
      ? applied(current, place.evseId, { ...command.chargingProfile, transactionId }, now)
      : undefined
  }
  return command._tag === "ClearChargingProfile" && current.length > 0 ? cleared(current, command) : undefined
}

/** The charging profiles without those of transactions that have ended: they end with them (OCPP 1.6 §3.13.1). */
export const profilesEnded = (
  profiles: ReadonlyArray<SetProfile>,
  transactions: ReadonlyArray<number>
): ReadonlyArray<SetProfile> => transactions.reduce(withoutTransaction, profiles)

/** The fact about the profiles that are in force from now on. */
export const profilesChanged = (
  state: ChargerState,
  document: ReadonlyArray<SetProfile>,
  now: number
): ChargerDocumentChanged => ({
  type: "ChargerDocumentChanged",
  ...base(state, occurrenceKey("profiles", state, "", now), now),
  body: { kind: "chargingProfiles", document }
})

/** The facts about the charger that follow from an answer, for any issuer of the command. */
const learned = (
  state: ChargerState,
  { command, commandId, result }: Answered,
  now: number,
  ids: FreshIds
): ReadonlyArray<ChargerFact> => {
  if (result._tag !== "Answered") return []
  const { content } = result
  if (command._tag === "GetConfiguration" && content?._tag === "Configuration") {
    if (command.keys.length > 0) {
      return keysLearned(state, { keys: content.keys.map(withoutSecret), gone: content.unknown }, now)
    }
    const reported = configurationReported(state, content, now)
    return [reported, ...templateCommands(state, reported.body.keys, now, ids)]
  }
  if (endingOf(result).status !== "Accepted") return []
  if (command._tag === "ChangeConfiguration") return keyChanged(state, command, result.status, now)
  if (command._tag === "ExtendedTriggerMessage" && command.requestedMessage === "SignChargePointCertificate") {
    const key = occurrenceKey("certificate-asked", state, "", now)
    const body = { kind: "certificateAsked", document: { at: now } } as const
    return [{ type: "ChargerDocumentChanged", ...base(state, key, now), body }]
  }
  const profiles = profilesAfter(state, command, commandId, now)
  return profiles === undefined ? [] : [profilesChanged(state, profiles, now)]
}

const ended = (
  state: ChargerState,
  commandId: string,
  command: ChargerCommand,
  result: CommandResult,
  now: number
): CommandAnswered => ({
  type: "CommandAnswered",
  ...base(state, commandKey(commandId), now),
  body: { commandId, type: command._tag, ...endingOf(result) }
})

export const commandAnswered = (state: ChargerState, answered: Answered, now: number, ids: FreshIds): Decision => {
  const { command, commandId, result } = answered
  // The code that records the end of the connection also ends its open commands.
  if (result._tag === "ConnectionLost") return doNothing
  const facts = learned(state, answered, now, ids)
  if (commandId !== undefined) {
    const end = ended(state, commandId, command, result, now)
    return act([end, ...facts], undefined, afterTemplate(state, end))
  }
  return facts.length === 0 ? doNothing : act(facts, undefined)
}
