/** Converts the decoded settings to the options of each part. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { BlockList, isIPv6 } from "node:net"
import { type Config, limits } from "../Config.ts"
import { transferMillis } from "../domain/file/StoredFile.ts"
import { revokedSerials } from "../ocpp/server/Revocations.ts"
import { tlsOptions } from "../ocpp/server/Tls.ts"
import { backgroundOf, lookEveryMillis, scaledBy } from "./Background.ts"
import { keepFirstKeys } from "./FirstKeys.ts"
import type { ListenerOptions } from "./Listeners.ts"
import type { ServiceSettings } from "./Service.ts"

/** Returns a function that is true for an address that `TRUST_PROXY` names, or that is in a network that it names. */
const trusts = (entries: ReadonlyArray<string>): ((address: string) => boolean) => {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = "", bits] = entry.split("/", 2)
    const family = isIPv6(address) ? "ipv6" : "ipv4"
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => entries.length > 0 && list.check(address, isIPv6(address) ? "ipv6" : "ipv4")
}

const clientCaOf = (config: Config): string | undefined =>
  config.tls?.clientCaFile === undefined ? undefined : readFileSync(config.tls.clientCaFile, "utf8")

const listenersOf = (config: Config): ListenerOptions => ({
  host: config.host,
  port: config.port,
  tls:
    config.tls === undefined
      ? undefined
      : {
          port: config.tls.port,
          options: tlsOptions(
            {
              cert: readFileSync(config.tls.certFile, "utf8"),
              key: readFileSync(config.tls.keyFile, "utf8"),
              clientCa: clientCaOf(config)
            },
            limits.ocpp.handshakeMillis
          )
        },
  metricsPort: config.metricsPort === "off" ? undefined : config.metricsPort,
  keepAliveMillis: config.httpKeepAliveSeconds * 1_000,
  headersTimeoutMillis: limits.http.headersTimeoutMillis,
  requestTimeoutMillis: limits.http.requestTimeoutMillis,
  transferTimeoutMillis: transferMillis,
  unreadAnswerMillis: limits.http.unreadAnswerMillis,
  slowestReaderBytesPerSecond: limits.http.slowestReaderBytesPerSecond
})

const retentionOf = (config: Config): ServiceSettings["retention"] => ({
  messageRetentionDays: config.messageLogRetentionDays,
  readingsRetentionMonths: config.readingsRetentionMonths,
  factsRetentionMonths: config.factsRetentionMonths,
  sessionsRetentionMonths: config.sessionsRetentionMonths,
  auditRetentionMonths: config.auditRetentionMonths,
  commandsRetentionMonths: config.commandsRetentionMonths
})

export const settingsOf = (config: Config, version: string): ServiceSettings => {
  const scaled = scaledBy(config.backgroundIntervalMillis)
  return {
    version,
    consoleFolder: join(import.meta.dirname, "..", "..", "console", "dist"),
    environment: config.environment,
    publicUrl: config.publicUrl,
    nodeId: config.nodeId,
    secretKey: config.secretKey,
    database: {
      url: config.databaseUrl,
      dataDir: config.dataDir,
      nodeId: config.nodeId,
      minFreeBytes: config.minFreeDiskBytes,
      poolSize: config.databasePoolSize,
      watchdogMillis: limits.database.watchdogMillis
    },
    listeners: listenersOf(config),
    metrics: config.metricsPort === undefined ? "beside" : config.metricsPort === "off" ? "off" : "apart",
    bootstrap: {
      ...config.bootstrap,
      publicUrl: config.publicUrl,
      keep: process.stdout.isTTY ? undefined : keepFirstKeys(config.dataDir)
    },
    v1AllowHttp: config.v1AllowHttp,
    consoleOverTlsOnly: config.tls !== undefined && !config.consoleAllowHttp,
    corsOrigins: config.corsOrigins,
    mapTiles: config.mapTiles,
    apiRates: config.apiRates,
    trustProxy: trusts(config.trustProxy),
    outbound: { ...limits.outbound, allowPrivate: config.outboundAllowPrivate },
    dns: { servers: config.dnsServers },
    minSecurityProfile: config.ocppMinSecurityProfile,
    revokedCertificates: revokedSerials(clientCaOf(config) ?? ""),
    compression: false,
    logHeartbeats: config.messageLogHeartbeats,
    largeAnswers: limits.http,
    fairShare: limits.http,
    strangers: limits.strangers,
    thread: limits.http,
    ocppLimits: { ...limits.ocpp, bytesPerSecond: config.ocppBytesPerSecond },
    actors: { ...limits.actors, recording: config.recording, settleMillis: scaled(limits.actors.settleMillis) },
    background: backgroundOf(config.backgroundIntervalMillis),
    journal: limits.journal,
    files: { ...limits.files, ...config.files, folder: join(config.dataDir, "files") },
    commands: {
      ...limits.commands,
      sweepEveryMillis: lookEveryMillis(config.backgroundIntervalMillis),
      tls: config.tls !== undefined,
      clientCertificates: config.tls?.clientCaFile !== undefined
    },
    directory: limits.directory,
    writeBudget: config.writeBudget,
    messageLog: {
      ...limits.messageLog,
      ...config.messageLogBudget,
      flushEveryMillis: scaled(limits.messageLog.flushEveryMillis)
    },
    exchanges: { ...limits.exchanges, flushEveryMillis: scaled(limits.exchanges.flushEveryMillis) },
    lastSeen: { ...limits.lastSeen, flushEveryMillis: scaled(limits.lastSeen.flushEveryMillis) },
    attempts: { ...limits.attempts, flushEveryMillis: scaled(limits.attempts.flushEveryMillis) },
    refusals: { ...limits.refusals, flushEveryMillis: scaled(limits.refusals.flushEveryMillis) },
    retention: retentionOf(config),
    leaseMillis: limits.nodes.leaseMillis
  }
}
