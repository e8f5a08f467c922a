/**
 * Creates the values in PostgreSQL's files that must be unique to an installation, when a database is unpacked from an image. They are the
 * system identifier, which ties the log to its database, and the nonce with which the server answers logins of unknown users.
 */
import { randomBytes, randomInt } from "node:crypto"

/** The image's files have an unknown layout; the database must be built instead. */
export class UnknownLayout extends Error {}

/** `pg_control` of PostgreSQL 18: its version number, and the offsets of the version, the nonce and the checksum over everything before it. */
const controlVersion = 1800
const versionAt = 8
const nonceAt = 257
const nonceBytes = 32
const checksumAt = 292

/** The long header at the beginning of a segment of the log. */
const segmentFlagsAt = 2
const longHeader = 0x0002
const segmentIdentifierAt = 24

const castagnoli = Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0x82f63b78 : 0)
  return remainder
})

/** CRC-32C, PostgreSQL's checksum. */
const checksumOf = (bytes: Uint8Array): number => {
  let rest = 0xffffffff
  for (const byte of bytes) rest = (rest >>> 8) ^ castagnoli[(rest ^ byte) & 0xff]!
  return (rest ^ 0xffffffff) >>> 0
}

const ofControl = (file: Uint8Array, identifier: bigint): Uint8Array => {
  const bytes = new Uint8Array(file)
  const view = new DataView(bytes.buffer)
  if (bytes.length < checksumAt + 4 || view.getUint32(versionAt, true) !== controlVersion)
    throw new UnknownLayout("pg_control belongs to another version of PostgreSQL")
  if (view.getUint32(checksumAt, true) !== checksumOf(bytes.subarray(0, checksumAt)))
    throw new UnknownLayout("pg_control has a different checksum")
  view.setBigUint64(0, identifier, true)
  bytes.set(randomBytes(nonceBytes), nonceAt)
  view.setUint32(checksumAt, checksumOf(bytes.subarray(0, checksumAt)), true)
  return bytes
}

const ofSegment = (file: Uint8Array, identifier: bigint): Uint8Array => {
  if (file.length < segmentIdentifierAt + 8) throw new UnknownLayout("a segment of the log has no header")
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  if ((view.getUint16(segmentFlagsAt, true) & longHeader) === 0)
    throw new UnknownLayout("a segment of the log has another header")
  view.setBigUint64(segmentIdentifierAt, identifier, true)
  return file
}

/**
 * Returns a function that makes a new installation's version of a file of the image. Blocks of zeros may be missing at the file's end;
 * `path` is relative to the database's directory.
 */
export const newIdentity = (): ((path: string, file: Uint8Array) => Uint8Array) => {
  // In PostgreSQL's format: the time in seconds in the upper half, and in the lower half a number that distinguishes two of the same
  // second.
  const identifier = (BigInt(Math.floor(Date.now() / 1000)) << 32n) | BigInt(randomInt(2 ** 32))
  return (path, file) => {
    if (path === "global/pg_control") return ofControl(file, identifier)
    return /^pg_wal\/[\dA-F]{24}$/.test(path) ? ofSegment(file, identifier) : file
  }
}
