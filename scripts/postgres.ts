/**
 * A throw-away PostgreSQL for tests and benchmarks: a cluster of its own in a temporary directory, on a free port of
 * the loopback address, removed when it is stopped. It never touches a cluster that the machine already runs.
 * PostgreSQL refuses to run as root, so if this is started by root, it runs as the user `postgres`, which Debian's
 * package creates.
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmodSync, chownSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"

/** A running cluster. `url` is that of its superuser; `stop` ends it and removes its files. `stop` may be called twice. */
export interface Postgres {
  readonly url: string
  readonly directory: string
  /** The root of its process tree. */
  readonly pid: number
  readonly stop: () => Promise<void>
}

export interface PostgresOptions {
  /**
   * `true` waits for the disk at every commit, as production does: for benchmarks. `false` leaves that to the kernel:
   * commits then survive a killed process but not a power failure, which is enough for tests and takes a fraction of
   * the time.
   */
  readonly fsync: boolean
}

/** Version 15 is the oldest that is supported, so it is looked for first. */
const versions = ["15", "16", "17", "18"]

/** A cold machine needs some seconds for its first start; one that needs longer has a problem. */
const startLimit_ms = 60_000

/** A fast shutdown takes less than a second; after this time the processes are killed. */
const stopLimit_ms = 15_000

/** The directory with `initdb` and `postgres`: Debian's, then Homebrew's, then the one in PATH. */
export const findBinaries = (): string | undefined => {
  const places = [
    ...versions.map((version) => `/usr/lib/postgresql/${version}/bin`),
    ...versions.map((version) => `/opt/homebrew/opt/postgresql@${version}/bin`),
    ...(process.env["PATH"] ?? "").split(delimiter)
  ]
  return places.find((place) => existsSync(join(place, "initdb")) && existsSync(join(place, "postgres")))
}

interface Account {
  readonly uid: number
  readonly gid: number
}

const idOf = (flag: string): number => {
  try {
    return Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8", stdio: "pipe" }))
  } catch {
    throw new Error(
      "there is no user postgres to run the cluster as: install Debian's postgresql-15, or run as another user than root"
    )
  }
}

/** The user to run as if this process runs as root; otherwise undefined. */
const account = (): Account | undefined => (process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : undefined)

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const exited = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

const until = async (condition: () => boolean, limit_ms: number): Promise<boolean> => {
  const end = Date.now() + limit_ms
  while (!condition()) {
    if (Date.now() > end) return false
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return true
}

const initialise = (bin: string, directory: string, as: Account | undefined): string => {
  const password = randomBytes(18).toString("base64url")
  const passwordFile = join(directory, "password")
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (as !== undefined) {
    chownSync(directory, as.uid, as.gid)
    chownSync(passwordFile, as.uid, as.gid)
  }
  chmodSync(directory, 0o700)
  const flags = [
    "--username=postgres",
    "--auth=scram-sha-256",
    `--pwfile=${passwordFile}`,
    "--encoding=UTF8",
    "--locale=C.UTF-8"
  ]
  execFileSync(join(bin, "initdb"), ["-D", join(directory, "data"), ...flags, "--no-sync"], {
    ...as,
    cwd: directory,
    stdio: ["ignore", "ignore", "pipe"]
  })
  return password
}

/** Starts a cluster. Throws one line that says what to do if there is no PostgreSQL, and the server's own log if it does not start. */
export const startPostgres = async (options: PostgresOptions): Promise<Postgres> => {
  const bin = findBinaries()
  if (bin === undefined) {
    throw new Error("no PostgreSQL found: install Debian's postgresql-15, or set TEST_DATABASE_URL to a running one")
  }
  const as = account()
  const directory = mkdtempSync(join(tmpdir(), "voltlane-postgres-"))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  try {
    const password = initialise(bin, directory, as)
    const port = await freePort()
    const settings = [
      `port=${port}`,
      "listen_addresses=127.0.0.1",
      `unix_socket_directories=${directory}`,
      `fsync=${options.fsync ? "on" : "off"}`,
      // Test files run in parallel, and each opens its own pool.
      "max_connections=200"
    ]
    const log = join(directory, "log")
    const output = openSync(log, "a")
    const server = spawn(
      join(bin, "postgres"),
      ["-D", join(directory, "data"), ...settings.flatMap((s) => ["-c", s])],
      {
        ...as,
        cwd: directory,
        // A process group of its own: on an interrupt at the terminal the tests end first, and they then end the server.
        detached: true,
        stdio: ["ignore", output, output]
      }
    )
    // Without a listener, a failed spawn would end this process before the reason is logged.
    server.on("error", (error) => writeFileSync(log, String(error), { flag: "a" }))
    const text = () => readFileSync(log, "utf8")
    const ready = () => text().includes("ready to accept connections")
    await until(() => ready() || exited(server), startLimit_ms)
    if (!ready()) {
      server.kill("SIGKILL")
      throw new Error(`PostgreSQL of ${bin} did not start:\n${text()}`)
    }
    const stop = async () => {
      // SIGINT is PostgreSQL's fast shutdown: open transactions are rolled back, and clients are disconnected with a message.
      if (!exited(server)) server.kill("SIGINT")
      if (!(await until(() => exited(server), stopLimit_ms))) server.kill("SIGKILL")
      remove()
    }
    return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, directory, pid: server.pid ?? 0, stop }
  } catch (error) {
    remove()
    throw error
  }
}
