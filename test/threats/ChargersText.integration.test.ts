/**
 * T14: malicious text from chargers. Terminal escapes, line breaks, markup and very long strings in every field are stored and shown unchanged, up to
 * the length of the field; and the log remains one JSON object a line that cannot affect a reader's terminal.
 */
import { expect, it } from "vitest"
import type { Json } from "../support/restApp.ts"
import { unstorableTexts } from "../support/nastyText.ts"
import { eventually, threatDrivers, WireCharger, type World } from "./world.ts"

const limitMillis = 300_000

/** It sends some megabytes, for which a charger has minutes. */
const unhurried = { OCPP_BYTES_PER_SECOND: "10485760" }

/** The longest line that may be logged: a frame of 4 KiB, of which each character may take six, and the text about it. */
const lineMax = 32_768

const texts: ReadonlyArray<string> = [
  "\u001b[31mred\u001b[0m",
  "\u001b]0;title\u0007",
  ...unstorableTexts,
  "\u001b[2J\u001b[1;1H",
  "\u009b31mC1\u009d",
  "line\r\nbreak",
  'x\r\n{"message":"forged","level":"FATAL"}\r\ny',
  "line\u2028\u2029\u0085break",
  "\u202egnirts\u202c \u2066x\u2069",
  "\b\b\b\u007f\u007f\u007f",
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "</script><svg/onload=alert(1)>",
  "javascript:alert(1)//",
  "${jndi:ldap://x/a}",
  "%n%s%x%d",
  '"}],"x":{"y":["',
  "\\",
  "'; DROP TABLE charger; --",
  "\ufeff\u200b\u00ad",
  "👩‍👩‍👧‍👦e\u0301",
  `\u001b[31m${"x".repeat(50_000)}`,
  "\u001b".repeat(10_000),
  Array.from({ length: 9_000 }, (_, n) => ((n * 2_654_435_761) >>> 0).toString(36)).join("")
]

/** Text that the database cannot hold is replaced when a frame arrives, and text that is too long for its field is cut and marked. */
const stored = (text: string, most: number): string => {
  const kept = text.replaceAll("\0", "\ufffd").toWellFormed()
  return kept.length <= most ? kept : `${kept.slice(0, most - 1)}…`
}

const time = "2026-11-20T10:00:00.000Z"

/** Messages of a charger with `text` in every field that holds text. */
const sayings = (text: string, transactionId: number): ReadonlyArray<readonly [action: string, payload: Json]> => {
  const sample = { value: text, context: text, format: text, measurand: text, phase: text, location: text, unit: text }
  return [
    ["DataTransfer", { vendorId: text, messageId: text, data: text }],
    ["DataTransfer", { vendorId: "V", data: { [text]: text } }],
    ["Authorize", { idTag: text }],
    ["MeterValues", { connectorId: 1, transactionId, meterValue: [{ timestamp: time, sampledValue: [sample] }] }],
    ["MeterValues", { connectorId: 1, meterValue: [{ timestamp: text, sampledValue: [sample] }] }],
    ["SecurityEventNotification", { type: text, timestamp: text, techInfo: text }],
    ["SignCertificate", { csr: text }],
    ["DiagnosticsStatusNotification", { status: text }],
    ["FirmwareStatusNotification", { status: text }],
    ["LogStatusNotification", { status: text, requestId: 1 }],
    ["StartTransaction", { connectorId: text, idTag: text, meterStart: text, timestamp: text }],
    ["StopTransaction", { transactionId: text, idTag: text, meterStop: text, timestamp: text, reason: text }],
    [text, { [text]: text }]
  ]
}

const boot = (text: string) => ({
  chargePointVendor: text,
  chargePointModel: text,
  chargePointSerialNumber: text,
  chargeBoxSerialNumber: text,
  firmwareVersion: text,
  iccid: text,
  imsi: text,
  meterType: text,
  meterSerialNumber: text
})

/** Sends all messages with `text` in them, and checks that REST shows it as it was sent. */
const sayAll = async (world: World, chargerId: string, text: string, n: number): Promise<void> => {
  const about = JSON.stringify(text.slice(0, 40))
  const charger = await WireCharger.connect(world.service.ocppUrl, chargerId)
  const result = async (action: string, payload: unknown): Promise<Json> => {
    const [type, , body] = await charger.call(action, payload)
    expect(type, `${action} with ${about}: ${JSON.stringify(body)}`).toBe(3)
    return body
  }
  await result("BootNotification", boot(text))
  const status = {
    connectorId: n + 1,
    status: "Available",
    errorCode: text,
    info: text,
    vendorId: text,
    vendorErrorCode: text
  }
  await result("StatusNotification", { ...status, timestamp: time })
  const started = await result("StartTransaction", { connectorId: n + 1, idTag: text, meterStart: 0, timestamp: time })
  for (const [action, payload] of sayings(text, started.transactionId)) {
    const [type] = await charger.call(action, payload)
    // Only messages that belong to no transaction may be refused.
    expect(/^(Start|Stop|Meter)/.test(action) ? type : 3, `${action.slice(0, 40)} with ${about}`).toBe(3)
  }
  // A message id of up to 36 characters is returned unchanged.
  if (text.length <= 36 && text.isWellFormed()) expect((await charger.call("Heartbeat", {}, text))[1]).toBe(text)
  const stop = { idTag: text, meterStop: 10, timestamp: time, reason: text }
  await result("StopTransaction", { ...stop, transactionId: started.transactionId })
  const read = await world.ask("GET", `/cpo/v2/chargers/${chargerId}`)
  expect(read.headers.get("content-type"), "never markup").toMatch(/^application\/json/)
  const kept = stored(text, 64)
  expect(read.json, about).toMatchObject({
    manufacturer: kept,
    chargerModel: kept,
    serialNumber: kept,
    firmwareVersion: kept
  })
  const connector = read.json.evses.find((one: Json) => one.evseId === n + 1).connectors[0]
  const short = stored(text, 50)
  expect(connector, about).toMatchObject({
    errorCode: short,
    info: short,
    vendorId: stored(text, 255),
    vendorErrorCode: short
  })
  const last = JSON.stringify([2, "last", "DataTransfer", { vendorId: text }])
  charger.send(last)
  await charger.answerTo("last")
  const { json } = await world.ask("GET", `/cpo/v2/chargers/${chargerId}`)
  expect(json.lastMessage).toBe(last)
  const log = await world.done("GET", `/cpo/v2/chargers/${chargerId}/messages?limit=2`)
  expect(log.items.map((item: Json) => item.frame)).toContain(last)
  charger.socket.terminate()
  await eventually(
    `${chargerId} has gone`,
    async () => !(await world.done("GET", `/cpo/v2/chargers/${chargerId}`)).activeConnection
  )
}

/**
 * Causes a defect in an actor while it processes a frame, which is then logged. PostgreSQL only: the embedded database cannot be changed from
 * outside.
 */
const provokeDefects = async (world: World): Promise<number> => {
  if (world.driver === "PGlite") return 0
  const rename = (from: string, to: string) =>
    world.sql(async (query) => void (await query(`ALTER TABLE ${from} RENAME TO ${to}`)))
  await rename("token", "token_away")
  for (const text of texts) {
    const charger = await WireCharger.connect(world.service.ocppUrl, "T14-2")
    const start = { connectorId: 1, idTag: text, meterStart: 0, timestamp: time }
    charger.send(JSON.stringify([2, "defect", "StartTransaction", start]))
    await eventually("the charger is sent away", () => charger.socket.readyState === charger.socket.CLOSED)
  }
  await rename("token_away", "token")
  return texts.length
}

/** The lines after the banner for the person who started the service. */
const logLines = (output: string): ReadonlyArray<string> =>
  output
    .slice(output.indexOf('\n{"message":"ready"'))
    .split("\n")
    .filter((line) => line !== "")

const unfit = (line: string): boolean => {
  try {
    const value: Json = JSON.parse(line)
    // A line with a cause has a list as its message.
    const isSaid = typeof value?.message === "string" || Array.isArray(value?.message)
    return typeof value !== "object" || value === null || !isSaid
  } catch {
    return true
  }
}

/** Characters that a terminal may execute, and those that reverse or hide the text around them. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const orders = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/

for (const { missing, name, run } of threatDrivers) {
  it.skipIf(missing)(
    `shows chargers' text as they sent it, and logs it as one line of JSON (${name})`,
    { timeout: limitMillis },
    () =>
      run(async (world) => {
        await world.done("POST", "/cpo/v2/sites", { body: { name: "Site" } })
        for (const chargerId of ["T14-1", "T14-2"])
          await world.done("POST", "/cpo/v2/chargers", { body: { name: "C", chargerId } })
        for (const [n, text] of texts.entries()) await sayAll(world, "T14-1", text, n)
        const { items } = await world.done("GET", "/cpo/v2/sessions?chargerId=T14-1&limit=500")
        expect(new Set(items.map((session: Json) => session.tokenUid))).toEqual(
          new Set(texts.map((text) => stored(text, 255)))
        )
        for (const path of ["T14-1%1b%5b31m", "T14%0d%0aX", "%3Cscript%3E", `${"x".repeat(5000)}`, "%ff", "a%00b"]) {
          expect(await WireCharger.dial(world.service.ocppUrl, path)).toBe(404)
        }
        const defects = await provokeDefects(world)
        await world.truth(async () => {})
        const lines = logLines(world.output)
        expect(lines.filter(unfit)).toEqual([])
        expect(
          lines.filter((line) => JSON.parse(line).annotations?.frame !== undefined).length,
          "defects that were logged"
        ).toBe(defects)
        expect(lines.filter((line) => orders.test(line)).map((line) => line.slice(0, 500))).toEqual([])
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(lineMax)
      }, unhurried)
  )
}
