/** What drivers find a place by fulfils its contract on both databases. */
import { locationDetailsContract } from "../contracts/LocationDetailsContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("What drivers find a place by", repositories, locationDetailsContract)
