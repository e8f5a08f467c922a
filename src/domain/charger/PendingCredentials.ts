/**
 * Passwords and security profiles that were sent to a charger by command (security whitepaper §2.3). Until it is known whether the charger
 * has stored one, the old and the new are both accepted, so that no change locks a charger out.
 */
import { type CommandEnd, wasHeldBack } from "../command/CommandEnd.ts"

/** What a command sends, of a ChangeConfiguration. */
export type SentCredentials =
  | { readonly _tag: "Password" }
  | { readonly _tag: "SecurityProfile"; readonly profile: 1 | 2 | 3 }

/** Undefined for a key that is no credential, and a value that no charger takes. `isPassword` where the command has a password's verifier. */
export const sentCredentials = (command: {
  readonly isPassword: boolean
  readonly key: string | undefined
  readonly value: string | undefined
}): SentCredentials | undefined => {
  if (command.isPassword) return { _tag: "Password" }
  if (command.key?.trim().toLowerCase() !== "securityprofile") return undefined
  switch (command.value) {
    case "1":
      return { _tag: "SecurityProfile", profile: 1 }
    case "2":
      return { _tag: "SecurityProfile", profile: 2 }
    case "3":
      return { _tag: "SecurityProfile", profile: 3 }
    default:
      return undefined
  }
}

/**
 * What the end of the command says. `InForce`: the old password is no longer accepted (OCPP 2.0.1 A01.FR.03, which 1.6 has by the security
 * whitepaper). A profile is in force when the charger connects with it. `Refused`: the charger does not have it.
 */
export const credentialsAfter = (sent: SentCredentials, end: CommandEnd): "InForce" | "Refused" | "Unknown" => {
  if (end.status === "Accepted" && end.answer?.toLowerCase() === "accepted" && sent._tag === "Password")
    return "InForce"
  // A CALLERROR may come from a charger that failed after it had stored the value: only a rejection is a refusal.
  return end.status === "Rejected" || wasHeldBack(end.errorCode) ? "Refused" : "Unknown"
}

/** Credentials of which it is not known whether the charger has them. */
export interface PendingCredential {
  readonly commandId: string
  /** Order of issue. */
  readonly turn: number
  readonly isPassword: boolean
  /** True of a password that is the one with which the charger has connected. */
  readonly isUsed: boolean
  readonly securityProfile: number | undefined
}

/** With what a charger has connected, as far as it was pending. */
export interface UsedCredentials {
  readonly hasPassword: boolean
  readonly securityProfile: number | undefined
}

export interface Settlement {
  /** The password used becomes the charger's. */
  readonly isNewPassword: boolean
  readonly securityProfile: number
  /** Commands whose credentials are pending no longer. */
  readonly dropped: ReadonlyArray<string>
  readonly isRecorded: boolean
}

/**
 * What a connection settles. A new password drops itself and those that were sent before it; using the old one proves nothing, since a new one
 * may take effect at a reboot. A profile drops those that are not above it.
 */
export const settlement = (
  { hasPassword, securityProfile }: UsedCredentials,
  current: number,
  pending: ReadonlyArray<PendingCredential>
): Settlement => {
  const used = pending.filter(({ isPassword, isUsed }) => isPassword && isUsed)
  const isNewPassword = hasPassword && used.length > 0
  const last = Math.max(...used.map(({ turn }) => turn))
  const isDropped = (one: PendingCredential): boolean =>
    (isNewPassword && one.isPassword && one.turn <= last) ||
    (securityProfile !== undefined && one.securityProfile !== undefined && one.securityProfile <= securityProfile)
  return {
    isNewPassword,
    securityProfile: Math.max(current, securityProfile ?? 0),
    dropped: pending.filter(isDropped).map(({ commandId }) => commandId),
    isRecorded: isNewPassword || securityProfile !== undefined
  }
}
