/**
 * What a start prints for the operator: where the service is, what it guarantees, and what to do next. Plain lines on
 * standard output, before any log line. Only the first start prints what to do next.
 */
import type { FirstStart } from "./Bootstrap.ts"

export interface BannerFacts {
  readonly version: string
  readonly publicUrl: string
  readonly ocppUrl: string
  readonly database: string
  readonly durability: string
  readonly environment: string
  readonly firstStart: FirstStart | undefined
  /** The URL of the metrics; undefined if they are closed. */
  readonly metricsUrl: string | undefined
  /** True if REST v1 answers at `publicUrl`; over plain http only if that is allowed. */
  readonly v1Answers: boolean
}

/** The generated keys, or the file that holds them. */
const keys = ({ apiKey, keptIn, setUp, v1 }: FirstStart): ReadonlyArray<string> => {
  if (keptIn !== undefined) {
    return [
      "  This is the first start. Keys are shown only on terminals, and this is not one: they are in",
      "",
      `    ${keptIn}`,
      "",
      "  which only this user can read. Store them elsewhere, and remove the file. SET_UP is a link to your account, which works once."
    ]
  }
  if (apiKey === undefined && v1 === undefined && setUp === undefined) {
    return ["  This is the first start; the first organisation has the keys from the settings."]
  }
  return [
    ...(setUp === undefined
      ? ["  This is the first start. These cannot be read again, so keep them:"]
      : [
          "  This is the first start. Set up your account with this link, which works once:",
          "",
          `    ${setUp}`,
          ...(apiKey === undefined && v1 === undefined ? [] : ["", "  These cannot be read again, so keep them:"])
        ]),
    ...(apiKey === undefined ? [] : ["", `    API key (v2)    ${apiKey}`]),
    ...(v1 === undefined ? [] : [`    v1 clientId     ${v1.clientId}`, `    v1 code         ${v1.code}`])
  ]
}

const first = (facts: BannerFacts, made: FirstStart): ReadonlyArray<string> => {
  // Double quotes, so that a shell expands the variable.
  const file = made.apiKey === undefined ? undefined : made.keptIn
  const key = file !== undefined ? "$KEY" : (made.apiKey ?? "$BOOTSTRAP_API_KEY")
  return [
    "",
    ...keys(made),
    "",
    "  Next: create a site and a charger,",
    "",
    ...(file !== undefined ? [`    . '${file.replaceAll("'", String.raw`'\''`)}'`] : []),
    `    curl -s ${facts.publicUrl}/cpo/v2/sites -H "x-api-key: ${key}" -H 'content-type: application/json' \\`,
    `      -d '{"name":"First site"}'`,
    `    curl -s ${facts.publicUrl}/cpo/v2/chargers -H "x-api-key: ${key}" -H 'content-type: application/json' \\`,
    `      -d '{"name":"First charger","chargerId":"VL-0001"}'`,
    "",
    `  then point the charger (or a simulator) at ${facts.ocppUrl}/VL-0001 and look at it:`,
    "",
    `    curl -s ${facts.publicUrl}/cpo/v2/chargers/VL-0001 -H "x-api-key: ${key}"`,
    ""
  ]
}

/** True for an address that always means the caller's own machine. */
const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/i.test(host)

/**
 * What is wrong if other machines may connect (`host`) but are given a URL (`publicUrl`) that only works on this
 * machine. Undefined if nothing is wrong.
 */
export const unreachable = (host: string, publicUrl: string): string | undefined =>
  isLoopback(host) || !isLoopback(new URL(publicUrl).hostname)
    ? undefined
    : `HOST is ${host}, but chargers and links get ${publicUrl}, which refers to their own machine: set PUBLIC_URL to this service's address`

/** The lines of the banner. */
export const banner = (facts: BannerFacts): ReadonlyArray<string> => [
  `Voltlane ${facts.version} (${facts.environment}) on ${facts.publicUrl}`,
  `  chargers   ${facts.ocppUrl}/{chargerId}`,
  `  REST v2    ${facts.publicUrl}/cpo/v2  (described at /cpo/docs and /cpo/swagger.json)`,
  `  REST v1    ${facts.publicUrl}/api     (${facts.v1Answers ? "" : "https only: set TLS_CERT_FILE, or V1_ALLOW_HTTP=true; "}described at /api/swagger.json)`,
  `  OCPI       ${facts.publicUrl}/ocpi/versions  (described at /ocpi/swagger.json)`,
  `  health     ${facts.publicUrl}/readyz  (${facts.metricsUrl === undefined ? "metrics are closed" : `metrics at ${facts.metricsUrl}`})`,
  `  database   ${facts.database}`,
  `             ${facts.durability}`,
  ...(facts.firstStart === undefined ? [] : first(facts, facts.firstStart))
]
