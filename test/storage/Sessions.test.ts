/** Sessions fulfil their contract on both databases. */
import { sessionsContract } from "../contracts/SessionsContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("Sessions", repositories, sessionsContract)
