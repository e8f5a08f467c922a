/** The security cases: password rotation, certificates that are requested and installed, logs, signed firmware, TLS. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { freePort } from "../../bench/servers/port.ts"
import { Station } from "./Station.ts"
import { World } from "./World.ts"

/** A CA, the service's certificate and a charger's, made by openssl. */
const folder = mkdtempSync(join(tmpdir(), "voltlane-cases-"))
const at = (name: string) => join(folder, name)
const openssl = (...args: ReadonlyArray<string>) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" })
const chargerWithCertificate = "CASE-TLS-3"
const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/O=Cases/CN=CA", "-days", "2")
// Version 3 with its purpose: Deno's TLS takes no version 1 certificates.
writeFileSync(
  at("leaf.ext"),
  "basicConstraints=CA:FALSE\nkeyUsage=digitalSignature\nextendedKeyUsage=clientAuth,serverAuth\n"
)
for (const [name, subject] of [
  ["server", "/O=Cases/CN=localhost"],
  ["charger", `/O=Cases/CN=${chargerWithCertificate}`]
] as const) {
  openssl("req", ...key, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", subject)
  openssl(
    "x509",
    "-req",
    "-in",
    `${name}.csr`,
    "-CA",
    "ca.crt",
    "-CAkey",
    "ca.key",
    "-CAcreateserial",
    "-out",
    `${name}.crt`,
    "-extfile",
    "leaf.ext",
    "-days",
    "2"
  )
}

/** How many bytes the message log stores for one charger in a day. */
const logBytes = 256 * 1024

const tlsPort = await freePort()
const world = new World({
  TLS_PORT: String(tlsPort),
  TLS_CERT_FILE: at("server.crt"),
  TLS_KEY_FILE: at("server.key"),
  TLS_CLIENT_CA_FILE: at("ca.crt"),
  // The cases here send a few KB; the flood below sends more.
  MESSAGE_LOG_CHARGER_BYTES_PER_DAY: String(logBytes)
})

const hash = {
  hashAlgorithm: "SHA256",
  issuerNameHash: "a".repeat(64),
  issuerKeyHash: "b".repeat(64),
  serialNumber: "1f"
}
const pem = readFileSync(at("ca.crt"), "utf8")

const password = "0123456789abcdef"
const secured = async () => {
  const id = await world.charger({ password })
  return world.station(id, { password })
}
const refusedWith = async (id: string, options: object): Promise<boolean> => {
  await using station = new Station(world.service.ocppUrl, id, options)
  return station.connect().then(
    () => false,
    () => true
  )
}

describe("OCPP 1.6 security", () => {
  it("TC_073 rotates a charger's password, after which the old one is refused", async () => {
    const { id, station } = await secured()
    station.on("ChangeConfiguration", { status: "Accepted" })
    const next = "fedcba9876543210"
    const command = await world.command(id, "ChangeConfiguration", { key: "AuthorizationKey", value: next })
    expect(command).toMatchObject({ status: "Accepted" })
    expect(station.asked("ChangeConfiguration")).toEqual([{ key: "AuthorizationKey", value: next }])
    expect(JSON.stringify([command, await world.messages(id, "ChangeConfiguration")])).not.toContain(next)
    await station.close()
    expect(await refusedWith(id, { password })).toBe(true)
    await world.station(id, { password: next })
  })

  it("TC_074 has a charger request a certificate, and sends it the signed one", async () => {
    const { id, station } = await secured()
    station.on("ExtendedTriggerMessage", { status: "Accepted" }).on("CertificateSigned", { status: "Accepted" })
    const requestedMessage = "SignChargePointCertificate"
    expect(await world.command(id, "ExtendedTriggerMessage", { requestedMessage })).toMatchObject({
      status: "Accepted"
    })
    const csr = readFileSync(at("charger.csr"), "utf8")
    expect(await station.call("SignCertificate", { csr })).toEqual({ status: "Accepted" })
    expect((await world.items(`chargers/${id}/certificate-requests`))[0]).toMatchObject({ csr })
    const certificateChain = readFileSync(at("charger.crt"), "utf8")
    expect(await world.command(id, "CertificateSigned", { certificateChain })).toMatchObject({ status: "Accepted" })
    expect(station.asked("CertificateSigned")).toEqual([{ certificateChain }])
  })

  for (const { id: tc, type } of [
    { id: "TC_075_1", type: "ManufacturerRootCertificate" },
    { id: "TC_075_2", type: "CentralSystemRootCertificate" }
  ]) {
    it(`${tc} installs a ${type} and finds it installed`, async () => {
      const { id, station } = await secured()
      station
        .on("InstallCertificate", { status: "Accepted" })
        .on("GetInstalledCertificateIds", { status: "Accepted", certificateHashData: [hash] })
      const command = await world.command(id, "InstallCertificate", { certificateType: type, certificate: pem })
      expect(command).toMatchObject({ status: "Accepted" })
      expect(station.asked("InstallCertificate")).toEqual([{ certificateType: type, certificate: pem }])
      const found = await world.command(id, "GetInstalledCertificateIds", { certificateType: type })
      expect(found).toMatchObject({ status: "Accepted", result: { certificateHashData: [hash] } })
      const certificates = [
        { certificateType: type, askedAt: found.completedAt, changedSince: false, certificates: [hash] }
      ]
      expect(await world.get(`chargers/${id}/certificates`)).toEqual({
        askedAt: found.completedAt,
        items: certificates
      })
    })
  }

  it("TC_076 deletes one certificate", async () => {
    const { id, station } = await secured()
    expect(await world.get(`chargers/${id}/certificates`), "never asked").toEqual({ askedAt: null, items: [] })
    station.on("DeleteCertificate", { status: "Accepted" })
    expect(await world.command(id, "DeleteCertificate", { certificateHashData: hash })).toMatchObject({
      status: "Accepted"
    })
    expect(station.asked("DeleteCertificate")).toEqual([{ certificateHashData: hash }])
  })

  for (const { id: tc, type } of [
    { id: "TC_077", type: "InvalidChargePointCertificate" },
    { id: "TC_078", type: "InvalidCentralSystemCertificate" }
  ]) {
    it(`${tc} accepts the security event ${type}`, async () => {
      const { id, station } = await secured()
      expect(await station.call("SecurityEventNotification", { type, timestamp: new Date().toISOString() })).toEqual({})
      expect(JSON.stringify(await world.messages(id, "SecurityEventNotification"))).toContain(type)
    })
  }

  it("TC_079 stores the security log that a charger uploads to us", async () => {
    const { id, station } = await secured()
    station.on("GetLog", { status: "Accepted", filename: "security.log" })
    const command = await world.command(id, "GetLog", { logType: "SecurityLog" })
    expect(command).toMatchObject({ status: "Accepted", result: { filename: "security.log" } })
    const [asked] = station.asked("GetLog")
    expect(asked).toMatchObject({ logType: "SecurityLog" })
    const sentLocation = String(Object(asked?.["log"])["remoteLocation"])
    expect(sentLocation).toContain(`https://localhost:${tlsPort}/`)
    // By plain http, since `fetch` does not trust the CA of this test.
    const remoteLocation = sentLocation.replace(`https://localhost:${tlsPort}`, world.service.url)
    const requestId = asked?.["requestId"]
    expect(await station.call("LogStatusNotification", { status: "Uploading", requestId })).toEqual({})
    const uploaded = await fetch(`${remoteLocation.replace(/\/$/, "")}/security.log`, { method: "PUT", body: "events" })
    expect(uploaded.status).toBeLessThan(300)
    expect(await station.call("LogStatusNotification", { status: "Uploaded", requestId })).toEqual({})
    expect((await world.items(`files?chargerId=${id}`))[0]).toMatchObject({ kind: "Log", state: "Stored" })
  })

  const signed = [
    {
      id: "TC_080",
      what: "which it installs",
      ends: ["Downloading", "Downloaded", "SignatureVerified", "Installing", "Installed"]
    },
    { id: "TC_081", what: "whose signature it finds invalid", ends: ["Downloading", "Downloaded", "InvalidSignature"] }
  ]
  for (const { ends, id: tc, what } of signed) {
    it(`${tc} sends a charger signed firmware, ${what}`, async () => {
      const { id, station } = await secured()
      station.on("SignedUpdateFirmware", { status: "Accepted" })
      const firmware = {
        location: "https://firmware.example.com/image.bin",
        retrieveDateTime: "2026-01-01T00:00:00.000Z",
        signingCertificate: pem,
        signature: "c2lnbmF0dXJl"
      }
      expect(await world.command(id, "SignedUpdateFirmware", { firmware })).toMatchObject({ status: "Accepted" })
      const [asked] = station.asked("SignedUpdateFirmware")
      expect(asked).toMatchObject({ firmware })
      for (const status of ends) {
        const answer = await station.call("SignedFirmwareStatusNotification", {
          status,
          requestId: asked?.["requestId"]
        })
        expect(answer).toEqual({})
      }
      expect(JSON.stringify(await world.messages(id, "SignedFirmwareStatusNotification"))).toContain(ends.at(-1))
    })
  }

  it("TC_083 raises a charger's security profile, after which the lower one is refused", async () => {
    const { id, station } = await secured()
    station.on("ChangeConfiguration", { status: "Accepted" })
    const command = await world.command(id, "ChangeConfiguration", { key: "SecurityProfile", value: "2" })
    expect(command).toMatchObject({ status: "Accepted" })
    await station.close()
    await using tls = new Station(`wss://localhost:${tlsPort}/ocpp`, id, { password, wsOpts: { ca: pem } })
    await tls.connect()
    await tls.boot()
    expect(await world.get(`chargers/${id}`)).toMatchObject({ securityProfile: 2 })
    await tls.close()
    expect(await refusedWith(id, { password })).toBe(true)
  })

  it("TC_085 accepts a charger with its password, and refuses it with another or none", async () => {
    const { id, station } = await secured()
    expect(await station.call("Heartbeat", {})).toHaveProperty("currentTime")
    await station.close()
    expect(await refusedWith(id, { password: "another password" })).toBe(true)
    expect(await refusedWith(id, {})).toBe(true)
  })

  it("TC_086 accepts a charger over TLS with its password, and refuses it without TLS", async () => {
    const id = await world.charger({ password, securityProfile: 2 })
    await using station = new Station(`wss://localhost:${tlsPort}/ocpp`, id, { password, wsOpts: { ca: pem } })
    await station.connect()
    expect(await station.boot()).toMatchObject({ status: "Accepted" })
    expect(await refusedWith(id, { password })).toBe(true)
  })

  it("uses https in all URLs of itself, without being given its address", async () => {
    const base = `https://localhost:${tlsPort}`
    const made = await fetch(`${world.service.url}/cpo/v2/sites`, {
      method: "POST",
      headers: { "x-api-key": world.organisation.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ name: "By TLS" })
    })
    expect([made.status, made.headers.get("location")?.startsWith(`${base}/cpo/v2/sites/`)]).toEqual([200, true])
    const v1 = (await (await fetch(`${world.service.url}/api/swagger.json`)).json()) as { servers: unknown }
    expect(v1.servers).toEqual([{ url: base }])
    for (const line of [
      ` on ${base}\n`,
      ` wss://localhost:${tlsPort}/ocpp/{chargerId}\n`,
      ` ${base}/api     (described`
    ])
      expect(world.service.life.output).toContain(line)
  })

  it("TC_087 accepts a charger with its client certificate, and refuses it without", async () => {
    await world.post("chargers", { name: "TLS", chargerId: chargerWithCertificate, securityProfile: 3 })
    const certificate = { ca: pem, cert: readFileSync(at("charger.crt")), key: readFileSync(at("charger.key")) }
    await using bare = new Station(`wss://localhost:${tlsPort}/ocpp`, chargerWithCertificate, { wsOpts: { ca: pem } })
    await expect(bare.connect()).rejects.toThrow()
    await using station = new Station(`wss://localhost:${tlsPort}/ocpp`, chargerWithCertificate, {
      wsOpts: certificate
    })
    await station.connect()
    expect(await station.boot()).toMatchObject({ status: "Accepted" })
  })

  it("accepts a client certificate for the registered serial number, and never for the one the charger reported", async () => {
    const { id, station } = await world.station()
    // The common name of another charger's certificate.
    const chargePointSerialNumber = chargerWithCertificate
    await station.call("BootNotification", { chargePointVendor: "V", chargePointModel: "M", chargePointSerialNumber })
    await world.eventually(
      "the serial number is reported",
      `chargers/${id}`,
      (shown) => shown["serialNumber"] === chargerWithCertificate
    )
    await world.ask("PATCH", `chargers/${id}`, { securityProfile: 3 })
    const certificate = { ca: pem, cert: readFileSync(at("charger.crt")), key: readFileSync(at("charger.key")) }
    const connecting = () => new Station(`wss://localhost:${tlsPort}/ocpp`, id, { wsOpts: certificate })
    await using reported = connecting()
    await expect(reported.connect()).rejects.toThrow()
    await world.ask("PATCH", `chargers/${id}`, { registeredSerialNumber: chargerWithCertificate })
    await using registered = connecting()
    await registered.connect()
    expect(await registered.boot()).toMatchObject({ status: "Accepted" })
  })

  it("TC_088 chooses a subprotocol that it supports, and refuses a charger that offers none", async () => {
    const id = await world.charger()
    await using station = new Station(world.service.ocppUrl, id, {
      protocols: ["ocpp9.9", "ocpp1.6"],
      strictMode: false
    })
    await station.connect()
    expect(station.client.protocol).toBe("ocpp1.6")
    expect(await refusedWith(await world.charger(), { protocols: ["ocpp9.9"], strictMode: false })).toBe(true)
  })

  it("logs a flooding charger only up to its budget, and serves other chargers as before", async () => {
    const { id, station } = await world.station()
    const other = await world.organise("Beside a flood")
    const rest = async (path: string, body: unknown) =>
      expect((await other.rest.request("POST", path, body)).status).toBeLessThan(300)
    const neighbour = `NEXT-${id}`
    await rest("sites", { name: "Beside" })
    await rest("chargers", { name: neighbour, chargerId: neighbour })
    await rest("tokens", { uid: "BESIDE" })
    await using beside = new Station(world.service.ocppUrl, neighbour)
    await beside.connect()
    await beside.boot()

    const data = "x".repeat(60_000)
    const flood = Array.from({ length: 12 }, () => station.call("DataTransfer", { vendorId: "com.example", data }))
    const started = await beside.start(1, "BESIDE")
    expect(started).toMatchObject({ id: expect.any(Number), status: "Accepted" })
    await Promise.all(flood)
    const mine = await station.start(1, await world.card())
    expect(mine.status).toBe("Accepted")

    const log = await world.messages(id, "DataTransfer")
    const bytes = log.reduce((sum, { frame }) => sum + Buffer.byteLength(String(frame)), 0)
    expect(bytes).toBeGreaterThan(logBytes / 2)
    expect(bytes).toBeLessThanOrEqual(logBytes + 64 * 1024)
    expect(await world.messages(id, "StartTransaction"), "the log of the day is full").toEqual([])
    const metrics = await (await fetch(new URL("/metrics", world.service.url))).text()
    const dropped = /^message_log_dropped_total\{[^}]*reason="charger-budget"[^}]*\} (\d+)/m.exec(metrics)
    // At least seven messages of the flood with most of their answers, and those after it.
    expect(Number(dropped?.[1])).toBeGreaterThanOrEqual(10)
    expect(metrics).toMatch(/^message_log_dropped_total\{[^}]*reason="organisation-budget"[^}]*\} 0$/m)

    const sessions = await other.rest.request("GET", `sessions?chargerId=${neighbour}`)
    expect((JSON.parse(sessions.text) as { items: ReadonlyArray<unknown> }).items).toHaveLength(1)
  })
})
