/**
 * What may be asked of a charger's security by command: a higher profile, a new password. Pure; the issuer of the command asks first,
 * so that no command is sent whose success would lock the charger out.
 */
import { passwordKey } from "../command/Kinds.ts"
import type { ChargerCommand } from "../command/ChargerCommand.ts"

/** What the answer depends on. */
export interface SecurityState {
  readonly securityProfile: 0 | 1 | 2 | 3
  readonly hasPassword: boolean
  /** Passwords that were sent and of which it is not known whether the charger took them. */
  readonly unsettledPasswords: number
  /** Whether this service answers wss. */
  readonly tls: boolean
  /** Whether this service asks for client certificates (`TLS_CLIENT_CA_FILE`). */
  readonly clientCertificates: boolean
}

/** All of them must be taken until one is used, and each costs a check at every wrong guess. */
export const maxUnsettledPasswords = 4

const profileKey = "securityprofile"

const checkProfile = (current: SecurityState, value: string): string | undefined => {
  const wanted = value.trim()
  if (!/^[0-3]$/.test(wanted)) return "SecurityProfile is 1, 2 or 3."
  const profile = Number(wanted)
  if (profile <= current.securityProfile) {
    return `The charger is on security profile ${current.securityProfile}; a profile can only be raised by command.`
  }
  if (profile < 3 && !current.hasPassword) {
    return `Security profile ${profile} needs a password: change AuthorizationKey first, or set it with PATCH.`
  }
  if (profile >= 2 && !current.tls) {
    return `Security profile ${profile} needs TLS: set TLS_CERT_FILE and TLS_KEY_FILE, or the charger could not come back.`
  }
  if (profile === 3 && !current.clientCertificates) {
    return "Security profile 3 needs client certificates: set TLS_CLIENT_CA_FILE, or the charger could not come back."
  }
  return undefined
}

/** Why a command would lock the charger out or come to nothing, in a sentence that says what to do; undefined when it may be sent. */
export const checkRaise = (current: SecurityState, command: ChargerCommand): string | undefined => {
  if (command._tag !== "ChangeConfiguration") return undefined
  const key = command.key.trim().toLowerCase()
  if (key === profileKey) return checkProfile(current, command.value)
  if (key !== passwordKey || current.unsettledPasswords < maxUnsettledPasswords) return undefined
  return `Of ${current.unsettledPasswords} passwords it is not known whether the charger took them. Let it connect once, or set the one that it has with PATCH.`
}
