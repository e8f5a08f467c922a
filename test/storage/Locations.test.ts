/** Locations fulfil their contract on both databases. */
import { locationsContract } from "../contracts/LocationsContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("Locations", repositories, locationsContract)
