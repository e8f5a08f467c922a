/** Errors that end a connection, as the driver reports them. Those of the socket have codes that can be mistaken for SQLSTATEs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import { StorageUnavailable } from "../../src/domain/Errors.ts"
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

/** The driver gives the error that arrived between two statements to the next one. */
const endedBetweenStatements = (code: string): SqlError =>
  new SqlError({
    reason: new UnknownError({
      cause: Object.assign(new Error("terminating connection due to a timeout"), { severity: "FATAL", code }),
      message: "PgConnection: The server reported an error",
      operation: "query"
    })
  })

describe("a session that the server ended", () => {
  const ways = [
    ["its transaction was idle", "25P03"],
    ["its transaction took too long", "25P04"]
  ] as const
  for (const [why, code] of ways) {
    it.effect(`because ${why} means that nothing was stored, and that the write can be tried again`, () =>
      Effect.gen(function* () {
        for (const run of [guarded, guardedWrite]) {
          const exit = yield* Effect.exit(run(Effect.fail(endedBetweenStatements(code))))
          assert.deepInclude(Exit.isFailure(exit) && exit.cause.reasons[0], {
            _tag: "Fail",
            error: new StorageUnavailable({
              reason: "busy",
              message: `the database is overloaded; try again (SQLSTATE ${code})`
            })
          })
        }
      })
    )
  }
})
