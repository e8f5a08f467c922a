/** Versions and their details (OCPI 2.2.1 §6). Any valid token gives access, also before the registration. */
import { type DetailedEndpoint, endpointsOf, type EndpointRow } from "../protocol/EndpointTable.ts"
import { type VersionFacts, versions } from "../protocol/Version.ts"

/** The list of versions. `base` is our OCPI address without a trailing slash. */
export const versionList = (base: string): ReadonlyArray<{ readonly version: string; readonly url: string }> =>
  versions.map(({ version }) => ({ version, url: `${base}/${version}/details` }))

/** The details of one version: the endpoints that are served. */
export const versionDetails = (
  facts: VersionFacts,
  base: string,
  isServed: (row: EndpointRow) => boolean,
  credentialsOnce: boolean
): { readonly version: string; readonly endpoints: ReadonlyArray<DetailedEndpoint> } => ({
  version: facts.version,
  endpoints: endpointsOf(facts, base, isServed, credentialsOnce)
})
