/** The port `Access` over SQL: joins organisations, keys and the noting of their use. */
import { Effect, Layer } from "effect"
import { Access } from "../../domain/operator/Access.ts"
import { createKey, findKey, findV1, listKeys, revokeKey } from "./ApiKeys.ts"
import { recording, type RecordingServices } from "../kernel/Facts.ts"
import { keyUse } from "./KeyUse.ts"
import { operators, restore } from "./KeyRecovery.ts"
import { createOrganisation, isEmpty, organisation, organisations, updateOrganisation } from "./Organisations.ts"

export const layer: Layer.Layer<Access, never, RecordingServices> = Layer.effect(
  Access,
  Effect.gen(function* () {
    const records = yield* recording
    const { sql } = records
    return Access.of({
      isEmpty: isEmpty(sql),
      createOrganisation: createOrganisation(records),
      organisation: organisation(sql),
      organisations: organisations(sql),
      operators: operators(sql),
      updateOrganisation: updateOrganisation(records),
      findKey: yield* findKey(sql),
      findV1: findV1(sql),
      used: yield* keyUse(sql, records.writable),
      createKey: createKey(records),
      listKeys: listKeys(sql),
      revokeKey: revokeKey(records),
      restore: restore(records)
    })
  })
)
