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

/**
 * `audit` and `idempotency` are common to an organisation. The others are each author's own, so that the use of one stops no other: `access`
 * for what ends an attack or lets people in and out, `partner` for what a roaming partner changes.
 */
export type BudgetKind = "audit" | "idempotency" | "access" | "partner"

export const isOwn = (kind: BudgetKind): boolean => kind === "access" || kind === "partner"

/** What is stored counts against the budget of its author's organisation only if the author is a key or a person. */
export const isBudgeted = (actor: string): boolean => /^(key|operator|v1):/.test(actor)

/** The budget that a fact counts against; undefined if its author has none. New tokens of partners are limited by their number instead. */
export const budgetOf = (
  fact: { readonly type: string; readonly body: object },
  actor: string
): Exclude<BudgetKind, "idempotency"> | undefined => {
  if (actor.startsWith("partner:")) return "before" in fact.body ? "partner" : undefined
  if (!isBudgeted(actor)) return undefined
  return isUrgent(fact) ? "access" : "audit"
}

/** The share of one key or person. */
export const shareOf = (bytesPerDay: number): number => Math.floor(bytesPerDay * 0.75)

/** What was used on a day. */
export interface Used {
  /** By all of the organisation. */
  readonly all: number
  /** By the author alone. */
  readonly own: number
}

/** Facts that are stored even if the common budget is used up: they end an attack, or let people in and out. */
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

const isActive = (record: unknown): boolean | undefined =>
  typeof record === "object" && record !== null && "active" in record ? record.active === true : undefined

/** True for a change that disables something, and changes nothing else. */
const isDisabled = (body: object): boolean => {
  if (!("before" in body) || !("after" in body)) return false
  const { after, before } = body
  if (isActive(before) !== true || isActive(after) !== false) return false
  return JSON.stringify({ ...(before as object), active: false }) === JSON.stringify(after)
}

export const isUrgent = ({ body, type }: { readonly type: string; readonly body: object }): boolean =>
  urgent.has(type) || (/^(Operator|Webhook)Changed$/.test(type) && isDisabled(body))

const secondsToMidnight = (now: number): number =>
  Math.ceil((dayMillis - (((now % dayMillis) + dayMillis) % dayMillis)) / 1000)

const megabytes = (bytes: number): string => `${Math.floor(bytes / MiB)} MiB`

/** The refusal if the use of a day, with the write in question, is beyond the budget; undefined if it is within. */
export const overBudget = (
  kind: BudgetKind,
  bytesPerDay: number,
  { all, own }: Used,
  now: number
): TooMany | undefined => {
  const share = shareOf(bytesPerDay)
  if (all <= bytesPerDay && own <= share) return undefined
  const isAudit = kind !== "idempotency"
  const setting = isAudit ? "AUDIT_ORGANISATION_BYTES_PER_DAY" : "IDEMPOTENCY_ORGANISATION_BYTES_PER_DAY"
  const what = isAudit
    ? "Changes and commands are stored in the audit log"
    : "Answers to requests with an Idempotency-Key are stored. Requests without this header are not affected"
  const whose =
    all > bytesPerDay
      ? `all keys and people of your organisation may use ${megabytes(bytesPerDay)} a day for them`
      : `one ${kind === "partner" ? "partner" : "key or person"} may use ${megabytes(share)} a day for them`
  return new TooMany({
    code: isAudit ? "audit_budget" : "idempotency_budget",
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
