/**
 * Decides on messages that are only answered and stored in the charger's history: Authorize, DataTransfer, progress of firmware and uploads, security
 * events, certificate requests.
 */
import type {
  CertificateSigningRequested,
  ChargerDocumentChanged,
  DataTransferred,
  ProgressReported,
  SecurityEventRecorded,
  TokenAuthorized
} from "../charger/Fact.ts"
import { acknowledged, act, always, answer } from "./Acting.ts"
import { authorizing } from "./Authorize.ts"
import type {
  AuthorizationAsked,
  CertificateRequested,
  DataReceived,
  FrameFaultFound,
  SecurityEventReported
} from "../charger/ChargerEvent.ts"
import type { ChargerState } from "../charger/ChargerState.ts"
import { distinguishing, occurredAt } from "../charger/Clock.ts"
import type { Answers, Decision, Envelope } from "../charger/Decision.ts"
import type { MeterKey } from "../charger/MeterKeys.ts"
import { contentKey, occurrenceKey } from "../charger/Keys.ts"
import type { AuthorizationStatus } from "../token/Authorization.ts"
import { tokenKey } from "../token/Token.ts"
import { dayMillis } from "../values/Day.ts"
import { isSigningRequest } from "./SigningRequest.ts"
import { verdictOf } from "./Start.ts"

/** The fields that all these facts have; they happened `now`. */
const base = (state: ChargerState, key: string, now: number) => ({
  key,
  organisationId: state.organisationId,
  chargerId: state.chargerId,
  at: now,
  heardAt: now
})

const minuteMillis = 60_000

/** Every attempt of a refused card is answered, but the journal gets only one fact a minute for the same card and status. */
const authorizedKey = (
  state: ChargerState,
  tokenUid: string,
  status: AuthorizationStatus,
  envelope: Envelope,
  now: number
): string =>
  status === "Accepted"
    ? occurrenceKey("authorize", state, envelope.messageId, now)
    : contentKey("authorize-refused", state, `${Math.floor(now / minuteMillis)}|${status}|${tokenKey(tokenUid)}`)

export const authorizationAsked = (
  state: ChargerState,
  event: AuthorizationAsked,
  envelope: Envelope,
  answers: Answers,
  now: number
): Decision => {
  const { tokenUid } = event
  const decided = authorizing(state, answers, { _tag: "Asking", tokenUid, chargerId: state.chargerId }, now)
  if (decided._tag === "Ask") return decided
  const { authorization } = decided
  const fact: TokenAuthorized = {
    type: "TokenAuthorized",
    ...base(state, authorizedKey(state, tokenUid, authorization.status, envelope, now), now),
    body: { tokenUid, authorization }
  }
  return act([fact], always({ _tag: "AuthorizationAnswered", verdict: verdictOf(authorization) }))
}

/** Except for meters' keys no vendor extension is implemented. OCPP 1.6 §4.3 has the status UnknownVendorId for that. */
const vendorUnknown = always({ _tag: "DataAnswered", status: "UnknownVendorId" })
const dataAccepted = always({ _tag: "DataAnswered", status: "Accepted" })

/** A meter's key, recorded once a day: chargers send it with each boot. */
const keyLearned = (state: ChargerState, { evseId, publicKey }: MeterKey, now: number): ChargerDocumentChanged => ({
  type: "ChargerDocumentChanged",
  ...base(state, contentKey("meter-key", state, `${Math.floor(now / dayMillis)}|${evseId}|${publicKey}`), now),
  body: { kind: `meterKey:${evseId}`, document: { publicKey } }
})

export const dataReceived = (state: ChargerState, event: DataReceived, envelope: Envelope, now: number): Decision => {
  const { data, messageId, meterKeys = [], size, vendorId } = event
  const fact: DataTransferred = {
    type: "DataTransferred",
    ...base(state, occurrenceKey("data", state, envelope.messageId, now), now),
    body: { vendorId, messageId, data, ...(size === undefined ? {} : { size }) }
  }
  if (meterKeys.length === 0) return act([fact], vendorUnknown)
  return act([fact, ...meterKeys.map((key) => keyLearned(state, key, now))], dataAccepted)
}

/**
 * FirmwareStatusNotification, DiagnosticsStatusNotification, LogStatusNotification and SignedFirmwareStatusNotification. Some chargers repeat the last
 * one every few seconds: a report that says the same as the one before it is only acknowledged.
 */
export const progressReported = (
  state: ChargerState,
  kind: ProgressReported["body"]["kind"],
  status: string,
  requestId: number | undefined,
  envelope: Envelope,
  now: number
): Decision => {
  const last = state.progress?.[kind]
  if (last?.status === status && last.requestId === requestId) return answer(acknowledged)
  const fact: ProgressReported = {
    type: "ProgressReported",
    ...base(state, occurrenceKey("progress", state, envelope.messageId, now, kind), now),
    epoch: state.epoch,
    body: { kind, status, requestId }
  }
  return act([fact], acknowledged)
}

export const securityEventReported = (
  state: ChargerState,
  event: SecurityEventReported,
  envelope: Envelope,
  now: number
): Decision => {
  const { techInfo, time, type } = event
  const rawAt = distinguishing(time)
  const key =
    rawAt === undefined
      ? occurrenceKey("security", state, envelope.messageId, now, type)
      : contentKey("security", state, `${rawAt}|${type}|${techInfo ?? ""}`)
  const fact: SecurityEventRecorded = {
    type: "SecurityEventRecorded",
    ...base(state, key, now),
    at: occurredAt(time, now),
    body: { source: "charger", event: type, detail: techInfo }
  }
  return act([fact], acknowledged)
}

/** A fault of the charger's frames is recorded once a day: a charger that has it has it in many frames. */
export const frameFaultFound = (state: ChargerState, { detail, fault }: FrameFaultFound, now: number): Decision => {
  const fact: SecurityEventRecorded = {
    type: "SecurityEventRecorded",
    ...base(state, contentKey("frame-fault", state, `${Math.floor(now / dayMillis)}|${fault}`), now),
    body: { source: "service", event: fault, detail }
  }
  return act([fact], acknowledged)
}

/** How long an operator's request for a certificate is valid: chargers with a slow processor take minutes to generate a key. */
const wishValidMillis = 60 * 60 * 1000

/**
 * A signing request is rejected unless an operator has recently requested it. Accepted promises a CertificateSigned, which an operator must send, and
 * a charger that waits for it in vain repeats its request. The request is stored in both cases, so that operators can see it. Text that is not a
 * signing request is always rejected and not stored (whitepaper, SignCertificate.conf: Rejected means that the request could not be processed).
 */
const willBeSigned = always({ _tag: "CertificateAnswered", status: "Accepted" })
const unsignable = always({ _tag: "CertificateAnswered", status: "Rejected" })

export const certificateRequested = (state: ChargerState, event: CertificateRequested, now: number): Decision => {
  if (!isSigningRequest(event.csr)) return answer(unsignable)
  const fact: CertificateSigningRequested = {
    type: "CertificateSigningRequested",
    ...base(state, contentKey("csr", state, event.csr), now),
    body: { csr: event.csr }
  }
  const { certificateAskedAt } = state
  const isWished = certificateAskedAt !== undefined && now - certificateAskedAt < wishValidMillis
  return act([fact], isWished ? willBeSigned : unsignable)
}
