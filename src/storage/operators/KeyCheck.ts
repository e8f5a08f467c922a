/**
 * Checks that the secret key is the one with which this database was created. All hashes of keys and passwords depend on it, and so do
 * transaction ids. With another key no login would work and ids would repeat, so a start with a wrong key is refused.
 */
import { Data, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Secrets } from "../../domain/values/Secrets.ts"
import { guarded } from "../kernel/SqlErrors.ts"

/** The secret key does not match the database. */
export class WrongSecretKey extends Data.TaggedError("WrongSecretKey")<{ readonly message: string }> {}

const purpose = "secret-key-check"

const wrong = new WrongSecretKey({
  message:
    "is not the key that this database was created with; set that key again (if it was never set, it is in the file secret-key in the DATA_DIR of that time)"
})

/** At the first start, stores the verifier of a fixed text; at every other start, compares it. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets
    const ours = secrets.verifier(purpose, purpose)
    yield* guarded(sql`INSERT INTO service (name, value) VALUES (${purpose}, ${ours}) ON CONFLICT (name) DO NOTHING`)
    const [row] = yield* guarded(sql<{ value: Uint8Array }>`SELECT value FROM service WHERE name = ${purpose}`)
    if (row === undefined || !secrets.verify(purpose, purpose, row.value)) return yield* wrong
  })
)
