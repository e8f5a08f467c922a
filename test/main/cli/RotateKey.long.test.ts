/** The secret key of a stopped service is changed on the command line, and keys go on working. */
import { execFile } from "node:child_process"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { drivers } from "../../simulation/Drivers.ts"
import { apiKey, Service } from "../../simulation/Process.ts"
import { until } from "../../simulation/Wait.ts"

const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url))
const underDeno = "Deno" in globalThis

const rotate = (service: Service, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number; readonly err: string }>((resolve) => {
    const command = [...(underDeno ? ["run", "-A"] : []), main, "rotate-key", ...args]
    execFile(process.execPath, command, { env: { ...process.env, ...service.env } }, (error, _, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), err: stderr })
    )
  })

/** Each starts ten processes. */
const timeout = 240_000

/** The status of a list that is read with the service's first key. */
const sites = async (service: Service): Promise<number> => {
  const answer = await fetch(`${service.url}/cpo/v2/sites`, { headers: { "x-api-key": apiKey } })
  await answer.text()
  return answer.status
}

it(
  "is done in the data directory if the key is kept there, and is finished after an interruption",
  { timeout },
  async () => {
    // An empty value counts as not set: the service makes a key of its own.
    await using service = await Service.start({ env: { SECRET_KEY: "" } })
    const path = join(service.dataDir, "secret-key")
    const before = readFileSync(path, "utf8")
    expect(await rotate(service)).toEqual({ code: 1, err: expect.stringMatching(/in use by process \d+.*; stop it/) })
    await service.kill("SIGTERM")

    expect(await rotate(service)).toEqual({ code: 0, err: expect.stringContaining(`The new key is in ${path}`) })
    const after = readFileSync(path, "utf8")
    expect(after).not.toBe(before)
    expect([existsSync(`${path}.new`), (statSync(path).mode & 0o777).toString(8)]).toEqual([false, "600"])

    // As if the process had been killed after the commit.
    writeFileSync(`${path}.new`, after)
    writeFileSync(path, before)
    const refused = service.another()
    expect((await refused.end()).code).toBe(78)
    expect(refused.output).toMatch(/SECRET_KEY: is not the key of this database/)
    expect(await rotate(service)).toEqual({ code: 0, err: expect.stringContaining("has the new key already") })
    expect(readFileSync(path, "utf8")).toBe(after)
    await service.restart()
    expect(await sites(service)).toBe(200)
  }
)

for (const { missing, name, run } of drivers) {
  it.skipIf(missing)(`takes the new key from a file where SECRET_KEY is set (${name})`, { timeout }, () =>
    run(async ({ driver, service }) => {
      const file = join(service.dataDir, "next-key")
      writeFileSync(file, "short\n")
      const { err: inUse } = await rotate(service)
      expect(inUse).toMatch(driver === "PGlite" ? /stop it, and run this again/ : /stop every process/)
      await service.kill("SIGTERM")
      expect((await rotate(service, "--new-key-file", file)).err).toMatch(/at least 8 characters/)
      writeFileSync(file, "the next key, 0123456789abcdef0123456789\n")
      const done = await rotate(service, "--new-key-file", file)
      expect(done).toEqual({ code: 0, err: expect.stringContaining(`Set SECRET_KEY to the key in ${file}`) })

      expect((await service.another().end()).code).toBe(78)
      const life = service.another({ SECRET_KEY: readFileSync(file, "utf8").trim() })
      await until(
        () => life.output,
        60_000,
        () => life.hasBegun
      )
      expect(await sites(service)).toBe(200)
      life.signal("SIGTERM")
      await life.end()
    })
  )
}
