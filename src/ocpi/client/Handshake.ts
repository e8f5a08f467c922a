/** Discovers a partner's modules: its versions, and the details of one of them (OCPI 2.2.1 §6, §7.2.2). */
import { Effect, Option, Schema } from "effect"
import type { PartnerEndpoint } from "../../domain/roaming/Partner.ts"
import { Text } from "../objects/Liberal.ts"
import { mutual, type OcpiVersion } from "../protocol/Version.ts"
import { type Access, ask, type ClientOptions, mayBeUnauthorized, PartnerFailed, type TokenForm } from "./OcpiClient.ts"

/** Most versions or endpoints of one partner that are accepted; no partner has more than a few dozen. */
const listMax = 200

const Versions = Schema.Array(Schema.Struct({ version: Text, url: Text })).check(Schema.isMaxLength(listMax))
const decodeVersions = Schema.decodeUnknownEffect(Versions)

const Details = Schema.Struct({ endpoints: Schema.Array(Schema.Unknown).check(Schema.isMaxLength(listMax)) })
const decodeDetails = Schema.decodeUnknownEffect(Details)

/**
 * Longest module name that is accepted. The log of exchanges counts by module, and the database limits the size of a key. A longer name
 * would prevent other partners' exchanges from being logged.
 */
const moduleMax = 255

const Endpoint = Schema.Struct({
  identifier: Text.check(Schema.isMaxLength(moduleMax)),
  role: Schema.optionalKey(Schema.NullOr(Text)),
  url: Text
})
const decodeEndpoint = Schema.decodeUnknownOption(Endpoint)

const unreadable = (what: string) => () =>
  new PartnerFailed({ heard: true, status: undefined, http: undefined, message: `${what} cannot be read` })

export interface Discovery {
  readonly version: OcpiVersion
  readonly endpoints: ReadonlyArray<PartnerEndpoint>
  /** The form of the token that the partner accepted. */
  readonly form: TokenForm
}

/** The partner supports none of the wanted versions. */
export interface NoVersion {
  readonly _tag: "NoVersion"
  readonly offered: ReadonlyArray<string>
}

const roleOf = (text: string | null | undefined): PartnerEndpoint["role"] => {
  const word = text?.trim().toUpperCase()
  return word === "SENDER" || word === "RECEIVER" ? word : undefined
}

/** A path, and not any text: that could be resolved too. */
const isPath = (text: string): boolean => /^[^\s:]+(?:[/?#]\S*)?$/.test(text)

/** An absolute URL stays as it is. A relative one, which some partners send although the standard allows none, is resolved (RFC 3986 §5). */
const resolved = (url: string, base: string): string | undefined =>
  URL.canParse(url) ? url : isPath(url) && URL.canParse(url, base) ? new URL(url, base).href : undefined

/**
 * The partner's endpoints, from the details at `base`. If several have the same module and role, the first one counts. Unreadable ones are
 * left out.
 */
const endpointsOf = ({ endpoints }: typeof Details.Type, base: string): ReadonlyArray<PartnerEndpoint> => {
  const found = new Map<string, PartnerEndpoint>()
  for (const { identifier, role, url: given } of endpoints.flatMap((one) => Option.toArray(decodeEndpoint(one)))) {
    const url = resolved(given, base)
    if (url === undefined) continue
    const endpoint = { module: identifier.trim().toLowerCase(), role: roleOf(role), url }
    const key = `${endpoint.module} ${endpoint.role ?? ""}`
    if (!found.has(key)) found.set(key, endpoint)
  }
  return [...found.values()]
}

/** Requests the versions, and then the details of the wanted one; by default that is the newest version that both sides support. */
export const discover = (
  versionsUrl: string,
  wanted: OcpiVersion | undefined,
  access: Access,
  correlationId: string,
  options: ClientOptions
): Effect.Effect<Discovery | NoVersion, PartnerFailed> =>
  Effect.gen(function* () {
    const read = (at: string, by: Access) =>
      ask({ method: "GET", url: at, module: "versions", correlationId }, by, options, mayBeUnauthorized)
    const listed = yield* read(versionsUrl, access)
    // Some partners send a single version without a list around it.
    const data = Array.isArray(listed.data) ? listed.data : [listed.data]
    const offered = yield* Effect.mapError(decodeVersions(data), unreadable("the list of versions"))
    const names = offered.map(({ version }) => version.trim())
    const version = wanted ?? mutual(names)
    const given = offered.find((one) => one.version.trim() === version)?.url
    const url = given === undefined ? undefined : resolved(given.trim(), versionsUrl)
    if (version === undefined || url === undefined) return { _tag: "NoVersion", offered: names }
    const detailed = yield* read(url, { ...access, form: listed.form })
    const details = yield* Effect.mapError(
      decodeDetails(detailed.data),
      unreadable(`the details of version ${version}`)
    )
    return { version, endpoints: endpointsOf(details, url), form: detailed.form }
  })
