/**
 * T14 in a browser: text that a careless page would run, in every field that a charger, a partner or a colleague can fill over their own interfaces.
 * Then every page is visited: nothing runs, the policy has nothing to refuse, no element or attribute comes from a text, and the texts are shown as
 * text.
 */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Partner } from "../ocpi/partner/Partner.ts"
import { everyMarkup, markup } from "../support/markup.ts"
import { WireCharger } from "../threats/world.ts"
import { canBrowse, desk, type Town, town, Visitor } from "./browser.ts"

const time = (agoMillis = 0): string => new Date(Date.now() - agoMillis).toISOString()

/** A text that fits into a field of `most` characters as a whole: half a tag is no attack. */
const fitting = (n: number, most: number): string => {
  const all = markup.filter(({ length }) => length <= most)
  return all[n % all.length]!
}

/** The shortest text, for the shortest fields. */
const small = "<b>"

/** The number of the card, added by a colleague, that pays for the charge at charger `n`. */
const cardOf = (n: number): string => `${fitting(n, 30)}${n}`

/** Ignores the outcome: hostile requests may be refused. */
const tried = (work: Promise<unknown>): Promise<void> =>
  work.then(
    () => undefined,
    () => undefined
  )

/** Tall enough to show all rows of a list. */
const tall = { ...desk, height: 9_000 }

describe.skipIf(!canBrowse)("hostile text", () => {
  let place: Town
  const hosts = markup.map((_, n) => `HOST-${n}`)
  const chargers: Array<WireCharger> = []
  let partner: Partner
  const made: Record<string, string> = {}

  const ask = (method: string, path: string, body?: unknown) => place.service.ask(method, path, body)

  /** Fills what colleagues can fill, with another text for each name. */
  const byColleagues = async (): Promise<void> => {
    await ask("PATCH", "organisation", { name: fitting(1, 255) })
    for (const [n, text] of markup.entries()) {
      const place = { streetAddress: text, postalNumber: fitting(n, 32), city: text, area: text, houseLetter: small }
      const site = await ask("POST", "sites", {
        name: text,
        ...place,
        country: "SE",
        directions: [{ language: "en", text }]
      })
      made["site"] ??= String(site["id"])
      await ask("POST", "tokens", { uid: cardOf(n), visualNumber: text, note: text, parentUid: fitting(n, 36) })
      made["card"] ??= encodeURIComponent(cardOf(n))
      const element = { priceComponents: [{ type: "FLAT", price: 1, stepSize: 1 }] }
      const tariff = await ask("POST", "tariffs", {
        tariffAltText: [{ language: "en", text }],
        currency: "EUR",
        elements: [element]
      })
      made["tariff"] ??= String(tariff["id"])
      await ask("POST", "chargers", {
        name: text,
        chargerId: hosts[n],
        siteId: site["id"],
        securityProfile: 1,
        password: "a-long-password-1",
        registeredSerialNumber: fitting(n, 25)
      })
      await ask("POST", "roles", { name: text, permissions: ["sites:read"] })
      await ask("POST", "api-keys", { name: text, permissions: ["sites:read"] })
    }
    await ask("PUT", "configuration-template", { keys: [{ key: "LocalPreAuthorize", value: fitting(1, 255) }] })
    const rules = markup.map((text) => ({
      name: text,
      vendor: text,
      evidence: text,
      tolerances: { callTimeoutSeconds: 90 }
    }))
    await ask("PUT", "quirks", { rules: rules.slice(0, 20) })
    const filter = { siteId: made["site"] }
    const batch = await ask("POST", "command-batches", { name: markup[1], command: { type: "ClearCache" }, filter })
    made["batch"] = String(batch["id"])
    const campaign = await ask("POST", "firmware-campaigns", {
      name: markup[2],
      location: `https://firmware.example/?${encodeURIComponent(markup[1]!)}"'><b>`,
      filter,
      needsApproval: true
    })
    made["campaign"] = String(campaign["id"])
    await ask("POST", "webhooks", { url: "https://hook.example/?q='onload=alert(1)" })
    await ask("POST", "invitations", { email: "<svg/onload=alert(1)>@evil.example", roleId: "Viewer" })
    await ask("POST", "parties", { countryCode: "SE", partyId: "XSS", businessDetails: { name: markup[1] } })
    await ask("POST", "partners", { name: markup[5], countryCode: "NL", partyId: "XSS", roles: ["EMSP"] })
  }

  /** Fills what a charger can fill: all it reports about itself, its state, its errors, its energy and its cards, and all its answers. */
  const byCharger = async (n: number): Promise<void> => {
    const text = markup[n]!
    const charger = await WireCharger.connect(place.service.ocppUrl, hosts[n]!, "a-long-password-1")
    chargers.push(charger)
    charger.onCall = (action, id) =>
      action === "GetConfiguration"
        ? JSON.stringify([
            3,
            id,
            {
              configurationKey: [{ key: fitting(n, 50), readonly: false, value: text }],
              unknownKey: [fitting(n, 50)]
            }
          ])
        : action === "DataTransfer"
          ? JSON.stringify([3, id, { status: "Accepted", data: text }])
          : JSON.stringify([4, id, "NotImplemented", text, { [text]: text }])
    const boot = [
      "chargePointVendor",
      "chargePointModel",
      "chargePointSerialNumber",
      "chargeBoxSerialNumber",
      "firmwareVersion",
      "iccid",
      "imsi",
      "meterType",
      "meterSerialNumber"
    ]
    await charger.call("BootNotification", Object.fromEntries(boot.map((name) => [name, text])))
    const state = { errorCode: text, info: text, vendorId: text, vendorErrorCode: text, timestamp: time() }
    const begun = time()
    await charger.call("StatusNotification", { connectorId: 1, status: "Faulted", ...state })
    await charger.call("StatusNotification", { connectorId: 2, status: "Charging", ...state })
    const [, , started] = await charger.call("StartTransaction", {
      connectorId: 2,
      idTag: text,
      meterStart: 0,
      timestamp: begun
    })
    const transactionId: unknown = started?.transactionId
    const sampled = ["context", "format", "measurand", "phase", "location", "unit"]
    const sample = { value: text, ...Object.fromEntries(sampled.map((name) => [name, text])) }
    const meterValue = [{ timestamp: time(), sampledValue: [sample, { ...sample, value: "5", measurand: undefined }] }]
    await charger.call("MeterValues", { connectorId: 2, transactionId, meterValue })
    const stop = { idTag: text, meterStop: 1_000, timestamp: time(), reason: text, transactionData: meterValue }
    if (n % 2 === 0) await charger.call("StopTransaction", { transactionId, ...stop })
    await charger.call("Authorize", { idTag: text })
    // A charge that becomes a record.
    await charger.call("StatusNotification", { connectorId: 1, status: "Available", errorCode: "NoError" })
    const charge = { connectorId: 1, idTag: cardOf(n), meterStart: 0, timestamp: time(600_000) }
    const [, , paid] = await charger.call("StartTransaction", charge)
    const end = { transactionId: paid?.transactionId, idTag: cardOf(n), meterStop: 1_000, timestamp: time() }
    await charger.call("StopTransaction", end)
    await charger.call("SecurityEventNotification", { type: text, timestamp: time(), techInfo: text })
    await charger.call("DiagnosticsStatusNotification", { status: text })
    await charger.call("FirmwareStatusNotification", { status: text })
    await charger.call("SignCertificate", { csr: text })
    await charger.call(text, { [text]: text })
    charger.send(text)
    for (const one of everyMarkup.filter((_, at) => at % markup.length === n))
      await charger.call("DataTransfer", { vendorId: one, messageId: one, data: one })
  }

  /** Sends commands that the charger answers with hostile texts. */
  const byAnswers = async (): Promise<void> => {
    const commands = [
      { type: "DataTransfer", vendorId: markup[1], messageId: fitting(2, 50), data: markup[2] },
      { type: "Reset", resetType: "Soft" },
      { type: "GetConfiguration" },
      { type: "UnlockConnector", connectorId: 1 }
    ]
    for (const command of commands) await tried(ask("POST", `chargers/${hosts[1]}/commands`, command))
  }

  /** Fills what a partner can fill: its name, its tokens, and requests that are refused and stored. */
  const byPartner = async (): Promise<void> => {
    partner = await Partner.start({ version: "2.2.1", countryCode: "DE", partyId: "XSS", name: markup[1]! })
    const invited = await ask("POST", "partners", {
      name: markup[0],
      countryCode: "DE",
      partyId: "XSS",
      roles: ["EMSP"]
    })
    made["partner"] = String(invited["id"])
    await partner.register(String(invited["versionsUrl"]), String(invited["credentialsToken"]))
    for (const [n, text] of markup.entries()) {
      const uid = `XSS${n}`
      const token = partner.cards.make(uid, {
        issuer: fitting(n, 64),
        visual_number: fitting(n, 64),
        group_id: fitting(n, 30).replaceAll(/[^\x20-\x7e]/g, "x"),
        language: "en"
      })
      await partner.ask("PUT", "tokens", partner.tokenPath(token), token)
      const bad = { ...token, uid: text, contract_id: text, issuer: text, type: text, [text]: text }
      await partner.ask("PUT", "tokens", `/DE/XSS/${encodeURIComponent(text)}?type=${encodeURIComponent(text)}`, bad)
      await partner.ask("POST", "commands", "/START_SESSION", {
        response_url: partner.url("commands"),
        token,
        location_id: fitting(n, 36),
        evse_uid: fitting(n, 36)
      })
      await partner.ask("POST", "commands", `/${encodeURIComponent(text)}`, { [text]: text })
      for (const module of ["locations", "sessions", "tariffs"])
        await tried(partner.ask("GET", module, `/${encodeURIComponent(text)}?offset=${encodeURIComponent(text)}`))
    }
  }

  const strangers = ["%3Csvg%20onload=alert(1)%3E", "a'onload=alert(1)", "(alert)(1)"]

  beforeAll(async () => {
    place = await town(2)
    await byColleagues()
    for (const [n] of hosts.entries()) await byCharger(n)
    await byAnswers()
    await byPartner()
    for (const id of strangers) await WireCharger.dial(place.service.ocppUrl, id)
    const hostOf = (items: ReadonlyArray<Record<string, unknown>>): string => {
      const one = items.find(({ chargerId }) => hosts.includes(String(chargerId)))
      if (one === undefined) throw new Error("the hostile chargers have no session or no record")
      return String(one["id"])
    }
    const { items } = (await ask("GET", "sessions?limit=500&status=COMPLETED")) as {
      readonly items: ReadonlyArray<Record<string, unknown>>
    }
    made["session"] = hostOf(items)
    const records = (await ask("GET", "cdrs?limit=500")) as { readonly items: ReadonlyArray<Record<string, unknown>> }
    made["record"] = hostOf(records.items)
  }, 300_000)

  afterAll(async () => {
    for (const { socket } of chargers) socket.terminate()
    await partner?.server.down()
    await place[Symbol.asyncDispose]()
  })

  /** What a page of the console has only if a text became part of its markup. */
  const unsafe = (page: Page): Promise<ReadonlyArray<string>> =>
    page.evaluate(`(() => {
      const found = []
      for (const one of document.querySelectorAll("*")) {
        const name = one.localName
        if (["iframe", "object", "embed", "base", "math", "marquee", "style"].includes(name)) found.push(name)
        if (name === "script" && new URL(one.src || "x:y").origin !== location.origin) found.push("script")
        for (const { name: attribute, value } of one.attributes) {
          if (attribute.startsWith("on") || attribute === "srcdoc") found.push(name + " " + attribute)
          if (["href", "src", "action", "formaction", "xlink:href", "data"].includes(attribute) && /^[\\s\\0-\\x20]*(javascript|data:text|vbscript)/i.test(value))
            found.push(name + " " + attribute + "=" + value)
          if (["src", "href", "action"].includes(attribute) && /evil/.test(new URL(value, location.href).host)) found.push(name + " " + value)
        }
        if (["img", "image"].includes(name) && (one.getAttribute("src") ?? "") === "x") found.push("img")
      }
      return found
    })()`)

  const opened = async (screen = tall) => {
    const visitor = await Visitor.open(place.browser, place.service.url, screen)
    const ran: Array<string> = []
    visitor.page.on("dialog", (dialog) => {
      ran.push(dialog.message())
      void dialog.dismiss()
    })
    await visitor.page.goto(place.service.link)
    await visitor.page.locator(".shell").waitFor()
    return { ...visitor, visitor, ran }
  }

  const paths = (): ReadonlyArray<string> => [
    "/",
    "/work",
    "/work?queue=parked",
    "/work?queue=unknown",
    "/sites",
    "/sites?view=map",
    `/sites/${made["site"]}`,
    "/chargers",
    `/chargers?q=${encodeURIComponent(markup[1]!)}`,
    ...hosts.map((id) => `/chargers/${id}`),
    `/chargers/${hosts[1]}?log=sequence`,
    ...["sessions", "configuration", "commands", "profiles", "availability", "security"].map(
      (tab) => `/chargers/${hosts[1]}?tab=${tab}`
    ),
    "/sessions",
    `/sessions/${made["session"]}`,
    `/sessions/${made["session"]}?tab=energy`,
    "/reservations",
    "/files-and-firmware",
    "/files-and-firmware/campaigns",
    `/files-and-firmware/campaigns/${made["campaign"]}`,
    "/files-and-firmware/batches",
    `/files-and-firmware/batches/${made["batch"]}`,
    "/tariffs",
    `/tariffs/${made["tariff"]}`,
    "/cdrs",
    `/cdrs/${made["record"]}`,
    "/cards",
    `/cards/${made["card"]}`,
    "/roaming",
    ...["health", "exchanges", "parked", "view"].map((tab) => `/roaming/${made["partner"]}?tab=${tab}`),
    "/events",
    "/events/webhooks",
    "/audit-log",
    "/settings",
    "/settings/operators",
    "/settings/single-sign-on",
    "/settings/developer",
    "/settings/configuration",
    "/settings/quirks",
    "/settings/profile",
    "/settings/about"
  ]

  it("runs on no page, and becomes no markup on any", async () => {
    const { context, page, problems, ran, visitor } = await opened({ ...desk, height: 2_000 })
    const wrong: Array<string> = []
    for (const path of paths()) {
      await page.goto(path)
      await visitor.settled()
      for (const found of await unsafe(page)) wrong.push(`${path}: ${found}`)
      wrong.push(...problems.splice(0).map((problem) => `${path}: ${problem}`))
      if (await page.locator(".failed").count()) wrong.push(`${path}: failed`)
    }
    expect(wrong).toEqual([])
    expect(ran).toEqual([])
    await context.close()
  }, 300_000)

  it.each(["/sites", "/chargers", "/cards", "/tariffs", "/settings/operators", "/settings/developer"])(
    "is shown as text in %s",
    async (path) => {
      const { context, page } = await opened()
      await page.goto(path)
      const missing = async () => {
        const shown = await page.evaluate<string>("document.body.textContent")
        return markup.filter((text) => !shown.includes(text))
      }
      await expect.poll(missing, { timeout: 20_000 }).toEqual([])
      await context.close()
    },
    60_000
  )

  it("is shown as text in the log of its charger, and as no markup in a partner's exchanges", async () => {
    const { context, page } = await opened()
    const shown = () => page.evaluate<string>("document.body.textContent")
    await page.goto(`/chargers/${hosts[1]}`)
    await expect.poll(shown, { timeout: 20_000 }).toContain(markup[1])
    await page.goto(`/roaming/${made["partner"]}?tab=exchanges`)
    await expect.poll(shown, { timeout: 20_000 }).toContain("tokens")
    await page.locator("button.log-line").first().click()
    await page.locator("main pre").first().waitFor()
    expect(await unsafe(page)).toEqual([])
    await context.close()
  }, 60_000)

  it("becomes no formula in the CSV export of records", async () => {
    const { context, page } = await opened()
    const { status, text, type } = await page.evaluate<Record<string, unknown>>(
      "fetch('/cpo/v2/exports/cdrs.csv').then(async (r) => ({ status: r.status, type: r.headers.get('content-type'), text: await r.text() }))"
    )
    expect([status, String(type).split(";")[0]]).toEqual([200, "text/csv"])
    expect(text).toContain("'=cmd")
    const cells = String(text).split(/\r\n|[,;\t]/)
    const isNumber = (cell: string) => /^-\d+(?:\.\d+)?$/.test(cell)
    expect(cells.filter((cell) => /^["\s]*[=+@\-＝＋－＠]/.test(cell) && !isNumber(cell))).toEqual([])
    await context.close()
  }, 60_000)
})
