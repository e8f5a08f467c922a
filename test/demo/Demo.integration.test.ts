/** `npm run demo` as its visitor sees it: a simulated town on real sockets that leaves nothing behind. */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { freePort } from "../../bench/servers/port.ts"
import { until } from "../simulation/Wait.ts"

const underDeno = "Deno" in globalThis

/** A small town, and its output. */
const start = async (...options: ReadonlyArray<string>) => {
  const folder = await mkdtemp(join(tmpdir(), "demo-test-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const port = await freePort()
  const args = [...(underDeno ? ["run", "-A"] : []), "demo/run.ts", "--port", String(port), ...options]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "pipe"]
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text))
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const says = (what: string) =>
    until(
      () => `${what}, but: ${output}`,
      90_000,
      () => Promise.resolve(output.includes(what))
    )
  await says("Break something")
  const key = /x-api-key: (\S+)'/.exec(output)?.[1] ?? ""
  const ask = async (path: string) => {
    const answer = await fetch(`http://localhost:${port}/cpo/v2/${path}`, { headers: { "x-api-key": key } })
    expect(answer.status, path).toBe(200)
    return (await answer.json()) as { readonly items: ReadonlyArray<Record<string, unknown>> } & Record<string, unknown>
  }
  return { ask, child, ended, folder, output: () => output, says }
}

it(
  "has a town of chargers, a billed history and two partners, and removes everything at the end",
  { timeout: 240_000 },
  async () => {
    const began = new Date().toISOString()
    const town = await start("--chargers", "8", "--days", "2", "--seed", "7")
    await town.says("days of history are stored")
    await until(
      () => "every session of the past has its record",
      60_000,
      async () => {
        const over = await town.ask("sessions?status=COMPLETED&limit=500")
        const records = await town.ask("cdrs?limit=500")
        return over.items.length > 8 && records.items.length >= over.items.length
      }
    )
    // To show what that looks like, one charger becomes silent for a while and a session is held; on a slow machine that may be over already.
    await until(
      () => "all chargers are connected",
      60_000,
      async () => {
        const { chargers, connected } = (await town.ask("statistics")) as unknown as Record<string, number>
        return chargers === 8 && connected === 8
      }
    )
    expect((await town.ask(`sessions?held=true&to=${began}`)).items).toEqual([])
    expect((await town.ask("partners")).items.map(({ ocpiVersion, status }) => [ocpiVersion, status])).toEqual([
      ["2.1.1", "Registered"],
      ["2.2.1", "Registered"]
    ])
    expect((await town.ask("cdrs?limit=500")).items.some(({ roaming }) => roaming !== null)).toBe(true)
    // Not `child.kill`: after that, Deno reports every exit as an end by that signal.
    process.kill(town.child.pid!, "SIGINT")
    expect(await town.ended).toBe(0)
    expect(existsSync(town.folder) ? await readdir(town.folder) : []).toEqual([])
  }
)

it("says what is wrong with an option", async () => {
  const args = [...(underDeno ? ["run", "-A"] : []), "demo/run.ts", "--chargers", "many"]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] })
  let problem = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (problem += text))
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(2)
  expect(problem).toBe("demo: --chargers must be a number from 1 to 72\n")
})
