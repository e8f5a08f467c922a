/**
 * The settings of the service. The environment, files and the command line are decoded and checked against each other
 * once, before anything is opened. Only `main` reads this; every part receives what it needs as options. A wrong value
 * must be reported within a second, so this imports single modules of Effect, and main loads the rest of the service
 * after it.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { ConfigProblem } from "./config/ConfigProblem.ts"
import { isBadLine, parseEnvFile } from "./config/EnvFile.ts"
import { generatedNodeId, generatedSecretKey } from "./config/Generated.ts"
import { limits } from "./config/Limits.ts"
import {
  type Environment,
  decode,
  fileNames,
  isSecret,
  type Name,
  names,
  suggestion,
  type Variable,
  variables
} from "./config/Variables.ts"

export { ConfigProblem, limits }

export interface Config {
  readonly host: string
  /** Undefined if plain http is closed. */
  readonly port: number | undefined
  /** Undefined without a certificate. `clientCaFile` allows OCPP security profile 3. */
  readonly tls:
    | {
        readonly port: number
        readonly certFile: string
        readonly keyFile: string
        readonly clientCaFile: string | undefined
      }
    | undefined
  /** Where `/metrics` is served: undefined for the main listeners, a port for a listener of its own, `off` for nowhere. */
  readonly metricsPort: number | "off" | undefined
  /** Without a slash at its end. */
  readonly publicUrl: string
  readonly environment: Environment
  /** Undefined: the embedded database in `dataDir`. */
  readonly databaseUrl: Redacted.Redacted | undefined
  /** An absolute path. */
  readonly dataDir: string
  readonly secretKey: Redacted.Redacted
  readonly nodeId: string
  /** Addresses and networks, checked. */
  readonly trustProxy: ReadonlyArray<string>
  readonly v1AllowHttp: boolean
  /** With a certificate: whether the plain port also serves the console and sign-ins. */
  readonly consoleAllowHttp: boolean
  /** Origins whose pages may call REST v2; `*` for all, none when empty. */
  readonly corsOrigins: ReadonlyArray<string>
  /** Street tiles for the console's map; undefined: the map sends no request to another host. */
  readonly mapTiles: { readonly template: string; readonly attribution: string | undefined } | undefined
  /** Requests of one key, and of one network with wrong keys; 0 is no limit. */
  /** How long an idle HTTP connection stays open. */
  readonly httpKeepAliveSeconds: number
  readonly apiRates: { readonly requestsPerMinute: number; readonly wrongKeysPerMinute: number }
  readonly ocppMinSecurityProfile: 0 | 1 | 2 | 3
  /** The rate of one charger after its initial burst. */
  readonly ocppBytesPerSecond: number
  readonly outboundAllowPrivate: boolean
  /** Addresses of DNS servers; none: the system's. */
  readonly dnsServers: ReadonlyArray<string>
  readonly backgroundIntervalMillis: number
  /** In whole calendar months of the sessions. */
  readonly readingsRetentionMonths: number
  readonly factsRetentionMonths: number
  readonly commandsRetentionMonths: number
  /** For sessions with their CDRs, and for the audit log; undefined: forever. */
  readonly sessionsRetentionMonths: number | undefined
  readonly auditRetentionMonths: number
  readonly writeBudget: { readonly auditBytesPerDay: number; readonly idempotencyBytesPerDay: number }
  readonly messageLogRetentionDays: number
  readonly messageLogHeartbeats: boolean
  readonly messageLogBudget: { readonly chargerBytesPerDay: number; readonly organisationBytesPerDay: number }
  /** What is stored of transactions, and the bytes of readings, in a day. */
  readonly recording: {
    readonly transactions: { readonly charger: number; readonly organisation: number }
    readonly readingBytes: { readonly charger: number; readonly organisation: number }
  }
  readonly files: {
    /** The base URL for chargers' uploads and downloads; without a slash at its end. */
    readonly url: string
    readonly retentionDays: number
    /** Bytes of the disk of `DATA_DIR` that files leave free. */
    readonly minFreeBytes: number
    /** Undefined: contents are stored in `dataDir`. */
    readonly s3:
      | {
          readonly bucket: string
          readonly endpoint: string
          readonly region: string
          readonly pathStyle: boolean
          readonly accessKeyId: string
          readonly secretAccessKey: Redacted.Redacted
        }
      | undefined
  }
  readonly databasePoolSize: number
  readonly minFreeDiskBytes: number
  readonly bootstrap: {
    readonly operatorEmail: string | undefined
    readonly operatorPassword: Redacted.Redacted | undefined
    readonly apiKey: Redacted.Redacted | undefined
    readonly v1ClientId: string | undefined
    readonly v1Code: Redacted.Redacted | undefined
    readonly countryCode: string | undefined
    readonly partyId: string | undefined
  }
  /** The `OTEL_*` variables as they came, for Effect's own readers. */
  readonly otel: Readonly<Record<string, string>>
  /** Settings that are valid but should be corrected, one line each. */
  readonly warnings: ReadonlyArray<string>
  /** True for `--print-config`: print `printed` and end. Nothing is generated or written in this case. */
  readonly printOnly: boolean
  /** Every variable with the value in effect, one per line. For a secret it only says whether it is set. */
  readonly printed: string
}

type Env = Readonly<Record<string, string | undefined>>

const problem = (variable: string, message: string): never => {
  throw new ConfigProblem({ variable, message })
}

const readText = (variable: string, path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    return problem(variable, `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** True if every user of the machine can read the file. File modes mean nothing on Windows. */
const isOpenToAll = (path: string): boolean => process.platform !== "win32" && (statSync(path).mode & 0o004) !== 0

interface Arguments {
  readonly printOnly: boolean
  readonly envFiles: ReadonlyArray<string>
}

const parseArguments = (args: ReadonlyArray<string>): Arguments => {
  const envFiles: Array<string> = []
  let printOnly = false
  for (let n = 0; n < args.length; n++) {
    const arg = args[n]!
    if (arg === "--print-config") printOnly = true
    else if (arg.startsWith("--env-file=")) envFiles.push(arg.slice("--env-file=".length))
    else if (arg === "--env-file")
      envFiles.push(args[++n] ?? problem("--env-file", "must be followed by the path of a file"))
    else problem(arg, "unknown option; see voltlane --help")
  }
  return { printOnly, envFiles }
}

/**
 * The variables that are set, by name. The environment overrides files, and a later file overrides an earlier one. An
 * empty value counts as not set.
 */
const gather = (env: Env, files: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const merged = new Map<string, string>()
  const add = (from: Env): void => {
    for (const [name, value] of Object.entries(from)) if (value !== undefined && value !== "") merged.set(name, value)
  }
  for (const path of files) {
    const parsed = parseEnvFile(readText("--env-file", path))
    if (isBadLine(parsed)) problem("--env-file", `line ${parsed.line} of ${path} is not NAME=value`)
    else add(parsed)
  }
  add(env)
  for (const [fileName, name] of fileNames) {
    const path = merged.get(fileName)
    if (path === undefined) continue
    if (merged.has(name)) problem(fileName, `${name} is set as well; keep only one of them`)
    merged.set(name, readText(fileName, path).trim())
  }
  for (const name of merged.keys()) {
    if (name in variables || fileNames.has(name)) continue
    const meant = suggestion(name)
    if (meant !== undefined) problem(name, `unknown setting; did you mean ${meant}?`)
  }
  return merged
}

type Value<N extends Name> = (typeof variables)[N] extends Variable<infer A> ? A : never
type Get = <N extends Name>(name: N) => Value<N> | undefined

const getter =
  (set: ReadonlyMap<string, string>): Get =>
  <N extends Name>(name: N) => {
    const text = set.get(name)
    return text === undefined ? undefined : decode(name, variables[name] as unknown as Variable<Value<N>>, text)
  }

const redacted = (text: string | undefined) => (text === undefined ? undefined : Redacted.make(text))

const made = <A>(variable: string, path: string, what: string, make: (pem: string) => A): A => {
  const pem = readText(variable, path)
  try {
    return make(pem)
  } catch (error) {
    return problem(
      variable,
      `${path} is not a ${what} in PEM (${error instanceof Error ? error.message : String(error)})`
    )
  }
}

/** Certificate and key: both or neither, readable, and matching each other. */
const tlsOf = (get: Get): Config["tls"] => {
  const [certFile, keyFile, clientCaFile] = [get("TLS_CERT_FILE"), get("TLS_KEY_FILE"), get("TLS_CLIENT_CA_FILE")]
  const port = get("TLS_PORT")
  if (certFile === undefined && keyFile === undefined) {
    for (const name of ["TLS_CLIENT_CA_FILE", "TLS_PORT"] as const) {
      if (get(name) !== undefined) problem(name, "also requires TLS_CERT_FILE and TLS_KEY_FILE")
    }
    return undefined
  }
  if (certFile === undefined) return problem("TLS_KEY_FILE", "also requires TLS_CERT_FILE")
  if (keyFile === undefined) return problem("TLS_CERT_FILE", "also requires TLS_KEY_FILE")
  const certificate = made("TLS_CERT_FILE", certFile, "certificate", (pem) => new X509Certificate(pem))
  const key = made("TLS_KEY_FILE", keyFile, "private key without a passphrase", createPrivateKey)
  if (!certificate.checkPrivateKey(key)) problem("TLS_KEY_FILE", `${keyFile} is not the key of TLS_CERT_FILE`)
  if (clientCaFile !== undefined)
    made("TLS_CLIENT_CA_FILE", clientCaFile, "certificate", (pem) => new X509Certificate(pem))
  return { port: port ?? 8443, certFile, keyFile, clientCaFile }
}

const listeners = (get: Get) => {
  const tls = tlsOf(get)
  const plain = get("PLAIN_HTTP") ?? true
  const port = get("PORT") ?? 8080
  if (!plain && tls === undefined)
    problem("PLAIN_HTTP", "false leaves nothing to listen on; set TLS_CERT_FILE and TLS_KEY_FILE")
  if (plain && tls?.port === port)
    problem("TLS_PORT", `is ${port}, the same as PORT; choose another port, or set PLAIN_HTTP=false`)
  const metricsPort = get("METRICS_PORT")
  if (plain && metricsPort === port) problem("METRICS_PORT", `is ${port}, the same as PORT; choose another port`)
  if (tls !== undefined && metricsPort === tls.port)
    problem("METRICS_PORT", `is ${tls.port}, the same as TLS_PORT; choose another port`)
  const publicUrl =
    get("PUBLIC_URL") ?? (tls === undefined ? `http://localhost:${port}` : `https://localhost:${tls.port}`)
  return { tls, port: plain ? port : undefined, metricsPort, publicUrl: publicUrl.replace(/\/+$/, "") }
}

/** The secret key and node id: those that are set or kept, or new ones that are kept now. With `printOnly` nothing is written. */
const identity = (get: Get, dataDir: string, printOnly: boolean) => {
  const secretKey = get("SECRET_KEY")
  if (secretKey === undefined && get("DATABASE_URL") !== undefined) {
    problem(
      "SECRET_KEY",
      "is required with DATABASE_URL: all processes on one database must have the same value, preferably 32 random characters"
    )
  }
  const stored = (name: "SECRET_KEY" | "NODE_ID", generate: (directory: string) => string): string =>
    printOnly ? "" : decode(name, variables[name] as Variable<string>, generate(dataDir))
  return {
    secretKey: Redacted.make(secretKey ?? stored("SECRET_KEY", generatedSecretKey)),
    nodeId: get("NODE_ID") ?? stored("NODE_ID", generatedNodeId)
  }
}

/**
 * Settings of file storage: a bucket with its access key, or none of the S3 settings. Files that went to the wrong
 * place would be noticed late.
 */
const filesOf = (get: Get, publicUrl: string): Config["files"] => {
  const url = get("FILES_URL")?.replace(/\/+$/, "") ?? publicUrl
  const retentionDays = get("FILES_RETENTION_DAYS") ?? limits.files.retentionDays
  const forDatabase = get("MIN_FREE_DISK_BYTES") ?? limits.database.minFreeBytes
  const minFreeBytes = get("FILES_MIN_FREE_DISK_BYTES") ?? Math.max(limits.files.minFreeBytes, 4 * forDatabase)
  const bucket = get("FILES_S3_BUCKET")
  const accessKeyId = get("FILES_S3_ACCESS_KEY_ID")
  const secretAccessKey = redacted(get("FILES_S3_SECRET_ACCESS_KEY"))
  const [endpoint, pathStyle] = [get("FILES_S3_ENDPOINT"), get("FILES_S3_PATH_STYLE")]
  if (bucket === undefined) {
    for (const name of names.filter((one) => one.startsWith("FILES_S3_"))) {
      if (get(name) !== undefined) problem(name, "also requires FILES_S3_BUCKET")
    }
    return { url, retentionDays, minFreeBytes, s3: undefined }
  }
  if (accessKeyId === undefined) return problem("FILES_S3_BUCKET", "also requires FILES_S3_ACCESS_KEY_ID")
  if (secretAccessKey === undefined) return problem("FILES_S3_BUCKET", "also requires FILES_S3_SECRET_ACCESS_KEY")
  const region = get("FILES_S3_REGION") ?? "us-east-1"
  return {
    url,
    retentionDays,
    minFreeBytes,
    s3: {
      bucket,
      endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
      region,
      // AWS expects the bucket in the host name. Self-hosted services rarely have such host names.
      pathStyle: pathStyle ?? endpoint !== undefined,
      accessKeyId,
      secretAccessKey
    }
  }
}

const mapTilesOf = (get: Get): Config["mapTiles"] => {
  const [template, attribution] = [get("MAP_TILES"), get("MAP_TILES_ATTRIBUTION")]
  if (template !== undefined) return { template, attribution }
  if (attribution !== undefined) problem("MAP_TILES_ATTRIBUTION", "also requires MAP_TILES")
  return undefined
}

/** Retention in months; undefined: forever. What explains a session must not be kept for longer than the session. */
const retentionOf = (get: Get) => {
  const facts = get("FACTS_RETENTION_MONTHS") ?? limits.retention.factsMonths
  const kept = {
    readingsRetentionMonths: get("READINGS_RETENTION_MONTHS") ?? limits.retention.readingsMonths,
    factsRetentionMonths: facts,
    commandsRetentionMonths: get("COMMANDS_RETENTION_MONTHS") ?? limits.retention.commandsMonths,
    sessionsRetentionMonths: get("SESSIONS_RETENTION_MONTHS"),
    auditRetentionMonths: get("AUDIT_RETENTION_MONTHS") ?? Math.max(limits.retention.auditMonths, facts)
  }
  const { auditRetentionMonths, factsRetentionMonths, readingsRetentionMonths, sessionsRetentionMonths } = kept
  if ((sessionsRetentionMonths ?? Infinity) < Math.max(readingsRetentionMonths, factsRetentionMonths)) {
    problem("SESSIONS_RETENTION_MONTHS", "must be at least READINGS_RETENTION_MONTHS and FACTS_RETENTION_MONTHS")
  }
  if (auditRetentionMonths < factsRetentionMonths) {
    problem("AUDIT_RETENTION_MONTHS", "must be at least FACTS_RETENTION_MONTHS")
  }
  return kept
}

const bootstrapOf = (get: Get): Config["bootstrap"] => {
  // A generated client id would never be shown: an operator who sets a code is expected to know the pair.
  if (get("BOOTSTRAP_V1_CODE") !== undefined && get("BOOTSTRAP_V1_CLIENT_ID") === undefined) {
    problem("BOOTSTRAP_V1_CODE", "also requires BOOTSTRAP_V1_CLIENT_ID")
  }
  return {
    operatorEmail: get("BOOTSTRAP_OPERATOR_EMAIL"),
    operatorPassword: redacted(get("BOOTSTRAP_OPERATOR_PASSWORD")),
    apiKey: redacted(get("BOOTSTRAP_API_KEY")),
    v1ClientId: get("BOOTSTRAP_V1_CLIENT_ID"),
    v1Code: redacted(get("BOOTSTRAP_V1_CODE")),
    countryCode: get("BOOTSTRAP_COUNTRY_CODE"),
    partyId: get("BOOTSTRAP_PARTY_ID")
  }
}

/** Prints the variables. Those that are not set have their default, if there is one to show. */
const print = (set: ReadonlyMap<string, string>, config: Omit<Config, "printed">): string => {
  const defaults: Partial<Record<Name, string>> = {
    HOST: config.host,
    PORT: String(config.port ?? ""),
    TLS_PORT: String(config.tls?.port ?? ""),
    PLAIN_HTTP: String(config.port !== undefined),
    PUBLIC_URL: config.publicUrl,
    ENVIRONMENT: config.environment,
    DATABASE_POOL_SIZE: String(config.databasePoolSize),
    DATA_DIR: config.dataDir,
    MIN_FREE_DISK_BYTES: String(config.minFreeDiskBytes),
    SECRET_KEY: `(kept in ${config.dataDir})`,
    NODE_ID: `(kept in ${config.dataDir})`,
    V1_ALLOW_HTTP: String(config.v1AllowHttp),
    CONSOLE_ALLOW_HTTP: String(config.consoleAllowHttp),
    API_REQUESTS_PER_MINUTE: String(config.apiRates.requestsPerMinute),
    API_WRONG_KEYS_PER_MINUTE: String(config.apiRates.wrongKeysPerMinute),
    HTTP_KEEP_ALIVE_SECONDS: String(config.httpKeepAliveSeconds),
    OCPP_MIN_SECURITY_PROFILE: String(config.ocppMinSecurityProfile),
    OCPP_BYTES_PER_SECOND: String(config.ocppBytesPerSecond),
    OUTBOUND_ALLOW_PRIVATE: String(config.outboundAllowPrivate),
    DNS_SERVERS: config.dnsServers.join(","),
    BACKGROUND_INTERVAL_MILLIS: String(config.backgroundIntervalMillis),
    READINGS_RETENTION_MONTHS: String(config.readingsRetentionMonths),
    FACTS_RETENTION_MONTHS: String(config.factsRetentionMonths),
    COMMANDS_RETENTION_MONTHS: String(config.commandsRetentionMonths),
    SESSIONS_RETENTION_MONTHS: String(config.sessionsRetentionMonths ?? ""),
    AUDIT_RETENTION_MONTHS: String(config.auditRetentionMonths),
    AUDIT_ORGANISATION_BYTES_PER_DAY: String(config.writeBudget.auditBytesPerDay),
    IDEMPOTENCY_ORGANISATION_BYTES_PER_DAY: String(config.writeBudget.idempotencyBytesPerDay),
    MESSAGE_LOG_RETENTION_DAYS: String(config.messageLogRetentionDays),
    MESSAGE_LOG_HEARTBEATS: String(config.messageLogHeartbeats),
    MESSAGE_LOG_CHARGER_BYTES_PER_DAY: String(config.messageLogBudget.chargerBytesPerDay),
    MESSAGE_LOG_ORGANISATION_BYTES_PER_DAY: String(config.messageLogBudget.organisationBytesPerDay),
    TRANSACTIONS_CHARGER_PER_DAY: String(config.recording.transactions.charger),
    TRANSACTIONS_ORGANISATION_PER_DAY: String(config.recording.transactions.organisation),
    READINGS_CHARGER_BYTES_PER_DAY: String(config.recording.readingBytes.charger),
    READINGS_ORGANISATION_BYTES_PER_DAY: String(config.recording.readingBytes.organisation),
    FILES_URL: config.files.url,
    FILES_RETENTION_DAYS: String(config.files.retentionDays),
    FILES_MIN_FREE_DISK_BYTES: String(config.files.minFreeBytes),
    FILES_S3_ENDPOINT: config.files.s3?.endpoint ?? "",
    FILES_S3_REGION: config.files.s3?.region ?? "",
    FILES_S3_PATH_STYLE: String(config.files.s3?.pathStyle ?? "")
  }
  const value = (name: Name): string => {
    const text = set.get(name)
    if (text === undefined) return defaults[name] ?? ""
    return isSecret(name) ? "(set, not shown)" : text
  }
  return names.map((name) => `${name}=${value(name)}\n`).join("")
}

const load = (env: Env, args: ReadonlyArray<string>): Config => {
  const { envFiles, printOnly } = parseArguments(args)
  const set = gather(env, envFiles)
  const get = getter(set)
  // Every value is checked, in the order of the table, so that the first wrong one is reported whatever else depends on
  // it.
  for (const name of names) get(name)
  const dataDir = resolve(get("DATA_DIR") ?? "./data")
  const { metricsPort, port, publicUrl, tls } = listeners(get)
  const bootstrap = bootstrapOf(get)
  const config = {
    host: get("HOST") ?? "127.0.0.1",
    port,
    tls,
    metricsPort,
    publicUrl,
    environment: get("ENVIRONMENT") ?? "PRODUCTION",
    databaseUrl: redacted(get("DATABASE_URL")),
    dataDir,
    trustProxy: get("TRUST_PROXY") ?? [],
    v1AllowHttp: get("V1_ALLOW_HTTP") ?? false,
    consoleAllowHttp: get("CONSOLE_ALLOW_HTTP") ?? false,
    corsOrigins: get("CORS_ORIGINS") ?? [],
    mapTiles: mapTilesOf(get),
    apiRates: {
      requestsPerMinute: get("API_REQUESTS_PER_MINUTE") ?? limits.http.requestsPerMinute,
      wrongKeysPerMinute: get("API_WRONG_KEYS_PER_MINUTE") ?? limits.http.wrongKeysPerMinute
    },
    httpKeepAliveSeconds: get("HTTP_KEEP_ALIVE_SECONDS") ?? limits.http.keepAliveSeconds,
    ocppMinSecurityProfile: get("OCPP_MIN_SECURITY_PROFILE") ?? 0,
    ocppBytesPerSecond: get("OCPP_BYTES_PER_SECOND") ?? limits.ocpp.bytesPerSecond,
    outboundAllowPrivate: get("OUTBOUND_ALLOW_PRIVATE") ?? false,
    dnsServers: get("DNS_SERVERS") ?? [],
    backgroundIntervalMillis: get("BACKGROUND_INTERVAL_MILLIS") ?? limits.background.intervalMillis,
    ...retentionOf(get),
    writeBudget: {
      auditBytesPerDay: get("AUDIT_ORGANISATION_BYTES_PER_DAY") ?? limits.writes.auditBytesPerDay,
      idempotencyBytesPerDay: get("IDEMPOTENCY_ORGANISATION_BYTES_PER_DAY") ?? limits.writes.idempotencyBytesPerDay
    },
    messageLogRetentionDays: get("MESSAGE_LOG_RETENTION_DAYS") ?? limits.messageLog.retentionDays,
    messageLogHeartbeats: get("MESSAGE_LOG_HEARTBEATS") ?? false,
    messageLogBudget: {
      chargerBytesPerDay: get("MESSAGE_LOG_CHARGER_BYTES_PER_DAY") ?? limits.messageLog.chargerBytesPerDay,
      organisationBytesPerDay:
        get("MESSAGE_LOG_ORGANISATION_BYTES_PER_DAY") ?? limits.messageLog.organisationBytesPerDay
    },
    recording: {
      transactions: {
        charger: get("TRANSACTIONS_CHARGER_PER_DAY") ?? limits.recording.transactions.charger,
        organisation: get("TRANSACTIONS_ORGANISATION_PER_DAY") ?? limits.recording.transactions.organisation
      },
      readingBytes: {
        charger: get("READINGS_CHARGER_BYTES_PER_DAY") ?? limits.recording.readingBytes.charger,
        organisation: get("READINGS_ORGANISATION_BYTES_PER_DAY") ?? limits.recording.readingBytes.organisation
      }
    },
    files: filesOf(get, publicUrl),
    databasePoolSize: get("DATABASE_POOL_SIZE") ?? limits.database.poolSize,
    minFreeDiskBytes: get("MIN_FREE_DISK_BYTES") ?? limits.database.minFreeBytes,
    bootstrap,
    otel: Object.fromEntries([...set].filter(([name]) => name.startsWith("OTEL_"))),
    warnings: envFiles
      .filter(isOpenToAll)
      .map((path) => `security: --env-file ${path} can be read by every user of this machine; run chmod 600 on it`),
    printOnly,
    // Last, since it is the only one that writes.
    ...identity(get, dataDir, printOnly)
  }
  return { ...config, printed: print(set, config) }
}

/**
 * The settings of one start, from an environment (`process.env`) and the arguments after the program's name. Fails with
 * the first error. Generates `SECRET_KEY` and `NODE_ID` in `DATA_DIR` if they are not given.
 */
export const loadConfig = (env: Env, args: ReadonlyArray<string>): Effect.Effect<Config, ConfigProblem> =>
  Effect.try({
    try: () => load(env, args),
    catch: (error) => {
      if (error instanceof ConfigProblem) return error
      throw error
    }
  })
