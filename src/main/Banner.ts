/**
 * What a start says to the person in front of it: where the service is, what it promises, and what to do next. Plain lines on standard
 * output, before any log line; a start that is not the first says it in one line.
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
}

const first = (facts: BannerFacts, made: FirstStart): ReadonlyArray<string> => {
  const key = made.apiKey ?? "$BOOTSTRAP_API_KEY"
  return [
    "",
    "  This is the first start. Nobody can read these again, so keep them:",
    ...(made.apiKey === undefined ? [] : ["", `    API key (v2)    ${made.apiKey}`]),
    ...(made.v1 === undefined
      ? []
      : [`    v1 clientId     ${made.v1.clientId}`, `    v1 code         ${made.v1.code}`]),
    "",
    "  Next: make a site and a charger,",
    "",
    `    curl -s ${facts.publicUrl}/cpo/v2/sites -H 'x-api-key: ${key}' -H 'content-type: application/json' \\`,
    `      -d '{"name":"First site"}'`,
    `    curl -s ${facts.publicUrl}/cpo/v2/chargers -H 'x-api-key: ${key}' -H 'content-type: application/json' \\`,
    `      -d '{"name":"First charger","chargerId":"VL-0001"}'`,
    "",
    `  then point the charger (or a simulator) at ${facts.ocppUrl}/VL-0001 and look at it:`,
    "",
    `    curl -s ${facts.publicUrl}/cpo/v2/chargers/VL-0001 -H 'x-api-key: ${key}'`,
    ""
  ]
}

/** The lines of the banner. */
export const banner = (facts: BannerFacts): ReadonlyArray<string> => [
  `Voltlane ${facts.version} (${facts.environment}) on ${facts.publicUrl}`,
  `  chargers   ${facts.ocppUrl}/{chargerId}`,
  `  REST v2    ${facts.publicUrl}/cpo/v2  (described at /cpo/docs and /cpo/swagger.json)`,
  `  REST v1    ${facts.publicUrl}/api     (https only; described at /api/swagger.json)`,
  `  health     ${facts.publicUrl}/readyz  (metrics at /metrics)`,
  `  database   ${facts.database}`,
  `             ${facts.durability}`,
  ...(facts.firstStart === undefined ? [] : first(facts, facts.firstStart))
]
