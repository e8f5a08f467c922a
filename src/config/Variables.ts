/**
 * Every variable that the service reads: its valid values, as a schema and in words, and whether it may be shown.
 * Default values are in `Config.ts`.
 */
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { isIP } from "node:net"
import { distance } from "../domain/values/Distance.ts"
import { ConfigProblem } from "./ConfigProblem.ts"

export interface Variable<A> {
  readonly schema: Schema.Codec<A, string>
  /** Completes "expected …". */
  readonly expected: string
  /** Never shown, not even if it is wrong. It may come from a file instead, which `NAME_FILE` names. */
  readonly secret?: true
}

/** Decodes the text of a variable; throws `ConfigProblem`. */
export const decode = <A>(name: string, { expected, schema, secret }: Variable<A>, text: string): A => {
  const exit = Schema.decodeExit(schema)(text)
  if (Exit.isSuccess(exit)) return exit.value
  const got = secret === true ? "" : `, got ${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)}`
  throw new ConfigProblem({ variable: name, message: `expected ${expected}${got}` })
}

const pattern = (regex: RegExp) => Schema.String.check(Schema.isPattern(regex))
const where = (test: (text: string) => boolean) => Schema.String.check(Schema.makeFilter(test))

const whole = (minimum: number, maximum: number, expected: string): Variable<number> => ({
  schema: pattern(/^\d{1,15}$/).pipe(
    Schema.decodeTo(Schema.FiniteFromString.check(Schema.isBetween({ minimum, maximum })))
  ),
  expected
})

const port = whole(1, 65_535, "a port number 1–65535")

const portOrOff: Variable<number | "off"> = {
  schema: Schema.Union([Schema.Literal("off"), port.schema]),
  expected: "a port number 1–65535, or off"
}

const literals = ["true", "false", "yes", "no", "on", "off", "1", "0"] as const

const flag: Variable<boolean> = {
  schema: Schema.Literals(literals).pipe(
    Schema.decodeTo(
      Schema.Boolean,
      SchemaTransformation.transform({
        decode: (word: (typeof literals)[number]) => literals.indexOf(word) % 2 === 0,
        encode: (value: boolean): (typeof literals)[number] => (value ? "true" : "false")
      })
    )
  ),
  expected: "true or false"
}

const file: Variable<string> = { schema: Schema.NonEmptyString, expected: "the path of a file" }

const isUrl = (text: string, protocols: ReadonlyArray<string>): boolean => {
  try {
    return protocols.includes(new URL(text).protocol)
  } catch {
    return false
  }
}

/** True for an origin as a browser sends it: only scheme, host and port, in lower case. */
const isOrigin = (text: string): boolean => isUrl(text, ["http:", "https:"]) && new URL(text).origin === text

/** Placeholders that a template of map tiles must have once each: the zoom, and the tile's column and row. */
const tilePlaceholders = ["{z}", "{x}", "{y}"] as const

/**
 * True for a template of map tiles whose host can be named in a content security policy: https, or http on this
 * machine. Placeholders may only be in the path or the query, so that all tiles come from that host.
 */
const isTileTemplate = (text: string): boolean => {
  if (tilePlaceholders.some((one) => text.split(one).length !== 2)) return false
  const filled = tilePlaceholders.reduce((rest, one) => rest.replace(one, "0"), text)
  if (!isUrl(filled, ["https:", "http:"]) || !/^[\x21-\x7e]+$/.test(filled) || /[{}#\\"'<>]/.test(filled)) return false
  const { hostname, origin, password, protocol, username } = new URL(filled)
  if (username !== "" || password !== "" || !text.toLowerCase().startsWith(`${origin}/`)) return false
  if (!/^[a-z0-9.-]+$/.test(hostname)) return false
  return protocol === "https:" || hostname === "localhost" || hostname === "127.0.0.1"
}

/** True for an address or a network: `10.0.0.0/8`, `::1`. */
const isNetwork = (text: string): boolean => {
  const [address = "", prefix, ...rest] = text.split("/")
  const family = isIP(address)
  const bits = family === 4 ? 32 : 128
  return (
    family !== 0 && rest.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
  )
}

/** True for an IP address, also with a port: `10.0.0.53`, `10.0.0.53:5353`, `::1`, `[::1]:5353`. */
const isServer = (text: string): boolean => {
  if (isIP(text) !== 0) return true
  const [, six, four, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  return isIP(six ?? four ?? "") === (six === undefined ? 4 : 6) && Number(port) >= 1 && Number(port) <= 65_535
}

const listOf = (test: (item: string) => boolean) =>
  Schema.String.pipe(
    Schema.decodeTo(
      Schema.Array(where(test)),
      SchemaTransformation.transform({
        decode: (text: string): ReadonlyArray<string> => text.split(/[\s,]+/).filter((item) => item !== ""),
        encode: (items: ReadonlyArray<string>) => items.join(",")
      })
    )
  )

const secret = <A>(variable: Variable<A>): Variable<A> => ({ ...variable, secret: true })

/** A value that is put into a header or a query unchanged. */
const word = (expected: string): Variable<string> => ({ schema: pattern(/^[\x21-\x7e]{1,256}$/), expected })

export const environments = ["TEST", "STAGING", "PRODUCTION"] as const
export type Environment = (typeof environments)[number]
const profiles = ["0", "1", "2", "3"] as const

export const variables = {
  HOST: {
    schema: where((text) => isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text)),
    expected: "an address or host name to listen on"
  },
  PORT: port,
  TLS_PORT: port,
  PLAIN_HTTP: flag,
  METRICS_PORT: portOrOff,
  PUBLIC_URL: {
    schema: where((text) => isUrl(text, ["http:", "https:"]) && !/[?#]/.test(text)),
    expected: "a URL such as https://charging.example.com"
  },
  ENVIRONMENT: { schema: Schema.Literals(environments), expected: `one of ${environments.join(", ")}` },
  DATABASE_URL: secret({
    schema: where((text) => isUrl(text, ["postgres:", "postgresql:"])),
    expected: "a URL such as postgres://user:password@host:5432/database"
  }),
  DATABASE_POOL_SIZE: whole(2, 200, "a number of connections 2–200"),
  DATA_DIR: { schema: where((text) => text !== "" && !text.includes("\0")), expected: "a directory" },
  MIN_FREE_DISK_BYTES: whole(0, Number.MAX_SAFE_INTEGER, "a number of bytes"),
  TLS_CERT_FILE: file,
  TLS_KEY_FILE: file,
  TLS_CLIENT_CA_FILE: file,
  SECRET_KEY: secret({
    // The generated key has 43 characters. Fewer than eight are a mistake; the operator may choose any length above
    // that.
    schema: Schema.String.check(Schema.isMinLength(8)),
    expected: "at least 8 characters, preferably 32 random ones"
  }),
  NODE_ID: { schema: pattern(/^[A-Za-z0-9._-]{1,40}$/), expected: "1–40 letters, digits, dots, dashes or underscores" },
  TRUST_PROXY: { schema: listOf(isNetwork), expected: "addresses or networks such as 10.0.0.0/8, separated by commas" },
  V1_ALLOW_HTTP: flag,
  CONSOLE_ALLOW_HTTP: flag,
  CORS_ORIGINS: {
    schema: listOf((text) => text === "*" || isOrigin(text)),
    expected: "origins such as https://console.example.com, separated by commas, or *"
  },
  MAP_TILES: {
    schema: where(isTileTemplate),
    expected:
      "an https address with {z}, {x} and {y} once each after its host, such as https://tiles.example.com/{z}/{x}/{y}.png"
  },
  MAP_TILES_ATTRIBUTION: {
    schema: pattern(/^[^\p{Cc}]{1,200}$/u),
    expected: "a text of at most 200 characters, such as © OpenStreetMap contributors"
  },
  API_REQUESTS_PER_MINUTE: whole(0, 10_000_000, "a number of requests 0–10000000"),
  API_WRONG_KEYS_PER_MINUTE: whole(0, 10_000_000, "a number of requests 0–10000000"),
  HTTP_KEEP_ALIVE_SECONDS: whole(1, 3_600, "a number of seconds 1–3600"),
  OCPP_MIN_SECURITY_PROFILE: {
    schema: Schema.Literals(profiles).pipe(
      Schema.decodeTo(
        Schema.Literals([0, 1, 2, 3]),
        SchemaTransformation.transform({
          decode: (text: (typeof profiles)[number]) => profiles.indexOf(text) as 0 | 1 | 2 | 3,
          encode: (profile: 0 | 1 | 2 | 3) => profiles[profile]
        })
      )
    ),
    expected: "a security profile 0, 1, 2 or 3"
  },
  OCPP_BYTES_PER_SECOND: whole(1024, 16_777_216, "a number of bytes 1024–16777216"),
  OUTBOUND_ALLOW_PRIVATE: flag,
  DNS_SERVERS: {
    schema: listOf(isServer),
    expected: "IP addresses such as 10.0.0.53 or [::1]:5353, separated by commas"
  },
  BACKGROUND_INTERVAL_MILLIS: whole(10, 60_000, "a number of milliseconds 10–60000"),
  READINGS_RETENTION_MONTHS: whole(1, 1_200, "a number of months 1–1200"),
  FACTS_RETENTION_MONTHS: whole(1, 1_200, "a number of months 1–1200"),
  COMMANDS_RETENTION_MONTHS: whole(1, 1_200, "a number of months 1–1200"),
  SESSIONS_RETENTION_MONTHS: whole(1, 1_200, "a number of months 1–1200"),
  AUDIT_RETENTION_MONTHS: whole(1, 1_200, "a number of months 1–1200"),
  AUDIT_ORGANISATION_BYTES_PER_DAY: whole(65_536, 1_099_511_627_776, "a number of bytes 65536–1099511627776"),
  IDEMPOTENCY_ORGANISATION_BYTES_PER_DAY: whole(65_536, 1_099_511_627_776, "a number of bytes 65536–1099511627776"),
  MESSAGE_LOG_RETENTION_DAYS: whole(1, 3_650, "a number of days 1–3650"),
  MESSAGE_LOG_HEARTBEATS: flag,
  MESSAGE_LOG_CHARGER_BYTES_PER_DAY: whole(65_536, 1_099_511_627_776, "a number of bytes 65536–1099511627776"),
  MESSAGE_LOG_ORGANISATION_BYTES_PER_DAY: whole(65_536, 1_099_511_627_776, "a number of bytes 65536–1099511627776"),
  TRANSACTIONS_CHARGER_PER_DAY: whole(10, 100_000_000, "a number 10–100000000"),
  TRANSACTIONS_ORGANISATION_PER_DAY: whole(10, 100_000_000, "a number 10–100000000"),
  READINGS_CHARGER_BYTES_PER_DAY: whole(65_536, 1_099_511_627_776, "a number of bytes 65536–1099511627776"),
  READINGS_ORGANISATION_BYTES_PER_DAY: whole(65_536, 1_099_511_627_776, "a number of bytes 65536–1099511627776"),
  FILES_URL: {
    schema: where((text) => isUrl(text, ["http:", "https:"]) && !/[?#@]/.test(text)),
    expected: "a URL such as http://files.example.com:8080"
  },
  FILES_RETENTION_DAYS: whole(1, 3_650, "a number of days 1–3650"),
  FILES_MIN_FREE_DISK_BYTES: whole(0, Number.MAX_SAFE_INTEGER, "a number of bytes"),
  FILES_S3_BUCKET: {
    schema: pattern(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
    expected: "the name of a bucket: 3–63 lower-case letters, digits, dots or dashes"
  },
  FILES_S3_ENDPOINT: {
    schema: where((text) => isUrl(text, ["http:", "https:"]) && !/[?#@]/.test(text)),
    expected: "a URL such as https://s3.eu-north-1.amazonaws.com, without the bucket and without a password"
  },
  FILES_S3_REGION: { schema: pattern(/^[a-z0-9-]{1,64}$/), expected: "a region such as eu-north-1" },
  FILES_S3_PATH_STYLE: flag,
  FILES_S3_ACCESS_KEY_ID: word("an access key id of at most 256 visible ASCII characters"),
  FILES_S3_SECRET_ACCESS_KEY: secret(word("a secret access key of at most 256 visible ASCII characters")),
  BOOTSTRAP_OPERATOR_EMAIL: { schema: pattern(/^[^\s@]{1,64}@[^\s@]{1,189}$/), expected: "an e-mail address" },
  BOOTSTRAP_OPERATOR_PASSWORD: secret({ schema: Schema.NonEmptyString, expected: "a password" }),
  BOOTSTRAP_API_KEY: secret(word("a key of at most 256 visible ASCII characters")),
  BOOTSTRAP_V1_CLIENT_ID: word("a client id of at most 256 visible ASCII characters"),
  BOOTSTRAP_V1_CODE: secret(word("a code of at most 256 visible ASCII characters")),
  BOOTSTRAP_COUNTRY_CODE: {
    schema: pattern(/^[A-Z]{2}$/),
    expected: "a country code of two capital letters (ISO 3166-1)"
  },
  BOOTSTRAP_PARTY_ID: { schema: pattern(/^[A-Z0-9]{3}$/), expected: "a party id of three capital letters or digits" }
} satisfies Record<string, Variable<unknown>>

export type Name = keyof typeof variables

export const names = Object.keys(variables) as ReadonlyArray<Name>

export const isSecret = (name: Name): boolean => "secret" in variables[name]

/** A secret may be in a file, as orchestrators provide it; `NAME_FILE` has the file's path. */
export const fileNames: ReadonlyMap<string, Name> = new Map(
  names.filter(isSecret).map((name) => [`${name}_FILE`, name])
)

/** Prefixes and suffixes of names that only this service uses in practice. Any other variable may belong to another program. */
const ours =
  /^(API|AUDIT|IDEMPOTENCY|CONSOLE|CORS|MAP|BACKGROUND|METRICS|OCPP|BOOTSTRAP|TLS|MESSAGE_LOG|DATABASE|V1|OUTBOUND|FILES)_|_RETENTION_(MONTHS|DAYS)$/

/** The known setting that an unknown one was probably meant to be. */
export const suggestion = (unknown: string): string | undefined => {
  if (!ours.test(unknown)) return undefined
  const known = [...names, ...fileNames.keys()]
  const scored = known.map((name) => ({ name, far: distance(unknown, name) })).sort((a, b) => a.far - b.far)
  const [closest] = scored
  return closest !== undefined && closest.far <= Math.max(2, Math.floor(closest.name.length / 4))
    ? closest.name
    : undefined
}
