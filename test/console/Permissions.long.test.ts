/**
 * What each role may do, from the API's own list of operations: the service refuses exactly what a role lacks, and the console shows the same. A
 * button that needs a missing permission is shown, but disabled, and names the permission.
 */
import { HttpApi } from "effect/http-api"
import { Context } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type BuiltInRole, builtInRoleNames, builtInRoles } from "../../src/domain/operator/Role.ts"
import { Api } from "../../src/http/v2/Api.ts"
import { RequiredPermissions } from "../../src/http/v2/requests/Middleware.ts"
import { canBrowse, desk, type Town, town, Visitor } from "./browser.ts"
import { type Paths, pagesOf } from "./pages.ts"

interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly permissions: ReadonlyArray<string>
}

const operations: Array<Operation> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    operations.push({
      name: `${group.identifier}.${endpoint.identifier}`,
      method: endpoint.method,
      path: endpoint.path,
      permissions: Context.getUnsafe(endpoint.annotations, RequiredPermissions)
    })
  }
})

const lackedBy = (role: BuiltInRole, permissions: ReadonlyArray<string>): ReadonlyArray<string> =>
  permissions.filter((permission) => !(builtInRoles[role] as ReadonlyArray<string>).includes(permission))

const password = "a long password of theirs"
const anId = "019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d07"

describe.skipIf(!canBrowse)("each role", () => {
  let place: Town
  let paths: Paths
  beforeAll(async () => {
    place = await town(3)
    paths = await pagesOf(place)
  })
  afterAll(() => place[Symbol.asyncDispose]())

  /** A browser of an operator with this role. */
  const someone = async (role: BuiltInRole) => {
    const invited = await place.service.ask("POST", "invitations", {
      email: `${role.toLowerCase()}-${crypto.randomUUID().slice(0, 8)}@demo.example`,
      roleId: role
    })
    const visitor = await Visitor.open(place.browser, place.service.url, desk)
    await visitor.page.goto(String(invited["link"]))
    await visitor.page.getByLabel("Your name").fill(role)
    await visitor.page.getByLabel("Password", { exact: true }).fill(password)
    await visitor.page.getByRole("button", { name: "Go on" }).click()
    await visitor.page.locator(".shell").waitFor()
    return visitor
  }

  it.each(builtInRoleNames)(
    "%s is refused every operation whose permissions it lacks, and no read that it may do",
    async (role) => {
      const { context, page } = await someone(role)
      const wrong: Array<unknown> = []
      for (const { method, name, path, permissions } of operations) {
        const lacked = lackedBy(role, permissions)
        // A permitted write is skipped: it has tests of its own.
        if (lacked.length === 0 && method !== "GET") continue
        const url = path.replaceAll(/:\w+/g, anId)
        const answer = await page.evaluate<{ readonly status: number; readonly problem: Record<string, unknown> }>(
          `fetch(${JSON.stringify(url)}, { method: ${JSON.stringify(method)}, headers: { accept: "application/json", "content-type": "application/json" }, ${
            method === "GET" || method === "DELETE" ? "" : 'body: "{}"'
          } }).then(async (r) => ({ status: r.status, problem: await r.json().catch(() => ({})) }))`
        )
        const isRefused = answer.status === 403 && answer.problem["code"] === "permission_denied"
        const named = answer.problem["requiredPermissions"]
        if (lacked.length > 0 && !(isRefused && JSON.stringify(named) === JSON.stringify(lacked))) {
          wrong.push([name, lacked, answer])
        }
        if (lacked.length === 0 && isRefused && !JSON.stringify(named).includes("platform:admin")) {
          wrong.push([name, "permitted", answer])
        }
      }
      expect(wrong).toEqual([])
      await context.close()
    },
    120_000
  )

  // Each page is visited by a Viewer, who lacks most, and by every second role.
  it.concurrent.each(builtInRoleNames)(
    "%s sees on the pages which buttons lack a permission, and which one",
    async (role) => {
      const visitor = await someone(role)
      const { context, page, problems } = visitor
      const wrong: Array<unknown> = []
      let seen = 0
      let off = 0
      const visited = paths.filter((_, index) => role === "Viewer" || index % 2 === builtInRoleNames.indexOf(role) % 2)
      for (const [, path] of visited) {
        await page.goto(path)
        await page.locator("main h1, main h2, main .empty, main .failed").first().waitFor()
        await visitor.settled()
        const buttons = await page.evaluate<ReadonlyArray<readonly [needs: string, isOff: boolean, title: string]>>(
          "[...document.querySelectorAll('[data-needs]')].map((one) => [one.dataset.needs, one.getAttribute('aria-disabled') === 'true', one.title])"
        )
        for (const [needs, isOff, title] of buttons) {
          seen++
          if (isOff) off++
          const wanted = needs
            .split(" ")
            .flatMap((name) => operations.find((one) => one.name === name)?.permissions ?? [])
          const lacked = [...new Set(lackedBy(role, wanted))]
          if (lacked.length > 0 && (!isOff || !lacked.every((one) => title.includes(one))))
            wrong.push([path, needs, title])
          if (lacked.length === 0 && title.startsWith("Needs")) wrong.push([path, needs, title])
        }
      }
      expect(wrong).toEqual([])
      expect(seen).toBeGreaterThan(20)
      expect(off > 20).toBe(role !== "Owner")
      // No page failed or asked another host. A refusal with 403 is not among the problems.
      expect(problems).toEqual([])
      await context.close()
    },
    400_000
  )
})
