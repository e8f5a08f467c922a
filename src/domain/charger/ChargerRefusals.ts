/**
 * Chargers that were refused when they asked to connect, as operators hear of it at once: an unregistered id, or a registered charger that does not
 * prove itself. Attempts are chosen by strangers, so that only a bounded number of them is recorded.
 */
import { Context } from "effect"

/** Why. `NoPasswordSet`: the charger's profile needs a password, and none is set here. `OcppVersion`: it offers none that is spoken here. */
export const chargerRefusalReasons = [
  "UnknownCharger",
  "PasswordMissing",
  "WrongPassword",
  "NoPasswordSet",
  "SecurityProfile",
  "Certificate",
  "OcppVersion"
] as const
export type ChargerRefusalReason = (typeof chargerRefusalReasons)[number]

/** One refused upgrade. No password and no header is ever a part of it. */
export interface ChargerRefusal {
  /** An id that a charger can have (`isChargerId`). */
  readonly chargerId: string
  /** Undefined for an unregistered id, which belongs to none. */
  readonly organisationId: string | undefined
  readonly reason: ChargerRefusalReason
  /** The network that it came from, not the address. */
  readonly network: string
  /** ms epoch. */
  readonly at: number
}

export class ChargerRefusals extends Context.Service<
  ChargerRefusals,
  {
    /** Takes note and never waits. What repeats soon is counted and published with the next; what there is no room for is counted and forgotten. */
    readonly refused: (refusal: ChargerRefusal) => void
  }
>()("voltlane/ChargerRefusals") {}
