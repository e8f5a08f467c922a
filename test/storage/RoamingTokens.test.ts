/** Partners' tokens fulfil their contract on both databases. */
import { roamingTokensContract } from "../contracts/RoamingTokensContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("Roaming tokens", repositories, roamingTokensContract)
