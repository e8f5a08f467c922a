/**
 * Addresses in a partner's versions URL, version details and result addresses are called only if they are public (T16). A partner must have a public
 * address to register, which tests have not: so they register while private addresses are allowed, and are called when they are no longer.
 */
import { createServer as createHttp } from "node:http"
import { createServer, type AddressInfo, type Server } from "node:net"
import { afterAll, beforeAll, expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import { closedUrls } from "../support/closedUrls.ts"
import { Roaming } from "./partner/Roaming.ts"
import type { Json } from "./partner/Wire.ts"

const roaming = new Roaming({})
const { world } = roaming

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "::", resolve))
  return (server.address() as AddressInfo).port
}

/** Counts the connections that were not prevented. */
let connections = 0
let trapPort = 0
const trap = createServer((socket) => {
  connections += 1
  socket.destroy()
})

/** The modules in the details of each partner, by the number in its path. */
const modules: Array<ReadonlyArray<Json | null>> = []

/** All modules at one address. None is called before there is something to send. */
const allAt = (url: string): ReadonlyArray<Json> =>
  ["credentials", "tariffs", "commands", "chargingprofiles"].map((identifier) => ({
    identifier,
    role: identifier === "tariffs" ? "RECEIVER" : "SENDER",
    url
  }))

const details = createHttp((request, response) => {
  const [, n = "", what = ""] = (request.url ?? "").split("/")
  const url = (version: string) => `http://${request.headers.host ?? ""}/${n}/${version}`
  const versions = ["2.1.1", "2.2", "2.2.1"].map((version) => ({ version, url: url(version) }))
  const data = what === "versions" ? versions : { version: what, endpoints: modules[Number(n)] }
  response.setHeader("content-type", "application/json")
  response.end(JSON.stringify({ status_code: 1000, timestamp: new Date().toISOString(), data }))
})
let detailsPort = 0

beforeAll(async () => {
  trapPort = await listening(trap)
  detailsPort = await listening(details)
})
afterAll(() => {
  trap.close()
  details.close()
  details.closeAllConnections()
})

/** Sends a request as a partner. */
const asked = async (method: string, path: string, token: string, body?: Json, version = "2.2.1"): Promise<Json> => {
  const answer = await fetch(`${world.service.url}/ocpi/${version}/${path}`, {
    method,
    headers: { authorization: `Token ${Buffer.from(token).toString("base64")}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  expect(answer.status, JSON.stringify(body)).toBe(200)
  return (await answer.json()) as Json
}

/** Registers a partner with these modules. Answers its status code and token. */
const register = async (named: ReadonlyArray<Json | null>) => {
  const n = modules.push(named) - 1
  const party = { countryCode: "DE", partyId: `X${n.toString(36).padStart(2, "0").toUpperCase()}` }
  const invited = await world.post("partners", { name: `Partner ${n}`, ...party, roles: ["EMSP"] })
  const business_details = { name: "Partner" }
  const speaking = { country_code: "DE", party_id: party.partyId, business_details }
  // The fields of credentials in all versions.
  const roles = [{ role: "EMSP", ...speaking }]
  const body = { token: `theirs-${n}`, url: `http://127.0.0.1:${detailsPort}/${n}/versions`, ...speaking, roles }
  const { data, status_code: code } = await asked("POST", "credentials", String(invited["credentialsToken"]), body)
  return { id: String(invited["id"]), code, token: String((data as Json | undefined)?.["token"]), body }
}

/** Applies a function to each item, ten at a time. */
const atOnce = async <A, B>(all: ReadonlyArray<A>, one: (item: A) => Promise<B>): Promise<ReadonlyArray<B>> => {
  const done: Array<B> = []
  for (let from = 0; from < all.length; from += 10) {
    done.push(...(await Promise.all(all.slice(from, from + 10).map(one))))
  }
  return done
}

/** Restarts the service with private addresses forbidden. */
let isClosed = false
const close = async () => {
  const { service } = world
  if (isClosed) return
  isClosed = true
  await service.kill("SIGTERM")
  service.life = service.another({ OUTBOUND_ALLOW_PRIVATE: "false" })
  await service.ready()
  connections = 0
}

/** One function checks the addresses of all our calls, and its unit test covers all of these. Here a part of them shows that it is called. */
const tried = (): ReadonlyArray<string> =>
  closedUrls(trapPort).filter((_, n) => process.env["TEST_ALL"] !== undefined || n % 6 === 0)

const isTariff = (one: Json): boolean => one["module"] === "tariffs"

it("registers a partner whose details name its credentials, even if other modules are unreadable; otherwise answers 3003", async () => {
  const at = (url: unknown, identifier: unknown = "credentials", role: unknown = "SENDER") => ({
    identifier,
    role,
    url
  })
  const here = `http://127.0.0.1:${detailsPort}/credentials`
  // An address without a host is read relative to that of the details.
  const relative = at("/relative", "tokens")
  const odd = [at("", "cdrs"), at(null, "locations"), at(here, 7), at(here, "tariffs", 7), null]
  const taken = await register([...odd, relative, at(here)])
  expect(taken.code).toBe(1000)
  expect(await world.get(`partners/${taken.id}`)).toMatchObject({ modules: ["credentials", "tokens"] })
  for (const without of [[], odd, [at("no url")]]) expect((await register(without)).code).toBe(3003)
})

it("switches to the version at whose address a partner renews, to newer and older ones", async () => {
  const { body, id, token: first } = await register(allAt(`http://127.0.0.1:${detailsPort}/x`))
  let token = first
  for (const version of ["2.1.1", "2.2", "2.2.1", "2.2"]) {
    const { data, status_code } = await asked("PUT", "credentials", token, body, version)
    expect(status_code, version).toBe(1000)
    token = String((data as Json)["token"])
    expect(await world.get(`partners/${id}`)).toMatchObject({ status: "Registered", ocpiVersion: version })
    expect((await asked("GET", "credentials", token, undefined, version))["status_code"]).toBe(1000)
  }
})

it("makes no connection to an endpoint or response_url that is not public", { timeout: 240_000 }, async () => {
  const answers = await atOnce(tried(), async (url) => ({ url, ...(await register(allAt(url))) }))
  const isAddress = (url: string) => URL.canParse(url) && url.length < 1_000
  const registered = answers.filter(({ code }) => code === 1000)
  const refused = answers.filter(({ code }) => code !== 1000).map(({ url }) => url)
  // Partners with strings that are not URLs cannot register.
  expect(refused.filter(isAddress)).toEqual([])
  expect(registered.length).toBeGreaterThan(tried().length / 2)
  await close()
  const token = registered[0]?.token ?? ""
  await atOnce(tried(), async (response_url) => {
    const place = { location_id: "x", evse_uid: "x", connector_id: "1" }
    const command = await asked("POST", "commands/UNLOCK_CONNECTOR", token, { response_url, ...place })
    const query = `response_url=${encodeURIComponent(response_url)}`
    const read = await asked("GET", `chargingprofiles/x?duration=60&${query}`, token)
    const cleared = await asked("DELETE", `chargingprofiles/x?${query}`, token)
    const codes = [command, read, cleared].map((answer) => answer["status_code"])
    // Leading spaces in a query parameter are ignored.
    expect(codes, response_url).toEqual(response_url.startsWith(" ") ? [2001, 1000, 1000] : [2001, 2001, 2001])
  })
  const prices = [{ priceComponents: [{ type: "ENERGY", price: 1, vat: 20, stepSize: 1 }] }]
  const { id } = await world.post("tariffs", { currency: "EUR", elements: prices })
  await world.ask("PUT", `tariffs/${String(id)}/assignments`, { default: true })
  await atOnce(registered, async ({ id: partnerId, url }) => {
    const exchanged = async () => (await world.items(`partners/${partnerId}/exchanges?limit=20`)).filter(isTariff)
    await until(
      () => `${url} was tried`,
      30_000,
      async () => (await exchanged()).length > 0
    )
    for (const one of await exchanged()) expect(one, url).toMatchObject({ direction: "out", httpStatus: null })
    // The credentials endpoint, at the same address, is called too.
    await world.ask("DELETE", `partners/${partnerId}`, undefined, 204)
  })
  const uninformed = () => world.service.life.output.split("that was removed could not be informed").length - 1
  await until(
    () => "every partner was called about its removal",
    10_000,
    () => Promise.resolve(uninformed() === registered.length)
  )
  expect(connections).toBe(0)
})

/** Addresses to try as versions URLs. */
const versionsUrls = (): ReadonlyArray<string> => [
  `http://127.0.0.1:${trapPort}/versions`,
  `https://127.0.0.1:${trapPort}/versions`,
  `https://127.1:${trapPort}/versions`,
  `https://2130706433:${trapPort}/versions`,
  `https://0x7f000001:${trapPort}/versions`,
  `https://0177.0.0.1:${trapPort}/versions`,
  `https://0.0.0.0:${trapPort}/versions`,
  `https://localhost:${trapPort}/versions`,
  `https://LOCALHOST.:${trapPort}/versions`,
  `https://[::1]:${trapPort}/versions`,
  `https://[::]:${trapPort}/versions`,
  `https://[::ffff:127.0.0.1]:${trapPort}/versions`,
  `https://[64:ff9b::7f00:1]:${trapPort}/versions`,
  `https://user:password@127.0.0.1:${trapPort}/versions`,
  "https://169.254.169.254/latest/meta-data",
  "https://10.0.0.1/versions",
  "https://192.168.1.1/versions",
  "https://172.16.0.1/versions",
  "https://[fd00::1]/versions",
  "https://metadata.google.internal/versions",
  "ftp://example.com/versions",
  "file:///etc/passwd",
  "gopher://example.com:6379/_"
]

it("makes no connection to a versions URL that is not public", async () => {
  await close()
  const partner = await roaming.partner("2.2.1")
  const { id, token, versionsUrl } = await roaming.invite(partner)
  await partner.discover(versionsUrl, token)
  const credentials = partner.endpoint("credentials") ?? ""
  for (const url of versionsUrls()) {
    const body = { ...partner.credentials(partner.invitation()), url }
    const answer = await partner.client.ask("POST", credentials, { token, body })
    expect([answer.http, answer.code], url).toEqual([200, 3001])
    expect(answer.message).toBe("Your versions could not be read: nothing answers at that address")
    const handover = { versionsUrl: url, token: "theirs" }
    expect(await roaming.world.ask("POST", `partners/${id}/register`, handover, 409), url).toMatchObject({
      code: "partner_unusable"
    })
  }
  expect([connections, partner.server.connections]).toEqual([0, 0])
  expect(await roaming.shown(id)).toMatchObject({ status: "Invited" })
})
