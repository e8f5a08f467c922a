/** Location details for drivers fulfil their contract on both databases. */
import { locationDetailsContract } from "../contracts/LocationDetailsContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("Location details for drivers", repositories, locationDetailsContract)
