/**
 * T24 in a browser: a page of another origin, opened beside a console that is signed in. It tries every operation that changes something, as a form,
 * by a script, as an image and by navigation; all of them are refused and nothing changes. Nor can it show the console in a frame of its own.
 */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { operationsOf, type Owned, requestsOf } from "../support/tenantWalk.ts"
import type { Json } from "../support/restApp.ts"
import { canBrowse, desk, firstOf, type Town, town, Visitor } from "./browser.ts"

const anId = "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d07"

/** What the page of the other origin runs: one request in every way that a page has; resolves when all of them have ended. */
const attack = `async ({ url, method, body }) => {
  const text = JSON.stringify(body ?? {})
  const settled = (work) => work.then(() => undefined, () => undefined)
  const credentials = "include"
  await Promise.all([
    settled(fetch(url, { method, credentials, ...(method === "GET" ? {} : { headers: { "content-type": "application/json" }, body: text }) })),
    settled(fetch(url, { method: "POST", credentials, mode: "no-cors", body: text })),
    settled(fetch(url, { method: "POST", credentials, mode: "no-cors", headers: { "content-type": "text/plain" }, body: text })),
    settled(fetch(url, { method: "POST", credentials, mode: "no-cors", body: new Blob([text]) })),
    new Promise((resolve) => {
      const image = new Image()
      image.onload = image.onerror = resolve
      image.src = url
    }),
    ...["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"].map(
      (enctype) =>
        new Promise((resolve) => {
          const frame = document.createElement("iframe")
          frame.name = "f" + Math.random()
          const form = document.createElement("form")
          Object.assign(form, { action: url, method: "POST", enctype, target: frame.name })
          // In plain text the name, the sign and the value together are JSON.
          const fields = enctype === "text/plain" ? { [text.slice(0, -1) + (text === "{}" ? "" : ",") + '"x":"']: '"}' } : body ?? {}
          for (const [name, value] of Object.entries(fields)) {
            const input = document.createElement("input")
            Object.assign(input, { type: "hidden", name, value: typeof value === "string" ? value : JSON.stringify(value) })
            form.append(input)
          }
          document.body.append(frame, form)
          let loads = 0
          frame.onload = () => {
            loads++
            frame.remove()
            form.remove()
            resolve()
          }
          form.submit()
        })
    )
  ])
  navigator.sendBeacon(url, text)
}`

describe.skipIf(!canBrowse)("a page of another origin", () => {
  let place: Town
  let server: Server
  let owned: Owned
  let writes: ReturnType<typeof requestsOf>
  let port: number

  const ask = (method: string, path: string, body?: unknown) => place.service.ask(method, path, body)

  beforeAll(async () => {
    place = await town(1)
    server = createServer((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Other</title><body>")
    )
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    port = (server.address() as AddressInfo).port
    const webhook = await ask("POST", "webhooks", { url: "https://hook.example/", active: false })
    const role = await ask("POST", "roles", { name: "A role", permissions: ["sites:read"] })
    const invited = await ask("POST", "invitations", { email: "invited@demo.example", roleId: "Viewer" })
    const me = (await ask("GET", "operators")) as { readonly items: ReadonlyArray<Json> }
    const first = async (path: string, key?: string) => decodeURIComponent(await firstOf(place, path, key))
    const uid = await first("tokens", "uid")
    owned = {
      siteId: await first("sites"),
      groupId: "1",
      chargerId: await first("chargers", "chargerId"),
      sessionId: await first("sessions"),
      uid,
      tokenUid: uid,
      q: "x",
      metric: "power",
      keyId: await first("api-keys"),
      tariffId: await first("tariffs"),
      cdrId: anId,
      partnerId: await first("partners"),
      module: "tokens",
      webhookId: String(webhook["id"]),
      deliveryId: anId,
      eventId: "1",
      id: anId,
      operatorId: String(me.items[0]?.["id"]),
      roleId: String(role["id"]),
      invitationId: String(invited["id"]),
      signInId: anId,
      passkeyId: anId,
      viewId: anId,
      domain: "owner.example"
    }
    const document: Json = await (await fetch(`${place.service.url}/cpo/swagger.json`)).json()
    writes = requestsOf(document, owned).filter(({ operation }) => operation.method !== "GET")
    expect(operationsOf(document).length).toBeGreaterThan(writes.length)
  }, 120_000)

  afterAll(async () => {
    server.close()
    await place[Symbol.asyncDispose]()
  })

  /** The current state of all that an operator may change. */
  const everything = async (): Promise<ReadonlyArray<string>> => {
    const paths = [
      "organisation",
      "sites?limit=500",
      "chargers?limit=500",
      "tokens?limit=500",
      "tariffs?limit=500",
      `tariffs/${owned.tariffId}/assignments`,
      "partners",
      "parties",
      "operators",
      "roles",
      "invitations",
      "webhooks",
      "api-keys",
      "configuration-template",
      "quirks",
      "command-batches",
      "firmware-campaigns",
      "files",
      "audit-log?limit=500"
    ]
    const changing = new Set([
      "lastUsedAt",
      "lastUsedFrom",
      "lastSeenAt",
      "lastMessage",
      "lastMessageAt",
      "lastHeartbeatAt"
    ])
    return Promise.all(
      paths.map(async (path) => {
        const answer = await ask("GET", path)
        const items: ReadonlyArray<Json> = (answer as Json).items ?? [answer]
        // Chargers are active meanwhile: of them only what an operator sets is compared.
        const kept = path.startsWith("chargers")
          ? items.map(({ chargerId, name, siteId, updatedAt: _ }) => ({ chargerId, name, siteId }))
          : items
        return `${path} ${JSON.stringify(kept, (key, value: unknown) => (changing.has(key) ? undefined : value))}`
      })
    )
  }

  /** The signed-in console, and the other page in the same browser. */
  const both = async (host: string) => {
    const { context, page: consolePage } = await Visitor.signedIn(place, desk)
    const page = await context.newPage()
    await page.goto(`http://${host}:${port}/`)
    return { context, consolePage, page }
  }

  it.each([
    ["on the same site, whose requests carry the cookie", "localhost", true],
    ["on another site", "127.0.0.1", false]
  ] as const)(
    "%s, changes nothing with any operation",
    async (_, host, carries) => {
      const { consolePage, context, page } = await both(host)
      const before = await everything()
      const taken: Array<string> = []
      let refused = 0
      let withCookie = 0
      const looks: Array<Promise<void>> = []
      context.on("response", (response) => {
        const request = response.request()
        if (!request.url().startsWith(`${place.service.url}/cpo/`) || request.frame().page() !== page) return
        if (["GET", "HEAD", "OPTIONS"].includes(request.method())) return
        if (response.status() < 400) taken.push(`${request.method()} ${request.url()} ${response.status()}`)
        if ([401, 403].includes(response.status())) refused++
        looks.push(
          request.allHeaders().then(
            (headers) => void (/voltlane=/.test(headers["cookie"] ?? "") && withCookie++),
            () => undefined
          )
        )
      })
      for (const { asked, operation, path } of writes) {
        if (taken.length > 0) break
        const body: unknown = "body" in asked ? asked.body : undefined
        await page.evaluate(
          `(${attack})(${JSON.stringify({ url: `${place.service.url}${path}`, method: operation.method, body })})`
        )
      }
      // For some of the removed frames the browser never reports which headers it sent: what is known after this time is counted.
      await Promise.race([Promise.all(looks), new Promise((done) => setTimeout(done, 5_000))])
      expect(taken).toEqual([])
      // The requests reached the service, and it refused them for their origin or for want of a sign-in.
      expect(refused).toBeGreaterThan(writes.length)
      expect(withCookie > writes.length).toBe(carries)
      expect(withCookie > 0).toBe(carries)
      // By navigation: opening an address is only ever a read.
      for (const { path } of writes) await page.goto(`${place.service.url}${path}`).catch(() => undefined)
      expect(await everything()).toEqual(before)
      // The console's own page is still signed in, and may write.
      const own = await consolePage.evaluate<number>(
        `fetch("/cpo/v2/sites", { method: "POST", headers: { "content-type": "application/json" }, body: '{"name":"Own"}' }).then((r) => r.status)`
      )
      expect(own).toBe(200)
      await context.close()
    },
    240_000
  )

  /** The protocol of what a frame of the page shows after opening an address; that of the browser's error page if the address refused. */
  const framed = async (page: Page, url: string): Promise<string> => {
    await page.evaluate(
      `new Promise((resolve) => { const frame = document.createElement("iframe"); frame.onload = resolve; frame.src = ${JSON.stringify(url)}; document.body.append(frame) })`
    )
    const frame = page.frames().at(-1)!
    return frame.evaluate<string>("location.protocol")
  }

  it.each(["localhost", "127.0.0.1"])(
    "cannot show a page of the console in a frame (%s)",
    async (host) => {
      const { context, page } = await both(host)
      for (const path of ["/", "/sign-in", "/chargers", "/settings/operators", "/cpo/docs"])
        expect([path, await framed(page, `${place.service.url}${path}`)]).toEqual([path, "chrome-error:"])
      await context.close()
    },
    60_000
  )

  it("keeps no handle on a console that it opens, and cannot read what the API answers", async () => {
    const { context, page } = await both("localhost")
    const isSevered = page.evaluate<boolean>(
      `new Promise((resolve) => { const w = window.open(${JSON.stringify(place.service.url)}); const look = () => (w.closed ? resolve(true) : setTimeout(look, 50)); look() })`
    )
    expect(await isSevered).toBe(true)
    const read = await page.evaluate<string>(
      `fetch(${JSON.stringify(`${place.service.url}/cpo/v2/me`)}, { credentials: "include" }).then((r) => r.text(), () => "refused")`
    )
    expect(read).toBe("refused")
    await context.close()
  }, 60_000)
})
