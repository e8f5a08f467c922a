/**
 * The basis of threat tests: the real service on each database, everything that it writes to its output, everything in its tables, and requests and
 * chargers that follow no rules.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { WebSocket } from "ws"
import { onFiles, onPostgres, withPostgres, type Query } from "../simulation/Database.ts"
import { apiKey, type Life, type Service, withService } from "../simulation/Process.ts"
import { until } from "../simulation/Wait.ts"
import type { Json } from "../support/restApp.ts"
import { testUrl, tried } from "../support/tried.ts"

/** The time limit for anything that should happen at once: a bound on liveness and not a measurement. */
const limitMillis = 60_000

/** Everything that one process of the service writes, including its first lines. */
class Output {
  text: string

  constructor(life: Life) {
    this.text = life.output
    for (const stream of [life.child.stdout, life.child.stderr]) {
      stream?.on("data", (chunk: string) => {
        this.text += chunk
      })
    }
  }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Json
}

export interface Asked {
  readonly key?: string | undefined
  readonly body?: unknown
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A running service as an attacker and an auditor see it. */
export class World {
  readonly service: Service
  readonly driver: "PGlite" | "PostgreSQL"
  /** Undefined for the embedded database. */
  readonly databaseUrl: string | undefined
  private readonly outputs: Array<Output>

  constructor(service: Service, databaseUrl: string | undefined) {
    this.service = service
    this.databaseUrl = databaseUrl
    this.driver = databaseUrl === undefined ? "PGlite" : "PostgreSQL"
    this.outputs = [new Output(service.life)]
  }

  /** What the service has written so far, in all its processes. */
  get output(): string {
    return this.outputs.map(({ text }) => text).join("")
  }

  /** One request; `path` begins with a slash. If no key is given, the operator's own is used. */
  async ask(method: string, path: string, asked: Asked = {}): Promise<Answer> {
    const key = "key" in asked ? asked.key : apiKey
    const body = asked.raw ?? (asked.body === undefined ? null : JSON.stringify(asked.body))
    const answer = await fetch(`${this.service.url}${path}`, {
      method,
      redirect: "manual",
      body,
      headers: {
        ...(key === undefined ? {} : { "x-api-key": key }),
        ...(body === null ? {} : { "content-type": "application/json" }),
        ...asked.headers
      }
    })
    const text = await answer.text()
    const isJson = /json/.test(answer.headers.get("content-type") ?? "") && text !== ""
    return { status: answer.status, headers: answer.headers, text, json: isJson ? JSON.parse(text) : undefined }
  }

  /** A request that must succeed; returns its body. */
  async done(method: string, path: string, asked: Asked = {}): Promise<Json> {
    const answer = await this.ask(method, path, asked)
    if (answer.status >= 300) throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`)
    return answer.json
  }

  /**
   * Reads the database, or changes it without the service. The embedded one can only be opened while the service is stopped, so there the service is
   * restarted.
   */
  async sql(use: (query: Query) => Promise<void>): Promise<void> {
    if (this.databaseUrl !== undefined) return use(onPostgres(this.databaseUrl))
    await this.stop()
    await onFiles(this.service.dataDir, use)
    await this.service.restart()
    this.outputs.push(new Output(this.service.life))
  }

  /** The last look into the database: the service is stopped by its supervisor, and stays stopped. */
  async truth(look: (query: Query) => Promise<void>): Promise<void> {
    await this.stop()
    await (this.databaseUrl === undefined ? onFiles(this.service.dataDir, look) : look(onPostgres(this.databaseUrl)))
  }

  private async stop(): Promise<void> {
    if (this.service.life.exit !== undefined) return
    const { code } = await this.service.kill("SIGTERM")
    if (code !== 0) throw new Error(`the service ended with ${code}:\n${this.output.slice(-4000)}`)
  }

  /** The embedded database's files, byte for byte, including data that is only in its log; empty for PostgreSQL. */
  files(): ReadonlyArray<{ readonly name: string; readonly bytes: Buffer }> {
    return readdirSync(this.service.dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((name) => ({ name, bytes: readFileSync(name) }))
  }
}

export interface ThreatDriver {
  readonly name: World["driver"]
  /** The database is not available in this run. */
  readonly missing: boolean
  readonly run: (test: (world: World) => Promise<void>, env?: Readonly<Record<string, string>>) => Promise<void>
}

export const threatDrivers: ReadonlyArray<ThreatDriver> = [
  {
    name: "PGlite",
    missing: !tried.PGlite,
    run: (test, env = {}) => withService({ env }, (service) => test(new World(service, undefined)))
  },
  {
    name: "PostgreSQL",
    missing: !tried.PostgreSQL,
    run: (test, env = {}) =>
      withPostgres(testUrl ?? "", (databaseUrl) =>
        withService({ databaseUrl, env }, (service) => test(new World(service, databaseUrl)))
      )
  }
]

/** Every row of every table as text. Columns of bytes are hexadecimal in it. */
export const everyRow = async (query: Query): Promise<ReadonlyArray<string>> => {
  const tables = await query(`SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg_toast%' AND c.relkind = 'r'`)
  const rows: Array<string> = []
  for (const { name } of tables) {
    const found = await query(`SELECT t::text AS row FROM "${String(name)}" t`)
    for (const { row } of found) rows.push(`${String(name)} ${String(row)}`)
  }
  return rows
}

type Frame = ReadonlyArray<Json>

/** A charger that sends what a test asks it to, and answers the service's calls as the test says. */
export class WireCharger {
  readonly frames: Array<Frame> = []
  /** The answer to a CALL of the service; undefined for no answer at all. */
  onCall: (action: string, id: string) => string | undefined = (_, id) =>
    JSON.stringify([4, id, "NotImplemented", "", {}])
  readonly socket: WebSocket
  private lastId = 0

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on("message", (data: Buffer) => {
      const frame: Frame = JSON.parse(data.toString())
      this.frames.push(frame)
      const answer = frame[0] === 2 ? this.onCall(String(frame[2]), String(frame[1])) : undefined
      if (answer !== undefined) socket.send(answer)
    })
  }

  /** Connects, or returns the HTTP status of the refusal. */
  static dial(
    ocppUrl: string,
    id: string,
    headers: Readonly<Record<string, string>> = {}
  ): Promise<WireCharger | number> {
    return new Promise((resolve) => {
      const socket = new WebSocket(`${ocppUrl}/${id}`, ["ocpp1.6"], { headers, perMessageDeflate: false })
      const charger = new WireCharger(socket)
      socket.once("open", () => resolve(charger))
      socket.on("error", (error) => resolve(Number(/server response: (\d+)/.exec(error.message)?.[1] ?? 0)))
    })
  }

  static async connect(ocppUrl: string, id: string, password?: string): Promise<WireCharger> {
    const headers = password === undefined ? {} : { authorization: basic(id, password) }
    let charger = await WireCharger.dial(ocppUrl, id, headers)
    // A busy service may have no room for a moment; a charger then tries again.
    await until(
      () => `room for ${id}`,
      limitMillis,
      async () => {
        if (charger === 503) charger = await WireCharger.dial(ocppUrl, id, headers)
        return charger !== 503
      }
    )
    if (!(charger instanceof WireCharger)) throw new Error(`${id} was refused with ${charger}`)
    return charger
  }

  send(text: string): void {
    this.socket.send(text)
  }

  /** The frame that answers a message id. */
  async answerTo(id: string): Promise<Frame> {
    const found = () => this.frames.find((frame) => (frame[0] === 3 || frame[0] === 4) && frame[1] === id)
    await until(
      () => `an answer to ${id} (the socket is ${this.socket.readyState === WebSocket.OPEN ? "open" : "closed"})`,
      limitMillis,
      () => found() !== undefined || this.socket.readyState !== WebSocket.OPEN
    )
    const frame = found()
    if (frame === undefined) throw new Error(`the socket closed before ${id} was answered`)
    return frame
  }

  /** Sends a CALL and waits for its answer. */
  async call(action: string, payload: unknown, id = `w${++this.lastId}`): Promise<Frame> {
    this.send(JSON.stringify([2, id, action, payload]))
    return this.answerTo(id)
  }

  /** Waits for the service's next CALL of an action that was not returned before; returns its message id. */
  async called(action: string, past: ReadonlyArray<string> = []): Promise<string> {
    const found = () =>
      this.frames.find((frame) => frame[0] === 2 && frame[2] === action && !past.includes(String(frame[1])))
    await until(
      () => `the service asks ${action}`,
      limitMillis,
      () => found() !== undefined
    )
    return String(found()?.[1])
  }
}

/** An `Authorization` header of HTTP Basic. */
export const basic = (id: string, password: string): string =>
  `Basic ${Buffer.from(`${id}:${password}`).toString("base64")}`

/** Waits until `condition` is true. */
export const eventually = (what: string, condition: () => boolean | Promise<boolean>): Promise<void> =>
  until(() => what, limitMillis, condition)
