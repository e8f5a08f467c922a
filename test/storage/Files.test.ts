/** Files fulfil their contract on both databases. */
import { filesContract } from "../contracts/FilesContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { repositories } from "../support/repositories.ts"

forEachDriver("Files", repositories, filesContract)
