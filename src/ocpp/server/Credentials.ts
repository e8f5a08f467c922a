/**
 * How a charger proves its identity, by the OCPP security profiles (whitepaper "Improved security for OCPP 1.6-J",
 * edition 3): HTTP Basic for 1 and 2, a client certificate for 3. Everything here is pure and works on bytes.
 * `UpgradeGuard` limits how often a client may try.
 */
import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { serialOf } from "./Revocations.ts"

const scheme = /^\s*basic\s+([A-Za-z0-9+/=_-]+)\s*$/i

/**
 * The password in an `Authorization` header, as bytes: an AuthorizationKey may be any 16 to 20 bytes. The user name
 * must be the charger's id. It is matched as the prefix `{chargerId}:`, since an id may itself contain colons.
 * Undefined if there is no such header, `"user"` if the user name is another one.
 */
export const basicPassword = (header: string | undefined, chargerId: string): Buffer | "user" | undefined => {
  const encoded = scheme.exec(header ?? "")?.[1]
  if (encoded === undefined) return undefined
  const bytes = Buffer.from(encoded, "base64")
  const prefix = Buffer.from(`${chargerId}:`, "utf8")
  return bytes.subarray(0, prefix.length).equals(prefix) ? bytes.subarray(prefix.length) : "user"
}

const hexDigits = /^[0-9A-Fa-f]{32,40}$/

/** The notation of the key in which it matched. */
export type Spelling = "as given" | "bytes for hex" | "hex in the other case"

/**
 * Checks whether `password` is the stored one. An AuthorizationKey of 16 to 20 bytes is stored as the 32 to 40 hex
 * digits with which it is configured. By the specification chargers send its bytes, but some send the digits, in upper
 * or lower case. `verify` takes constant time.
 */
export const checkPassword = (password: Buffer, verify: (candidate: Uint8Array) => boolean): Spelling | undefined => {
  if (verify(password)) return "as given"
  const either = (digits: string): boolean =>
    verify(Buffer.from(digits.toLowerCase())) || verify(Buffer.from(digits.toUpperCase()))
  if (password.length >= 16 && password.length <= 20) {
    return either(password.toString("hex")) ? "bytes for hex" : undefined
  }
  const text = password.toString("latin1")
  return hexDigits.test(text) && either(text) ? "hex in the other case" : undefined
}

const isTls = (socket: Socket): socket is TLSSocket => "getPeerCertificate" in socket

/**
 * Checks whether the TLS client certificate is this charger's: issued by the CA of `TLS_CLIENT_CA_FILE` and valid
 * today. Its CN must be the charger's id or the serial number that its operator registered, never one that the charger
 * reports itself: otherwise any certificate of the CA could connect as any charger. `revoked` has the serial numbers of
 * revoked certificates.
 */
export const checkCertificate = (
  socket: Socket,
  charger: { readonly chargerId: string; readonly registeredSerialNumber: string | undefined },
  revoked: ReadonlySet<string>
): "ok" | "none" | "untrusted" | "revoked" | "other name" => {
  if (!isTls(socket)) return "none"
  const certificate = socket.getPeerCertificate()
  const name: unknown = certificate?.subject?.CN
  if (name === undefined) return "none"
  if (!socket.authorized) return "untrusted"
  if (revoked.has(serialOf(certificate.serialNumber))) return "revoked"
  if (typeof name !== "string" || name === "") return "other name"
  return name === charger.chargerId || name === charger.registeredSerialNumber ? "ok" : "other name"
}
