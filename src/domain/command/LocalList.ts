/**
 * A charger's local authorisation list as it should be, and the next step towards it (OCPP 1.6 §3.5, §5.15). A list is updated by messages with
 * ascending versions: a Full one with the first entries, then Differential ones with the rest and with later changes.
 */
import type { ConfigurationKey, LocalListEntry } from "./ChargerCommand.ts"
import type { TokenStatus } from "../token/Token.ts"

/** OCPP 1.6 §7.28: an idTag has at most 20 characters. */
export const idTagMax = 20

/** The number of entries in one message if the charger has not reported SendLocalListMaxLength: few enough for chargers with little memory. */
export const defaultSendMax = 100

/** The maximum number of entries in a message, whatever the charger allows: they make a frame of about ten kilobytes. */
export const sendMaxLimit = 500

/** The highest version. After it, versions start again at 1. */
const versionMax = 2_147_483_647

/** A changed token in its present state, or a removed token. */
export interface TokenChange {
  /** Grows with every change in the organisation. */
  readonly seq: number
  readonly uid: string
  /** Undefined if the token was removed. */
  readonly token:
    | { readonly status: TokenStatus; readonly expiresAt: number | undefined; readonly parentUid: string | undefined }
    | undefined
}

/** The parts of a token that do not fit into a list of OCPP 1.6. Without its parent, a token has no group rights while the charger is offline. */
export interface Loss {
  readonly uid: string
  readonly what: "UidTooLong" | "ParentTooLong"
}

const fits = (text: string): boolean => [...text].length <= idTagMax

/** An accepted token that has expired is sent as Expired (OCPP 1.6 §7.2). For later expiry the charger gets the date. */
const entryOf = ({ token, uid }: TokenChange, now: number): LocalListEntry => {
  if (token === undefined) return { tokenUid: uid }
  const { expiresAt, parentUid, status } = token
  const over = status === "Accepted" && expiresAt !== undefined && expiresAt <= now
  return {
    tokenUid: uid,
    authorization: {
      status: over ? "Expired" : status,
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(parentUid === undefined || !fits(parentUid) ? {} : { parentUid })
    }
  }
}

/** The entries for changes: the last change of each uid. A Full list contains no removed tokens. */
export const entriesOf = (
  changes: ReadonlyArray<TokenChange>,
  updateType: "Full" | "Differential",
  now: number
): { readonly entries: ReadonlyArray<LocalListEntry>; readonly losses: ReadonlyArray<Loss> } => {
  const last = new Map<string, TokenChange>()
  for (const change of changes.toSorted((a, b) => a.seq - b.seq)) {
    const key = change.uid.toLowerCase()
    last.delete(key)
    last.set(key, change)
  }
  const inForce = [...last.values()].filter(({ token }) => updateType === "Differential" || token !== undefined)
  const losses = inForce.flatMap(({ token, uid }): ReadonlyArray<Loss> => {
    if (!fits(uid)) return [{ uid, what: "UidTooLong" }]
    return token?.parentUid !== undefined && !fits(token.parentUid) ? [{ uid, what: "ParentTooLong" }] : []
  })
  return { entries: inForce.filter(({ uid }) => fits(uid)).map((change) => entryOf(change, now)), losses }
}

/** The part of a charger's configuration that concerns its list (OCPP 1.6 §9.2). */
export interface ListAbilities {
  /** False if nothing in its configuration concerns local lists. */
  readonly supported: boolean
  readonly enabled: boolean
  /** The maximum number of entries in one message. */
  readonly sendMax: number
  /** The maximum number of entries in the list. */
  readonly listMax: number
}

type Configuration = ReadonlyArray<Pick<ConfigurationKey, "key" | "value">>

/** OCPP 1.6's name of the feature profile (§3.3), and the keys that only a charger with this profile has. */
const profile = "LocalAuthListManagement"
const enabledKey = "LocalAuthListEnabled"
const sendMaxKey = "SendLocalListMaxLength"
const listMaxKey = "LocalAuthListMaxLength"

const entryNamed = (configuration: Configuration, name: string) =>
  configuration.find(({ key }) => key.trim().toLowerCase() === name.toLowerCase())

const valueOf = (configuration: Configuration, name: string) => entryNamed(configuration, name)?.value?.trim() ?? ""

/** A limit that the charger reports; undefined if it reports no usable number. */
const countOf = (configuration: Configuration, name: string): number | undefined => {
  const given = valueOf(configuration, name)
  return /^\d{1,9}$/.test(given) && Number(given) > 0 ? Number(given) : undefined
}

/**
 * Reads the abilities from a configuration. Chargers omit keys that the specification requires, so one of these keys or the profile's name is enough
 * to show that the charger supports lists. A list counts as enabled unless the charger reports it as disabled.
 */
export const abilitiesOf = (configuration: Configuration): ListAbilities => {
  const profiles = valueOf(configuration, "SupportedFeatureProfiles")
    .toLowerCase()
    .split(/[\s,;]+/)
  const enabled = valueOf(configuration, enabledKey).toLowerCase()
  return {
    supported:
      profiles.includes(profile.toLowerCase()) ||
      [enabledKey, sendMaxKey, listMaxKey].some((name) => entryNamed(configuration, name) !== undefined),
    enabled: enabled === "" || enabled === "true",
    sendMax: Math.min(countOf(configuration, sendMaxKey) ?? defaultSendMax, sendMaxLimit),
    listMax: countOf(configuration, listMaxKey) ?? Infinity
  }
}

/** The limit of the charger that a message with this number of entries exceeds; undefined if it exceeds no known limit. */
export const brokenLimit = (
  configuration: Configuration,
  updateType: "Full" | "Differential",
  entries: number
): { readonly key: string; readonly limit: number } | undefined => {
  const send = { key: sendMaxKey, limit: countOf(configuration, sendMaxKey) ?? Infinity }
  const whole = {
    key: listMaxKey,
    limit: updateType === "Full" ? (countOf(configuration, listMaxKey) ?? Infinity) : Infinity
  }
  return [whole, send].find(({ limit }) => entries > limit)
}

/** What is known about a charger's list. */
export interface KnownList {
  readonly version: number
  /** The list contains every change up to this one. */
  readonly syncedSeq: number
  /** The change up to which a list that needs several messages is being filled. */
  readonly fillTo: number
  /** True if only a Full list can correct it. */
  readonly needsFull: boolean
  readonly supported: boolean
  /** True if the charger has reported its list version since it connected and booted. */
  readonly checked: boolean
}

/** The tokens that belong on a list. */
export interface Listable {
  /** The newest change of the organisation's tokens. */
  readonly latestSeq: number
  /** How many tokens have a uid that fits. */
  readonly tokens: number
}

/** The changes that a message contains: those after `after` and up to `upTo`, at most `limit`. */
export interface Send {
  readonly _tag: "Send"
  readonly updateType: "Full" | "Differential"
  readonly listVersion: number
  /** For a Full list: only the newest tokens, as many as the charger can store; undefined for all. */
  readonly newest: number | undefined
  readonly after: number
  readonly upTo: number
  readonly limit: number
  /** The change up to which this message and those that follow fill the list. */
  readonly fillTo: number
}

export type Step =
  | { readonly _tag: "Unsupported" }
  | { readonly _tag: "Disabled" }
  | { readonly _tag: "AskVersion" }
  | { readonly _tag: "InStep" }
  | Send

/** The next version of a list. It must be higher than the last (OCPP 1.6 §5.15). */
export const nextVersion = (version: number): number => (version >= versionMax ? 1 : Math.max(version, 0) + 1)

/**
 * The next step towards the correct list. The charger's version is queried once per connection and boot. If an organisation has more tokens than fit,
 * the list has the newest ones and is sent whole after each change, so that it is clear which tokens it contains.
 */
export const nextStep = (list: KnownList, abilities: ListAbilities, listable: Listable): Step => {
  if (!abilities.supported) return { _tag: "Unsupported" }
  if (!abilities.enabled) return { _tag: "Disabled" }
  if (!list.checked) return { _tag: "AskVersion" }
  const filling = list.syncedSeq < list.fillTo
  if (!list.supported || (!list.needsFull && !filling && list.syncedSeq >= listable.latestSeq))
    return { _tag: "InStep" }
  const tooMany = listable.tokens > abilities.listMax
  const full = list.needsFull || (tooMany && !filling) || list.version >= versionMax
  return {
    _tag: "Send",
    updateType: full ? "Full" : "Differential",
    listVersion: nextVersion(list.version),
    newest: full && tooMany ? abilities.listMax : undefined,
    after: full ? 0 : list.syncedSeq,
    upTo: full || !filling ? listable.latestSeq : list.fillTo,
    limit: Math.min(abilities.sendMax, abilities.listMax),
    fillTo: full || !filling ? listable.latestSeq : list.fillTo
  }
}
