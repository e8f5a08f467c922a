/** Sessions in OCPI 2.2 §9.3: the token without the party that owns it. */
import { driverV22 } from "../cdr/Parties.ts"
import { decodePreferences, sessionV22, type WireSessions } from "./Enums.ts"

export const sessionsV22: WireSessions = { encode: sessionV22(driverV22), decodePreferences }
