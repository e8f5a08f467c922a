/**
 * Passwords and security profiles that were sent to a charger by command (security whitepaper §2.3). Until it is known whether the charger has stored
 * a new one, both the old and the new are accepted, so that no change locks a charger out.
 */
import { type CommandEnd, wasHeldBack } from "../command/CommandEnd.ts"

/** The credentials that a ChangeConfiguration sends. */
export type SentCredentials =
  | { readonly _tag: "Password" }
  | { readonly _tag: "SecurityProfile"; readonly profile: 1 | 2 | 3 }

/** Undefined for a key that is not a credential, and for an invalid profile. `isPassword` is true if the command has a password verifier. */
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
 * The state of the credentials after the command's end. `InForce`: the old password is no longer accepted (OCPP 2.0.1 A01.FR.03; for 1.6 by the
 * security whitepaper). A profile is in force only once the charger connects with it. `Refused`: the charger does not have the new credentials.
 */
export const credentialsAfter = (sent: SentCredentials, end: CommandEnd): "InForce" | "Refused" | "Unknown" => {
  if (end.status === "Accepted" && end.answer?.toLowerCase() === "accepted" && sent._tag === "Password")
    return "InForce"
  // A CALLERROR may come from a charger that failed after it had stored the value: only a rejection is a refusal.
  return end.status === "Rejected" || wasHeldBack(end.errorCode) ? "Refused" : "Unknown"
}

/** Credentials that the charger may or may not have. */
export interface PendingCredential {
  readonly commandId: string
  /** The order in which the commands were issued. */
  readonly turn: number
  readonly isPassword: boolean
  /** True for the password with which the charger has connected. */
  readonly isUsed: boolean
  readonly securityProfile: number | undefined
}

/** The pending credentials that a charger used to connect. */
export interface UsedCredentials {
  readonly hasPassword: boolean
  readonly securityProfile: number | undefined
}

export interface Settlement {
  /** True if the password that was used becomes the charger's password. */
  readonly isNewPassword: boolean
  readonly securityProfile: number
  /** Commands whose credentials are no longer pending. */
  readonly dropped: ReadonlyArray<string>
  readonly isRecorded: boolean
}

/**
 * What a connection proves about pending credentials. If the charger used a new password, that password and those sent before it are no longer
 * pending. Using the old password proves nothing, since a new one may take effect at a reboot. If it used a profile, that profile and all lower ones
 * are no longer pending.
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
