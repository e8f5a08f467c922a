/**
 * How much an organisation's keys and people may have stored in a day (UTC): by what they change, since the audit log keeps it for years, and by
 * the answers to their requests with an `Idempotency-Key`. An ordinary day needs a small part of it. One key or person may use three quarters, so
 * that the others can work while one is out of control.
 */
import { Cause, Context, Effect } from "effect"
import { TooMany } from "../Errors.ts"

export interface WriteBudget {
  readonly auditBytesPerDay: number
  readonly idempotencyBytesPerDay: number
}

const MiB = 1024 * 1024

/** Without a limit unless one is provided. */
export const WriteBudget = Context.Reference<WriteBudget>("voltlane/WriteBudget", {
  defaultValue: () => ({ auditBytesPerDay: Infinity, idempotencyBytesPerDay: Infinity })
})

/** What a fact, a command and the like need in addition to their texts: rows and indexes. Measured. */
export const rowBytes = 1024

const dayMillis = 86_400_000

/** What is stored counts against the budget of its author's organisation only if the author is a key or a person. */
export const isBudgeted = (actor: string): boolean => /^(key|operator|v1):/.test(actor)

/** The share of one key or person. */
export const shareOf = (bytesPerDay: number): number => Math.floor(bytesPerDay * 0.75)

/** What was used on a day. */
export interface Used {
  /** By all of the organisation. */
  readonly all: number
  /** By the author alone. */
  readonly own: number
}

/**
 * Facts that are stored even beyond the budget, although they are counted: they end an attack, or let people in and out. What the service bills
 * by itself has no author with a budget.
 */
const urgent: ReadonlySet<string> = new Set([
  "ApiKeyRevoked",
  "V1PairRevoked",
  "LinkRevoked",
  "RoleRemoved",
  "SignedIn",
  "SignInRenewed",
  "SignInEnded",
  "SignInsRefused",
  "SingleSignOnRemoved",
  "SingleSignOnRefused",
  "IdentityLinked",
  "PasskeyRemoved",
  "PasswordChanged",
  "SecondFactorSet",
  "RecoveryCodesReplaced",
  "WebhookRemoved",
  "PartnerRemoved",
  "PartnerUnregistered"
])

const isDisabled = (body: object): boolean =>
  "after" in body && typeof body.after === "object" && body.after !== null && "active" in body.after
    ? body.after.active === false
    : false

export const isUrgent = ({ body, type }: { readonly type: string; readonly body: object }): boolean =>
  urgent.has(type) || (/^(Operator|Webhook)Changed$/.test(type) && isDisabled(body))

const secondsToMidnight = (now: number): number =>
  Math.ceil((dayMillis - (((now % dayMillis) + dayMillis) % dayMillis)) / 1000)

const megabytes = (bytes: number): string => `${Math.floor(bytes / MiB)} MiB`

/** The refusal if the use of a day, with the write in question, is beyond the budget; undefined if it is within. */
export const overBudget = (
  kind: "audit" | "idempotency",
  bytesPerDay: number,
  { all, own }: Used,
  now: number
): TooMany | undefined => {
  const share = shareOf(bytesPerDay)
  if (all <= bytesPerDay && own <= share) return undefined
  const setting = kind === "audit" ? "AUDIT_ORGANISATION_BYTES_PER_DAY" : "IDEMPOTENCY_ORGANISATION_BYTES_PER_DAY"
  const what =
    kind === "audit"
      ? "Changes and commands are stored in the audit log"
      : "Answers to requests with an Idempotency-Key are stored. Requests without this header are not affected"
  const whose =
    all > bytesPerDay
      ? `all keys and people of your organisation may use ${megabytes(bytesPerDay)} a day for them`
      : `one key or person may use ${megabytes(share)} a day for them`
  return new TooMany({
    code: kind === "audit" ? "audit_budget" : "idempotency_budget",
    message: `${what}: ${whose} (${setting}). There is room again at midnight (UTC).`,
    retryAfterSeconds: secondsToMidnight(now)
  })
}

/** The refusal that ended a write as a defect; undefined if it ended otherwise. */
export const refusalOf = (cause: Cause.Cause<unknown>): TooMany | undefined =>
  cause.reasons
    .filter(Cause.isDieReason)
    .map(({ defect }) => defect)
    .find((defect) => defect instanceof TooMany)

/** A write whose refusal is an ordinary error. */
export const refusable = <A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E | TooMany, R> =>
  Effect.catchCause(write, (cause): Effect.Effect<never, E | TooMany> => {
    const refusal = refusalOf(cause)
    return refusal === undefined ? Effect.failCause(cause) : Effect.fail(refusal)
  })
