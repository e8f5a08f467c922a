/** Chargers and tokens are found by what operators filter by, on both databases. */
import { filtersContract } from "../contracts/FiltersContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("Filters", repositories, filtersContract)
