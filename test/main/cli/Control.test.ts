/** The control socket: who has access, its limits, and its answers. */
import { Effect, Layer, Scope } from "effect"
import { existsSync, mkdtempSync, statSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { AdminRequest } from "../../../src/main/cli/Admin.ts"
import { askService, controlPath, serveControl } from "../../../src/main/cli/Control.ts"
import { makeOrganisation } from "../../support/restApp.ts"
import { fakePorts } from "../../support/fakePorts.ts"
import { FakeWorld } from "../../support/fakeRecords.ts"

/** A data directory that a service of one organisation serves while `use` runs. */
const served = <A>(
  use: (dataDir: string, ask: (request: AdminRequest) => Promise<unknown>) => Promise<A>
): Promise<A> =>
  Effect.gen(function* () {
    const dataDir = mkdtempSync(join(tmpdir(), "vl-"))
    yield* makeOrganisation()
    yield* serveControl(dataDir, "https://cpo.example")
    const ask = (request: AdminRequest) => Effect.runPromise(Effect.result(askService(dataDir, request)))
    return yield* Effect.promise(() => use(dataDir, ask))
  }).pipe(Effect.scoped, Effect.provide(fakePorts(new FakeWorld())), Effect.runPromise)

const spoken = (dataDir: string, text: string): Promise<string> =>
  new Promise((resolve) => {
    let heard = ""
    const socket = connect(controlPath(dataDir) ?? "")
    socket.setEncoding("utf8")
    socket.on("data", (chunk) => void (heard += String(chunk)))
    socket.on("error", () => {})
    socket.on("close", () => resolve(heard))
    socket.write(text)
  })

describe("the control socket", () => {
  it("is accessible only to its owner, from the first moment", () =>
    served(async (dataDir) => {
      const path = controlPath(dataDir) ?? ""
      expect((statSync(join(dataDir, "control")).mode & 0o777).toString(8)).toBe("700")
      expect((statSync(path).mode & 0o777).toString(8)).toBe("600")
    }))

  it("does what is asked, and explains a refusal", () =>
    served(async (_, ask) => {
      const made = await ask({ ask: "keys create", user: "me", name: "night shift" })
      expect(made).toMatchObject({
        _tag: "Success",
        success: { out: [expect.stringMatching(/^vl_[0-9a-f]{16}_[0-9A-Za-z]{43}_[0-9a-f]{8}$/)] }
      })
      const listed = await ask({ ask: "keys list", user: "me" })
      expect(JSON.stringify(listed)).toContain("night shift")
      const unknown = await ask({ ask: "keys revoke", user: "me", key: "vl_none" })
      expect(unknown).toMatchObject({
        _tag: "Failure",
        failure: { _tag: "AdminRefused", message: expect.stringContaining("see voltlane keys list") }
      })
      const other = await ask({ ask: "keys list", user: "me", organisation: "XX-XXX" })
      expect(other).toMatchObject({
        failure: { message: expect.stringMatching(/no organisation "XX-XXX": add --organ/) }
      })
    }))

  it("replaces terminal control characters in names", () =>
    served(async (_, ask) => {
      await ask({ ask: "keys create", user: "me", name: "a\u001b[2Jb\u202e" })
      const listed = JSON.stringify(await ask({ ask: "keys list", user: "me" }))
      expect(listed).toContain("a?[2Jb?")
    }))

  it("closes the connection on a request that is too long, and refuses an unknown one", () =>
    served(async (dataDir) => {
      expect(await spoken(dataDir, "x".repeat(200_000))).toBe("")
      expect(await spoken(dataDir, '{"ask":"drop everything"}\n')).toMatch(/^\{"refused":".*another version"\}\n$/)
    }))

  it("is removed when the service stops, and then no answer comes", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "vl-"))
    const scope = Effect.runSync(Scope.make())
    const ports = fakePorts(new FakeWorld())
    await Effect.runPromise(
      serveControl(dataDir, "https://cpo.example").pipe(
        Effect.provideService(Scope.Scope, scope),
        Effect.provide(Layer.fresh(ports))
      )
    )
    expect(existsSync(controlPath(dataDir) ?? "")).toBe(true)
    await Effect.runPromise(Scope.close(scope, await Effect.runPromiseExit(Effect.void)))
    expect(existsSync(controlPath(dataDir) ?? "")).toBe(false)
    expect(await Effect.runPromise(askService(dataDir, { ask: "keys list", user: "me" }))).toBeUndefined()
  })

  it("does not exist if its path would be too long for a socket", () => {
    expect(controlPath(`/${"d".repeat(100)}`)).toBeUndefined()
  })
})
