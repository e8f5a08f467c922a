/**
 * Checks the address of a host name at the moment of the connection attempt, and again the address of the open
 * connection, before anything is sent on it (T16).
 */
import type { LookupAddress } from "node:dns"
import { lookup } from "node:dns/promises"
import { isIP, type LookupFunction } from "node:net"
import { buildConnector } from "undici"
import { type DestinationOptions, isPublicAddress } from "./Destination.ts"

export interface GuardOptions extends DestinationOptions {
  /** How long a connection may take to be opened. */
  readonly timeoutMillis: number
  /** Resolves a name to all its addresses; default: the system's resolver. */
  readonly resolve?: ((hostname: string) => Promise<ReadonlyArray<LookupAddress>>) | undefined
}

/** A connection was refused because its address is not public. */
export class ClosedAddress extends Error {
  constructor(hostname: string) {
    super(`${hostname} has an address that is not of the public internet`)
  }
}

const resolveName = (hostname: string) => lookup(hostname, { all: true })

/** Resolves a name, and refuses it if any of its addresses is not public: which of them is used would be chance. */
const guardedLookup =
  ({ allowPrivate, resolve = resolveName }: GuardOptions): LookupFunction =>
  (hostname, options, callback) => {
    const taken = (addresses: ReadonlyArray<LookupAddress>): void => {
      const closed = allowPrivate ? undefined : addresses.find(({ address }) => !isPublicAddress(address))
      const [first] = addresses
      if (closed !== undefined) callback(new ClosedAddress(hostname), "")
      else if (first === undefined) callback(new Error(`${hostname} has no address`), "")
      else if (options.all === true) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    }
    resolve(hostname).then(taken, (error: Error) => callback(error, ""))
  }

/**
 * Opens connections to checked addresses. An IP address in a URL is never looked up, so the address of the open
 * connection is checked too.
 */
export const guardedConnector = (options: GuardOptions): buildConnector.connector => {
  const { allowPrivate, timeoutMillis } = options
  const connect = buildConnector({ lookup: guardedLookup(options), allowH2: false, timeout: timeoutMillis })
  return (target, callback) =>
    connect(target, (...made) => {
      const [error, socket] = made
      const address = socket?.remoteAddress ?? ""
      if (error !== null || allowPrivate || isIP(address) === 0 || isPublicAddress(address)) return callback(...made)
      socket.destroy()
      return callback(new ClosedAddress(target.hostname), null)
    })
}
