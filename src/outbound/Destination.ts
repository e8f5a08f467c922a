/**
 * Which addresses our calls may go to. A partner chooses every address that it gives us (versions, endpoints,
 * `response_url`), and may name one that only we can reach (T16). The address is therefore checked as text, and checked
 * again as the IP address that its host name has at the moment of the call.
 */
import { BlockList, isIP, isIPv6 } from "node:net"

/** A URL that is not called, and why. */
export interface Forbidden {
  readonly _tag: "Forbidden"
  readonly why: string
}

export interface Allowed {
  readonly _tag: "Allowed"
  readonly url: URL
}

export interface DestinationOptions {
  /** Also allows plain http, loopback and private addresses: for tests and closed networks. */
  readonly allowPrivate: boolean
}

const forbidden = (why: string): Forbidden => ({ _tag: "Forbidden", why })

/** Networks that are not part of the public internet (IANA's special-purpose registries), and translators that lead into them. */
const closed = new BlockList()
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4]
] as const) {
  closed.addSubnet(network, bits, "ipv4")
}

/** Only global unicast addresses are called, without those that contain an IPv4 address or are for documentation. */
const open6 = new BlockList()
open6.addSubnet("2000::", 3, "ipv6")
const closed6 = new BlockList()
for (const [network, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20]
] as const) {
  closed6.addSubnet(network, bits, "ipv6")
}

/** True for an address of the public internet. */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 0) return false
  if (!isIPv6(address)) return !closed.check(address, "ipv4")
  return open6.check(address, "ipv6") && !closed6.check(address, "ipv6")
}

/** Ports below 1024 that are called. Most others there speak other protocols, in which our requests could act as commands. */
const lowPorts: ReadonlySet<number> = new Set([80, 443])

/** Ports above 1023 that speak other protocols: databases, caches, brokers, orchestrators and their agents. */
const servicePorts: ReadonlySet<number> = new Set([
  1433, 1521, 2049, 2375, 2376, 2379, 2380, 3306, 4222, 4369, 5432, 5672, 5984, 6379, 6443, 8125, 8500, 9092, 9200,
  9300, 10250, 11211, 27017, 50070
])

/** The longest URL that is called. Those of OCPI have at most 255 characters, plus their queries. */
const urlMax = 2048

const isOpenPort = (port: number): boolean => lowPorts.has(port) || (port > 1023 && !servicePorts.has(port))

const portOf = (url: URL): number => (url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port))

/**
 * Host names that are never public, whatever they resolve to: those of one machine or network, those that a cluster
 * resolves to its own services (`db.default.svc`, `db.default.svc.cluster.local`), and those that IANA reserves.
 * `.example` is allowed for documents and tests.
 */
const localName = new RegExp(
  `(?:^|\\.)(?:${[
    "localhost|localdomain|local|internal|intranet|lan|home|home\\.arpa|corp|private",
    "svc|pod|cluster|consul",
    "alt|invalid|onion|test"
  ].join("|")})\\.?$`,
  "i"
)

/** Checks whether a URL may be called, as far as its text shows. */
export const destinationOf = (text: string, { allowPrivate }: DestinationOptions): Allowed | Forbidden => {
  if (text.length > urlMax) return forbidden(`the URL has more than ${urlMax} characters`)
  // Our URL parser drops these characters, and other parsers interpret such URLs differently.
  if (/[\s\p{Cc}\\]/u.test(text)) return forbidden("the URL contains spaces, control characters or backslashes")
  if (!URL.canParse(text)) return forbidden("this is not a URL")
  const url = new URL(text)
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:"))
    return forbidden("the URL must be https")
  if (url.username !== "" || url.password !== "") return forbidden("the URL must not contain a user or a password")
  if (allowPrivate) return { _tag: "Allowed", url }
  // The parser has normalised every form of an IP address (hex, octal, one number).
  const host = url.hostname.replace(/^\[|\]$/g, "")
  if (isIP(host) !== 0 && !isPublicAddress(host)) return forbidden(`${host} is not an address of the public internet`)
  if (isIP(host) === 0 && (localName.test(host) || !host.includes(".")))
    return forbidden(`${host} is not a public name`)
  if (!isOpenPort(portOf(url))) return forbidden(`port ${portOf(url)} is not allowed`)
  return { _tag: "Allowed", url }
}
