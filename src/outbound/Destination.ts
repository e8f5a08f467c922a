/**
 * Where our calls may go. Every address that a partner gives us (versions, endpoints, `response_url`) is the partner's to choose and can name what
 * only we can reach (T16): it is looked at as text, and again as the address that its name has at the moment of the call.
 */
import { BlockList, isIP, isIPv6 } from "node:net"

/** A URL or an address that is not called, with what is wrong with it. */
export interface Forbidden {
  readonly _tag: "Forbidden"
  readonly why: string
}

export interface Allowed {
  readonly _tag: "Allowed"
  readonly url: URL
}

export interface DestinationOptions {
  /** Plain http, loopback and private addresses too: for tests and closed networks. */
  readonly allowPrivate: boolean
}

const forbidden = (why: string): Forbidden => ({ _tag: "Forbidden", why })

/** Networks that are not the public internet (IANA's special-purpose registries), and translators that lead into them. */
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

/** Global unicast alone is called, and of it not what carries an IPv4 address or is for documents. */
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

/** Ports on which platforms serve, beside those above 1023: most of those below speak other protocols, to which our words could be orders. */
const lowPorts: ReadonlySet<number> = new Set([80, 443])

/** Ports above 1023 that speak other protocols: databases, caches, brokers, orchestrators and their agents. */
const servicePorts: ReadonlySet<number> = new Set([
  1433, 1521, 2049, 2375, 2376, 2379, 2380, 3306, 4222, 4369, 5432, 5672, 5984, 6379, 6443, 8125, 8500, 9092, 9200,
  9300, 10250, 11211, 27017, 50070
])

/** Longest URL that is called; OCPI's have at most 255 characters, and queries come on top of them. */
const urlMax = 2048

const isOpenPort = (port: number): boolean => lowPorts.has(port) || (port > 1023 && !servicePorts.has(port))

const portOf = (url: URL): number => (url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port))

/**
 * Names that are never public, whatever they resolve to: those of one machine or network, those that a cluster answers for its own services
 * (`db.default.svc`, `db.default.svc.cluster.local`), and those that IANA keeps out of the public tree. `.example` is left for documents and tests.
 */
const localName = new RegExp(
  `(?:^|\\.)(?:${[
    "localhost|localdomain|local|internal|intranet|lan|home|home\\.arpa|corp|private",
    "svc|pod|cluster|consul",
    "alt|invalid|onion|test"
  ].join("|")})\\.?$`,
  "i"
)

/** Whether a URL may be called as far as its text shows. */
export const destinationOf = (text: string, { allowPrivate }: DestinationOptions): Allowed | Forbidden => {
  if (text.length > urlMax) return forbidden(`the URL has more than ${urlMax} characters`)
  // URL parsers drop these, and others read what they stand in differently.
  if (/[\s\p{Cc}\\]/u.test(text)) return forbidden("the URL has blanks, control characters or backslashes")
  if (!URL.canParse(text)) return forbidden("this is no URL")
  const url = new URL(text)
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:"))
    return forbidden("the URL must be https")
  if (url.username !== "" || url.password !== "") return forbidden("the URL must not carry a user or a password")
  if (allowPrivate) return { _tag: "Allowed", url }
  // The parser has written every form of an address (hex, octal, one number) as the plain one.
  const host = url.hostname.replace(/^\[|\]$/g, "")
  if (isIP(host) !== 0 && !isPublicAddress(host)) return forbidden(`${host} is no address of the public internet`)
  if (isIP(host) === 0 && (localName.test(host) || !host.includes("."))) return forbidden(`${host} is no public name`)
  if (!isOpenPort(portOf(url))) return forbidden(`port ${portOf(url)} is none that is called`)
  return { _tag: "Allowed", url }
}
