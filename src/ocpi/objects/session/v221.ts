/** Sessions in OCPI 2.2.1 §9.3. */
import { driverV221 } from "../cdr/Parties.ts"
import { decodePreferences, sessionV22, type WireSessions } from "./Enums.ts"

export const sessionsV221: WireSessions = { encode: sessionV22(driverV221), decodePreferences }
