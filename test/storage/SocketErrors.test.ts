/** Errors of the socket to the database carry codes that look like SQLSTATEs to a careless eye. */
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
    it.effect(`is a database that is away, whatever the system calls it (${code})`, () =>
      Effect.gen(function* () {
        const read = yield* Effect.exit(guarded(Effect.fail(broken(code))))
        const write = yield* Effect.exit(guardedWrite(Effect.fail(broken(code))))
        assert.strictEqual(Exit.isFailure(read) && JSON.stringify(read.cause).includes(`"down"`), true)
        assert.strictEqual(Exit.isFailure(write) && JSON.stringify(write.cause).includes(`"unknown"`), true)
      })
    )
  }
})
