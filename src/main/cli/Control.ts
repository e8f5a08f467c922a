/**
 * The control socket: how the command line reaches a service that holds the embedded database, which no second process
 * can open. It is a Unix socket in a directory that only its owner can enter: a user who can connect can also read the
 * database and its secret key. Each connection has one line of JSON as request and one as answer.
 */
import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { Effect, type Scope, Schema } from "effect"
import type { Access } from "../../domain/operator/Access.ts"
import type { Accounts } from "../../domain/operator/Accounts.ts"
import type { SingleSignOns } from "../../domain/operator/SingleSignOns.ts"
import type { Secrets } from "../../domain/values/Secrets.ts"
import { AdminAnswer, administer, AdminRefused, AdminRequest } from "./Admin.ts"

/** The longest path of a socket that every system takes (`sun_path` has 104 bytes on macOS and the BSDs). */
const pathMax = 100

/** The path of the socket; undefined if there can be none: Windows has no such sockets, and a path may be too long for one. */
export const controlPath = (dataDir: string): string | undefined => {
  const path = join(dataDir, "control", "socket")
  return process.platform === "win32" || Buffer.byteLength(path) > pathMax ? undefined : path
}

/** Limits of a request and an answer line. The longest answers are lists of keys. */
const requestMax = 65_536
const answerMax = 16_777_216
const patienceMillis = 5_000
const atOnce = 4

const Reply = Schema.Union([Schema.Struct({ done: AdminAnswer }), Schema.Struct({ refused: Schema.String })])
const readRequest = Schema.decodeUnknownEffect(Schema.fromJsonString(AdminRequest))
const writeRequest = Schema.encodeEffect(Schema.fromJsonString(AdminRequest))
const readReply = Schema.decodeUnknownEffect(Schema.fromJsonString(Reply))
const writeReply = Schema.encodeEffect(Schema.fromJsonString(Reply))

/** The first line that arrives on a socket. Fails if none arrives in time, or if it is too long. */
const lineOf = (socket: Socket, max: number, patience: number | undefined): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    socket.setEncoding("utf8")
    if (patience !== undefined) socket.setTimeout(patience, () => socket.destroy(new Error("nothing was received")))
    socket.on("data", (chunk) => {
      text += String(chunk)
      const end = text.indexOf("\n")
      if (end >= 0) resolve(text.slice(0, end))
      else if (text.length > max) socket.destroy(new Error("too much was received"))
    })
    socket.on("error", reject)
    socket.on("close", () => reject(new Error("the connection was closed")))
  })

const answer = (line: string, publicUrl: string) =>
  Effect.gen(function* () {
    const request = yield* Effect.mapError(
      readRequest(line),
      () => new AdminRefused({ message: "the service does not know this command: it has another version" })
    )
    return { done: yield* administer(request, publicUrl) }
  }).pipe(
    Effect.catch(({ message }) => Effect.succeed({ refused: message })),
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError("a command failed", defect), { refused: "the service failed; see its log" })
    ),
    Effect.flatMap((reply) => Effect.orDie(writeReply(reply)))
  )

/** Serves the command line until the scope closes. If that fails, the service runs anyway and logs a warning. */
export const serveControl = (
  dataDir: string,
  publicUrl: string
): Effect.Effect<void, never, Access | Accounts | Secrets | SingleSignOns | Scope.Scope> =>
  Effect.gen(function* () {
    const path = controlPath(dataDir)
    if (path === undefined) return
    const run = Effect.runPromiseWith(yield* Effect.context<Access | Accounts | Secrets | SingleSignOns>())
    const serve = async (socket: Socket): Promise<void> => {
      const line = await lineOf(socket, requestMax, patienceMillis)
      socket.setTimeout(0)
      socket.end(`${await run(answer(line, publicUrl))}\n`)
    }
    const server = createServer((socket) => {
      socket.on("error", () => socket.destroy())
      serve(socket).catch(() => socket.destroy())
    })
    server.maxConnections = atOnce
    const opened = Effect.callback<void, AdminRefused>((resume) => {
      const folder = join(dataDir, "control")
      try {
        mkdirSync(folder, { recursive: existsSync(dataDir), mode: 0o700 })
        // An existing directory may have another mode. No other user may enter, not even while the socket is being
        // created.
        chmodSync(folder, 0o700)
        // Removes the socket that a killed process left; only this process uses the directory.
        rmSync(path, { force: true })
        server.once("error", ({ message }) => resume(Effect.fail(new AdminRefused({ message }))))
        server.listen(path, () => {
          chmodSync(path, 0o600)
          resume(Effect.void)
        })
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        resume(Effect.fail(new AdminRefused({ message })))
      }
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        server.close()
        rmSync(path, { force: true })
      })
    )
    yield* Effect.catch(opened, (error) =>
      Effect.logWarning(
        `voltlane keys and voltlane operators cannot reach this service while it runs: ${error.message}`
      )
    )
  })

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ECONNREFUSED")

/** Sends a request to the service that runs on this directory; undefined if none answers. */
export const askService = (
  dataDir: string,
  request: AdminRequest
): Effect.Effect<AdminAnswer | undefined, AdminRefused> =>
  Effect.gen(function* () {
    const path = controlPath(dataDir)
    if (path === undefined || !existsSync(path)) return undefined
    const asked = yield* Effect.orDie(writeRequest(request))
    const exchange = async (): Promise<string | undefined> => {
      const socket = connect(path)
      socket.once("connect", () => void socket.write(`${asked}\n`))
      try {
        return await lineOf(socket, answerMax, undefined)
      } catch (error) {
        if (isAbsent(error)) return undefined
        throw error
      } finally {
        socket.destroy()
      }
    }
    const line = yield* Effect.tryPromise({
      try: exchange,
      catch: (error) =>
        new AdminRefused({
          message: `the service on ${dataDir} cannot be reached (${error instanceof Error ? error.message : String(error)}); run this command as the user that the service runs as`
        })
    })
    if (line === undefined) return undefined
    const reply = yield* Effect.mapError(
      readReply(line),
      () => new AdminRefused({ message: "the service's answer has the format of another version" })
    )
    return "done" in reply ? reply.done : yield* new AdminRefused({ message: reply.refused })
  })
