/**
 * Describes the tolerances that a quirk rule can grant, for operators: the title, what the service does, when it is needed, and the allowed values.
 * Forms are generated from this list, so that a new tolerance needs no form of its own.
 */
import { rollOverBounds, toleranceBounds, type Tolerances } from "./Quirks.ts"

/** `Yes`: granted or not. `Number`: a whole number within bounds. `Choice`: one of several values. */
export const toleranceTypes = ["Yes", "Number", "Choice"] as const
export type ToleranceType = (typeof toleranceTypes)[number]

export interface ToleranceKind {
  /** Its field in `Tolerances`. */
  readonly name: keyof Tolerances
  readonly title: string
  /** What the service does if it is granted. */
  readonly about: string
  /** The symptoms of a charger that needs it, as operators see them. */
  readonly useWhen: string
  readonly type: ToleranceType
  /** The unit of a number: `s` or `Wh`. */
  readonly unit: string | undefined
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  readonly choices: ReadonlyArray<string>
}

type Texts = Pick<ToleranceKind, "title" | "about" | "useWhen">
type Values = Omit<ToleranceKind, "name" | keyof Texts>

const yes: Values = { type: "Yes", unit: undefined, minimum: undefined, maximum: undefined, choices: [] }
const numberOf = (unit: string, [minimum, maximum]: readonly [number, number]): Values => ({
  ...yes,
  type: "Number",
  unit,
  minimum,
  maximum
})

/** In the order in which forms show them. The type ensures that no tolerance is missing. */
const kinds: Readonly<Record<keyof Tolerances, Texts & Values>> = {
  callTimeoutSeconds: {
    title: "Answers late",
    about: "A command waits this long for the charger's answer before it times out; the default is 60 seconds.",
    useWhen: "Commands end as timed out, and the answer arrives in the log afterwards.",
    ...numberOf("s", toleranceBounds.callTimeoutSeconds)
  },
  waitForBootSeconds: {
    title: "Needs to boot before anything else",
    about: "Nothing is sent on a new connection until the charger has booted, or until this time has passed.",
    useWhen: "The charger restarts repeatedly when it gets a command before its boot is answered.",
    ...numberOf("s", toleranceBounds.waitForBootSeconds)
  },
  quietAfterBootSeconds: {
    title: "Needs a pause after a boot",
    about: "Nothing is sent for this time after a boot was accepted.",
    useWhen: "Commands fail, or the connection drops, in the first seconds after a boot.",
    ...numberOf("s", toleranceBounds.quietAfterBootSeconds)
  },
  skipConfigurationAfterBoot: {
    title: "Cannot report its whole configuration",
    about: "It is not asked for its configuration after a boot. The configuration template is applied only manually.",
    useWhen: "The connection drops or the charger hangs after GetConfiguration without keys.",
    ...yes
  },
  heartbeatByConfiguration: {
    title: "Takes its heartbeat interval only as a key",
    about: "The heartbeat interval is also sent as the configuration key HeartbeatInterval.",
    useWhen: "The charger uses a different heartbeat interval from the one in the answer to its boot.",
    ...yes
  },
  statusAfterConnect: {
    title: "Does not report statuses by itself",
    about: "It is asked for the status of each connector after each connection and boot.",
    useWhen: "Connectors show an old status, or none, after the charger has connected.",
    ...yes
  },
  registerUnit: {
    title: "Meter values are in kWh, whatever unit they name",
    about:
      "The energy registers of its meter values are read as kWh. Start and stop remain in Wh. This affects billing.",
    useWhen: "Meter values are a thousandth of what start and stop report, and sessions are held because of it.",
    ...yes,
    type: "Choice",
    choices: ["kWh"]
  },
  registerRollsOverAtWh: {
    title: "Meter restarts at 0 at a certain value",
    about: "A session that passes this value is counted past it instead of being held. This affects billing.",
    useWhen: "The meter has few digits: 100000000 for one that shows at most 99999.999 kWh.",
    ...numberOf("Wh", rollOverBounds)
  },
  registerCountsSession: {
    title: "Meter restarts at 0 with each session",
    about:
      "The register at the end is taken as the session's energy, whatever register the start reports. This affects billing.",
    useWhen: "Start reports the lifetime register, while meter values and stop count from 0.",
    ...yes
  }
}

export const toleranceKinds: ReadonlyArray<ToleranceKind> = (Object.keys(kinds) as Array<keyof Tolerances>).map(
  (name) => ({ name, ...kinds[name] })
)
