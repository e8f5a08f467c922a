/**
 * The real address of a charger, and whether its connection is encrypted: what the socket shows, unless the socket is
 * that of a proxy that the operator trusts. `X-Forwarded-…` headers from any other peer are ignored (CWE-348).
 */
import type { IncomingHttpHeaders } from "node:http"
import { isIP } from "node:net"

export interface Origin {
  readonly address: string
  /** The /24 or /64 that contains the address. Limits are counted per network, since one attacker easily has a whole network. */
  readonly network: string
  readonly secure: boolean
}

/** Converts `::ffff:192.0.2.1`, as a dual-stack listener writes an IPv4 address, to 192.0.2.1. */
const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "")

const network6 = (address: string): string => {
  const [head = "", tail] = address.split("%", 1)[0]!.split("::", 2)
  const before = head === "" ? [] : head.split(":")
  const after = tail === undefined || tail === "" ? [] : tail.split(":")
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array.from({ length: zeros }, () => "0"), ...after]
  return `${groups
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ""))
    .join(":")}::/64`
}

/** The /24 of an IPv4 address, the /64 of an IPv6 one. */
export const networkOf = (address: string): string =>
  address.includes(":") ? network6(address) : `${address.split(".").slice(0, 3).join(".")}.0/24`

const first = (header: string | ReadonlyArray<string> | undefined): string => {
  const text = typeof header === "string" ? header : (header?.[0] ?? "")
  return text.split(",", 1)[0]!.trim().toLowerCase()
}

/**
 * The last address in `X-Forwarded-For` that is not a trusted proxy's own; each proxy appends the address of its
 * caller. Values that are no addresses are skipped.
 */
const forwardedFor = (header: string | ReadonlyArray<string> | undefined, trusted: (address: string) => boolean) => {
  const hops = (typeof header === "string" ? header : (header ?? []).join(","))
    .split(",")
    .map((hop) => unmapped(hop.trim()))
    .filter((hop) => isIP(hop) !== 0)
  return hops.findLast((hop) => !trusted(hop)) ?? hops[0]
}

/**
 * `peer` is the socket's remote address, and `secure` is true if that socket is TLS. `trusted` is true for proxies
 * whose `X-Forwarded-For` and `X-Forwarded-Proto` (`https` or `wss`) count.
 */
export const originOf = (
  peer: string | undefined,
  secure: boolean,
  headers: IncomingHttpHeaders,
  trusted: (address: string) => boolean
): Origin => {
  const socketAddress = unmapped(peer ?? "")
  if (isIP(socketAddress) === 0 || !trusted(socketAddress))
    return { address: socketAddress, network: networkOf(socketAddress), secure }
  const proto = first(headers["x-forwarded-proto"])
  const address = forwardedFor(headers["x-forwarded-for"], trusted) ?? socketAddress
  return { address, network: networkOf(address), secure: secure || proto === "https" || proto === "wss" }
}
