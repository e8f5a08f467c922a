/** Errors of the socket to the database have codes that can be mistaken for SQLSTATEs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { guarded, guardedWrite } from "../../src/storage/kernel/SqlErrors.ts"

const broken = (code: string): SqlError =>
  new SqlError({
    reason: new ConnectionError({
      cause: Object.assign(new Error(`write ${code}`), { code }),
      message: "the connection broke",
      operation: "execute"
    })
  })

describe("a broken socket", () => {
  for (const code of ["EPIPE", "ECONNRESET", "ECONNREFUSED", "ETIMEDOUT", "EBADF"]) {
    it.effect(`means that the database is down, and the outcome of a write unknown (${code})`, () =>
      Effect.gen(function* () {
        const read = yield* Effect.exit(guarded(Effect.fail(broken(code))))
        const write = yield* Effect.exit(guardedWrite(Effect.fail(broken(code))))
        assert.strictEqual(Exit.isFailure(read) && JSON.stringify(read.cause).includes(`"down"`), true)
        assert.strictEqual(Exit.isFailure(write) && JSON.stringify(write.cause).includes(`"unknown"`), true)
      })
    )
  }
})
