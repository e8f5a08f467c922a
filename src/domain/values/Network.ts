/** IP networks in CIDR form (RFC 4632, RFC 4291): whether an address or a network is within another one. */

export interface Network {
  readonly bits: 32 | 128
  readonly base: bigint
  /** The number of leading bits that an address in the network shares with it. */
  readonly prefix: number
}

interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

const address4 = (text: string): Address | undefined => {
  const parts = text.split(".")
  const isWritten = parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)
  return isWritten ? { bits: 32, value: parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n) } : undefined
}

/** The last group may be an IPv4 address, as in `::ffff:192.0.2.1`. */
const groupsOf = (text: string): ReadonlyArray<string> | undefined => {
  if (text === "") return []
  const groups = text.split(":")
  const last = groups.at(-1) ?? ""
  if (!last.includes(".")) return groups
  const tail = address4(last)
  if (tail === undefined) return undefined
  return [...groups.slice(0, -1), (tail.value >> 16n).toString(16), (tail.value & 0xffffn).toString(16)]
}

const address6 = (text: string): Address | undefined => {
  const halves = text.split("::")
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map(groupsOf)
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined
  const missing = 8 - head.length - (tail?.length ?? 0)
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  const groups = [...head, ...Array.from({ length: missing }, () => "0"), ...(tail ?? [])]
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined
  return { bits: 128, value: groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n) }
}

/** An IPv4-mapped IPv6 address, as dual-stack listeners write it, is treated as that IPv4 address. */
const mapped = 0xffffn << 32n

const addressOf = (text: string): Address | undefined => {
  if (!text.includes(":")) return address4(text)
  const address = address6(text)
  if (address === undefined || address.value >> 32n !== mapped >> 32n) return address
  return { bits: 32, value: address.value & 0xffff_ffffn }
}

/** Parses a network or a single address. Undefined for other text, and if bits after the prefix are set, because that is a typing error. */
export const parseNetwork = (text: string): Network | undefined => {
  const [written = "", length, ...more] = text.split("/")
  const address = addressOf(written)
  if (address === undefined || more.length > 0) return undefined
  const { bits, value: base } = address
  if (length === undefined) return { bits, base, prefix: bits }
  if (!/^(?:0|[1-9]\d{0,2})$/.test(length) || Number(length) > bits) return undefined
  const prefix = Number(length)
  const isBase = (base & ((1n << BigInt(bits - prefix)) - 1n)) === 0n
  return isBase ? { bits, base, prefix } : undefined
}

const isIn = (outer: Network, { bits, base, prefix }: Network): boolean => {
  const shift = BigInt(outer.bits - outer.prefix)
  return bits === outer.bits && prefix >= outer.prefix && base >> shift === outer.base >> shift
}

/** Whether a network or an address is within one of these networks. False if it cannot be parsed. */
export const isWithin = (text: string, networks: ReadonlyArray<string>): boolean => {
  const one = parseNetwork(text)
  return one !== undefined && networks.map(parseNetwork).some((outer) => outer !== undefined && isIn(outer, one))
}
