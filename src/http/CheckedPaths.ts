/**
 * Which paths check credentials. A request to any other path is a stranger's, whatever credentials it claims to have: they are not
 * looked up, so wrong ones would not be counted.
 */
import { knownPaths } from "./KnownPaths.ts"
import { V1Api } from "./v1/Api.ts"
import { Api } from "./v2/Api.ts"

const methodsOf = [knownPaths(Api), knownPaths(V1Api)]

/** OCPI authenticates before it looks at the path. */
export const checksCredentials = (path: string): boolean =>
  path.startsWith("/ocpi/") || methodsOf.some((known) => known(path).length > 0)
