/** Expectations fulfil their contract on both databases. */
import { expectationsContract } from "../contracts/ExpectationsContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("Expectations", repositories, expectationsContract)
