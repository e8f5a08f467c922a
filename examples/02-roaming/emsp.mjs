// A small eMSP in one file, in OCPI 2.1.1 or 2.2.1. It reads the answer to its invitation from standard input, registers, pushes a driver's token,
// finds a location, has a session started there, follows it, limits it, stops it, gets its record, renews its credentials and deletes them.
//
//   curl … /cpo/v2/partners … | node examples/02-roaming/emsp.mjs 2.2.1
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { json as readJson, text as readText } from "node:stream/consumers"

const [version = "2.2.1"] = process.argv.slice(2)
const isNew = version !== "2.1.1"
const invited = await readJson(process.stdin)
if (invited.credentialsToken === undefined) {
  console.error(`This is no invitation: ${invited.detail ?? JSON.stringify(invited)}`)
  process.exit(1)
}
const me = { country_code: invited.countryCode ?? "DE", party_id: invited.partyId ?? "EXM" }
const now = () => new Date().toISOString().replace(/\.\d+Z$/, "Z")
const say = (what, ...words) => console.log(what.padEnd(16), ...words)

// What the CPO has sent us: whole objects by module, and results by the last segment of their address.
const received = { locations: new Map(), sessions: new Map(), tariffs: new Map(), cdrs: new Map(), results: new Map() }
const until = async (look) => {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = look()
    if (found !== undefined && found !== false) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`nothing came of ${look}`)
}

// Our side: versions, details, the receiver endpoints for what the CPO sends, and addresses for results.
const modules = [
  "credentials",
  "locations",
  "sessions",
  "cdrs",
  "tariffs",
  "commands",
  ...(isNew ? ["chargingprofiles"] : [])
]
const roleOf = (module) => (["commands", "chargingprofiles"].includes(module) ? "SENDER" : "RECEIVER")
const details = () => ({
  version,
  endpoints: modules.map((module) => ({
    identifier: module,
    ...(isNew ? { role: roleOf(module) } : {}),
    url: `${base}/${version}/${module}`
  }))
})
const patch = (location, [, , , uid], change) => ({
  ...location,
  last_updated: change.last_updated,
  evses: location.evses.map((evse) => (evse.uid === uid ? { ...evse, ...change } : evse))
})
const answer = (method, [module, ...path], body) => {
  if (module === "versions") return { data: [{ version, url: `${base}/${version}` }] }
  if (module === undefined) return { data: details() }
  const id = path.at(-1)
  if (module === "commands" || (module === "chargingprofiles" && method === "POST")) received.results.set(id, body)
  else if (module === "cdrs") received.cdrs.set(body.id, body)
  else if (method === "DELETE") received[module].delete(id)
  else if (method === "PUT" && module !== "chargingprofiles") received[module].set(id, body)
  else if (method === "PATCH") {
    const [, , locationId] = path
    const location = received.locations.get(locationId)
    if (location === undefined || path.length !== 4) return { http: 404, code: 2003 }
    received.locations.set(locationId, patch(location, path, body))
  }
  return { http: 200 }
}
const server = createServer(async (request, response) => {
  const sent = await readText(request)
  const path = new URL(request.url, "http://emsp").pathname.split("/").filter((word) => word !== "" && word !== version)
  const { code = 1000, data, http = 200 } = answer(request.method, path, sent === "" ? undefined : JSON.parse(sent))
  const cdr = request.method === "POST" && path[0] === "cdrs" ? { location: `${base}${request.url}/last` } : {}
  response.writeHead(http, { "content-type": "application/json", ...cdr })
  response.end(JSON.stringify({ data, status_code: code, timestamp: now() }))
})
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
const base = `http://127.0.0.1:${server.address().port}`

// The CPO's side. From 2.2 on, tokens are in Base64, and requests have ids and name the sending and the receiving party.
let token = invited.credentialsToken
let cpo = {}
const endpoints = new Map()
const ask = async (method, url, body) => {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Token ${isNew ? btoa(token) : token}`,
      "content-type": "application/json",
      ...(isNew ? { "x-request-id": randomUUID(), "x-correlation-id": randomUUID() } : {}),
      ...(isNew && cpo.party_id !== undefined
        ? {
            "ocpi-from-country-code": me.country_code,
            "ocpi-from-party-id": me.party_id,
            "ocpi-to-country-code": cpo.country_code,
            "ocpi-to-party-id": cpo.party_id
          }
        : {})
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const envelope = await response.json()
  if (envelope.status_code !== 1000) throw new Error(`${method} ${url}: ${JSON.stringify(envelope)}`)
  return envelope
}
const credentials = (method) => {
  const business_details = { name: "Example Mobility" }
  const whoWeAre = isNew ? { roles: [{ role: "EMSP", business_details, ...me }] } : { business_details, ...me }
  return ask(method, endpoints.get("credentials"), { token: randomUUID(), url: `${base}/versions`, ...whoWeAre })
}
const command = async (name, body) => {
  const id = randomUUID()
  const response_url = `${base}/${version}/commands/${name}/${id}`
  const { data } = await ask("POST", `${endpoints.get("commands")}/${name}`, { response_url, ...body })
  if (data.result !== "ACCEPTED") throw new Error(`${name} was ${data.result}`)
  say(name, `${data.result}, then ${(await until(() => received.results.get(id))).result}`)
}
const profile = async (method, query, body) => {
  const id = randomUUID()
  const url = `${base}/${version}/chargingprofiles/${method}/${id}`
  const at = `${endpoints.get("chargingprofiles")}/${session().id}`
  const inQuery = body === undefined ? `?${new URLSearchParams({ ...query, response_url: url })}` : ""
  const { data } = await ask(method, `${at}${inQuery}`, body === undefined ? undefined : { ...body, response_url: url })
  return `${data.result}, then ${(await until(() => received.results.get(id))).result}`
}
const session = () => [...received.sessions.values()].at(-1)

const { data: versions } = await ask("GET", invited.versionsUrl)
const { data: theirs } = await ask("GET", versions.find((one) => one.version === version).url)
for (const { identifier, url } of theirs.endpoints) endpoints.set(identifier, url)
const registered = (await credentials("POST")).data
token = registered.token
cpo = registered.roles?.[0] ?? registered
say("registered", `in ${version}`)

const uid = "DE-EXM-CARD-1"
const owner = isNew ? { ...me, contract_id: "DEEXMC000001" } : { auth_id: "DEEXMC000001" }
const card = {
  uid,
  type: "RFID",
  ...owner,
  issuer: "Example Mobility",
  valid: true,
  whitelist: "ALLOWED",
  last_updated: now()
}
await ask("PUT", `${endpoints.get("tokens")}/${me.country_code}/${me.party_id}/${uid}`, card)
say("token", "pushed")

const { data: locations } = await ask("GET", `${endpoints.get("locations")}?limit=100`)
const location = locations.find(({ evses }) => evses?.some(({ status }) => status === "AVAILABLE"))
const [evse] = location.evses
say("location", `${location.name}, ${location.address}, ${location.city}: ${evse.status}`)

await command("START_SESSION", { token: card, location_id: location.id, evse_uid: evse.uid })
await until(() => session()?.kwh > 0)
say("session", `${session().status}, ${session().kwh} kWh`)
await until(() => received.locations.get(location.id)?.evses[0].status === "CHARGING")
say("location", "CHARGING")
if (isNew) {
  const charging_profile = { charging_rate_unit: "A", charging_profile_period: [{ start_period: 0, limit: 10 }] }
  say("10 A at most", await profile("PUT", {}, { charging_profile }))
  say("what is in force", await profile("GET", { duration: "900" }))
  say("no limit again", await profile("DELETE", {}))
}
await command("STOP_SESSION", { session_id: session().id })
const cdr = await until(() => [...received.cdrs.values()][0])
say("record", `${cdr.total_energy} kWh, ${cdr.total_cost.excl_vat ?? cdr.total_cost} ${cdr.currency} without VAT`)

token = (await credentials("PUT")).data.token
await ask("GET", endpoints.get("cdrs"))
say("credentials", "renewed")
await ask("DELETE", endpoints.get("credentials"))
say("credentials", "taken back")
server.close()
server.closeAllConnections()
