/** What happens when an owner disables an operator, measured at the socket: the open stream ends within a second, and every later call is refused. */
import { Agent, request } from "node:http"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { freePort } from "../../bench/servers/port.ts"
import { Service } from "../../demo/Service.ts"

let service: Service
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "disabled-test-"))
  service = new Service({ port: await freePort(), dataDir: join(folder, "data") })
  await service.start()
}, 120_000)

afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

const sameOrigin = { "content-type": "application/json", "sec-fetch-site": "same-origin" }

/** A person who joins with an invitation: their id and their cookie header. */
const joined = async (n: number) => {
  const email = `one-${n}@demo.example`
  const { link } = await service.ask("POST", "invitations", { email, roleId: "Operations" })
  const answer = await fetch(`${service.url}/cpo/v2/invitations/accept`, {
    method: "POST",
    headers: sameOrigin,
    body: JSON.stringify({
      token: new URL(String(link)).hash.slice(1),
      name: "One",
      password: "a long password of one"
    })
  })
  expect(answer.status).toBe(201)
  const { operator } = (await answer.json()) as { readonly operator: { readonly id: string } }
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ")
  return { id: operator.id, cookie }
}

/** A stream on a connection of its own, read as the bytes arrive. */
const opened = (cookie: string) =>
  new Promise<{ readonly ended: Promise<number>; readonly text: () => string }>((resolve, reject) => {
    const agent = new Agent({ maxSockets: 1 })
    request(`${service.url}/cpo/v2/events`, { agent, headers: { cookie, accept: "text/event-stream" } }, (answer) => {
      let text = ""
      answer.setEncoding("utf8")
      const ended = new Promise<number>((end) => answer.once("end", () => end(performance.now())))
      answer.on("data", (piece: string) => {
        text += piece
        // The stream is open once its first bytes have arrived.
        resolve({ ended, text: () => text })
      })
    })
      .once("error", reject)
      .end()
  })

const status = (cookie: string, method = "GET", path = "me", body?: object) =>
  fetch(`${service.url}/cpo/v2/${path}`, {
    method,
    headers: { cookie, ...sameOrigin },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  }).then(async (answer) => {
    await answer.text()
    return answer.status
  })

it("ends a disabled operator's stream within a second (median of five), and refuses the next calls", async () => {
  const staying = await joined(0)
  const stays = await opened(staying.cookie)
  const took: Array<number> = []
  for (const n of [1, 2, 3, 4, 5]) {
    const { cookie, id } = await joined(n)
    const stream = await opened(cookie)
    expect(await status(cookie)).toBe(200)
    const began = performance.now()
    await service.ask("PATCH", `operators/${id}`, { state: "Disabled" })
    // No sign-in is cached: every call after the answer is refused, including a stream and a write.
    expect([
      await status(cookie),
      await status(cookie, "POST", "sites", { name: "Late" }),
      await status(cookie, "GET", "events")
    ]).toEqual([401, 401, 401])
    took.push((await stream.ended) - began)
    // Later events reach the operator who remains, and not the disabled one.
    await service.ask("POST", "sites", { name: `After ${n}` })
    await expect.poll(() => stays.text().match(/^event: site/gm)?.length ?? 0, { timeout: 10_000 }).toBe(n)
    expect(stream.text()).not.toContain(`After ${n}`)
  }
  expect(took.toSorted((a, b) => a - b)[2]).toBeLessThan(1_000)
  expect(await status(staying.cookie)).toBe(200)
}, 120_000)
