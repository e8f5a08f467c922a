/** Idempotency fulfils its contract on both databases. */
import { assert } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Idempotency } from "../../src/domain/operator/Idempotency.ts"
import { Sites } from "../../src/domain/site/Sites.ts"
import { journalChannel, Notifications } from "../../src/storage/kernel/Notifications.ts"
import { idempotencyContract } from "../contracts/IdempotencyContract.ts"
import { forEachDriver } from "../support/databases.ts"
import { anOrganisation, repositories } from "../support/repositories.ts"

forEachDriver("Idempotency", repositories, idempotencyContract)

forEachDriver("The journal's bell", repositories, (it) => {
  it.effect("is rung after the commit of a request with an Idempotency-Key, when its facts can be read", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const sites = yield* Sites
      const { listen, ring } = yield* Notifications
      const organisation = yield* anOrganisation
      const heard: Array<string> = []
      const hearing = Stream.runForEach(listen(journalChannel), (one) => Effect.sync(() => void heard.push(one)))
      yield* Effect.forkChild(hearing)
      while (heard.length === 0) yield* Effect.andThen(ring(journalChannel), Effect.sleep(20))
      // No bell is left over when the request begins.
      yield* Effect.sleep(500)
      heard.length = 0
      yield* idempotency.claim("key", "bell", "print", Date.now())
      const work = Effect.gen(function* () {
        yield* Effect.orDie(sites.create({ name: "Site" } as never, organisation.writing()))
        yield* Effect.sleep(300)
        return heard.length
      })
      const answer = { status: 201, contentType: "application/json", body: "{}" }
      assert.strictEqual(yield* idempotency.within("key", "bell", work, () => answer), 0)
      for (let n = 0; n < 100 && heard.length === 0; n++) yield* Effect.sleep(20)
      assert.isAbove(heard.length, 0)
    })
  )
})
