/** Tokens fulfil their contract on both databases. */
import { tokensContract } from "../contracts/TokensContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("Tokens", repositories, tokensContract)
