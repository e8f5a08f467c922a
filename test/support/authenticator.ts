/** A software authenticator that creates passkeys: an ES256 key, attestation "none" (WebAuthn level 3, §6.5 and §8.7). */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto"

/** CBOR (RFC 8949), as far as an attestation needs it. */
const cbor = (value: unknown): Buffer => {
  const head = (major: number, n: number): Buffer =>
    n < 24
      ? Buffer.from([(major << 5) | n])
      : n < 256
        ? Buffer.from([(major << 5) | 24, n])
        : Buffer.from([(major << 5) | 25, n >> 8, n & 255])
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  const entries = value instanceof Map ? [...value] : Object.entries(value as object)
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, one]) => [cbor(key), cbor(one)])])
}

const sha256 = (data: string | Uint8Array): Buffer => createHash("sha256").update(data).digest()
const url = (data: Uint8Array): string => Buffer.from(data).toString("base64url")

const flags = { present: 0x01, verified: 0x04, attested: 0x40 }

export class Authenticator {
  readonly id = randomBytes(32)
  private readonly keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }
  readonly origin: string
  counter = 0
  /** Whether it is unlocked by a fingerprint or PIN rather than only by a touch. */
  isVerifying = true

  constructor(origin: string) {
    this.origin = origin
    this.keys = generateKeyPairSync("ec", { namedCurve: "P-256" })
  }

  private get coseKey(): Buffer {
    const { x, y } = this.keys.publicKey.export({ format: "jwk" })
    const bytes = (text: string | undefined) => Buffer.from(text ?? "", "base64url")
    return cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytes(x)],
        [-3, bytes(y)]
      ])
    )
  }

  private data(rpId: string, more: number): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    return Buffer.concat([
      sha256(rpId),
      Buffer.from([flags.present | (this.isVerifying ? flags.verified : 0) | more]),
      counter
    ])
  }

  private client(type: string, challenge: string): string {
    return JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false })
  }

  /** The result of `navigator.credentials.create`. */
  create({ challenge, rp }: { readonly challenge: string; readonly rp: { readonly id: string } }) {
    const length = Buffer.from([this.id.length >> 8, this.id.length & 255])
    const authData = Buffer.concat([this.data(rp.id, flags.attested), Buffer.alloc(16), length, this.id, this.coseKey])
    return {
      id: url(this.id),
      response: {
        clientDataJSON: url(Buffer.from(this.client("webauthn.create", challenge))),
        attestationObject: url(cbor({ fmt: "none", attStmt: {}, authData })),
        transports: ["internal"]
      }
    }
  }

  /** The result of `navigator.credentials.get`. */
  get({ challenge, rpId }: { readonly challenge: string; readonly rpId: string }) {
    this.counter++
    const client = Buffer.from(this.client("webauthn.get", challenge))
    const authenticatorData = this.data(rpId, 0)
    const signature = createSign("sha256")
      .update(Buffer.concat([authenticatorData, sha256(client)]))
      .sign(this.keys.privateKey)
    return {
      id: url(this.id),
      response: {
        clientDataJSON: url(client),
        authenticatorData: url(authenticatorData),
        signature: url(signature)
      }
    }
  }
}
