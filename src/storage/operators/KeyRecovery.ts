/** Recovery for an organisation that has lost its keys: makes a new full key and v1 pair, and revokes the others and open links. Part of `Access`. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import type { Operator } from "../../domain/operator/Operator.ts"
import type { NewKey, NewOrganisation } from "../../domain/operator/Access.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { memberColumns, members, withOperator } from "./Members.ts"
import { closeMadeByOthers } from "./LinkChecks.ts"
import { columns, insertKey, keyFact, keyRows } from "./ApiKeys.ts"
import { factOf, type Recording } from "../kernel/Facts.ts"
import { rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"

/** More operators than any organisation has that may have lost its keys. */
const operatorsMost = 500

const operatorsOf = (sql: SqlClient.SqlClient, own: Scoped) =>
  members(own`
    SELECT ${memberColumns(sql)} FROM membership m ${withOperator(sql)}
    WHERE ${own.rowsOf("m")} ORDER BY m.created_at, m.operator_id LIMIT ${operatorsMost}`)

export const operators = (sql: SqlClient.SqlClient) =>
  Effect.fn("Access.operators")((organisationId: string) => guarded(operatorsOf(sql, scopedTo(sql, organisationId))))

/** The owner of the new key: the organisation's first active operator. */
const firstActive = (all: ReadonlyArray<Operator>): Operator | undefined => all.find(({ active }) => active)

const clientIds = rowsOf(Schema.Struct({ clientId: Schema.String }))

const endKeys = ({ secrets, sql }: Recording, own: Scoped, kept: string, audit: AuditContext) =>
  Effect.map(
    keyRows(own`
      UPDATE api_key k SET revoked_at = ${new Date(audit.now)}
      WHERE ${own.rowsOf("k")} AND k.revoked_at IS NULL AND k.id <> ${kept} RETURNING ${columns(sql)}`),
    (keys) => keys.map((key) => keyFact("ApiKeyRevoked", key, secrets.uuid(audit.now), audit))
  )

const pairFact = <T extends "V1PairIssued" | "V1PairRevoked">(
  type: T,
  clientId: string,
  id: string,
  audit: AuditContext
) => ({
  ...factOf(type, `v1:${clientId}`, id, audit),
  body: { by: audit.by.actor, ...(type === "V1PairIssued" ? { after: { clientId } } : { before: { clientId } }) }
})

const endPairs = ({ secrets }: Recording, own: Scoped, kept: string, audit: AuditContext) =>
  Effect.map(
    clientIds(own`
      DELETE FROM v1_credential v WHERE ${own.rowsOf("v")} AND v.client_id <> ${kept}
      RETURNING v.client_id AS "clientId"`),
    (pairs) => pairs.map(({ clientId }) => pairFact("V1PairRevoked", clientId, secrets.uuid(audit.now), audit))
  )

export const restore = (recording: Recording) =>
  Effect.fn("Access.restore")(function* (
    given: {
      readonly key: Omit<NewKey, "operatorId" | "permissions">
      readonly v1: NewOrganisation["v1"]
      readonly revokeOthers: boolean
    },
    audit: AuditContext
  ) {
    const { journaled, secrets, sql } = recording
    yield* storable(given)
    const { clientId, codeVerifier } = given.v1
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const operator = firstActive(yield* operatorsOf(sql, own))
      const noOperator = new NotFound({ kind: "active operator of organisation", id: audit.by.organisationId })
      if (operator === undefined) return yield* noOperator
      const id = secrets.uuid(audit.now)
      const wanted = { ...given.key, id, operatorId: operator.id, permissions: undefined }
      const key = yield* insertKey(sql, own, wanted, new Date(audit.now))
      if (key === undefined) return yield* noOperator
      const made = yield* own`INSERT INTO v1_credential (client_id, organisation_id, verifier, created_at)
        VALUES (${clientId}, ${own.id}, ${codeVerifier}, ${new Date(audit.now)})
        ON CONFLICT (client_id) DO NOTHING RETURNING client_id`
      const message = "This client id belongs to another v1 pair. Choose another one."
      if (made.length === 0) return yield* new Conflict({ code: "client_id_in_use", message })
      const keys = given.revokeOthers ? yield* endKeys(recording, own, id, audit) : []
      const pairs = given.revokeOthers ? yield* endPairs(recording, own, clientId, audit) : []
      const links = given.revokeOthers ? yield* closeMadeByOthers(recording, own, audit) : []
      return {
        result: { key, revoked: { keys: keys.length, pairs: pairs.length, links: links.length } },
        facts: [
          keyFact("ApiKeyIssued", key, id, audit),
          pairFact("V1PairIssued", clientId, secrets.uuid(audit.now), audit),
          ...keys,
          ...pairs,
          ...links
        ]
      }
    })
    return yield* journaled(refusingValues(write))
  })
