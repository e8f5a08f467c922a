/** Tariffs fulfil their contract on both databases. */
import { tariffsContract } from "../contracts/TariffsContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("Tariffs", repositories, tariffsContract)
