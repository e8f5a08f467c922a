/** A person with access to the machine can always regain access: keys are made and revoked while a service runs, and while none runs. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { drivers } from "../../simulation/Drivers.ts"
import { Service } from "../../simulation/Process.ts"

const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url))
const underDeno = "Deno" in globalThis

const voltlane = (service: Service, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number; readonly out: ReadonlyArray<string>; readonly err: string }>((resolve) => {
    const command = [...(underDeno ? ["run", "-A"] : []), main, ...args]
    execFile(process.execPath, command, { env: { ...process.env, ...service.env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), out: stdout.trimEnd().split("\n"), err: stderr })
    )
  })

const status = async (service: Service, key: string): Promise<number> => {
  const answer = await fetch(`http://127.0.0.1:${service.port}/cpo/v2/sites`, { headers: { "x-api-key": key } })
  await answer.text()
  return answer.status
}

const walk = async (service: Service) => {
  const made = await voltlane(service, "keys", "create", "--name", "beside")
  expect([made.code, made.out.length]).toEqual([0, 1])
  const [beside = ""] = made.out
  expect(await status(service, beside)).toBe(200)
  const listed = await voltlane(service, "keys", "list")
  const working = listed.out.slice(1).map((line) => line.split(" ", 1)[0] ?? "")
  // Including the last one, which is allowed on the machine.
  for (const id of working) expect((await voltlane(service, "keys", "revoke", id)).code).toBe(0)
  expect(await status(service, beside)).toBe(401)

  expect((await service.kill("SIGTERM")).code).toBe(0)
  const reset = await voltlane(service, "operators", "reset", "--revoke-others")
  expect([reset.code, reset.err]).toEqual([0, expect.stringContaining("All others were revoked: 0 of v2, 1 of v1.")])
  const key = /^API key \(v2\) +(\S+)$/.exec(reset.out[0] ?? "")?.[1] ?? ""
  await service.restart()
  expect(await status(service, key)).toBe(200)
  const audit = await fetch(`http://127.0.0.1:${service.port}/cpo/v2/audit-log?limit=4`, {
    headers: { "x-api-key": key }
  })
  const { items } = (await audit.json()) as {
    readonly items: ReadonlyArray<{ readonly action: string; readonly actor: string }>
  }
  return items
}

describe.each(drivers)("on $name", ({ missing, run }) => {
  it.skipIf(missing)(
    "makes a key while the service runs, and restores access while it is stopped after all keys were revoked",
    { timeout: 120_000 },
    () =>
      run(async ({ service }) => {
        const items = await walk(service)
        expect(items.map(({ action }) => action)).toEqual([
          "V1PairRevoked",
          "V1PairIssued",
          "ApiKeyIssued",
          "ApiKeyRevoked"
        ])
        for (const { actor } of items) expect(actor).toMatch(/^command-line:./)
      })
  )
})

it("says to stop a service that it cannot reach", async () => {
  await using service = await Service.start({})
  rmSync(join(service.dataDir, "control", "socket"))
  const { code, err, out } = await voltlane(service, "keys", "list")
  expect([code, out.join("")]).toEqual([1, ""])
  expect(err).toMatch(
    /^voltlane: DATA_DIR: .* is in use by process \d+ .*: the service cannot be reached; stop it, and run this again\n$/
  )
})

it("takes over a database whose service was killed", async () => {
  await using service = await Service.start({})
  await service.kill("SIGKILL")
  const { code, err, out } = await voltlane(service, "keys", "list")
  expect([code, err, out.length]).toEqual([0, "", 2])
})
