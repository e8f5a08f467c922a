import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as KeyCheck from "../../src/storage/operators/KeyCheck.ts"
import * as Secrets from "../../src/storage/operators/Secrets.ts"
import { forEachDatabase } from "../support/databases.ts"

const startWith = (key: string) =>
  Effect.scoped(Layer.build(KeyCheck.layer.pipe(Layer.provide(Secrets.layer(Redacted.make(key))))))

forEachDatabase("the secret key", (it) => {
  it.effect("is fixed by the first start: a start with another key is refused", () =>
    Effect.gen(function* () {
      yield* startWith("the first key of this database, 0123456789")
      const wrong = yield* Effect.flip(startWith("another key of the same length, 0123456789"))
      assert.strictEqual(wrong._tag, "WrongSecretKey")
      assert.notInclude(wrong.message, "0123456789")
      yield* startWith("the first key of this database, 0123456789")
    })
  )
})
