/**
 * The real service as a process of its own, started as its users start it, so that a test can end it in every way in which a process ends. Its data
 * outlives it: `restart` is the same command with the same directory, database, port and keys.
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "../../bench/servers/port.ts"
import { Rest } from "./Rest.ts"
import { compiled } from "../support/compiled.ts"
import { fastDirectory } from "../support/fastDirectory.ts"
import { plant } from "../support/seed.ts"
import { until } from "./Wait.ts"

const projectFolder = fileURLToPath(new URL("../../", import.meta.url))

/** A cold machine needs seven seconds to create its first embedded database; four processes on two cores need longer. */
const startLimitMillis = 60_000

/** A shutdown takes at most 25 s; a process that lives longer hangs. */
const exitLimitMillis = 60_000

/** Ports to try before a start fails: another process may take the port that was found, but not several times in a row. */
const portsTried = 5

/** How much of the service's output is shown when a test fails, in characters. */
const lastOutputChars = 8_000

export const apiKey = "vl_0123456789abcdef_FaultTestsOnlyFaultTestsOnlyFaultTestsOnly0_db204c9a"
export const v1 = { clientId: "fault-tests", code: "fault-tests-code-3a7f9c1e5b8d2046" }

/** A new container needs the same key, and so does every restart in a test. */
const secretKey = "fault-tests-secret-key-0123456789abcdef0123456789abcdef"

const underDeno = "Deno" in globalThis

/** Deno's own binary: the file in `.bin` is a launcher, and a signal would end only that. */
const denoBinary = (): string =>
  underDeno
    ? process.execPath
    : execFileSync(join(projectFolder, "node_modules/.bin/deno"), ["eval", "console.log(Deno.execPath())"], {
        encoding: "utf8"
      }).trim()

/** The command of `npm start`, or the same file on Deno with VOLTLANE_RUNTIME=deno; `entry` is another file to start. */
const command = (entry?: string): readonly [string, ReadonlyArray<string>] => {
  const manifest: unknown = JSON.parse(readFileSync(join(projectFolder, "package.json"), "utf8"))
  const usual = /"start":"node ([^"]*)"/.exec(JSON.stringify(manifest))?.[1]?.split(" ") ?? ["src/main.ts"]
  const start = entry === undefined ? usual : [entry]
  const runtime = process.env["VOLTLANE_RUNTIME"] ?? (underDeno ? "deno" : "node")
  if (runtime === "deno") return [denoBinary(), ["run", "-A", ...start.filter((word) => word.endsWith(".ts"))]]
  return [underDeno ? join(projectFolder, "node_modules/.bin/node") : process.execPath, start]
}

export interface ServiceSettings {
  /** Without it the service keeps its data in the embedded database. */
  readonly databaseUrl?: string | undefined
  /** If not given, it is created, and removed at the end. */
  readonly dataDir?: string | undefined
  readonly port?: number | undefined
  /** The service ends with the process that started it, and its data is then removed. */
  readonly lifeline?: boolean
  readonly env?: Readonly<Record<string, string>>
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** From the start of the process, or from the signal that ended it, in ms. */
  readonly afterMillis: number
}

/** One process of the service, from its start to its end. */
export class Life {
  readonly child: ChildProcess
  readonly ended: Promise<Exit>
  exit: Exit | undefined
  output = ""
  /** It has printed its address: so the process that answers on its port is this one, and not another one that took the port before. */
  hasBegun = false
  private since = performance.now()

  constructor(env: Readonly<Record<string, string>>, lifeline = false) {
    const [file, args] = command(lifeline ? "test/simulation/Lifeline.ts" : undefined)
    const { HOME = "", PATH = "" } = process.env
    const cache = args[0] === "run" ? {} : compiled(projectFolder, file)
    this.child = spawn(file, args, {
      cwd: projectFolder,
      env: { HOME, PATH, ...cache, ...env },
      stdio: [lifeline ? "pipe" : "ignore", "pipe", "pipe"]
    })
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output = (this.output + text).slice(-lastOutputChars * 8)
        this.hasBegun ||= /^Voltlane /m.test(this.output)
      })
    }
    const abandon = () => void this.child.kill("SIGKILL")
    process.once("exit", abandon)
    this.ended = new Promise((resolve) => {
      this.child.once("close", (code, signal) => {
        process.off("exit", abandon)
        this.exit = { code, signal, afterMillis: performance.now() - this.since }
        resolve(this.exit)
      })
    })
    this.child.once("error", (error) => {
      this.output += String(error)
    })
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  /** Sends a signal and does not wait. */
  signal(name: NodeJS.Signals): void {
    this.since = performance.now()
    const { exitCode, pid, signalCode } = this.child
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    // Not `child.kill`: after that, Deno reports every exit as an end by that signal, whatever the exit code.
    process.kill(pid, name)
  }

  /** Waits for the end of this process, which something else has caused. */
  async end(): Promise<Exit> {
    await until(
      () => `process ${this.pid} ended\n${this.output}`,
      exitLimitMillis,
      () => this.exit !== undefined
    )
    return this.ended
  }
}

/** The service ended because another process has the port on which it was to listen. */
export class PortTaken extends Error {
  override readonly name = "PortTaken"
}

export class Service implements AsyncDisposable {
  readonly port: number
  readonly dataDir: string
  readonly env: Readonly<Record<string, string>>
  readonly rest: Rest
  /** The running process, or the last one. */
  life: Life
  private readonly ownsDataDir: boolean
  private readonly lifeline: boolean

  private constructor(
    port: number,
    dataDir: string,
    { dataDir: given, lifeline = false }: ServiceSettings,
    env: Readonly<Record<string, string>>
  ) {
    this.port = port
    this.dataDir = dataDir
    this.ownsDataDir = given === undefined
    this.lifeline = lifeline
    this.env = env
    this.rest = new Rest(this.url, apiKey)
    this.life = new Life(env, lifeline)
  }

  /** Starts the service and waits until it is ready. If no port was given and the one that was found is taken, it tries another. */
  static async start(settings: ServiceSettings = {}, choosePort = freePort): Promise<Service> {
    const demanded = settings.port !== undefined || settings.env?.["PORT"] !== undefined
    for (let tried = 1; ; tried++) {
      const port = settings.port ?? (await choosePort())
      try {
        return await Service.startOn(port, settings)
      } catch (error) {
        if (demanded || tried === portsTried || !(error instanceof PortTaken)) throw error
        console.log(`port ${port} was taken by another process before the service had it; it starts again on another`)
      }
    }
  }

  private static async startOn(port: number, settings: ServiceSettings): Promise<Service> {
    const dataDir = settings.dataDir ?? fastDirectory()
    // A first start takes many seconds for each; a test of a first start passes a directory of its own.
    if (
      settings.dataDir === undefined &&
      settings.databaseUrl === undefined &&
      settings.env?.["DATABASE_URL"] === undefined
    )
      await plant(dataDir)
    const service = new Service(port, dataDir, settings, {
      HOST: "127.0.0.1",
      PORT: String(port),
      DATA_DIR: dataDir,
      SECRET_KEY: secretKey,
      ENVIRONMENT: "TEST",
      V1_ALLOW_HTTP: "true",
      BOOTSTRAP_OPERATOR_EMAIL: "faults@example.com",
      BOOTSTRAP_OPERATOR_PASSWORD: "fault tests only",
      BOOTSTRAP_API_KEY: apiKey,
      BOOTSTRAP_V1_CLIENT_ID: v1.clientId,
      BOOTSTRAP_V1_CODE: v1.code,
      BOOTSTRAP_COUNTRY_CODE: "NL",
      BOOTSTRAP_PARTY_ID: "FLT",
      ...(settings.databaseUrl === undefined ? {} : { DATABASE_URL: settings.databaseUrl }),
      ...settings.env
    })
    try {
      await service.ready()
    } catch (error) {
      await service[Symbol.asyncDispose]()
      throw error
    }
    return service
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get ocppUrl(): string {
    return `ws://127.0.0.1:${this.port}/ocpp`
  }

  /** HTTP status of a GET; 0 without an answer. */
  status(path: string): Promise<number> {
    return fetch(`${this.url}${path}`).then(
      async (answer) => {
        await answer.arrayBuffer()
        return answer.status
      },
      () => 0
    )
  }

  /** Waits until `/readyz` answers 200; returns how long that took, in ms. */
  async ready(): Promise<number> {
    const since = performance.now()
    const { life } = this
    await until(
      () => `${this.url}/readyz says 200\n${life.output.slice(-lastOutputChars)}`,
      startLimitMillis,
      async () => {
        if (life.exit !== undefined) {
          const { code, signal } = life.exit
          if (life.output.includes(`:${this.port} is in use by another process`))
            throw new PortTaken(`port ${this.port} is taken by another process: the service could not listen on it`)
          throw new Error(
            `the service ended (${String(code ?? signal)}) before it was ready:\n${life.output.slice(-lastOutputChars)}`
          )
        }
        return life.hasBegun && (await this.status("/readyz")) === 200
      }
    )
    return performance.now() - since
  }

  /** Ends the process with a signal and waits until it has ended. */
  async kill(name: NodeJS.Signals): Promise<Exit> {
    this.life.signal(name)
    return this.life.end()
  }

  /** Runs the same command with the same data; returns how long it took to be ready, in ms. */
  async restart(): Promise<number> {
    if (this.life.exit === undefined) throw new Error("the service still runs")
    this.life = new Life(this.env, this.lifeline)
    return this.ready()
  }

  /** Runs the same command while this process goes on: a second process, which is not waited for. */
  another(env: Readonly<Record<string, string>> = {}): Life {
    return new Life({ ...this.env, ...env })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.life.exit === undefined) {
      this.life.signal("SIGKILL")
      await this.life.ended
    }
    if (this.ownsDataDir) rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Runs a test with a service, and shows the service's last output if it fails. */
export const withService = async (
  settings: ServiceSettings,
  test: (service: Service) => Promise<void>
): Promise<void> => {
  await using service = await Service.start(settings)
  try {
    await test(service)
  } catch (error) {
    console.log(`---- last output of the service\n${service.life.output.slice(-lastOutputChars)}\n----`)
    throw error
  }
}
