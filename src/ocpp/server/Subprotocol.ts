/**
 * Negotiates the OCPP version of a connection. The subprotocol fixes it before the upgrade is answered, and it never
 * changes. Names that are not exactly ours (`ocpp2.0.1.1`) are ignored.
 */
import type { ProtocolVersion } from "../ProtocolVersion.ts"

export interface Agreed {
  readonly version: ProtocolVersion
  /** False if the charger named no subprotocol: then the answer names none either (RFC 6455 §4.2.2). */
  readonly isNamed: boolean
}

/** Names of one upgrade that are remembered. A charger that speaks every existing version offers six. */
const maxNames = 8

const ocppName = /^ocpp[0-9a-z._-]{0,28}$/i

/**
 * The names that a charger offers that could be meant for OCPP, as it wrote them. Others are left out: some clients put
 * a secret where the subprotocol belongs.
 */
export const offeredOcpp = (header: string | undefined): ReadonlyArray<string> =>
  (header ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => ocppName.test(name))
    .slice(0, maxNames)

/**
 * The first of `versions` (in the server's preference) that the charger offers. `header` is the raw
 * `Sec-WebSocket-Protocol`. `only16` allows only OCPP 1.6, and assumes it if nothing is offered. Undefined if there is
 * no version in common.
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
