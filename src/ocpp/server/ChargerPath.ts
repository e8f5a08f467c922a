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

/**
 * The charger that `target` (a request target: path and query) names. Undefined if it is not a charger's path, is
 * encoded wrongly, or has an id that no charger can have.
 */
export const parseChargerPath = (target: string): ChargerPath | undefined => {
  const path = (target.startsWith("/") ? target : target.replace(origin, "")).split(/[?#]/, 1)[0] ?? ""
  const segments = path.split("/").filter((segment) => segment !== "")
  const [base, last] = segments
  if (segments.length !== 2 || last === undefined || (base !== "ocpp" && base !== "ocpp16")) return undefined
  const chargerId = decoded(last)
  if (chargerId === undefined || !isChargerId(chargerId)) return undefined
  return { chargerId, only16: base === "ocpp16" }
}
