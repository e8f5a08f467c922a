/** Charge detail records fulfil their contract on both databases. */
import { cdrsContract } from "../contracts/CdrsContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("Cdrs", repositories, cdrsContract)
