/** The credentials of a charger after a request: the rules that connect OCPP's security profiles and passwords. */
import { InvalidInput } from "../../../domain/Errors.ts"
import { newChargerPassword, passwordVerifier } from "../../../domain/operator/Keys.ts"
import type { Secrets } from "../../../domain/values/Secrets.ts"

type Profile = 0 | 1 | 2 | 3

interface Given {
  readonly securityProfile?: Profile
  readonly password?: string
  readonly generatePassword?: boolean
}

export interface Credentials {
  /** Undefined: unchanged. */
  readonly securityProfile: Profile | undefined
  /** Undefined: unchanged. */
  readonly passwordVerifier: Uint8Array | undefined
  /** A generated password, to be shown once; undefined if none was generated. */
  readonly generated: string | undefined
}

const password = (secrets: Secrets["Service"], given: Given): Pick<Credentials, "passwordVerifier" | "generated"> => {
  const generated = given.generatePassword === true ? newChargerPassword(secrets) : undefined
  const chosen = given.password ?? generated
  return { generated, passwordVerifier: chosen === undefined ? undefined : passwordVerifier(secrets, chosen) }
}

/**
 * Credentials of a new charger: by default profile 1 with a password and profile 0 without. The body's schema has already refused
 * contradictions.
 */
export const newCredentials = (
  secrets: Secrets["Service"],
  given: Given
): Credentials & { readonly securityProfile: Profile } => {
  const made = password(secrets, given)
  return { ...made, securityProfile: given.securityProfile ?? (made.passwordVerifier === undefined ? 0 : 1) }
}

/**
 * Credentials after a change of a charger whose current profile is `current`; `InvalidInput` if the charger would lack a password that it
 * needs.
 */
export const changedCredentials = (
  secrets: Secrets["Service"],
  given: Given,
  current: Profile
): Credentials | InvalidInput => {
  const made = password(secrets, given)
  const wanted = given.securityProfile
  const hasPassword = current === 1 || current === 2
  if (made.passwordVerifier === undefined) {
    return (wanted === 1 || wanted === 2) && !hasPassword
      ? new InvalidInput({
          pointer: "/securityProfile",
          detail: "Requires a password, or generatePassword: true, in the same request"
        })
      : { ...made, securityProfile: wanted }
  }
  if (wanted === undefined && current === 3) {
    return new InvalidInput({ pointer: "/securityProfile", detail: "Must be 1 or 2 if there is a password" })
  }
  return { ...made, securityProfile: wanted ?? (hasPassword ? undefined : 1) }
}
