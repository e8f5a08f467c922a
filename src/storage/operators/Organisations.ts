/** Storage of organisations and their first operator. Part of `Access`. */
import { Effect, Equal, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { ChargerPolicy } from "../../domain/charger/ChargerState.ts"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import type { Organisation } from "../../domain/operator/Operator.ts"
import { ownerWith } from "../../domain/operator/Role.ts"
import type { NewOrganisation } from "../../domain/operator/Access.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import type { OrganisationRecord } from "../../domain/event/RecordFact.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { insertKey, keyFact } from "./ApiKeys.ts"
import { textArray } from "../kernel/Arrays.ts"
import { pagedList, UuidKey } from "../kernel/Cursor.ts"
import { factOf, type Recording } from "../kernel/Facts.ts"
import { Millis, rowOf, rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"

/** The author of the first organisation, which is made before there is any operator: the service itself. */
const platform = "platform"

const OrganisationRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  countryCode: Schema.String,
  partyId: Schema.String,
  timeZone: Schema.String,
  unknownTokens: Schema.Literals(["Refuse", "Accept"]),
  concurrentTransactions: Schema.Literals(["Refuse", "Allow"]),
  heartbeatIntervalSeconds: Schema.Int,
  localLists: Schema.Literals(["Manual", "Managed"]),
  closeSilentHours: Schema.Int,
  standbyPowerW: Schema.Int,
  requireSecondFactor: Schema.Boolean,
  createdAt: Millis
})

const organisationRow = rowOf(OrganisationRow)
const organisationRows = rowsOf(OrganisationRow)

const columns = (sql: SqlClient.SqlClient) => sql`
  o.id, o.name, o.country_code AS "countryCode", o.party_id AS "partyId",
  o.time_zone AS "timeZone", o.unknown_tokens AS "unknownTokens", o.concurrent_transactions AS "concurrentTransactions",
  o.heartbeat_interval_s AS "heartbeatIntervalSeconds", o.local_lists AS "localLists", o.close_silent_hours AS "closeSilentHours",
  o.standby_power_w AS "standbyPowerW", o.require_second_factor AS "requireSecondFactor", o.created_at AS "createdAt"`

const toOrganisation = ({
  concurrentTransactions,
  heartbeatIntervalSeconds,
  localLists,
  unknownTokens,
  ...rest
}: typeof OrganisationRow.Type) =>
  ({
    ...rest,
    policy: { unknownTokens, concurrentTransactions, heartbeatIntervalSeconds, localLists }
  }) satisfies Organisation

const find = (sql: SqlClient.SqlClient, own: Scoped, id: string) =>
  Effect.gen(function* () {
    const row = isUuid(id)
      ? yield* organisationRow(own`SELECT ${columns(sql)} FROM organisation o WHERE ${own.itself("o")}`)
      : undefined
    if (row === undefined) return yield* new NotFound({ kind: "organisation", id })
    return toOrganisation(row)
  })

const recordOf = ({
  closeSilentHours,
  countryCode,
  name,
  partyId,
  policy,
  requireSecondFactor,
  standbyPowerW,
  timeZone
}: Organisation): OrganisationRecord => ({
  name,
  countryCode,
  partyId,
  timeZone,
  closeSilentHours,
  standbyPowerW,
  requireSecondFactor,
  policy
})

/** Fails with `Conflict` if an insert returned no row, since the record then exists already. */
const unique = <E>(insert: Effect.Effect<ReadonlyArray<object>, E>, code: string, message: string) =>
  Effect.flatMap(insert, (rows) => (rows.length === 0 ? Effect.fail(new Conflict({ code, message })) : Effect.void))

const operatorExists = new Conflict({
  code: "operator_exists",
  message: "An operator with this email address already exists."
})

const insertParts = (
  sql: SqlClient.SqlClient,
  own: Scoped,
  { keyId, operatorId }: { readonly keyId: string; readonly operatorId: string },
  input: NewOrganisation,
  now: Date
) =>
  Effect.gen(function* () {
    yield* unique(
      own`INSERT INTO organisation (id, name, country_code, party_id, created_at)
        VALUES (${own.id}, ${input.name}, ${input.countryCode}, ${input.partyId}, ${now})
        ON CONFLICT (country_code, party_id) DO NOTHING RETURNING id`,
      "party_exists",
      "An organisation with this country code and party id already exists."
    )
    // The database creates the party with the organisation, unless the party belongs to another organisation already.
    yield* unique(
      own`SELECT 1 FROM party p WHERE ${own.rowsOf("p")} AND p.is_default`,
      "party_exists",
      "A party with this country code and party id already exists."
    )
    if (input.operatorMustBeNew === true) {
      const known = yield* sql`SELECT 1 FROM operator p WHERE lower(p.email) = lower(${input.operatorEmail}) LIMIT 1`
      if (known.length > 0) return yield* operatorExists
    }
    yield* sql`INSERT INTO operator (id, email, password_hash, created_at)
      VALUES (${operatorId}, ${input.operatorEmail}, ${input.operatorPasswordHash}, ${now})`
    const { additions, removals, role } = ownerWith(input.operatorPermissions)
    yield* own`INSERT INTO membership (organisation_id, operator_id, role, additions, removals, created_at)
      VALUES (${own.id}, ${operatorId}, ${role}, ${textArray(additions)}, ${textArray(removals)}, ${now})`
    yield* unique(
      own`INSERT INTO v1_credential (client_id, organisation_id, verifier, created_at)
        VALUES (${input.v1.clientId}, ${own.id}, ${input.v1.codeVerifier}, ${now})
        ON CONFLICT (client_id) DO NOTHING RETURNING client_id`,
      "client_id_in_use",
      "This client id belongs to another v1 pair. Choose another one."
    )
    return yield* insertKey(sql, own, { ...input.key, id: keyId, operatorId }, now)
  })

export const createOrganisation = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Access.createOrganisation")(function* (input: NewOrganisation, now: number) {
    yield* storable(input)
    const id = secrets.uuid(now)
    const operatorId = secrets.uuid(now)
    const own = scopedTo(sql, id)
    const audit = { by: { organisationId: id, actor: platform }, now }
    const write = Effect.gen(function* () {
      const key = yield* insertParts(sql, own, { keyId: secrets.uuid(now), operatorId }, input, new Date(now))
      if (key === undefined) return yield* Effect.die("the new operator was not found")
      const organisation = yield* Effect.orDie(find(sql, own, id))
      const fact = factOf("OrganisationCreated", `organisation:${id}`, id, audit)
      return {
        result: { organisation, operatorId },
        facts: [
          { ...fact, body: { by: platform, after: recordOf(organisation) } },
          keyFact("ApiKeyIssued", key, key.id, audit)
        ]
      }
    })
    return yield* journaled(refusingValues(write))
  })

export interface OrganisationPatch {
  readonly name?: string
  readonly timeZone?: string
  readonly closeSilentHours?: number
  readonly standbyPowerW?: number
  readonly requireSecondFactor?: boolean
  readonly policy?: Partial<ChargerPolicy>
}

export const updateOrganisation = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Access.updateOrganisation")(function* (patch: OrganisationPatch, audit: AuditContext) {
    yield* storable(patch)
    const id = audit.by.organisationId
    const own = scopedTo(sql, id)
    const write = Effect.gen(function* () {
      const before = yield* find(sql, own, id)
      const { closeSilentHours = before.closeSilentHours, name = before.name, policy: given } = patch
      const { standbyPowerW = before.standbyPowerW, timeZone = before.timeZone } = patch
      const { requireSecondFactor = before.requireSecondFactor } = patch
      const policy = {
        unknownTokens: given?.unknownTokens ?? before.policy.unknownTokens,
        concurrentTransactions: given?.concurrentTransactions ?? before.policy.concurrentTransactions,
        heartbeatIntervalSeconds: given?.heartbeatIntervalSeconds ?? before.policy.heartbeatIntervalSeconds,
        localLists: given?.localLists ?? before.policy.localLists
      } satisfies ChargerPolicy
      const after = { ...before, name, timeZone, closeSilentHours, standbyPowerW, requireSecondFactor, policy }
      if (Equal.equals(before, after)) return { result: before, facts: [] }
      yield* own`
        UPDATE organisation o SET name = ${name}, time_zone = ${timeZone}, unknown_tokens = ${policy.unknownTokens},
          concurrent_transactions = ${policy.concurrentTransactions}, heartbeat_interval_s = ${policy.heartbeatIntervalSeconds},
          local_lists = ${policy.localLists}, close_silent_hours = ${closeSilentHours}, standby_power_w = ${standbyPowerW},
          require_second_factor = ${requireSecondFactor}
        WHERE ${own.itself("o")}`
      const fact = factOf("OrganisationChanged", `organisation:${id}`, secrets.uuid(audit.now), audit)
      return {
        result: after,
        facts: [{ ...fact, body: { by: audit.by.actor, before: recordOf(before), after: recordOf(after) } }]
      }
    })
    return yield* journaled(refusingValues(write))
  })

export const organisation = (sql: SqlClient.SqlClient) =>
  Effect.fn("Access.organisation")((id: string) => guarded(find(sql, scopedTo(sql, id), id)))

const pages = pagedList("organisations", UuidKey, (row: typeof OrganisationRow.Type) => row.id)

/** All organisations, for the platform's own operator. */
export const organisations = (sql: SqlClient.SqlClient) =>
  Effect.fn("Access.organisations")(function* (request: PageRequest) {
    const after = yield* pages.after(request)
    const rows = yield* guarded(
      organisationRows(sql`
        SELECT ${columns(sql)} FROM organisation o ${after === undefined ? sql`` : sql`WHERE o.id > ${after}`}
        ORDER BY o.id LIMIT ${pages.rows(request)}`)
    )
    return pages.page(request, rows, toOrganisation)
  })

/** True while there is no organisation. */
export const isEmpty = (sql: SqlClient.SqlClient) =>
  Effect.map(guarded(sql`SELECT 1 FROM organisation LIMIT 1`), (rows) => rows.length === 0)
