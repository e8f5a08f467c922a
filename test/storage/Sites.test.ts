/** Sites fulfil their contract on both databases. */
import { sitesContract } from "../contracts/SitesContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("Sites", repositories, sitesContract)
