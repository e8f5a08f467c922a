/** Identity providers are called through the guarded client: no private address, and limits of time and bytes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { IdentityProvider } from "../../src/domain/operator/IdentityProvider.ts"
import * as OpenIdConnect from "../../src/outbound/OpenIdConnect.ts"
import { Provider } from "../support/identityProvider.ts"

const limits = { timeoutMillis: 5_000, maxResponseBytes: 1_000_000 }

const problems = (issuer: string, options: Parameters<typeof OpenIdConnect.layer>[0]) =>
  Effect.gen(function* () {
    const provider = yield* IdentityProvider
    return (yield* provider.test(issuer)).problems
  }).pipe(Effect.provide(OpenIdConnect.layer(options)))

const listening = (answer: Parameters<typeof createServer>[1]) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Server>((resolve) => {
          const server = createServer(answer)
          server.listen(0, "127.0.0.1", () => resolve(server))
        })
    ),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

const portOf = (server: Server): number => (server.address() as AddressInfo).port

describe("an identity provider", () => {
  it.effect("is not called at a private address, neither in the URL nor as the result of its name", () =>
    Effect.gen(function* () {
      let connections = 0
      const server = yield* listening((_, response) => void response.end("{}"))
      server.on("connection", () => connections++)
      const port = portOf(server)
      const closed = { ...limits, allowPrivate: false }
      assert.match(
        (yield* problems(`https://127.0.0.1:${port}`, closed))[0] ?? "",
        /not an address of the public internet/
      )
      const resolve = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }])
      const [said = ""] = yield* problems(`https://login.example.com:${port}`, { ...closed, resolve })
      assert.match(said, /could not be reached.*login\.example\.com has an address that is not of the public internet/)
      assert.notInclude(said, "127.0.0.1")
      assert.strictEqual(connections, 0)
    })
  )

  it.effect("is read up to 512 KiB, and waited for no longer than a call may take", () =>
    Effect.gen(function* () {
      const large = yield* listening((_, response) => void response.end(" ".repeat(600_000)))
      const open = { ...limits, allowPrivate: true }
      assert.match((yield* problems(`http://127.0.0.1:${portOf(large)}`, open))[0] ?? "", /more than 524288 bytes/)
      const silent = yield* listening(() => undefined)
      const short = { ...open, timeoutMillis: 50 }
      assert.match((yield* problems(`http://127.0.0.1:${portOf(silent)}`, short))[0] ?? "", /within 50 ms/)
    })
  )

  it.effect("is not followed when it redirects, and its unsafe authorization address is refused", () =>
    Effect.gen(function* () {
      const away = yield* listening(
        (_, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()
      )
      const open = { ...limits, allowPrivate: true }
      assert.strictEqual((yield* problems(`http://127.0.0.1:${portOf(away)}`, open)).length, 1)
      const provider = yield* Effect.acquireRelease(
        Effect.promise(() => Provider.start()),
        (one) => Effect.promise(() => one.stop())
      )
      provider.about = { authorization_endpoint: "javascript:alert(1)" }
      const client = {
        issuer: provider.issuer,
        clientId: "x",
        clientSecret: undefined,
        scopes: [],
        groupsClaim: "groups"
      }
      const flow = { state: "s", nonce: "n", verifier: "v".repeat(43) }
      const asked = Effect.flatMap(IdentityProvider, (one) =>
        one.authorizationUrl(client, flow, "https://cpo.example/x")
      )
      const failed = yield* Effect.flip(asked).pipe(Effect.provide(OpenIdConnect.layer(open)))
      assert.strictEqual(failed.kind, "invalid")
    })
  )
})
