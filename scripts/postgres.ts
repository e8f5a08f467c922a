/**
 * A throw-away PostgreSQL for tests and benches: a cluster of its own in a temporary directory, on a free port of the loopback
 * address, gone when it is stopped. It never touches a cluster that the machine already runs. PostgreSQL refuses to run as
 * root; started by root, it therefore runs as the user `postgres`, which Debian's package makes.
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmodSync, chownSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"

/** A running cluster: `url` is that of its superuser, `stop` ends it and removes its files. `stop` may be called twice. */
export interface Postgres {
  readonly url: string
  readonly directory: string
  /** The root of its processes. */
  readonly pid: number
  readonly stop: () => Promise<void>
}

export interface PostgresOptions {
  /**
   * `true` waits for the disk at every commit, as production does: for figures. `false` leaves that to the kernel: commits then
   * survive a killed process and not a power cut, which is what a test needs, at a fraction of the time.
   */
  readonly fsync: boolean
}

/** Version 15 is the oldest that is supported, hence the first that is looked for. */
const versions = ["15", "16", "17", "18"]

/** A cold machine needs some seconds for its first start; one that needs more is ill. */
const startLimit_ms = 60_000

/** A fast shutdown takes less than a second; after this the processes are killed. */
const stopLimit_ms = 15_000

/** The directory that holds `initdb` and `postgres`: Debian's, Homebrew's, then whatever PATH says. */
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

/** Whom to run as, or nobody else where we are not root. */
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

/** Starts a cluster. Throws one line that says what to do when there is no PostgreSQL, and the server's own log when it will not start. */
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
      // Test files run beside one another and each opens its own pool.
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
        // A process group of its own: an interrupt at the terminal ends the tests first, and they end the server.
        detached: true,
        stdio: ["ignore", output, output]
      }
    )
    // Without a listener a failed spawn would end this process before it could say why.
    server.on("error", (error) => writeFileSync(log, String(error), { flag: "a" }))
    const text = () => readFileSync(log, "utf8")
    const ready = () => text().includes("ready to accept connections")
    await until(() => ready() || exited(server), startLimit_ms)
    if (!ready()) {
      server.kill("SIGKILL")
      throw new Error(`PostgreSQL of ${bin} did not start:\n${text()}`)
    }
    const stop = async () => {
      // SIGINT is PostgreSQL's fast shutdown: open transactions are rolled back, clients are told.
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
