/**
 * Quirks: known deviations of charger models from the protocol, with the tolerances that they need, as data. The service is strict by default. A rule
 * makes an exception for the models that it matches, because they were seen to need it.
 */
import { Schema } from "effect"

/** The maximum number of rules of one organisation: a fleet has a few dozen models. */
export const quirksMax = 100

/** Limits of durations in seconds: a shorter one has no effect, and a longer one would block other CALLs for minutes. */
export const toleranceBounds = {
  callTimeoutSeconds: [5, 600],
  waitForBootSeconds: [1, 300],
  quietAfterBootSeconds: [1, 300]
} as const

/**
 * The values at which a register may roll over, in Wh. Below one megawatt hour, a single session of a lorry could run through the whole range
 * unnoticed. No register has more digits than the upper limit.
 */
export const rollOverBounds = [1_000_000, 1_000_000_000_000] as const

const within = ([least, most]: readonly [number, number]) =>
  Schema.Int.check(Schema.isBetween({ minimum: least, maximum: most }))

export const Tolerances = Schema.Struct({
  /** How long the charger may take to answer a CALL. */
  callTimeoutSeconds: Schema.optionalKey(within(toleranceBounds.callTimeoutSeconds)),
  /** No command is sent until the charger has booted on the connection, or until this time has passed. */
  waitForBootSeconds: Schema.optionalKey(within(toleranceBounds.waitForBootSeconds)),
  /** No command is sent for this time after a boot was accepted. */
  quietAfterBootSeconds: Schema.optionalKey(within(toleranceBounds.quietAfterBootSeconds)),
  /** The whole configuration is not requested after a boot. */
  skipConfigurationAfterBoot: Schema.optionalKey(Schema.Boolean),
  /** The heartbeat interval is also sent as a configuration key, since the charger ignores the one in the answer to its boot. */
  heartbeatByConfiguration: Schema.optionalKey(Schema.Boolean),
  /** The statuses of its connectors are requested after each connection and boot, since the charger sends none by itself. */
  statusAfterConnect: Schema.optionalKey(Schema.Boolean),
  /** The energy registers of its readings are in kWh, whatever unit they are sent with. */
  registerUnit: Schema.optionalKey(Schema.Literal("kWh")),
  /** Its registers begin at 0 again at this many Wh: 100,000,000 if they count to 99,999.999 kWh. */
  registerRollsOverAtWh: Schema.optionalKey(within(rollOverBounds)),
  /** Its registers, including those of start and stop, begin at 0 with each session, whatever register the start reports. */
  registerCountsSession: Schema.optionalKey(Schema.Boolean)
})
export type Tolerances = typeof Tolerances.Type

/** The tolerances that affect how registers are read. */
export type RegisterRules = Pick<Tolerances, "registerUnit" | "registerRollsOverAtWh" | "registerCountsSession">

/** In patterns `*` matches any text, and upper and lower case are the same; a missing pattern matches everything. */
export const Quirk = Schema.Struct({
  name: Schema.String,
  vendor: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String),
  firmware: Schema.optionalKey(Schema.String),
  tolerances: Tolerances,
  /** Where it was seen. */
  evidence: Schema.optionalKey(Schema.String)
})
export type Quirk = typeof Quirk.Type

/** The built-in rules, for all organisations. An organisation's own rules are applied after them. If several rules set a tolerance, the last wins. */
export const builtInQuirks: ReadonlyArray<Quirk> = [
  {
    name: "mennekes-answers-late",
    vendor: "*mennekes*",
    tolerances: { callTimeoutSeconds: 120 },
    evidence: "AMTRON: TriggerMessage answered after 60 s (evcc-io/evcc#26837)"
  },
  {
    name: "wallbox-boot-first",
    vendor: "Wall Box Chargers",
    tolerances: { waitForBootSeconds: 20 },
    evidence:
      "firmware 6.6 and 6.7 boot again and again when called before their boot is answered (lbbrhzn/ocpp#1503, #1510)"
  }
]

/** As the charger's boot reported it; empty before the first boot. */
export interface Make {
  readonly vendor: string
  readonly model: string
  readonly firmwareVersion: string
}

/** Searches for the pattern's parts one after the other, so that no pattern is slow. */
const fits = (pattern: string | undefined, text: string): boolean => {
  if (pattern === undefined) return true
  const [first = "", ...others] = pattern.trim().toLowerCase().split("*")
  const heard = text.trim().toLowerCase()
  if (others.length === 0) return heard === first
  if (!heard.startsWith(first)) return false
  const last = others.pop()!
  let from = first.length
  for (const piece of others) {
    const at = heard.indexOf(piece, from)
    if (at < 0) return false
    from = at + piece.length
  }
  return heard.length - last.length >= from && heard.endsWith(last)
}

/** True if the rule applies to this make. A charger has no quirks before it has reported its make. */
export const concerns = (quirk: Quirk, { firmwareVersion, model, vendor }: Make): boolean =>
  (vendor !== "" || model !== "") &&
  fits(quirk.vendor, vendor) &&
  fits(quirk.model, model) &&
  fits(quirk.firmware, firmwareVersion)

const strict: Tolerances = {}

/** The tolerances of a make, from the built-in rules and an organisation's `own`. */
export const tolerancesOf = (make: Make, own: ReadonlyArray<Quirk> = []): Tolerances => {
  let granted = strict
  for (const book of [builtInQuirks, own]) {
    for (const quirk of book) if (concerns(quirk, make)) granted = { ...granted, ...quirk.tolerances }
  }
  return granted
}

const speaksOfRegisters = ({ tolerances }: Quirk): boolean =>
  tolerances.registerUnit !== undefined ||
  tolerances.registerRollsOverAtWh !== undefined ||
  tolerances.registerCountsSession !== undefined

const hasBuiltIn = builtInQuirks.some(speaksOfRegisters)

/** How a make's registers are read. It is called for each reading, so patterns are tried only if a rule concerns registers. */
export const registerRulesOf = (make: Make, own: ReadonlyArray<Quirk> = []): RegisterRules =>
  hasBuiltIn || own.some(speaksOfRegisters) ? tolerancesOf(make, own) : strict

/** When a charger connected and booted, ms epoch. */
export interface AppliedQuirks {
  readonly connectedAt: number
  /** When a boot was accepted on this connection; undefined before. */
  readonly bootedAt: number | undefined
}

/** The time, in ms epoch, from which commands may be sent to a charger with these tolerances. */
export const callableFrom = (tolerances: Tolerances, { bootedAt, connectedAt }: AppliedQuirks): number =>
  bootedAt === undefined
    ? connectedAt + (tolerances.waitForBootSeconds ?? 0) * 1000
    : bootedAt + (tolerances.quietAfterBootSeconds ?? 0) * 1000
