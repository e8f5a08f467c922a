/** Storage of wrong passwords and codes. Part of `Accounts`. The domain decides about delays; this keeps the counts and records the failures. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { FailuresRecord } from "../../domain/event/RecordFact.ts"
import type { Factor } from "../../domain/operator/Accounts.ts"
import { type CodeAttempt, decideCode } from "../../domain/operator/CodeFailures.ts"
import { textArray } from "../kernel/Arrays.ts"
import { factOf, type Recording } from "../kernel/Facts.ts"
import { Millis, rowsOf } from "../kernel/Rows.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { organisationsOf } from "./SignIns.ts"

const countRows = rowsOf(
  Schema.Struct({ place: Schema.String, failures: Schema.Int, at: Millis, network: Schema.String })
)

const countsOf = (sql: SqlClient.SqlClient, operatorId: string) =>
  countRows(sql`SELECT f.place, f.failures, f.at, f.network FROM code_failure f WHERE f.operator_id = ${operatorId}`)

export const codeFailures = (sql: SqlClient.SqlClient) =>
  Effect.fn("Accounts.codeFailures")((operatorId: string) => guarded(countsOf(sql, operatorId)))

/** A recovery code that the person has not. Codes of the app were checked before. */
const isUnknown = (sql: SqlClient.SqlClient, operatorId: string, factor: Factor | undefined) =>
  factor?._tag === "RecoveryCode"
    ? Effect.map(
        sql`SELECT 1 FROM recovery_code c WHERE c.operator_id = ${operatorId} AND c.hash = ${factor.hash}`,
        (rows) => rows.length === 0
      )
    : Effect.succeed(factor === undefined)

/** Records failures in the audit logs of all organisations of the person. */
const failureFacts = (
  { secrets, sql }: Pick<Recording, "secrets" | "sql">,
  type: "SignInsRefused" | "SecondFactorRefused",
  after: FailuresRecord,
  now: number
) =>
  Effect.map(organisationsOf(sql, after.operatorId), (organisations) =>
    organisations.map(({ id }) => {
      const audit = { by: { organisationId: id, actor: "platform" }, now }
      const fact = factOf(type, `operator:${after.operatorId}`, secrets.uuid(now), audit)
      return { ...fact, body: { by: "platform", after } }
    })
  )

export const tryCode = (recording: Recording) =>
  Effect.fn("Accounts.tryCode")(function* (
    { factor, ...given }: Omit<CodeAttempt, "proved"> & { readonly factor: Factor | undefined },
    now: number
  ) {
    const { journaled, sql } = recording
    const { network, operatorId } = given
    const decided = Effect.gen(function* () {
      const proved = (yield* isUnknown(sql, operatorId, factor)) ? undefined : factor?._tag
      return decideCode(yield* countsOf(sql, operatorId), { ...given, proved }, now)
    })
    // Most codes are right, and many guesses are delayed. Both are found without the journal's lock, if nothing is to be stored.
    const first = yield* guarded(decided)
    if (first.outcome._tag === "Delayed") return first.outcome
    if (first.stored === undefined && first.removed.length === 0) return first.outcome
    const write = Effect.gen(function* () {
      const { outcome, removed, stored } = yield* decided
      const facts =
        outcome._tag === "Wrong"
          ? yield* failureFacts(
              recording,
              "SecondFactorRefused",
              { operatorId, failures: outcome.failures, network },
              now
            )
          : []
      if (removed.length > 0) {
        yield* sql`DELETE FROM code_failure f WHERE f.operator_id = ${operatorId} AND f.place = ANY (${textArray(removed)})`
      }
      if (stored !== undefined) {
        yield* sql`
          INSERT INTO code_failure AS f (operator_id, place, failures, at, network)
          VALUES (${operatorId}, ${stored.place}, ${stored.failures}, ${new Date(stored.at)}, ${stored.network})
          ON CONFLICT (operator_id, place) DO UPDATE
          SET failures = excluded.failures, at = excluded.at, network = excluded.network`
      }
      return { result: outcome, facts }
    })
    return yield* journaled(write)
  })

/** Records wrong passwords. */
export const noteFailures = (recording: Recording) =>
  Effect.fn("Accounts.noteFailures")(function* (operatorId: string, failures: number, network: string, now: number) {
    const after = { operatorId, failures, network }
    const write = Effect.map(failureFacts(recording, "SignInsRefused", after, now), (facts) => ({
      result: undefined,
      facts
    }))
    yield* recording.journaled(write)
  })
