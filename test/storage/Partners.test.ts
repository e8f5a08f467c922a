/** Partners and parties fulfil their contract on both databases. */
import { partnersContract } from "../contracts/PartnersContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("Partners", repositories, partnersContract)
