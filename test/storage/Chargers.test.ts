/** Chargers fulfil their contracts on both databases. */
import { chargerChangesContract } from "../contracts/ChargerChangesContract.ts"
import { chargerSummariesContract } from "../contracts/ChargerSummariesContract.ts"
import { chargersContract } from "../contracts/ChargersContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("Chargers", repositories, (it) => {
  chargersContract(it)
  chargerChangesContract(it)
  chargerSummariesContract(it)
})
