/**
 * Reads the charger id from a websocket URL. Chargers add slashes anywhere, encode characters needlessly and append
 * queries; all of that is accepted, and nothing else. The id is the one segment after `/ocpp` or `/ocpp16` (OCPP 1.6J
 * §3.1.1).
 */
import { isChargerId } from "../../domain/values/ChargerId.ts"

export interface ChargerPath {
  readonly chargerId: string
  /** `/ocpp16/`: OCPP 1.6 only, and also without `Sec-WebSocket-Protocol`. */
  readonly only16: boolean
}

/** Some clients send the absolute form of the request target (RFC 9112 §3.2.2). */
const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i

const decoded = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

const segmentsOf = (target: string): ReadonlyArray<string> => {
  const path = (target.startsWith("/") ? target : target.replace(origin, "")).split(/[?#]/, 1)[0] ?? ""
  return path.split("/").filter((segment) => segment !== "")
}

const isBase = (segment: string | undefined): boolean => segment === "ocpp" || segment === "ocpp16"

const idIn = (segment: string): string | undefined => {
  const chargerId = decoded(segment)
  return chargerId !== undefined && isChargerId(chargerId) ? chargerId : undefined
}

/**
 * The id that a path contains twice (`/ocpp/CP-7/CP-7`): the charger appends its id to the URL that it was given, and
 * an installer had written it there already. Undefined for any other path.
 */
export const repeatedIdIn = (target: string): string | undefined => {
  const [base, first = "", second, ...more] = segmentsOf(target)
  return isBase(base) && first === second && more.length === 0 ? idIn(first) : undefined
}

/**
 * The charger that `target` (a request target: path and query) names. Undefined if it is not a charger's path, is
 * encoded wrongly, or has an id that no charger can have.
 */
export const parseChargerPath = (target: string): ChargerPath | undefined => {
  const segments = segmentsOf(target)
  const [base, last] = segments
  if (segments.length !== 2 || last === undefined || !isBase(base)) return undefined
  const chargerId = idIn(last)
  return chargerId === undefined ? undefined : { chargerId, only16: base === "ocpp16" }
}
