/** The life of a command over REST: issued, waited for, read, listed and refused, and how missing parameters are filled in. */
import { afterEach, beforeEach, expect, it } from "vitest"
import { Conflict, TooMany } from "../../../src/domain/Errors.ts"
import { commandsOf, type FakeCommands } from "../../support/fakeCommands.ts"
import { localListsOf, reportLimits } from "../../support/fakeLocalLists.ts"
import { aFakeSession, sessionStart } from "../../support/fakeSessions.ts"
import { type Answer, fakeApp, type Json, publicUrl, withCharger } from "../../support/restApp.ts"

let app: Awaited<ReturnType<typeof fakeApp>>
let fake: FakeCommands
let siteId: string

beforeEach(async () => {
  app = await fakeApp()
  fake = commandsOf(app.world)
  siteId = (await withCharger(app.ask, app.key, "CP-1")).siteId
})
afterEach(() => app.close())

const path = "/cpo/v2/chargers/CP-1/commands"
const post = (body: Json, query = "", headers: Record<string, string> = {}): Promise<Answer> =>
  app.ask("POST", `${path}${query}`, { key: app.key, body, headers })
const get = (from: string): Promise<Answer> => app.ask("GET", from, { key: app.key })

const pointers = (answer: Answer): ReadonlyArray<string> => answer.json.errors.map((one: Json) => one.pointer)
const lastCommand = () => fake.issued.at(-1)?.command

it("answers 202 with the command and its location, and wakes the charger's actor", async () => {
  const answer = await post({ type: "Reset", resetType: "Soft", expiresIn: 60 })
  const { id, createdAt, expiresAt, issuedBy, ...rest } = answer.json
  expect(answer.status).toBe(202)
  expect(answer.headers.get("location")).toBe(`${publicUrl}/cpo/v2/commands/${id}`)
  expect(rest).toEqual({
    type: "Reset",
    chargerId: "CP-1",
    status: "Pending",
    sentAt: null,
    completedAt: null,
    result: null,
    sessionId: null,
    effect: null,
    fileId: null,
    progress: null,
    parameters: { resetType: "Soft" }
  })
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(60_000)
  expect(issuedBy).toMatch(/^key:/)
  expect(app.world.woken).toEqual(["CP-1"])
  expect((await get(`/cpo/v2/commands/${id}`)).json).toEqual(answer.json)
})

it("waits for the charger as long as requested and still answers 202", async () => {
  const completedAt = sessionStart
  fake.ending = { status: "Accepted", completedAt, result: { status: "Accepted" } }
  const answer = await post({ type: "ClearCache" }, "?wait=2")
  expect([answer.status, answer.json.status, answer.json.result]).toEqual([202, "Accepted", { status: "Accepted" }])
  expect(answer.json.completedAt).toBe(new Date(completedAt).toISOString())
  await get(`/cpo/v2/commands/${answer.json.id}?wait=60`)
  expect(fake.waited).toEqual([2000, 60_000])
  expect((await post({ type: "ClearCache" })).json.status).toBe("Pending")
})

it.each(["61", "-1", "x", "1.5", ""])("refuses to wait for %j seconds", async (wait) => {
  const answer = await post({ type: "ClearCache" }, `?wait=${wait}`)
  expect([answer.status, pointers(answer)]).toEqual([400, ["/wait"]])
  expect(fake.issued).toEqual([])
})

it("lists commands newest first, by charger and by status, in pages", async () => {
  await app.ask("POST", "/cpo/v2/chargers", { key: app.key, body: { name: "Second", chargerId: "CP-2" } })
  const first = await post({ type: "ClearCache" })
  const second = await app.ask("POST", "/cpo/v2/chargers/CP-2/commands", { key: app.key, body: { type: "ClearCache" } })
  const third = await post({ type: "GetLocalListVersion" })
  const ids = async (from: string) => (await get(from)).json.items.map((one: Json) => one.id)
  const [a, b, c] = [first, second, third].map((one) => one.json.id)
  expect(await ids("/cpo/v2/commands")).toEqual([c, b, a])
  expect(await ids(path)).toEqual([c, a])
  expect(await ids("/cpo/v2/commands?chargerId=CP-2")).toEqual([b])
  expect(await ids("/cpo/v2/commands?status=Pending&limit=1")).toEqual([c])
  expect(await ids("/cpo/v2/commands?status=Failed")).toEqual([])
  const page = await get("/cpo/v2/commands?limit=2")
  expect(page.headers.get("link")).toContain('rel="next"')
  expect(await ids(`/cpo/v2/commands?limit=2&cursor=${page.json.nextCursor}`)).toEqual([a])
  expect(pointers(await get("/cpo/v2/commands?status=Lost"))).toEqual(["/status"])
})

it("answers 404 for a charger and a command of another organisation", async () => {
  const mine = await post({ type: "ClearCache" })
  const stranger = (await app.organise()).key
  const asked = async (method: string, from: string, body?: Json) =>
    (await app.ask(method, from, { key: stranger, ...(body === undefined ? {} : { body }) })).status
  expect(
    await asked("POST", path, { type: "ReserveNow", connectorId: 1, idTag: "A", expiryDate: "2030-01-01T00:00:00Z" })
  ).toBe(404)
  expect(await asked("GET", path)).toBe(404)
  expect(await asked("GET", `/cpo/v2/commands/${mine.json.id}`)).toBe(404)
  expect((await app.ask("GET", "/cpo/v2/commands", { key: stranger })).json.items).toEqual([])
  expect(fake.number).toBe(7000)
})

it("requires commands:write to send commands and commands:read to read them", async () => {
  const reader = (await app.organise(["commands:read"])).key
  const refused = await app.ask("POST", path, { key: reader, body: { type: "ClearCache" } })
  expect([refused.status, refused.json.requiredPermissions]).toEqual([403, ["commands:write"]])
  const writer = (await app.organise(["commands:write"])).key
  expect((await app.ask("GET", "/cpo/v2/commands", { key: writer })).json.requiredPermissions).toEqual([
    "commands:read"
  ])
})

it("answers 429 with Retry-After for too many chargers, and 409 for too many waiting commands", async () => {
  fake.refusal = new TooMany({ code: "command_rate", message: "Go on more slowly.", retryAfterSeconds: 60 })
  const answer = await post({ type: "ClearCache" })
  expect([answer.status, answer.json.code, answer.headers.get("retry-after")]).toEqual([429, "command_rate", "60"])
  fake.refusal = new Conflict({ code: "too_many_commands", message: "Wait." })
  const crowded = await post({ type: "ClearCache" })
  expect([crowded.status, crowded.json.code]).toEqual([409, "too_many_commands"])
  expect(app.world.woken).toEqual([])
})

it("accepts the same Idempotency-Key again after a 429", async () => {
  const headers = { "idempotency-key": "again" }
  fake.refusal = new TooMany({ code: "command_rate", message: "Go on more slowly.", retryAfterSeconds: 60 })
  expect((await post({ type: "ClearCache" }, "", headers)).status).toBe(429)
  fake.refusal = undefined
  expect((await post({ type: "ClearCache" }, "", headers)).status).toBe(202)
})

it("sends a command once per Idempotency-Key", async () => {
  const headers = { "idempotency-key": "once" }
  const first = await post({ type: "Reset", resetType: "Hard" }, "", headers)
  const second = await post({ type: "Reset", resetType: "Hard" }, "", headers)
  expect([second.status, second.text]).toEqual([202, first.text])
  expect(fake.issued.length).toBe(1)
  expect((await post({ type: "Reset", resetType: "Soft" }, "", headers)).json.code).toBe("idempotency_key_reused")
})

it("treats a repetition with another or no wait as the same request and repeats the first answer", async () => {
  const headers = { "idempotency-key": "patient" }
  const body = { type: "Reset", resetType: "Hard" }
  const first = await post(body, "?wait=0", headers)
  fake.ending = { status: "Accepted", completedAt: sessionStart, result: { status: "Accepted" } }
  for (const query of ["?wait=30", "", "?", "?wait=1&wait=2", "?wait"]) {
    const again = await post(body, query, headers)
    expect([query, again.status, again.text]).toEqual([query, 202, first.text])
  }
  expect([fake.issued.length, first.json.status]).toEqual([1, "Pending"])
  expect((await get(`/cpo/v2/commands/${first.json.id}?wait=1`)).json.status).toBe("Accepted")
  for (const query of ["?waiting=1", "?wait=1&x=wait"]) {
    expect((await post(body, query, headers)).json.code, query).toBe("idempotency_key_reused")
  }
})

it("stops the transaction of a session of this charger and shows the session", async () => {
  const { organisationId } = app.own
  const own = { organisationId, chargerId: "CP-1", siteId, transactionId: "77" }
  const running = aFakeSession(app.world, own)
  const ended = aFakeSession(app.world, { ...own, transactionId: "78", endedAt: sessionStart, status: "COMPLETED" })
  const elsewhere = aFakeSession(app.world, { ...own, chargerId: "CP-9" })
  const stop = (sessionId: string) => post({ type: "RemoteStop", sessionId })
  expect((await stop(running)).json.sessionId).toBe(running)
  expect(lastCommand()).toEqual({ _tag: "RemoteStop", transactionId: 77 })
  const late = await stop(ended)
  expect([late.status, late.json.code]).toEqual([409, "session_ended"])
  const stray = await stop(elsewhere)
  expect([stray.status, stray.json.detail]).toEqual([
    404,
    `There is no session ${elsewhere} at charger "CP-1", or you have no access to it.`
  ])
  expect((await stop(app.world.uuid())).status).toBe(404)
  expect((await post({ type: "RemoteStop", transactionId: 77 })).json.sessionId).toBe(running)
  expect((await post({ type: "RemoteStop", transactionId: 5 })).json.sessionId).toBe(null)
  expect((await post({ type: "RemoteStop", transactionId: 78 })).json.sessionId, "has ended").toBe(null)
  for (let n = 0; n < 600; n++) aFakeSession(app.world, { ...own, transactionId: String(1000 + n) })
  expect((await post({ type: "RemoteStop", transactionId: 77 })).json.sessionId).toBe(running)
  expect((await post({ type: "RemoteStop", transactionId: 1599 })).json.sessionId).not.toBe(null)
})

it("numbers reservations, log requests and firmware requests that have no number, and answers the number", async () => {
  const reserved = await post({ type: "ReserveNow", connectorId: 1, idTag: "A", expiryDate: "2030-01-01T00:00:00Z" })
  expect(lastCommand()).toMatchObject({ _tag: "ReserveNow", reservationId: 7000 })
  const asked = { connectorId: 1, idTag: "A", expiryDate: "2030-01-01T00:00:00.000Z" }
  expect(reserved.json.parameters).toEqual({ ...asked, reservationId: 7000 })
  expect((await get(`/cpo/v2/commands/${reserved.json.id}`)).json.parameters).toEqual(reserved.json.parameters)
  const log = await post({ type: "GetLog", logType: "SecurityLog", location: "https://files.example/log" })
  expect(lastCommand()).toMatchObject({ _tag: "GetLog", requestId: 7001 })
  expect(log.json.parameters).toMatchObject({ requestId: 7001 })
  const firmware = {
    location: "https://files.example/fw",
    retrieveDateTime: "2030-01-01T00:00:00Z",
    signingCertificate: "PEM",
    signature: "sig"
  }
  const signed = await post({ type: "SignedUpdateFirmware", firmware })
  expect(lastCommand()).toMatchObject({ _tag: "SignedUpdateFirmware", requestId: 7002 })
  expect(signed.json.parameters.requestId).toBe(7002)
  const given = await post({
    type: "GetLog",
    logType: "SecurityLog",
    requestId: 5,
    location: "https://files.example/log"
  })
  expect(given.json.parameters.requestId).toBe(5)
})

it("gives a manually sent list the version after the charger's current one", async () => {
  const first = await post({ type: "SendLocalList", localAuthorizationList: [] })
  expect(lastCommand()).toMatchObject({ listVersion: 1, updateType: "Full", entries: [] })
  expect(first.json.parameters).toEqual({ localAuthorizationList: [], listVersion: 1 })
  const known = { version: 41, state: "Manual", inStep: false, reason: undefined, updatedAt: undefined } as const
  localListsOf(app.world).set("CP-1", known)
  expect((await post({ type: "SendLocalList" })).json.parameters).toEqual({
    listVersion: 42,
    updateType: "Full",
    entries: 0,
    leftOut: 0
  })
  expect((await post({ type: "SendLocalList", listVersion: 7 })).json.parameters.listVersion).toBe(7)
})

it("refuses a manually sent list that exceeds the charger's limits, and suggests how to proceed", async () => {
  for (const uid of ["A", "B", "C"]) await app.ask("POST", "/cpo/v2/tokens", { key: app.key, body: { uid } })
  reportLimits(app.world, { SendLocalListMaxLength: "2" })
  const long = await post({ type: "SendLocalList" })
  expect([long.status, long.json.code]).toEqual([409, "list_too_long"])
  expect(long.json.detail).toMatch(/SendLocalListMaxLength.* 2 entries.*Differential.*Managed/)
  const localAuthorizationList = ["A", "B"].map((idTag) => ({ idTag, idTagInfo: { status: "Accepted" } }))
  expect((await post({ type: "SendLocalList", localAuthorizationList })).status).toBe(202)
  reportLimits(app.world, { LocalAuthListMaxLength: "1" })
  expect((await post({ type: "SendLocalList", localAuthorizationList })).json.detail).toMatch(/most important/)
  const more = { type: "SendLocalList", updateType: "Differential", localAuthorizationList }
  expect((await post(more)).status).toBe(202)
  expect(fake.issued.length).toBe(2)
})

it("sends the organisation's own tokens if no list is given, and none of other organisations", async () => {
  const make = (key: string, body: Json) => app.ask("POST", "/cpo/v2/tokens", { key, body })
  await make(app.key, { uid: "CARD-1", expiresAt: "2030-01-01T00:00:00Z", parentUid: "FAMILY" })
  await make(app.key, { uid: "CARD-2", status: "Blocked", parentUid: "P".repeat(21) })
  await make(app.key, { uid: "CARD-OF-TWENTY-ONE-21" })
  await make((await app.organise()).key, { uid: "CARD-3" })
  const answer = await post({ type: "SendLocalList", listVersion: 4 })
  expect([answer.status, answer.json.parameters]).toEqual([
    202,
    { listVersion: 4, updateType: "Full", entries: 2, leftOut: 1 }
  ])
  expect(lastCommand()).toEqual({
    _tag: "SendLocalList",
    listVersion: 4,
    updateType: "Full",
    entries: [
      {
        tokenUid: "CARD-1",
        authorization: { status: "Accepted", expiresAt: Date.UTC(2030, 0, 1), parentUid: "FAMILY" }
      },
      { tokenUid: "CARD-2", authorization: { status: "Blocked" } }
    ]
  })
})

it("shows a password that it generated once, and never one that was given", async () => {
  const made = await post({ type: "ChangeConfiguration", key: "AuthorizationKey" })
  expect(made.json.password).toMatch(/^[\x21-\x7e]{16,20}$/)
  expect(lastCommand()).toEqual({ _tag: "ChangeConfiguration", key: "AuthorizationKey", value: made.json.password })
  expect(made.json.parameters).toEqual({ key: "AuthorizationKey", value: "***" })
  const readAgain = await get(`/cpo/v2/commands/${made.json.id}`)
  expect(readAgain.text).not.toContain(made.json.password)
  for (const value of ["0123456789abcdef", "0123456789ABCDEF0123456789ABCDEF"]) {
    const given = await post({ type: "ChangeConfiguration", key: " authorizationkey", value })
    expect([given.status, given.json.password, given.json.parameters.value]).toEqual([202, undefined, "***"])
    expect(given.text).not.toContain(value)
    expect(lastCommand()).toMatchObject({ value })
  }
  expect(app.logged.join("\n")).not.toContain(made.json.password)
})

it("has a charger upload to the service itself, and answers 404 for an unknown firmware file", async () => {
  const uploaded = await post({ type: "GetDiagnostics" })
  expect(uploaded.status).toBe(202)
  expect(uploaded.json.fileId).toMatch(/^[0-9a-f-]{36}$/)
  expect(uploaded.json.parameters).toEqual({ fileId: uploaded.json.fileId })
  expect(uploaded.text).not.toContain("token-of-the-tests")
  expect(lastCommand()).toMatchObject({ location: expect.stringMatching(/\/files\/up\/token-of-the-tests$/) })
  expect((await post({ type: "GetLog", logType: "SecurityLog" })).status).toBe(202)
  expect(lastCommand()).toMatchObject({ location: expect.stringMatching(/\/files\/up\/token-of-the-tests$/) })
  const fileId = app.world.uuid()
  const firmware = await post({ type: "UpdateFirmware", fileId, retrieveDate: "2030-01-01T00:00:00Z" })
  expect([firmware.status, firmware.json.code]).toEqual([404, "not_found"])
})
