/** Access fulfils its contract on both databases. */
import { accessContract } from "../contracts/AccessContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("Access", repositories, accessContract)
