/**
 * All checks of an upgrade request before its charger is admitted, in this order: form, limits, identity, transport,
 * proof, OCPP version. Each failed check ends in a refusal that says what to do.
 */
import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import type { ChargerCredentials, ChargerDirectory, ConnectionOpening } from "../../domain/charger/ChargerDirectory.ts"
import type { ChargerRefusal, ChargerRefusalReason } from "../../domain/charger/ChargerRefusals.ts"
import type { UnknownChargerAttempt } from "../../domain/charger/UnknownChargerAttempts.ts"
import type { Secrets } from "../../domain/values/Secrets.ts"
import type { ProtocolVersion } from "../ProtocolVersion.ts"
import { parseChargerPath, repeatedIdIn } from "./ChargerPath.ts"
import { basicPassword, checkCertificate, checkPassword } from "./Credentials.ts"
import type { Handshake } from "./Handshake.ts"
import type { OcppLimits } from "./Limits.ts"
import { isAuthFailure, type Refusal, refusals } from "./Refusals.ts"
import type { Origin } from "./RemoteAddress.ts"
import { agree, offeredOcpp } from "./Subprotocol.ts"
import type { UpgradeGuard } from "./UpgradeGuard.ts"
import { type AllowedOrigins, isAllowedOrigin } from "./WebOrigin.ts"

export interface ProofParts {
  readonly directory: ChargerDirectory["Service"]
  readonly secrets: Secrets["Service"]
  readonly guard: UpgradeGuard
  readonly limits: OcppLimits
  readonly protocols: ReadonlyArray<ProtocolVersion>
  readonly minSecurityProfile: 0 | 1 | 2 | 3
  /** Serial numbers of revoked client certificates. */
  readonly revoked: ReadonlySet<string>
  readonly allowedOrigins: AllowedOrigins
  readonly now: () => number
  /** Seconds for `Retry-After`, jittered. */
  readonly retryAfter: () => number
  /** A charger sends its key in another notation than it is stored in; logged once per charger. */
  readonly respelled: (chargerId: string, spelling: string) => void
  /** A charger tried to connect under an unregistered id. */
  readonly attempted: (attempt: UnknownChargerAttempt) => void
  /** A charger was refused for a reason that its operators can correct. */
  readonly refused: (refusal: ChargerRefusal) => void
}

export interface Proven {
  readonly opening: ConnectionOpening
  readonly version: ProtocolVersion
  /** The value of `Sec-WebSocket-Protocol` in the answer; undefined for none. */
  readonly subprotocol: string | undefined
}

const websocketKey = /^[+/0-9A-Za-z]{22}==$/

/** Checks that the request is a websocket handshake (RFC 6455 §4.2.1) of a charger, before anything is looked up. */
const checkHandshake = (request: IncomingMessage, allowedOrigins: AllowedOrigins): Refusal | undefined => {
  const { headers, method } = request
  if (method !== "GET") return refusals.method
  if (headers.upgrade?.toLowerCase() !== "websocket")
    return refusals.handshake("Only websocket upgrades are accepted. Connect with a websocket client.")
  if (!websocketKey.test(headers["sec-websocket-key"] ?? "")) {
    return refusals.handshake("Sec-WebSocket-Key is missing or wrong.")
  }
  const version = headers["sec-websocket-version"]
  if (version !== "13" && version !== "8") return refusals.wsVersion
  return isAllowedOrigin(headers, allowedOrigins) ? undefined : refusals.origin
}

/** The highest profile that a charger could prove over this transport. */
const reachableProfile = (stored: 0 | 1 | 2 | 3, origin: Origin): 0 | 1 | 2 | 3 =>
  stored === 0 || stored === 3 ? stored : origin.secure ? 2 : 1

const checkProfile = (stored: 0 | 1 | 2 | 3, origin: Origin, minimum: number): Refusal | undefined => {
  if (stored >= 2 && !origin.secure) return refusals.needsTls(stored)
  return reachableProfile(stored, origin) < minimum ? refusals.belowMinimum(minimum) : undefined
}

/** How an identity was proved; with a verifier only if a password was checked. */
interface Identity {
  readonly passwordVerifier: Uint8Array | undefined
}

const isRefusal = (checked: Identity | Refusal): checked is Refusal => "status" in checked

const checkPasswordOf = (parts: ProofParts, handshake: Handshake, charger: ChargerCredentials): Identity | Refusal => {
  const { guard, now, respelled, secrets } = parts
  const { chargerId } = charger
  const verifiers = verifiersOf(charger)
  const password = basicPassword(handshake.request.headers.authorization, chargerId)
  if (password === undefined) return refusals.missingPassword
  if (password === "user" || verifiers.length === 0) return refusals.wrongPassword
  // Checked before anything is counted: guesses must not lock out the charger that knows the password. A check takes
  // some microseconds.
  for (const passwordVerifier of verifiers) {
    const spelling = checkPassword(password, (bytes) => secrets.verify("charger-password", bytes, passwordVerifier))
    if (spelling === undefined) continue
    if (spelling !== "as given") respelled(chargerId, spelling)
    return { passwordVerifier }
  }
  if (guard.guessedWrong(chargerId, now())) return refusals.wrongPassword
  return refusals.limited(guard.guessWaitSeconds(chargerId, now()))
}

const certificateLines = {
  none: "Security profile 3 needs a TLS client certificate: install one on the charger, and set TLS_CLIENT_CA_FILE here.",
  untrusted:
    "The client certificate has expired or was not issued by the CA in TLS_CLIENT_CA_FILE: install a new one on the charger.",
  revoked: "The client certificate has been revoked by its CA: install a new one on the charger.",
  "other name":
    "The client certificate's CN is neither this charger's id nor the serial number registered for it: install the charger's own certificate, or register the CN as registeredSerialNumber."
} as const

const anonymous: Identity = { passwordVerifier: undefined }

const checkIdentity = (
  parts: ProofParts,
  handshake: Handshake,
  charger: ChargerCredentials,
  checkedPassword: () => Identity | Refusal
): Identity | Refusal => {
  if (charger.securityProfile === 0) return anonymous
  if (charger.securityProfile < 3) return checkedPassword()
  const verdict = checkCertificate(handshake.socket, charger, parts.revoked)
  return verdict === "ok" ? anonymous : refusals.certificate(certificateLines[verdict])
}

/**
 * Checks a charger's identity at the highest pending profile, or otherwise at the one in force: the old profile is
 * accepted until the charger has connected with the new one.
 */
const identify = (parts: ProofParts, handshake: Handshake, charger: ChargerCredentials) => {
  // The same password is checked and counted once for all profiles.
  let password: Identity | Refusal | undefined
  const checkedPassword = (): Identity | Refusal => (password ??= checkPasswordOf(parts, handshake, charger))
  const raised = charger.pending
    .flatMap(({ securityProfile }) => securityProfile ?? [])
    .sort((one, other) => other - one)
  for (const securityProfile of raised) {
    if (checkProfile(securityProfile, handshake.origin, parts.minSecurityProfile) !== undefined) continue
    if (reachableProfile(securityProfile, handshake.origin) < securityProfile) continue
    const identity = checkIdentity(parts, handshake, { ...charger, securityProfile }, checkedPassword)
    if (!isRefusal(identity)) return { ...identity, securityProfile }
  }
  const refusal = checkProfile(charger.securityProfile, handshake.origin, parts.minSecurityProfile)
  const identity = refusal ?? checkIdentity(parts, handshake, charger, checkedPassword)
  return isRefusal(identity) ? identity : { ...identity, securityProfile: undefined }
}

/** An IPv6 address with its zone is shorter than this. */
const addressMaxLength = 64

/** What operators see of an upgrade for an unknown id. It contains no secret: the password is not included. */
const attemptOf = (
  { origin, request }: Pick<Handshake, "origin" | "request">,
  chargerId: string,
  at: number,
  advice?: string
): UnknownChargerAttempt => ({
  chargerId,
  remoteAddress: origin.address.slice(0, addressMaxLength),
  network: origin.network,
  subprotocols: offeredOcpp(request.headers["sec-websocket-protocol"]),
  ...(advice === undefined ? {} : { advice }),
  at
})

/** The refusal of a path that names no charger; an id that it names twice is noted for operators. */
const refusedPath = ({ attempted, now }: ProofParts, handshake: Handshake): Refusal => {
  const chargerId = repeatedIdIn(handshake.request.url ?? "")
  if (chargerId === undefined) return refusals.noPath
  attempted(attemptOf(handshake, chargerId, now(), refusals.idTwice.line))
  return refusals.idTwice
}

/**
 * Notes a plain HTTP request that was meant as an upgrade: without `Connection: Upgrade` it is none (RFC 9110 §7.8), and
 * the charger gets the answer of a page (`http/ops/ChargerAddress`).
 */
export const noteWithoutConnection = (
  { attempted, now }: Pick<ProofParts, "attempted" | "now">,
  request: IncomingMessage,
  origin: Origin
): void => {
  const chargerId = parseChargerPath(request.url ?? "")?.chargerId
  if (chargerId !== undefined) attempted(attemptOf({ origin, request }, chargerId, now(), connectionAdvice))
}

const connectionAdvice =
  "The charger or a proxy in front of this service leaves out the header Connection: Upgrade, so its request opens no websocket: update the charger's firmware, or have the proxy pass on both headers."

/** Looks up the registered charger `chargerId`. */
const lookUp = Effect.fnUntraced(function* (parts: ProofParts, handshake: Handshake, chargerId: string) {
  const { directory, guard, now } = parts
  const { network } = handshake.origin
  if (guard.isOverLimit(network, now()) && guard.isKnownMissing(chargerId, now())) {
    return yield* Effect.fail(refusals.unknown(chargerId))
  }
  const charger = yield* directory
    .credentials(chargerId)
    .pipe(Effect.mapError(() => refusals.storage(parts.retryAfter())))
  if (charger !== undefined) {
    guard.registered(chargerId)
    return charger
  }
  guard.unknown(chargerId, now())
  parts.attempted(attemptOf(handshake, chargerId, now()))
  parts.refused({ chargerId, organisationId: undefined, reason: "UnknownCharger", network, at: now() })
  return yield* Effect.fail(refusals.unknown(chargerId))
})

const verifiersOf = (charger: ChargerCredentials): ReadonlyArray<Uint8Array> =>
  [charger, ...charger.pending].flatMap(({ passwordVerifier }) => passwordVerifier ?? [])

/** The reason that operators see. The charger must not learn whether a password is set, nor whether it may guess again. */
const reasonOf = (refusal: Refusal, charger: ChargerCredentials): ChargerRefusalReason => {
  switch (refusal.reason) {
    case "profile":
    case "transport":
      return "SecurityProfile"
    case "certificate":
      return "Certificate"
    case "missing":
      return verifiersOf(charger).length === 0 ? "NoPasswordSet" : "PasswordMissing"
    default:
      return verifiersOf(charger).length === 0 ? "NoPasswordSet" : "WrongPassword"
  }
}

/** The refusal that is sent. A network that was refused too often must not learn any more which of its guesses is closer. */
const given = ({ guard, now, retryAfter }: ProofParts, { origin }: Handshake, refusal: Refusal): Refusal =>
  isAuthFailure(refusal) && guard.isOverLimit(origin.network, now()) ? refusals.limited(retryAfter()) : refusal

/** Checks a handshake: what it proves, or why it is refused. */
export const prove = (parts: ProofParts, handshake: Handshake): Effect.Effect<Proven, Refusal> =>
  Effect.mapError(proof(parts, handshake), (refusal) => given(parts, handshake, refusal))

const proof = Effect.fnUntraced(function* (parts: ProofParts, handshake: Handshake): Effect.fn.Return<Proven, Refusal> {
  const { guard, now, protocols } = parts
  const { origin, request } = handshake
  const path = parseChargerPath(request.url ?? "")
  if (path === undefined) return yield* Effect.fail(refusedPath(parts, handshake))
  const { chargerId, only16 } = path
  const badHandshake = checkHandshake(request, parts.allowedOrigins)
  if (badHandshake !== undefined) return yield* Effect.fail(badHandshake)

  const charger = yield* lookUp(parts, handshake, chargerId)
  const identity = identify(parts, handshake, charger)
  const refuse = (refusal: Refusal, reason: ChargerRefusalReason) => {
    const { organisationId } = charger
    parts.refused({ chargerId, organisationId, reason, network: origin.network, at: now() })
    return Effect.fail(refusal)
  }
  if ("status" in identity) return yield* refuse(identity, reasonOf(identity, charger))
  const { passwordVerifier, securityProfile } = identity
  const hasPendingPassword = charger.pending.some((one) => one.passwordVerifier !== undefined)
  const agreed = agree(request.headers["sec-websocket-protocol"], only16, protocols)
  if (agreed === undefined) {
    const names = protocols.map(({ subprotocol }) => subprotocol)
    return yield* refuse(refusals.subprotocol(only16 ? ["ocpp1.6"] : names), "OcppVersion")
  }
  if (!guard.proved(chargerId, now())) {
    return yield* Effect.fail(refusals.flapping(guard.reconnectWaitSeconds(chargerId, now())))
  }
  const { version } = agreed
  return {
    opening: {
      chargerId,
      organisationId: charger.organisationId,
      ocppVersion: version.version,
      securityProfile: reachableProfile(securityProfile ?? charger.securityProfile, origin),
      ...(securityProfile === undefined && !(hasPendingPassword && passwordVerifier !== undefined)
        ? {}
        : { settles: { passwordVerifier: hasPendingPassword ? passwordVerifier : undefined, securityProfile } }),
      remoteAddress: origin.address,
      at: now()
    },
    version,
    subprotocol: agreed.isNamed ? version.subprotocol : undefined
  }
})
