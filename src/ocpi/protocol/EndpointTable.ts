/**
 * Every endpoint that we serve, as rows: its module, our role in it, its method, its path below the module's URL, and its first version.
 * Routes, version details and the coverage document are generated from the table. A new version or method adds rows.
 */
import { type OcpiVersion, type VersionFacts, versions } from "./Version.ts"
import type { HttpMethod } from "../../outbound/HttpCall.ts"

/** OCPI 2.2.1 §6.2.3 ModuleID. */
export type ModuleId =
  | "cdrs"
  | "chargingprofiles"
  | "commands"
  | "credentials"
  | "hubclientinfo"
  | "locations"
  | "sessions"
  | "tariffs"
  | "tokens"

/** Our role in the module. The sender owns the data (OCPI 2.2.1 §3.4.1). */
export type InterfaceRole = "SENDER" | "RECEIVER"

export interface EndpointRow {
  readonly module: ModuleId
  readonly role: InterfaceRole
  readonly method: HttpMethod
  /** Path below the module's URL, with named segments: "" or `/:id/…`. */
  readonly path: string
  readonly since: OcpiVersion
}

const row = (
  module: ModuleId,
  role: InterfaceRole,
  since: OcpiVersion,
  path: string,
  ...methods: ReadonlyArray<HttpMethod>
): ReadonlyArray<EndpointRow> => methods.map((method) => ({ module, role, method, path, since }))

const party = "/:countryCode/:partyId"

export const endpointRows: ReadonlyArray<EndpointRow> = [
  ...row("credentials", "RECEIVER", "2.1.1", "", "GET", "POST", "PUT", "DELETE"),
  ...row("locations", "SENDER", "2.1.1", "", "GET"),
  ...row("locations", "SENDER", "2.1.1", "/:locationId", "GET"),
  ...row("locations", "SENDER", "2.1.1", "/:locationId/:evseUid", "GET"),
  ...row("locations", "SENDER", "2.1.1", "/:locationId/:evseUid/:connectorId", "GET"),
  ...row("sessions", "SENDER", "2.1.1", "", "GET"),
  ...row("sessions", "SENDER", "2.2", "/:sessionId/charging_preferences", "PUT"),
  ...row("cdrs", "SENDER", "2.1.1", "", "GET"),
  ...row("tariffs", "SENDER", "2.1.1", "", "GET"),
  ...row("tokens", "RECEIVER", "2.1.1", `${party}/:tokenUid`, "GET", "PUT", "PATCH"),
  ...row("commands", "RECEIVER", "2.1.1", "/:command", "POST"),
  ...row("chargingprofiles", "RECEIVER", "2.2", "/:sessionId", "GET", "PUT", "DELETE"),
  ...row("hubclientinfo", "RECEIVER", "2.2", party, "GET", "PUT")
]

/** The key of a row: `PUT tokens/:countryCode/…`. */
export const nameOf = ({ method, module, path }: Pick<EndpointRow, "method" | "module" | "path">): string =>
  `${method} ${module}${path}`

/** The age of a version: 0 for the newest. */
const age = (version: OcpiVersion): number => versions.findIndex((facts) => facts.version === version)

export const rowsOf = (version: OcpiVersion): ReadonlyArray<EndpointRow> =>
  endpointRows.filter(({ since }) => age(since) >= age(version))

/** The path of a module below our OCPI address. Credentials are outside of the segment (product.md). */
export const addressOf = ({ segment, version }: VersionFacts, module: ModuleId): string =>
  module === "credentials" ? `/${version}/credentials` : `/${version}/${segment}${module}`

/** An endpoint in version details (OCPI 2.2.1 §6.2.2). */
export interface DetailedEndpoint {
  readonly identifier: ModuleId
  readonly role?: InterfaceRole
  readonly url: string
}

/**
 * The endpoints in version details. Credentials are listed once for each role: their role has no meaning, and partners look for either of
 * them. `base` is our OCPI address without a trailing slash. `credentialsOnce` is for partners that fail on the second entry.
 */
export const endpointsOf = (
  facts: VersionFacts,
  base: string,
  isServed: (row: EndpointRow) => boolean = () => true,
  credentialsOnce = false
): ReadonlyArray<DetailedEndpoint> => {
  const rows = rowsOf(facts.version).filter(isServed)
  const modules = [...new Map(rows.map(({ module, role }) => [module, role]))]
  return modules.flatMap(([identifier, role]): ReadonlyArray<DetailedEndpoint> => {
    const url = `${base}${addressOf(facts, identifier)}`
    if (!facts.hasRoles) return [{ identifier, url }]
    const isTwice = identifier === "credentials" && !credentialsOnce
    const roles: ReadonlyArray<InterfaceRole> = isTwice ? ["SENDER", "RECEIVER"] : [role]
    return roles.map((one) => ({ identifier, role: one, url }))
  })
}
