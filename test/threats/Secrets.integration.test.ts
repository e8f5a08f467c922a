/**
 * T20 and T21: secrets are shown once, when they are made, and appear nowhere afterwards: in no line of output, no trace that leaves the service, no
 * row and no file of the database, no answer. These are keys, v1's codes in the query, chargers' passwords, right and wrong ones, and the
 * AuthorizationKey that chargers report although they should not.
 */
import { createServer } from "node:http"
import { expect, it } from "vitest"
import { apiKey as bootstrapKey, v1 as bootstrapV1 } from "../simulation/Process.ts"
import { basic, eventually, everyRow, threatDrivers, WireCharger, type World } from "./world.ts"

const limitMillis = 300_000

const secretKey = "Secret-Key-Of-This-Very-Run-0123456789abcdefghijklmnop"
const operatorPassword = "Operators-Password-7b1f"

/** Everything that must not be found again, by its name. */
class Secrets {
  readonly all = new Map<string, string>()

  /** Remembers a secret; of a v2 key only the secret part, since its public part is stored. */
  add(what: string, secret: string): string {
    const proof = /^vl_[0-9a-f]{16}_([0-9A-Za-z]{43})_/.exec(secret)?.[1] ?? secret
    this.all.set(what, proof)
    return secret
  }

  /** The secrets that a text contains unchanged, in hexadecimal, in base 64 or encoded for a URL. */
  foundIn(text: string): ReadonlyArray<string> {
    return [...this.all].flatMap(([what, secret]) => {
      const bytes = Buffer.from(secret)
      const spellings = [
        secret,
        encodeURIComponent(secret),
        bytes.toString("hex"),
        bytes.toString("base64").replace(/=+$/, "")
      ]
      return spellings.some((spelling) => text.includes(spelling)) ? [what] : []
    })
  }
}

/** A collector of traces, metrics and logs that stores what it receives. */
const collector = async () => {
  let received = ""
  const server = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (chunk: string) => {
      received += chunk
    })
    request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("no address")
  return {
    url: `http://127.0.0.1:${address.port}`,
    received: () => received,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** Makes every kind of secret, each over a route that may be called twice. */
const makeSecrets = async (world: World, secrets: Secrets) => {
  const once = { "idempotency-key": "the same request" }
  const twice = async (path: string, key: string, body: unknown) => {
    const first = await world.done("POST", path, { key, body, headers: once })
    expect(await world.done("POST", path, { key, body, headers: once }), "the same request again").toEqual(first)
    return first
  }
  const organisation = await twice("/cpo/v2/organisations", bootstrapKey, {
    name: "Org",
    countryCode: "FI",
    partyId: "SEC"
  })
  const key = secrets.add("first key of an organisation", organisation.apiKey)
  const code = secrets.add("v1 code of an organisation", organisation.code)
  const made = await world.done("POST", "/cpo/v2/api-keys", {
    key,
    body: { name: "second" },
    headers: { "idempotency-key": "key" }
  })
  secrets.add("second key", made.key)
  await world.done("POST", "/cpo/v2/sites", { key, body: { name: "Site" } })
  const password = secrets.add("password of a charger", "Chargers.Own/Pass+1")
  const chargers = (body: unknown, idempotencyKey: string) =>
    world.done("POST", "/cpo/v2/chargers", { key, body, headers: { "idempotency-key": idempotencyKey } })
  await chargers({ name: "C1", chargerId: "SEC-1", password }, "charger 1")
  const second = await chargers({ name: "C2", chargerId: "SEC-2", generatePassword: true }, "charger 2")
  secrets.add("generated password", second.password)
  await chargers({ name: "C3", chargerId: "SEC-3" }, "charger 3")
  const changed = secrets.add("changed password", "Changed.Password:42")
  await world.done("PATCH", "/cpo/v2/chargers/SEC-2", { key, body: { password: changed } })
  const anew = await world.done("PATCH", "/cpo/v2/chargers/SEC-2", { key, body: { generatePassword: true } })
  return {
    key,
    code,
    clientId: String(organisation.clientId),
    password,
    generated: secrets.add("regenerated password", anew.password)
  }
}

type Made = Awaited<ReturnType<typeof makeSecrets>>

/** Requests with secrets, right and wrong, in every place where callers put them; returns the answers. */
const useKeys = async (
  world: World,
  secrets: Secrets,
  { clientId, code, key }: Made
): Promise<ReadonlyArray<string>> => {
  const wrongCode = secrets.add("wrong code", `${code.slice(0, -1)}!`)
  const otherKey = secrets.add("a key by another rule", "another-operators-key-0123456789")
  const wrongKey = `${key.slice(0, 24)}${"Z".repeat(43)}${key.slice(67)}`
  const pair = (client: string, secret: string) =>
    `clientId=${encodeURIComponent(client)}&code=${encodeURIComponent(secret)}`
  const answers = await Promise.all([
    world.ask("GET", `/api/statistics?${pair(clientId, code)}`, { key: undefined }),
    world.ask("POST", `/api/group/add?${pair(clientId, code)}`, { key: undefined, body: { name: "Group" } }),
    world.ask("POST", `/api/group/add?${pair(clientId, code)}`, { key: undefined, raw: "{no json" }),
    world.ask("GET", `/api/charger/SEC-1?${pair(clientId, code)}`, { key: undefined }),
    world.ask("GET", `/api/nothing/here?${pair(clientId, code)}`, { key: undefined }),
    world.ask("DELETE", `/api/statistics?${pair(clientId, code)}`, { key: undefined }),
    world.ask("GET", `/api//statistics/?${pair(clientId, code)}`, { key: undefined }),
    world.ask("GET", `/api/statistics?${pair(clientId, wrongCode)}`, { key: undefined }),
    world.ask("GET", `/api/statistics?${pair(clientId, key)}`, { key: undefined }),
    world.ask("GET", `/cpo/v2/sites?x-api-key=${key}&${pair(clientId, code)}&limit=0`, { key }),
    world.ask("GET", "/cpo/v2/sites", { key: wrongKey }),
    world.ask("GET", "/cpo/v2/sites", { key: otherKey }),
    world.ask("GET", "/cpo/v2/sites", { key: code }),
    world.ask("GET", "/cpo/v2/sites", { key: undefined, headers: { authorization: `Bearer ${key}` } }),
    world.ask("GET", `/nothing/here?x-api-key=${key}`, { key })
  ])
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  return answers.map(({ headers, text }) => `${JSON.stringify([...headers])} ${text}`)
}

/** Invalid bodies with secrets; returns the answers about them. */
const sendBadBodies = async (world: World, secrets: Secrets, { key }: Made): Promise<ReadonlyArray<string>> => {
  const tooLong = secrets.add("password that is too long", "Too.Long.Password.".repeat(6))
  const blank = secrets.add("password with a blank", "Pass word With Blank")
  const misplaced = secrets.add("password in a wrong place", "Misplaced.Password.1")
  const bodies: ReadonlyArray<unknown> = [
    { name: "", chargerId: "SEC-9", password: misplaced },
    { name: "C", chargerId: "SEC-9", password: tooLong },
    { name: "C", chargerId: "SEC-9", password: blank },
    { name: "C", chargerId: "SEC-9", password: { value: misplaced } },
    { name: "C", chargerId: "SEC-9", password: misplaced, generatePassword: true },
    { name: "C", chargerId: "SEC-9", password: misplaced, securityProfile: 0 },
    { name: "C", chargerId: "SEC-1", password: misplaced }
  ]
  const raws = [`{"name":"C","password":"${misplaced}"`, `"${misplaced}"`, `[["${misplaced}"]]`]
  const asked = [
    ...bodies.map((body) => world.ask("POST", "/cpo/v2/chargers", { key, body })),
    ...raws.map((raw) => world.ask("POST", "/cpo/v2/chargers", { key, raw })),
    world.ask("PATCH", "/cpo/v2/chargers/SEC-1", { key, body: { password: misplaced, securityProfile: 3 } })
  ]
  const answers = await Promise.all(asked)
  expect(answers.map(({ status }) => status).filter((status) => status < 400 || status >= 500)).toEqual([])
  return answers.map(({ text }) => text)
}

/** Chargers that connect with right passwords, wrong ones, and passwords in places where none belongs. */
const connectChargers = async (world: World, secrets: Secrets, { generated, password }: Made): Promise<void> => {
  const url = world.service.ocppUrl
  const wrong = secrets.add("wrong password of a charger", "Wrong.Password.Here")
  const statuses = await Promise.all([
    WireCharger.dial(url, "SEC-1", { authorization: basic("SEC-1", wrong) }),
    WireCharger.dial(url, "SEC-1", { authorization: basic("SEC-2", password) }),
    WireCharger.dial(url, "SEC-1", { authorization: `Basic ${password}` }),
    WireCharger.dial(url, "SEC-1", { authorization: `Bearer ${generated}` }),
    WireCharger.dial(url, `SEC-1?password=${encodeURIComponent(password)}`),
    WireCharger.dial(url, `SEC-1/${encodeURIComponent(password)}`),
    WireCharger.dial(url, encodeURIComponent(`SEC-1:${password}`), { authorization: basic("SEC-1", password) })
  ])
  expect(statuses).toEqual([401, 401, 401, 401, 401, 404, 404])
  for (const [id, right] of [
    ["SEC-1", password],
    ["SEC-2", generated]
  ] as const) {
    secrets.add(`what ${id} proves itself with`, basic(id, right).slice("Basic ".length))
    const charger = await WireCharger.connect(url, id, right)
    await charger.call("BootNotification", { chargePointVendor: "V", chargePointModel: "M" })
    charger.socket.close()
  }
}

/** A charger that reports its AuthorizationKey whenever it can, in every spelling, and leaves its configuration stored. */
const reportAuthorizationKey = async (world: World, secrets: Secrets, { key }: Made): Promise<void> => {
  const reported = secrets.add("AuthorizationKey that a charger reports", "Reported.AuthorizationKey.77")
  const entry = (name: string) => ({ key: name, readonly: false, value: reported })
  const charger = await WireCharger.connect(world.service.ocppUrl, "SEC-3")
  charger.onCall = (action, id) => {
    if (action !== "GetConfiguration") return JSON.stringify([3, id, { status: "Accepted" }])
    const keys = ["AuthorizationKey", "authorizationkey", "AUTHORIZATIONKEY", " AuthorizationKey "].map(entry)
    const spelled = `{"value":"${reported}","readonly":false,"\\u006bey":"Authorization\\u004bey"}`
    const plain = JSON.stringify([...keys, { key: "HeartbeatInterval", readonly: false, value: "300" }])
    return `[3,"${id}",{"configurationKey":[${spelled},${plain.slice(1)},"unknownKey":[]}]`
  }
  await charger.call("BootNotification", { chargePointVendor: "V", chargePointModel: "M" })
  const id = await charger.called("GetConfiguration")
  const configuration = async () => (await world.done("GET", "/cpo/v2/chargers/SEC-3/configuration", { key })).items
  await eventually("the configuration is there", async () => (await configuration()).length > 0)
  const result = { configurationKey: [entry("AuthorizationKey")], unknownKey: [] }
  // Repeated without a request, cut off, in an error's details, and in a frame that has no such field.
  charger.send(JSON.stringify([3, id, result]))
  charger.send(JSON.stringify([3, "not asked", result]))
  charger.send(JSON.stringify([3, id, result]).slice(0, -3))
  charger.send(JSON.stringify([4, id, "InternalError", "", { key: "AuthorizationKey", value: reported }]))
  charger.send(JSON.stringify([3, id, { ...result, AuthorizationKey: reported }, "more"]))
  await charger.call("Heartbeat", {})
  charger.send(JSON.stringify([3, "the last frame", result]))
  await eventually("the last frame is heard", async () =>
    (await world.ask("GET", "/cpo/v2/chargers/SEC-3", { key })).text.includes("the last frame")
  )
}

/** A charger that repeats the new passwords it is sent: in an error, in an answer, and in an invalid frame. */
const repeatNewPasswords = async (world: World, secrets: Secrets, { key }: Made): Promise<void> => {
  await world.done("POST", "/cpo/v2/chargers", { key, body: { name: "C4", chargerId: "SEC-4" } })
  const charger = await WireCharger.connect(world.service.ocppUrl, "SEC-4")
  await charger.call("BootNotification", { chargePointVendor: "V", chargePointModel: "M" })
  const replies: ReadonlyArray<readonly [status: string, reply: (id: string, sent: string) => unknown]> = [
    ["Failed", (id, sent) => [4, id, "GenericError", `cannot set ${sent}`, { key: "K", value: sent, [sent]: sent }]],
    ["Failed", (id, sent) => [4, id, sent, sent.toUpperCase(), {}]],
    ["Failed", (id, sent) => [3, id, { status: "Rejected", info: sent }]],
    ["Failed", (id, sent) => [3, id, [sent]]]
  ]
  for (const [n, [status, reply]] of replies.entries()) {
    const value = secrets.add(`new password ${n}`, `New.Password.Number${n}`)
    secrets.add(`new password ${n} in capitals`, value.toUpperCase())
    charger.onCall = (action, id) => {
      if (action !== "ChangeConfiguration") return JSON.stringify([4, id, "NotSupported", "", {}])
      // This is unreadable, and has no name by which it could be masked. It ends the command, and the other answer comes too late.
      charger.send(`[4,"${id}","GenericError","cannot set ${value}`)
      return JSON.stringify(reply(id, value))
    }
    const body = { type: "ChangeConfiguration", key: "AuthorizationKey", value }
    const command = await world.done("POST", "/cpo/v2/chargers/SEC-4/commands?wait=30", { key, body })
    expect([command.status, secrets.foundIn(JSON.stringify(command))], `answer ${n}`).toEqual([status, []])
  }
  const messages = await world.done("GET", "/cpo/v2/chargers/SEC-4/messages?action=ChangeConfiguration", { key })
  expect(messages.items.filter((one: { direction: string }) => one.direction === "in").length).toBeGreaterThan(3)
}

/** Commands that send a charger to addresses with a password, a query secret or a one-time token. */
const sendLocations = async (world: World, secrets: Secrets, { key }: Made): Promise<ReadonlyArray<string>> => {
  await world.done("POST", "/cpo/v2/chargers", { key, body: { name: "C5", chargerId: "SEC-5" } })
  const charger = await WireCharger.connect(world.service.ocppUrl, "SEC-5")
  await charger.call("BootNotification", { chargePointVendor: "V", chargePointModel: "M" })
  const heard: Array<string> = []
  charger.onCall = (action, id) => {
    const sent = JSON.stringify(charger.frames.at(-1))
    heard.push(sent)
    if (action === "UpdateFirmware") return JSON.stringify([3, id, {}])
    const location = /[a-z]+:\/\/[^"]+/.exec(sent)?.[0] ?? ""
    // Some chargers repeat the address that they were sent.
    if (action === "GetLog") return JSON.stringify([4, id, "InternalError", `cannot reach ${location}`, {}])
    return JSON.stringify([3, id, { status: "Accepted", fileName: location }])
  }
  const secret = (what: string) => secrets.add(`${what} of a location`, `Location.${what.replace(" ", ".")}.51`)
  const firmware = { retrieveDateTime: new Date().toISOString(), signingCertificate: "C", signature: "S" }
  const commands: ReadonlyArray<Record<string, unknown>> = [
    { type: "GetDiagnostics", location: `ftp://user:${secret("password")}@ftp.example.com/up` },
    { type: "GetLog", logType: "SecurityLog", location: `https://h.example/up?X-Amz-Signature=${secret("signature")}` },
    {
      type: "GetLog",
      logType: "SecurityLog",
      log: { remoteLocation: `sftp://u:${secret("log password")}@h.example/up` }
    },
    {
      type: "UpdateFirmware",
      location: `https://u:${secret("firmware password")}@h.example/a`,
      retrieveDate: new Date()
    },
    {
      type: "SignedUpdateFirmware",
      firmware: { ...firmware, location: `https://h.example/a?token=${secret("signed token")}` }
    },
    { type: "GetDiagnostics" },
    { type: "GetLog", logType: "DiagnosticsLog" }
  ]
  const answers: Array<string> = []
  for (const body of commands) {
    const path = "/cpo/v2/chargers/SEC-5/commands?wait=30"
    const headers = { "idempotency-key": `location ${answers.length}` }
    const command = await world.done("POST", path, { key, body, headers })
    expect(["Accepted", "Failed"]).toContain(command.status)
    answers.push(JSON.stringify(command))
  }
  const sent = heard.join("\n")
  expect(secrets.foundIn(sent).length, "the charger is sent").toBe(5)
  const places = [...sent.matchAll(/\/files\/up\/([^/"?]+)/g)]
  for (const [n, [, token = ""]] of places.entries()) secrets.add(`place ${n} of an upload`, token)
  expect(places.length).toBe(2)
  charger.socket.close()
  return answers
}

/**
 * Vendors' passwords in every place where they pass: commands, a batch, the template, what the charger reports and repeats, and vendors' data. The
 * charger gets each, and a client that has `chargers:secrets` sees those of the configuration. Returns a key without that permission.
 */
const useVendorSecrets = async (world: World, secrets: Secrets, { key }: Made): Promise<string> => {
  const secret = (what: string) => secrets.add(what, `Vendor.${what.replaceAll(" ", ".")}.83`)
  const { permissions } = await world.done("GET", "/cpo/v2/me", { key })
  const reading = permissions.filter((one: string) => one !== "chargers:secrets" && one !== "platform:admin")
  const body = { name: "without secrets", permissions: reading }
  const plainKey: string = secrets.add(
    "key without secrets",
    (await world.done("POST", "/cpo/v2/api-keys", { key, body })).key
  )
  const expected = secret("WifiPassphrase of the template")
  const template = {
    keys: [
      { key: "WifiPassphrase", value: expected },
      { key: "HeartbeatInterval", value: "300" }
    ]
  }
  await world.done("PUT", "/cpo/v2/configuration-template", { key, body: template })
  const masked = await world.done("GET", "/cpo/v2/configuration-template", { key: plainKey })
  expect(masked.keys).toEqual([{ key: "WifiPassphrase", value: "***" }, template.keys[1]])
  // A client that may not see the secret can change the rest.
  await world.done("PUT", "/cpo/v2/configuration-template", { key: plainKey, body: { keys: masked.keys } })
  expect((await world.done("GET", "/cpo/v2/configuration-template", { key })).keys).toEqual(template.keys)

  await world.done("POST", "/cpo/v2/chargers", { key, body: { name: "C6", chargerId: "SEC-6" } })
  const charger = await WireCharger.connect(world.service.ocppUrl, "SEC-6")
  const heard: Array<string> = []
  const pin = secret("SimPin that is reported")
  const url = secret("password of a reported URL")
  const values = new Map([
    ["SimPin", pin],
    ["DiagnosticsUrl", `ftp://u:${url}@h.example/up`],
    ["WifiPassphrase", "old value"],
    ["HeartbeatInterval", "300"]
  ])
  charger.onCall = (action, id) => {
    heard.push(JSON.stringify(charger.frames.at(-1)))
    const [, , , payload = {}] = charger.frames.at(-1) ?? []
    if (action === "ChangeConfiguration") values.set(payload.key, payload.value)
    if (action === "GetConfiguration") {
      const keys = [...values].map(([name, value]) => ({ key: name, readonly: false, value }))
      return JSON.stringify([3, id, { configurationKey: keys, unknownKey: [] }])
    }
    if (action === "DataTransfer") return JSON.stringify([3, id, { status: "Accepted", data: payload }])
    return JSON.stringify([3, id, { status: "Accepted" }])
  }
  await charger.call("BootNotification", { chargePointVendor: "V", chargePointModel: "M" })
  await eventually("the template is applied", async () => heard.some((sent) => sent.includes(expected)))
  const given = {
    WifiPassword: secret("WifiPassword"),
    ftpPassword: secret("ftpPassword"),
    ApnPwd: secret("ApnPwd"),
    G_Authentication: secret("G Authentication")
  }
  const commands = [
    ...Object.entries(given).map(([name, value]) => ({ type: "ChangeConfiguration", key: name, value })),
    {
      type: "DataTransfer",
      vendorId: "V",
      messageId: "SetApn",
      data: JSON.stringify({ apn: "a", apnPwd: secret("apnPwd in JSON") })
    },
    { type: "DataTransfer", vendorId: "V", data: `ssid=home;psk=${secret("psk in pairs")}` },
    { type: "ChangeConfiguration", key: "UpdateUrl", value: `https://u:${secret("password of a URL")}@h.example/a` }
  ]
  for (const one of commands) {
    const command = await world.done("POST", "/cpo/v2/chargers/SEC-6/commands?wait=30", { key, body: one })
    expect([command.status, secrets.foundIn(JSON.stringify(command))]).toEqual(["Accepted", []])
  }
  const batch = {
    command: { type: "ChangeConfiguration", key: "WifiPSK", value: secret("WifiPSK of a batch") },
    chargerIds: ["SEC-6"]
  }
  await world.done("POST", "/cpo/v2/command-batches", { key, body: batch })
  await eventually("the batch is sent", async () => heard.some((sent) => sent.includes(batch.command.value)))
  await charger.call("DataTransfer", { vendorId: "V", data: `user=u&password=${secret("password from a charger")}` })
  const sent = secrets.foundIn(heard.join("\n"))
  for (const value of [expected, ...Object.values(given)]) expect(heard.join("\n")).toContain(value)
  expect(sent.length).toBe(9)

  const configuration = (by: string) => world.ask("GET", "/cpo/v2/chargers/SEC-6/configuration", { key: by })
  await eventually("the configuration is there", async () =>
    (await configuration(key)).text.includes(given.WifiPassword)
  )
  const seen = (await configuration(key)).text
  for (const value of [pin, url, given.ApnPwd]) expect(seen).toContain(value)
  expect(secrets.foundIn((await configuration(plainKey)).text)).toEqual([])
  charger.socket.close()
  return plainKey
}

/** Uploads to a one-time URL, whose key is in the path, and asks a URL of the store that does not exist. */
const useFiles = async (world: World, secrets: Secrets): Promise<void> => {
  for (const [what, token] of secrets.all) {
    if (!what.startsWith("place ")) continue
    expect((await world.ask("PUT", `/files/up/${token}/log.txt`, { key: undefined, raw: "log" })).status).toBeLessThan(
      500
    )
    await world.ask("GET", `/files/down/${token}`, { key: undefined })
  }
}

/** Removes tables while the service runs, so that every interface meets an unexpected failure with secrets at hand. */
const breakDown = async (world: World, { clientId, code, generated, key }: Made): Promise<void> => {
  if (world.driver === "PGlite") return
  const tables = ["api_key", "v1_credential", "charger", "idempotency"]
  const rename = (from: string, to: string) =>
    world.sql(async (query) => {
      for (const table of tables) await query(`ALTER TABLE ${from}${table} RENAME TO ${to}${table}`)
    })
  await rename("", "away_")
  const [first, , ...rest] = await Promise.all([
    world.ask("GET", "/cpo/v2/sites", { key }),
    world.ask("GET", "/livez"),
    world.ask("GET", `/api/statistics?clientId=${clientId}&code=${code}`, { key: undefined }),
    world.ask("POST", `/api/group/add?clientId=${clientId}&code=${code}`, { key: undefined, body: { name: "G" } }),
    world.ask("POST", "/cpo/v2/chargers", { key, body: { name: "C", chargerId: "SEC-8", password: generated } })
  ])
  expect([first?.status, ...rest.map(({ status }) => status)].filter((status) => Number(status) < 500)).toEqual([])
  expect(await WireCharger.dial(world.service.ocppUrl, "SEC-2", { authorization: basic("SEC-2", generated) })).toBe(503)
  await rename("away_", "")
  expect(await world.ask("GET", "/cpo/v2/sites", { key })).toMatchObject({ status: 200 })
}

/** All that can be read over REST about the secrets. */
const readEverything = async (world: World, { clientId, code, key }: Made): Promise<string> => {
  const own = ["organisation", "api-keys", "sites", "chargers", "sessions", "tokens", "statistics"]
  const paths = [
    ...own,
    "commands?limit=500",
    "audit-log?limit=500",
    "files",
    "command-batches",
    "configuration-template",
    "events"
  ]
  const ids = ["SEC-1", "SEC-2", "SEC-3", "SEC-4", "SEC-5", "SEC-6"]
  const deeper = ids.flatMap((id) =>
    ["", "/messages?limit=500", "/configuration", "/commands"].map((rest) => `chargers/${id}${rest}`)
  )
  const answers = await Promise.all([
    ...[...paths, ...deeper].map((path) => world.ask("GET", `/cpo/v2/${path}`, { key })),
    ...ids.map((id) => world.ask("GET", `/api/charger/${id}?clientId=${clientId}&code=${code}`, { key: undefined })),
    world.ask("GET", "/metrics"),
    world.ask("GET", "/readyz")
  ])
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  return answers.map(({ text }) => text).join("\n")
}

for (const { missing, name, run } of threatDrivers) {
  it.skipIf(missing)(`keeps no secret where it could be found again (${name})`, { timeout: limitMillis }, async () => {
    const sink = await collector()
    const env = {
      SECRET_KEY: secretKey,
      BOOTSTRAP_OPERATOR_PASSWORD: operatorPassword,
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json"
    }
    try {
      await run(async (world) => {
        const secrets = new Secrets()
        secrets.add("SECRET_KEY", secretKey)
        secrets.add("operator's password", operatorPassword)
        secrets.add("bootstrap key", bootstrapKey)
        secrets.add("bootstrap code", bootstrapV1.code)
        const made = await makeSecrets(world, secrets)
        const answers = [...(await useKeys(world, secrets, made)), ...(await sendBadBodies(world, secrets, made))]
        await connectChargers(world, secrets, made)
        await reportAuthorizationKey(world, secrets, made)
        await repeatNewPasswords(world, secrets, made)
        answers.push(...(await sendLocations(world, secrets, made)))
        const plainKey = await useVendorSecrets(world, secrets, made)
        await useFiles(world, secrets)
        await breakDown(world, made)
        expect(secrets.foundIn(await readEverything(world, { ...made, key: plainKey })), "over REST").toEqual([])
        expect(secrets.foundIn(answers.join("\n")), "in answers").toEqual([])
        await world.truth(async (query) => {
          const rows = await everyRow(query)
          expect(rows.length).toBeGreaterThan(20)
          expect(rows.filter((row) => row.startsWith("idempotency ")).length).toBeGreaterThan(3)
          const found = rows.flatMap((row) => secrets.foundIn(row).map((what) => `${what}: ${row.slice(0, 300)}`))
          expect(found, "in the tables").toEqual([])
        })
        expect(world.output).toContain("ready")
        expect(secrets.foundIn(world.output), "in the output").toEqual([])
        expect(sink.received()).toContain("/api/statistics")
        expect(secrets.foundIn(sink.received()), "in the traces").toEqual([])
        for (const { bytes, name: file } of world.files()) {
          expect(secrets.foundIn(bytes.toString("latin1")), `in ${file}`).toEqual([])
        }
      }, env)
    } finally {
      sink.close()
    }
  })
}
