/**
 * The versions of OCPI as data: their differences in transport. No other code checks the version of a request. Objects are encoded and
 * decoded in `objects/`, so handlers do not depend on the version.
 */

export type OcpiVersion = "2.1.1" | "2.2" | "2.2.1"

export interface VersionFacts {
  readonly version: OcpiVersion
  /** The path segment between version and module in our own URLs (product.md has one in 2.1.1). */
  readonly segment: "cpo/" | ""
  /** Endpoints in version details have an interface role (OCPI 2.2 §6.2.2). */
  readonly hasRoles: boolean
  /** What follows `Authorization: Token`: the token itself, or Base64 of it (OCPI 2.2.1 §4.1.1). */
  readonly tokenForm: "Raw" | "Base64"
  /** Requests of functional modules name the sending and the receiving party (OCPI 2.2.1 §4.2.2). */
  readonly hasRouting: boolean
  /** Credentials list all our parties. Otherwise they have one party, and everything is sent under it (OCPI 2.2 §7.4). */
  readonly hasParties: boolean
  /** The status code of an unknown token: 2.1.1 has no special one. */
  readonly unknownToken: 2001 | 2004
  /** A token's type is part of its key, and is in the query (OCPI 2.2 §12.2.2). */
  readonly hasTokenTypes: boolean
  /** A new token is answered with 201. Later versions leave this open, and product.md has 200. */
  readonly createdTokenIs201: boolean
  /** A PATCH must say when the object changed (OCPI 2.2 §4.1.3.2). */
  readonly patchNamesTime: boolean
}

/** Newest first. The first version that both sides support is used. */
export const versions: ReadonlyArray<VersionFacts> = [
  {
    version: "2.2.1",
    segment: "",
    hasRoles: true,
    tokenForm: "Base64",
    hasRouting: true,
    hasParties: true,
    unknownToken: 2004,
    hasTokenTypes: true,
    createdTokenIs201: false,
    patchNamesTime: true
  },
  {
    version: "2.2",
    segment: "",
    hasRoles: true,
    tokenForm: "Base64",
    hasRouting: true,
    hasParties: true,
    unknownToken: 2004,
    hasTokenTypes: true,
    createdTokenIs201: false,
    patchNamesTime: true
  },
  {
    version: "2.1.1",
    segment: "cpo/",
    hasRoles: false,
    tokenForm: "Raw",
    hasRouting: false,
    hasParties: false,
    unknownToken: 2001,
    hasTokenTypes: false,
    createdTokenIs201: true,
    patchNamesTime: false
  }
]

/** A version that we support, by its number; undefined for others. */
export const versionNamed = (text: string): OcpiVersion | undefined =>
  versions.find(({ version }) => version === text)?.version

export const factsOf = (version: OcpiVersion): VersionFacts => {
  const found = versions.find((facts) => facts.version === version)
  if (found === undefined) throw new Error(`no OCPI ${version}`)
  return found
}

/** The newest version that we and the other side support; undefined if there is none. */
export const mutual = (offered: ReadonlyArray<string>): OcpiVersion | undefined =>
  versions.find(({ version }) => offered.includes(version))?.version
