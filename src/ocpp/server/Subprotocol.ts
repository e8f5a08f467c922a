/**
 * Which OCPP version a connection speaks. It is settled by the subprotocol before the upgrade is answered and never changes; names that
 * are not exactly ours (`ocpp2.0.1.1`) mean nothing.
 */
import type { ProtocolVersion } from "../ProtocolVersion.ts"

export interface Agreed {
  readonly version: ProtocolVersion
  /** False when the charger named none: then the answer names none either (RFC 6455 §4.2.2). */
  readonly isNamed: boolean
}

/**
 * The first of `versions` (the server's preference) that the charger offers. `header` is `Sec-WebSocket-Protocol` as it came; `only16`
 * leaves OCPP 1.6 alone, and takes it for granted when nothing is offered. Undefined when there is no version in common.
 */
export const agree = (
  header: string | undefined,
  only16: boolean,
  versions: ReadonlyArray<ProtocolVersion>
): Agreed | undefined => {
  const offered = (header ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
  const eligible = only16 ? versions.filter(({ subprotocol }) => subprotocol === "ocpp1.6") : versions
  if (only16 && offered.length === 0) return eligible[0] && { version: eligible[0], isNamed: false }
  const version = eligible.find(({ subprotocol }) => offered.includes(subprotocol))
  return version && { version, isNamed: true }
}
