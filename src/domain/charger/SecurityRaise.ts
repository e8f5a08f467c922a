/**
 * Checks commands that change a charger's security: a higher security profile or a new password. It is called before such a command is issued, so
 * that no command is sent whose success would lock the charger out. It is pure.
 */
import { passwordKey } from "../command/Kinds.ts"
import type { ChargerCommand } from "../command/ChargerCommand.ts"

/** The state of the charger and of this service that the check depends on. */
export interface SecurityState {
  readonly securityProfile: 0 | 1 | 2 | 3
  readonly hasPassword: boolean
  /** The number of passwords that were sent and that the charger may or may not have accepted. */
  readonly unsettledPasswords: number
  /** Whether this service accepts wss connections. */
  readonly tls: boolean
  /** Whether this service requests client certificates (`TLS_CLIENT_CA_FILE`). */
  readonly clientCertificates: boolean
}

/** The maximum of such passwords. All are accepted until one is used, and every wrong guess is checked against each of them. */
export const maxUnsettledPasswords = 4

const profileKey = "securityprofile"

const checkProfile = (current: SecurityState, value: string): string | undefined => {
  const wanted = value.trim()
  if (!/^[0-3]$/.test(wanted)) return "SecurityProfile must be 1, 2 or 3."
  const profile = Number(wanted)
  if (profile <= current.securityProfile) {
    return `The charger has security profile ${current.securityProfile}; a command can only raise the profile.`
  }
  if (profile < 3 && !current.hasPassword) {
    return `Security profile ${profile} needs a password: change AuthorizationKey first, or set it with PATCH.`
  }
  if (profile >= 2 && !current.tls) {
    return `Security profile ${profile} needs TLS: set TLS_CERT_FILE and TLS_KEY_FILE, otherwise the charger could not reconnect.`
  }
  if (profile === 3 && !current.clientCertificates) {
    return "Security profile 3 needs client certificates: set TLS_CLIENT_CA_FILE, otherwise the charger could not reconnect."
  }
  return undefined
}

/** Why a command would lock the charger out or have no effect, as a sentence that says what to do; undefined if it may be sent. */
export const checkRaise = (current: SecurityState, command: ChargerCommand): string | undefined => {
  if (command._tag !== "ChangeConfiguration") return undefined
  const key = command.key.trim().toLowerCase()
  if (key === profileKey) return checkProfile(current, command.value)
  if (key !== passwordKey || current.unsettledPasswords < maxUnsettledPasswords) return undefined
  return `It is unknown which of ${current.unsettledPasswords} new passwords the charger accepted. Wait until it has connected once, or set its present password with PATCH.`
}
