/** Idempotency fulfils its contract on both databases. */
import { idempotencyContract } from "../contracts/IdempotencyContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("Idempotency", repositories, idempotencyContract)
