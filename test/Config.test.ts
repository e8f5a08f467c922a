/** With wrong settings a start names the problem at once and in one line; with correct ones it has all it needs. */
import { Effect, Exit, Redacted } from "effect"
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { type Config, limits, loadConfig } from "../src/Config.ts"
import { defaultLimits } from "../src/ocpp/server/Limits.ts"
import { makeCertificates, noOpenssl } from "./ocpp/server/certificates.ts"

const directory = mkdtempSync(join(tmpdir(), "voltlane-config-"))
afterAll(() => rmSync(directory, { recursive: true }))

const file = (name: string, text: string): string => {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}

const dataDir = join(directory, "data")
const secretKey = "0123456789abcdef0123456789abcdef"
const databaseUrl = "postgres://voltlane:hunter2@db.example/voltlane"

const load = (env: Record<string, string>, args: ReadonlyArray<string> = []): Config =>
  Effect.runSync(loadConfig({ DATA_DIR: dataDir, ...env }, args))

const problem = (env: Record<string, string>, args: ReadonlyArray<string> = []): string => {
  const exit = Effect.runSyncExit(loadConfig({ DATA_DIR: dataDir, ...env }, args))
  const [reason] = Exit.isFailure(exit) ? exit.cause.reasons : []
  return reason?._tag === "Fail"
    ? `${reason.error.variable}: ${reason.error.message}`
    : `no problem, but ${String(exit)}`
}

// Without openssl the checks of certificates are skipped, and that is reported.
const certificates = noOpenssl() === undefined ? makeCertificates() : undefined
afterAll(() => certificates?.remove())
const { cert, key } = certificates?.server ?? { cert: "", key: "" }
const otherKey = certificates?.client("other").key ?? ""

describe("loadConfig without settings", () => {
  it("listens only on this machine, with the embedded database", () => {
    expect(load({})).toMatchObject({
      host: "127.0.0.1",
      port: 8080,
      tls: undefined,
      publicUrl: "http://localhost:8080",
      environment: "PRODUCTION",
      databaseUrl: undefined,
      trustProxy: [],
      v1AllowHttp: false,
      consoleAllowHttp: false,
      ocppMinSecurityProfile: 0,
      ocppBytesPerSecond: 32_768,
      outboundAllowPrivate: false,
      dnsServers: [],
      backgroundIntervalMillis: 1_000,
      readingsRetentionMonths: 25,
      factsRetentionMonths: 13,
      commandsRetentionMonths: 25,
      messageLogRetentionDays: 30,
      messageLogHeartbeats: false,
      auditRetentionMonths: 25,
      writeBudget: { auditBytesPerDay: 256 * 1024 * 1024, idempotencyBytesPerDay: 256 * 1024 * 1024 },
      messageLogBudget: { chargerBytesPerDay: 16 * 1024 * 1024, organisationBytesPerDay: 1024 * 1024 * 1024 },
      files: { url: "http://localhost:8080", retentionDays: 90, minFreeBytes: 512 * 1024 * 1024, s3: undefined },
      minFreeDiskBytes: 64 * 1024 * 1024
    })
    expect(Effect.runSync(loadConfig({ SECRET_KEY: secretKey, NODE_ID: "n" }, [])).dataDir).toBe(resolve("data"))
  })

  it("generates a key and a node name once, readable by their owner only, and finds them again", () => {
    const own = join(directory, "made", "here")
    const first = load({ DATA_DIR: own })
    const second = load({ DATA_DIR: own })
    expect(Redacted.value(first.secretKey).length).toBeGreaterThanOrEqual(43)
    expect(Redacted.value(second.secretKey)).toBe(Redacted.value(first.secretKey))
    expect(second.nodeId).toBe(first.nodeId)
    expect(Redacted.value(load({ DATA_DIR: join(directory, "elsewhere") }).secretKey)).not.toBe(
      Redacted.value(first.secretKey)
    )
    for (const name of ["secret-key", "node-id"]) expect(statSync(join(own, name)).mode & 0o777).toBe(0o600)
  })

  it("allows no other origin, and limits request rates only far above normal use", () => {
    const { apiRates, corsOrigins } = load({})
    expect([corsOrigins, apiRates]).toEqual([[], { requestsPerMinute: 12_000, wrongKeysPerMinute: 600 }])
    const given = load({
      CORS_ORIGINS: "https://console.example, http://localhost:5173",
      API_REQUESTS_PER_MINUTE: "0",
      API_WRONG_KEYS_PER_MINUTE: "5"
    })
    expect(given.corsOrigins).toEqual(["https://console.example", "http://localhost:5173"])
    expect(given.apiRates).toEqual({ requestsPerMinute: 0, wrongKeysPerMinute: 5 })
  })

  it("uses no host for map tiles, unless one is set", () => {
    expect(load({}).mapTiles).toBe(undefined)
    const template = "https://tiles.example:8443/street/{z}/{x}/{y}@2x.png?key=ours"
    expect(load({ MAP_TILES: template }).mapTiles).toEqual({ template, attribution: undefined })
    const attribution = "© OpenStreetMap contributors"
    expect(load({ MAP_TILES: template, MAP_TILES_ATTRIBUTION: attribution }).mapTiles).toEqual({
      template,
      attribution
    })
    for (const host of ["localhost:8080", "127.0.0.1:9000"]) {
      const here = `http://${host}/{z}/{x}/{y}.png`
      expect(load({ MAP_TILES: here }).mapTiles?.template).toBe(here)
    }
  })

  it("reserves for files four times the database's minimum of free disk space, and at least 512 MiB", () => {
    const kept = (env: Record<string, string>) =>
      Effect.runSync(loadConfig({ SECRET_KEY: secretKey, NODE_ID: "n", ...env }, [])).files.minFreeBytes
    const mebibyte = 1024 * 1024
    expect(kept({ MIN_FREE_DISK_BYTES: "0" })).toBe(512 * mebibyte)
    expect(kept({ MIN_FREE_DISK_BYTES: String(1024 * mebibyte) })).toBe(4096 * mebibyte)
    expect(kept({ MIN_FREE_DISK_BYTES: String(1024 * mebibyte), FILES_MIN_FREE_DISK_BYTES: "7" })).toBe(7)
  })

  it("treats an empty value as none, as compose files write them", () => {
    expect(load({ DATABASE_URL: "", PORT: "" })).toMatchObject({ databaseUrl: undefined, port: 8080 })
  })
})

describe("loadConfig with settings", () => {
  it.skipIf(certificates === undefined)("accepts all of them", () => {
    const certFile = file("cert.pem", cert)
    const keyFile = file("key.pem", key)
    const config = load({
      HOST: "0.0.0.0",
      PORT: "9000",
      TLS_PORT: "9443",
      TLS_CERT_FILE: certFile,
      TLS_KEY_FILE: keyFile,
      TLS_CLIENT_CA_FILE: certFile,
      PUBLIC_URL: "https://charging.example.com/",
      ENVIRONMENT: "TEST",
      DATABASE_URL: databaseUrl,
      DATABASE_POOL_SIZE: "7",
      SECRET_KEY: secretKey,
      NODE_ID: "node-1",
      TRUST_PROXY: "10.0.0.0/8, ::1",
      V1_ALLOW_HTTP: "true",
      CONSOLE_ALLOW_HTTP: "true",
      OCPP_MIN_SECURITY_PROFILE: "2",
      OCPP_BYTES_PER_SECOND: "65536",
      OUTBOUND_ALLOW_PRIVATE: "1",
      DNS_SERVERS: "10.0.0.53, [::1]:5353",
      BACKGROUND_INTERVAL_MILLIS: "50",
      READINGS_RETENTION_MONTHS: "36",
      FACTS_RETENTION_MONTHS: "24",
      COMMANDS_RETENTION_MONTHS: "30",
      SESSIONS_RETENTION_MONTHS: "120",
      AUDIT_RETENTION_MONTHS: "84",
      MESSAGE_LOG_RETENTION_DAYS: "7",
      MESSAGE_LOG_HEARTBEATS: "yes",
      AUDIT_ORGANISATION_BYTES_PER_DAY: "300000000",
      IDEMPOTENCY_ORGANISATION_BYTES_PER_DAY: "400000000",
      MESSAGE_LOG_CHARGER_BYTES_PER_DAY: "1000000",
      MESSAGE_LOG_ORGANISATION_BYTES_PER_DAY: "20000000",
      FILES_URL: "http://files.example.com:9000/",
      FILES_RETENTION_DAYS: "14",
      FILES_S3_BUCKET: "ours",
      FILES_S3_REGION: "eu-north-1",
      FILES_S3_ACCESS_KEY_ID: "AKIA",
      FILES_S3_SECRET_ACCESS_KEY: "s3cret/of+ours",
      BOOTSTRAP_OPERATOR_EMAIL: "ada@example.com",
      BOOTSTRAP_OPERATOR_PASSWORD: "a b c",
      BOOTSTRAP_API_KEY: "key",
      BOOTSTRAP_V1_CLIENT_ID: "client",
      BOOTSTRAP_V1_CODE: "code",
      BOOTSTRAP_COUNTRY_CODE: "FI",
      BOOTSTRAP_PARTY_ID: "ABC",
      OTEL_SERVICE_NAME: "chargers"
    })
    expect(config).toMatchObject({
      host: "0.0.0.0",
      port: 9000,
      tls: { port: 9443, certFile, keyFile, clientCaFile: certFile },
      publicUrl: "https://charging.example.com",
      environment: "TEST",
      databasePoolSize: 7,
      nodeId: "node-1",
      trustProxy: ["10.0.0.0/8", "::1"],
      v1AllowHttp: true,
      consoleAllowHttp: true,
      ocppMinSecurityProfile: 2,
      ocppBytesPerSecond: 65_536,
      outboundAllowPrivate: true,
      dnsServers: ["10.0.0.53", "[::1]:5353"],
      backgroundIntervalMillis: 50,
      readingsRetentionMonths: 36,
      factsRetentionMonths: 24,
      sessionsRetentionMonths: 120,
      auditRetentionMonths: 84,
      commandsRetentionMonths: 30,
      messageLogRetentionDays: 7,
      messageLogHeartbeats: true,
      writeBudget: { auditBytesPerDay: 300_000_000, idempotencyBytesPerDay: 400_000_000 },
      messageLogBudget: { chargerBytesPerDay: 1_000_000, organisationBytesPerDay: 20_000_000 },
      files: {
        url: "http://files.example.com:9000",
        retentionDays: 14,
        s3: { bucket: "ours", endpoint: "https://s3.eu-north-1.amazonaws.com", pathStyle: false, accessKeyId: "AKIA" }
      },
      otel: { OTEL_SERVICE_NAME: "chargers" }
    })
    expect(config.databaseUrl === undefined ? "" : Redacted.value(config.databaseUrl)).toBe(databaseUrl)
    expect(config.bootstrap).toMatchObject({
      operatorEmail: "ada@example.com",
      v1ClientId: "client",
      countryCode: "FI",
      partyId: "ABC"
    })
  })

  it("addresses a self-hosted S3 store without the bucket in its host name, and does not show its secret", () => {
    const config = load({
      FILES_S3_BUCKET: "ours",
      FILES_S3_ENDPOINT: "http://minio.internal:9000",
      FILES_S3_ACCESS_KEY_ID: "AKIA",
      FILES_S3_SECRET_ACCESS_KEY: "s3cret/of+ours"
    })
    expect(config.files.s3).toMatchObject({
      endpoint: "http://minio.internal:9000",
      region: "us-east-1",
      pathStyle: true
    })
    expect(JSON.stringify(config) + config.printed).not.toContain("s3cret")
    expect(config.printed).toContain("FILES_S3_SECRET_ACCESS_KEY=(set, not shown)\n")
  })

  it.skipIf(certificates === undefined)(
    "uses https in its addresses if TLS is set, unless PUBLIC_URL says otherwise",
    () => {
      const tls = { TLS_CERT_FILE: file("c.pem", cert), TLS_KEY_FILE: file("k.pem", key) }
      expect(load({ ...tls, PLAIN_HTTP: "false" })).toMatchObject({
        port: undefined,
        publicUrl: "https://localhost:8443"
      })
      expect(load({ ...tls, TLS_PORT: "9443" })).toMatchObject({ port: 8080, publicUrl: "https://localhost:9443" })
      expect(load({ ...tls, PUBLIC_URL: "http://cpo.example" }).publicUrl).toBe("http://cpo.example")
    }
  )

  it("reads a file of settings, which the environment overrides", () => {
    const path = file(
      "settings.env",
      [
        "# A comment",
        "",
        "PORT=9001  # another",
        "export HOST=0.0.0.0",
        'NODE_ID="a-b"',
        "BOOTSTRAP_V1_CLIENT_ID='x#y'",
        "ENVIRONMENT=STAGING"
      ].join("\r\n")
    )
    const config = load({ ENVIRONMENT: "TEST" }, ["--env-file", path])
    expect(config).toMatchObject({ port: 9001, host: "0.0.0.0", nodeId: "a-b", environment: "TEST" })
    expect(config.bootstrap.v1ClientId).toBe("x#y")
    expect(load({}, [`--env-file=${path}`]).environment).toBe("STAGING")
  })

  it("reads a secret from a file of its own", () => {
    expect(Redacted.value(load({ SECRET_KEY_FILE: file("key.txt", `${secretKey}\n`) }).secretKey)).toBe(secretKey)
  })

  it("gives the OCPP server the limits that its tests use", () => {
    expect(limits.ocpp).toEqual(defaultLimits)
  })
})

describe("loadConfig with a wrong setting", () => {
  const missing = join(directory, "missing.pem")
  type Case = readonly [what: string, env: Record<string, string>, expected: RegExp, args: ReadonlyArray<string>]
  const cases: ReadonlyArray<readonly [string, Record<string, string>, RegExp, ReadonlyArray<string>?]> = [
    ["a port that is not a number", { PORT: "abc" }, /^PORT: expected a port number 1–65535, got "abc"$/],
    ["a port beyond the last", { PORT: "65536" }, /^PORT: expected a port number 1–65535, got "65536"$/],
    ["a port in another notation", { PORT: "0x50" }, /^PORT: expected/],
    ["an invalid host", { HOST: "not a host" }, /^HOST: expected/],
    [
      "an unknown environment",
      { ENVIRONMENT: "LIVE" },
      /^ENVIRONMENT: expected one of TEST, STAGING, PRODUCTION, got "LIVE"$/
    ],
    ["an origin with a path", { CORS_ORIGINS: "https://console.example/x" }, /^CORS_ORIGINS: expected origins such as/],
    ["an origin without a scheme", { CORS_ORIGINS: "console.example" }, /^CORS_ORIGINS: expected origins such as/],
    ["a negative rate", { API_REQUESTS_PER_MINUTE: "-1" }, /^API_REQUESTS_PER_MINUTE: expected a number of requests/],
    ...[
      "tiles.example/{z}/{x}/{y}.png",
      "http://tiles.example/{z}/{x}/{y}.png",
      "ftp://tiles.example/{z}/{x}/{y}.png",
      "https://tiles.example/{z}/{x}.png",
      "https://tiles.example/{z}/{z}/{x}/{y}.png",
      "https://{s}.tiles.example/{z}/{x}/{y}.png",
      "https://{z}.example/{x}/{y}.png",
      "https://*.tiles.example/{z}/{x}/{y}.png",
      "https://u:p@tiles.example/{z}/{x}/{y}.png",
      "https://tiles.example;script-src/{z}/{x}/{y}.png",
      "https://tiles.example/{z}/{x}/{y}.png#a",
      "https://[::1]/{z}/{x}/{y}.png",
      "https://tiles.example /{z}/{x}/{y}.png"
    ].map(
      (template) =>
        [
          `map tiles from ${template}`,
          { MAP_TILES: template },
          /^MAP_TILES: expected an https address with \{z\}, \{x\} and \{y\} once each after its host, such as https:.*, got ".*"$/
        ] as const
    ),
    [
      "the name of tiles that are not set",
      { MAP_TILES_ATTRIBUTION: "© O" },
      /^MAP_TILES_ATTRIBUTION: also requires MAP_TILES/
    ],
    [
      "sessions that are deleted before their readings",
      { SESSIONS_RETENTION_MONTHS: "24" },
      /^SESSIONS_RETENTION_MONTHS: must be at least READINGS_RETENTION_MONTHS and FACTS_RETENTION_MONTHS$/
    ],
    [
      "an audit log that is deleted before other facts",
      { AUDIT_RETENTION_MONTHS: "12" },
      /^AUDIT_RETENTION_MONTHS: must be at least FACTS_RETENTION_MONTHS$/
    ],
    ["a misspelt name of the tiles", { MAP_TILE: "x" }, /^MAP_TILE: unknown setting; did you mean MAP_TILES\?$/],
    [
      "a misspelt retention",
      { SESSION_RETENTION_MONTHS: "60" },
      /^SESSION_RETENTION_MONTHS: unknown setting; did you mean SESSIONS_RETENTION_MONTHS\?$/
    ],
    ["a misspelt setting", { CORS_ORIGIN: "*" }, /^CORS_ORIGIN: unknown setting; did you mean CORS_ORIGINS\?$/],
    [
      "a value that is neither true nor false",
      { V1_ALLOW_HTTP: "maybe" },
      /^V1_ALLOW_HTTP: expected true or false, got "maybe"$/
    ],
    ["a URL without a scheme", { PUBLIC_URL: "charging.example.com" }, /^PUBLIC_URL: expected a URL/],
    ["a URL with another scheme", { PUBLIC_URL: "ftp://charging.example.com" }, /^PUBLIC_URL: expected a URL/],
    ["an unknown security profile", { OCPP_MIN_SECURITY_PROFILE: "4" }, /^OCPP_MIN_SECURITY_PROFILE: expected/],
    ["a network with too many bits", { TRUST_PROXY: "10.0.0.0/33" }, /^TRUST_PROXY: expected addresses or networks/],
    ["a DNS server that is a name", { DNS_SERVERS: "10.0.0.53,dns.example" }, /^DNS_SERVERS: expected IP addresses/],
    ["a network that is a name", { TRUST_PROXY: "127.0.0.1,proxy" }, /^TRUST_PROXY: expected addresses or networks/],
    [
      "a short key, without showing it",
      { SECRET_KEY: "short" },
      /^SECRET_KEY: expected at least 8 characters, preferably 32 random ones$/
    ],
    [
      "another database, without showing it",
      { DATABASE_URL: "mysql://u:hunter2@h/d" },
      /^DATABASE_URL: expected a URL such as postgres:\/\/user:password@host:5432\/database$/
    ],
    ["a database without a key", { DATABASE_URL: databaseUrl }, /^SECRET_KEY: is required with DATABASE_URL/],
    ["a certificate without its key", { TLS_CERT_FILE: missing }, /^TLS_CERT_FILE: also requires TLS_KEY_FILE/],
    ["a key without its certificate", { TLS_KEY_FILE: missing }, /^TLS_KEY_FILE: also requires TLS_CERT_FILE/],
    [
      "a CA of clients without a certificate of the service",
      { TLS_CLIENT_CA_FILE: missing },
      /^TLS_CLIENT_CA_FILE: also requires/
    ],
    ["an invalid metrics port", { METRICS_PORT: "no" }, /^METRICS_PORT: expected a port number 1–65535, or off/],
    ["a metrics port that is the port", { METRICS_PORT: "8080" }, /^METRICS_PORT: is 8080, the same as PORT/],
    ["a misspelt metrics port", { METRICS_PROT: "9464" }, /^METRICS_PROT: unknown setting; did you mean METRICS_PORT/],
    ["a TLS port without a certificate", { TLS_PORT: "8443" }, /^TLS_PORT: also requires/],
    [
      "a missing certificate file",
      { TLS_CERT_FILE: missing, TLS_KEY_FILE: missing },
      /^TLS_CERT_FILE: cannot read .*missing\.pem/
    ],
    [
      "a store of files without its bucket",
      { FILES_S3_REGION: "eu-1" },
      /^FILES_S3_REGION: also requires FILES_S3_BUCKET/
    ],
    ["a bucket without its key", { FILES_S3_BUCKET: "ours" }, /^FILES_S3_BUCKET: also requires FILES_S3_ACCESS_KEY_ID/],
    [
      "a bucket without its secret",
      { FILES_S3_BUCKET: "ours", FILES_S3_ACCESS_KEY_ID: "AKIA" },
      /^FILES_S3_BUCKET: also requires FILES_S3_SECRET_ACCESS_KEY/
    ],
    ["an invalid endpoint of a store of files", { FILES_S3_ENDPOINT: "s3://x" }, /^FILES_S3_ENDPOINT: expected a URL/],
    ["nothing to listen on", { PLAIN_HTTP: "false" }, /^PLAIN_HTTP: false leaves nothing to listen on/],
    ["an invalid country code", { BOOTSTRAP_COUNTRY_CODE: "Finland" }, /^BOOTSTRAP_COUNTRY_CODE: expected/],
    [
      "a code without its client",
      { BOOTSTRAP_V1_CODE: "x" },
      /^BOOTSTRAP_V1_CODE: also requires BOOTSTRAP_V1_CLIENT_ID/
    ],
    ["a misspelt name", { TLS_CERT_FLE: "x" }, /^TLS_CERT_FLE: unknown setting; did you mean TLS_CERT_FILE\?$/],
    ["another misspelt name", { OCPP_MIN_SECURITY_PROFIL: "2" }, /did you mean OCPP_MIN_SECURITY_PROFILE\?$/],
    ["a transposed name", { BOOTSTRAP_APIKEY: "x" }, /did you mean BOOTSTRAP_API_KEY\?$/],
    [
      "a secret that is set twice",
      { SECRET_KEY: secretKey, SECRET_KEY_FILE: missing },
      /^SECRET_KEY_FILE: SECRET_KEY is set as well/
    ],
    [
      "a directory that cannot be made",
      { DATA_DIR: "/proc/nowhere/data" },
      /^DATA_DIR: cannot keep SECRET_KEY in \/proc\/nowhere\/data/
    ],
    [
      "a missing file of settings",
      {},
      /^--env-file: cannot read .*nowhere\.env/,
      ["--env-file", join(directory, "nowhere.env")]
    ],
    [
      "a file of settings with an invalid line",
      {},
      /^--env-file: line 2 of .*bad\.env is not NAME=value$/,
      ["--env-file", file("bad.env", "PORT=1\nPORT 2\n")]
    ],
    ["an option without its value", {}, /^--env-file: must be followed by the path/, ["--env-file"]],
    ["an unknown option", {}, /^--print: unknown option/, ["--print"]]
  ]
  const filled = cases.map(([what, env, expected, args]): Case => [what, env, expected, args ?? []])
  it.each(filled)("names %s", (_, env, expected, args) => {
    expect(problem(env, args)).toMatch(expected)
  })

  const tls = (cert: string, key: string) => ({
    TLS_CERT_FILE: file("c1.pem", cert),
    TLS_KEY_FILE: file("k1.pem", key)
  })
  it.skipIf(certificates === undefined)(
    "names invalid or mismatched certificates and keys, and two listeners on one port",
    () => {
      expect(problem(tls("no", key))).toMatch(/^TLS_CERT_FILE: .*c1\.pem is not a certificate/)
      expect(problem(tls(cert, "no"))).toMatch(/^TLS_KEY_FILE: .*k1\.pem is not a private key/)
      expect(problem(tls(cert, otherKey))).toMatch(/^TLS_KEY_FILE: .*k1\.pem is not the key of TLS_CERT_FILE/)
      expect(problem({ ...tls(cert, key), PORT: "8443" })).toMatch(/^TLS_PORT: is 8443, the same as PORT/)
    }
  )

  it("ignores variables of other programs", () => {
    expect(
      load({ HOME: "/root", HOSTNAME: "box", POST: "1", TLS_FINGERPRINT_OF_ANOTHER_PROGRAM: "x", OCPP: "1" }).port
    ).toBe(8080)
  })

  it("never shows a secret in its printed form", () => {
    const config = load({ DATABASE_URL: databaseUrl, SECRET_KEY: secretKey, BOOTSTRAP_API_KEY: "top-secret-key" })
    for (const text of [JSON.stringify(config), String(config.databaseUrl), config.printed]) {
      expect(text).not.toMatch(/hunter2|0123456789abcdef|top-secret-key/)
    }
  })
})

describe("METRICS_PORT", () => {
  it("is a separate port, or off; without it metrics are on the same port as everything else", () => {
    const given = ["9464", "off", ""].map((METRICS_PORT) => load({ METRICS_PORT }).metricsPort)
    expect(given).toEqual([9464, "off", undefined])
  })
})

describe("--env-file", () => {
  it.skipIf(process.platform === "win32")("is accepted with a warning when every user can read it", () => {
    const path = file("open.env", "ENVIRONMENT=TEST\n")
    chmodSync(path, 0o644)
    const open = load({}, ["--env-file", path])
    expect([open.environment, open.warnings]).toEqual([
      "TEST",
      [expect.stringContaining(`${path} can be read by every`)]
    ])
    chmodSync(path, 0o640)
    expect(load({}, ["--env-file", path]).warnings).toEqual([])
  })
})

describe("--print-config", () => {
  it("prints every variable with its effective value, and writes nothing", () => {
    const own = join(directory, "untouched")
    const { printed, printOnly } = load({ DATA_DIR: own, PORT: "9000", BOOTSTRAP_V1_CLIENT_ID: "me" }, [
      "--print-config"
    ])
    expect(printOnly).toBe(true)
    expect(printed).toContain("PORT=9000\n")
    expect(printed).toContain("ENVIRONMENT=PRODUCTION\n")
    expect(printed).toContain("BOOTSTRAP_V1_CLIENT_ID=me\n")
    expect(printed).toContain(`SECRET_KEY=(kept in ${own})\n`)
    expect(() => statSync(own)).toThrow(/ENOENT/)
  })
})

describe("a wrong setting", () => {
  it("is reported within a second", () => {
    const runtime = process.versions["deno"] === undefined ? [] : ["run", "-A"]
    const { stdout } = spawnSync(process.execPath, [...runtime, "test/support/wrongPort.ts"], { encoding: "utf8" })
    const [variable, cpuMillis] = stdout.trim().split(" ")
    expect(variable).toBe("PORT")
    // Of processor time, not of the clock, since the machine that runs the tests is busy.
    expect(Number(cpuMillis)).toBeLessThan(1_000)
  })
})
