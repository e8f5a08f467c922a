/** Tokens that we make for partners: their form, and what is stored of them. */
import { toBase62 } from "../values/KeyFormat.ts"
import type { Secrets } from "../values/Secrets.ts"

/** 32 random bytes as letters and digits, so that they are valid in a header even without Base64 (OCPI allows at most 64 characters). */
export const newPartnerToken = (secrets: Pick<Secrets["Service"], "randomBytes">): string =>
  toBase62(secrets.randomBytes(32), 43)

export const tokenVerifier = (secrets: Pick<Secrets["Service"], "verifier">, token: string): Uint8Array =>
  secrets.verifier("partner-token", token)
