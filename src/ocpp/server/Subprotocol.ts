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

/** Names of one upgrade that are remembered; a charger that speaks every version there is offers six. */
const maxNames = 8

const ocppName = /^ocpp[0-9a-z._-]{0,28}$/i

/**
 * What a charger offers that could be meant for OCPP, in its own words. Anything else is left out: some clients carry a secret where the
 * subprotocol belongs.
 */
export const offeredOcpp = (header: string | undefined): ReadonlyArray<string> =>
  (header ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => ocppName.test(name))
    .slice(0, maxNames)

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
