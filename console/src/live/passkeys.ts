/**
 * The browser's part of passkeys (WebAuthn): passes the service's options to the device and the device's answer to the service, both in the service's
 * JSON form.
 */
import { call } from "../api/client.ts"
import type { Answer, Asked } from "../api/types.ts"

const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0))

const toText = (buffer: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "")

/** Passkeys exist only over TLS or on this machine. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential !== "undefined"

/** The person has closed the browser's dialog, or the device took too long. */
export const wasCancelled = (error: unknown): boolean =>
  error instanceof DOMException && (error.name === "NotAllowedError" || error.name === "AbortError")

/** Has the device create a passkey, and adds it to the account. */
export const addPasskey = async (name: string, password: string): Promise<void> => {
  const options = await call("passkeys.begin", { body: { password } })
  const { excludeCredentials, pubKeyCredParams, ...rest } = options
  const made = (await navigator.credentials.create({
    publicKey: {
      ...rest,
      challenge: toBytes(options.challenge),
      user: { ...options.user, id: toBytes(options.user.id) },
      pubKeyCredParams: [...pubKeyCredParams],
      excludeCredentials: excludeCredentials.map(({ id, type }) => ({ type, id: toBytes(id) }))
    }
  })) as PublicKeyCredential | null
  if (made === null) throw new DOMException("no passkey was made", "NotAllowedError")
  const { attestationObject, clientDataJSON, getTransports } = made.response as AuthenticatorAttestationResponse
  await call("passkeys.create", {
    params: { passkeyId: made.id },
    body: {
      name,
      response: {
        clientDataJSON: toText(clientDataJSON),
        attestationObject: toText(attestationObject),
        transports: getTransports.call(made.response)
      }
    }
  })
}

/** The answer of any passkey of this site to a challenge. */
export const passkeyAnswer = async (): Promise<Asked<"passkeys.signIn">["body"]["credential"]> => {
  const { challenge, rpId, timeout, userVerification } = await call("passkeys.challenge", {})
  const found = (await navigator.credentials.get({
    publicKey: { challenge: toBytes(challenge), rpId, timeout, userVerification }
  })) as PublicKeyCredential | null
  if (found === null) throw new DOMException("no passkey was chosen", "NotAllowedError")
  const { authenticatorData, clientDataJSON, signature } = found.response as AuthenticatorAssertionResponse
  return {
    id: found.id,
    response: {
      clientDataJSON: toText(clientDataJSON),
      authenticatorData: toText(authenticatorData),
      signature: toText(signature)
    }
  }
}

/** Requests any passkey of this site, and signs in by it. */
export const signInByPasskey = async (): Promise<Answer<"passkeys.signIn">> =>
  call("passkeys.signIn", { body: { credential: await passkeyAnswer() } })
