/**
 * The TLS settings for chargers: the versions and cipher suites that the OCPP security whitepaper requires (1.6 edition
 * 3, TLS section; OCPP 2.x A00.FR.318). Client certificates are requested, but checked per charger, since profiles 1
 * and 2 have none.
 */
import type { SecureVersion } from "node:tls"
import { withoutRevocations } from "./Revocations.ts"

export interface TlsFiles {
  /** PEM: the server's certificate with its whole chain, since chargers seldom have intermediate certificates. */
  readonly cert: string
  /** PEM. */
  readonly key: string
  /** PEM: the CA that issues chargers' certificates; enables security profile 3. May contain revocation lists, see `Revocations`. */
  readonly clientCa?: string | undefined
}

export interface TlsOptions {
  readonly cert: string
  readonly key: string
  readonly minVersion: SecureVersion
  readonly ciphers: string
  readonly honorCipherOrder: boolean
  readonly handshakeTimeout: number
  readonly requestCert?: boolean
  readonly rejectUnauthorized?: boolean
  readonly ca?: string
}

/** TLS 1.3's suites, then forward-secret GCM suites for both kinds of server keys. None with the legacy RSA key exchange. */
const ciphers = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384"
].join(":")

/**
 * Options for `https.createServer`; the PEM texts are the files' contents. A client with no certificate or an invalid
 * one is still accepted by the HTTP server (`rejectUnauthorized: false`): only a charger of profile 3 is refused for
 * it. `handshakeMillis` as in `OcppLimits`.
 */
export const tlsOptions = (files: TlsFiles, handshakeMillis: number): TlsOptions => ({
  cert: files.cert,
  key: files.key,
  minVersion: "TLSv1.2",
  ciphers,
  honorCipherOrder: true,
  handshakeTimeout: handshakeMillis,
  ...(files.clientCa === undefined
    ? {}
    : { requestCert: true, rejectUnauthorized: false, ca: withoutRevocations(files.clientCa) })
})
