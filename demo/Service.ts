/** The service as a process of the demo's own: on loopback, with an embedded database in a temporary folder, used over REST like any other. */
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const project = fileURLToPath(new URL("..", import.meta.url))

/** A cold machine needs some seconds to create its first database. */
const startLimitMillis = 90_000

export interface ServiceOptions {
  readonly port: number
  readonly dataDir: string
  /** Without an account: the first start prints the link that creates one. */
  readonly isNew?: boolean
  /** Settings in addition to those that it needs. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A new password each time, so that a page left open from another demo cannot sign in to this one. */
const account = { email: "you@demo.example", password: randomBytes(12).toString("hex") }

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

export class Service {
  readonly url: string
  readonly ocppUrl: string
  private readonly options: ServiceOptions
  private child: ChildProcess | undefined
  private key = ""
  private setUp = ""
  private output = ""

  constructor(options: ServiceOptions) {
    this.options = options
    this.url = `http://localhost:${options.port}`
    this.ocppUrl = `ws://localhost:${options.port}/ocpp`
  }

  /** Opens the console signed in. The account belongs to the demo alone: it exists on loopback and ends with the demo. */
  get link(): string {
    return `${this.url}/sign-in#${new URLSearchParams(account).toString()}`
  }

  /** The link of the first start that creates the first account; empty if an account was configured. */
  get setUpLink(): string {
    return this.setUp
  }

  /** The key that the first start created. */
  get apiKey(): string {
    return this.key
  }

  /** Starts the process and waits until it is ready. */
  async start(): Promise<void> {
    const { dataDir, port } = this.options
    const underDeno = "Deno" in globalThis
    const args = underDeno ? ["run", "-A", "src/main.ts"] : ["src/main.ts"]
    const { HOME = "", PATH = "" } = process.env
    const child = spawn(process.execPath, args, {
      cwd: project,
      env: {
        HOME,
        PATH,
        PORT: String(port),
        HOST: "127.0.0.1",
        DATA_DIR: dataDir,
        PUBLIC_URL: this.url,
        BOOTSTRAP_COUNTRY_CODE: "SE",
        BOOTSTRAP_PARTY_ID: "VLT",
        ...(this.options.isNew === true
          ? {}
          : { BOOTSTRAP_OPERATOR_EMAIL: account.email, BOOTSTRAP_OPERATOR_PASSWORD: account.password }),
        // The partners of the demo are on this machine.
        OUTBOUND_ALLOW_PRIVATE: "true",
        ...this.options.settings
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.child = child
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (this.output = (this.output + text).slice(-8_000)))
    }
    const end = Date.now() + startLimitMillis
    for (;;) {
      if (child.exitCode !== null || Date.now() > end) throw new Error(`the service did not start:\n${this.output}`)
      const isReady = await fetch(`${this.url}/readyz`).then(
        ({ ok }) => ok,
        () => false
      )
      if (isReady) break
      await pause(100)
    }
    const firstStart = readFileSync(join(dataDir, "first-start"), "utf8")
    this.key ||= /^KEY=(\S+)$/m.exec(firstStart)?.[1] ?? ""
    this.setUp ||= /^SET_UP='([^']+)'$/m.exec(firstStart)?.[1] ?? ""
  }

  /** Ends the process and waits until it has ended. */
  async stop(): Promise<void> {
    const child = this.child
    if (child === undefined || child.exitCode !== null) return
    const ended = new Promise((resolve) => child.once("close", resolve))
    child.kill("SIGTERM")
    const timer = setTimeout(() => child.kill("SIGKILL"), 30_000)
    await ended
    clearTimeout(timer)
  }

  /** Ends the process without waiting. */
  kill(): void {
    this.child?.kill("SIGKILL")
  }

  /** Stores a firmware image and returns its id. */
  async storeFirmware(name: string, image: Uint8Array<ArrayBuffer>): Promise<string> {
    const answer = await fetch(`${this.url}/cpo/v2/files?name=${name}`, {
      method: "POST",
      headers: { "x-api-key": this.key, "content-type": "application/octet-stream" },
      body: image
    })
    if (!answer.ok) throw new Error(`the image was answered ${answer.status}: ${await answer.text()}`)
    return String(((await answer.json()) as Readonly<Record<string, unknown>>)["id"])
  }

  /** Sends a request to REST v2; fails with the answer unless it is a success. */
  async ask(method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> {
    const answer = await fetch(`${this.url}/cpo/v2/${path}`, {
      method,
      headers: { "x-api-key": this.key, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text.slice(0, 500)}`)
    return (text === "" ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>
  }
}
