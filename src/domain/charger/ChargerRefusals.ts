/**
 * Reports refused connections of chargers to operators at once: unregistered ids, and registered chargers that fail authentication. Anyone can make
 * such attempts, so only a limited number of them is recorded.
 */
import { Context } from "effect"

/**
 * Why a connection was refused. `NoPasswordSet`: the charger's security profile needs a password, and none is registered. `OcppVersion`: the charger
 * offers no OCPP version that the service supports.
 */
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

/** One refused upgrade. It never contains a password or a header. */
export interface ChargerRefusal {
  /** An id that a charger can have (`isChargerId`). */
  readonly chargerId: string
  /** Undefined for an unregistered id, which belongs to no organisation. */
  readonly organisationId: string | undefined
  readonly reason: ChargerRefusalReason
  /** The network of the remote address, not the address itself. */
  readonly network: string
  /** ms epoch. */
  readonly at: number
}

export class ChargerRefusals extends Context.Service<
  ChargerRefusals,
  {
    /**
     * Notes a refusal without waiting. Quick repeats are counted and published with the next event. Refusals beyond a limit are only counted in a
     * metric.
     */
    readonly refused: (refusal: ChargerRefusal) => void
  }
>()("voltlane/ChargerRefusals") {}
