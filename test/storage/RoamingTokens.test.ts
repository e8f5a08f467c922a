/** Partners' tokens fulfil their contract on both databases. */
import { roamingTokensContract } from "../contracts/RoamingTokensContract.ts"
import { Layer } from "effect"
import * as RoamingTokens from "../../src/storage/roaming/RoamingTokens.ts"
import { boundedTokensContract } from "../contracts/BoundedTokensContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("Roaming tokens", repositories, roamingTokensContract)

const few = Layer.provideMerge(RoamingTokens.layerWithin({ tokensMax: 3 }), repositories)
forEachDriver("Roaming tokens, three of one partner at most", few, boundedTokensContract)
