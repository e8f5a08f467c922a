/** F12: what a killed process leaves in DATA_DIR does not prevent the next start, even if another process has its pid by then. */
import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { report } from "../simulation/Choice.ts"
import { Connection, dial } from "../simulation/Dial.ts"
import { withService, type Service } from "../simulation/Process.ts"

/** Kills the service, lets `leave` change what it left behind, and starts it again. */
const restartAfter = async (service: Service, leave: (lock: string) => void): Promise<number> => {
  const lock = join(service.dataDir, "voltlane.lock")
  const { pid } = service.life
  await service.kill("SIGKILL")
  expect(existsSync(lock), "the lock outlives its holder").toBe(true)
  expect(readFileSync(lock, "utf8")).toContain(`pid ${pid}\n`)
  leave(lock)
  return service.restart()
}

it("starts despite the lock of a process that was killed", { timeout: 300_000 }, async () => {
  await withService({}, async (service) => {
    await service.rest.register([{ id: "F12-1" }], [])
    const charger = await dial(service.ocppUrl, "F12-1")
    expect(charger instanceof Connection && (await charger.alive()), "connected before the kill").toBe(true)
    expect((await service.rest.charger("F12-1")).activeConnection).toBe(true)
    const plain = await restartAfter(service, () => undefined)
    expect((await service.rest.charger("F12-1")).activeConnection, "its socket died with the process").toBe(false)
    // The pid of this test's own process: it is alive, but began at another time than the lock says of its holder.
    const reused = await restartAfter(service, (lock) =>
      writeFileSync(lock, readFileSync(lock, "utf8").replace(/^pid \d+$/m, `pid ${process.pid}`))
    )
    const interrupted = await restartAfter(service, (lock) => {
      writeFileSync(`${lock}.takeover`, readFileSync(lock))
      const longAgo = new Date(Date.now() - 60_000)
      utimesSync(`${lock}.takeover`, longAgo, longAgo)
    })
    const torn = await restartAfter(service, (lock) => writeFileSync(lock, ""))
    expect((await service.rest.chargers()).map((charger) => charger.chargerId)).toEqual(["F12-1"])
    const round = Object.entries({ plain, reused, interrupted, torn }).map(([name, millis]) => [
      `${name} ms`,
      Math.round(millis)
    ])
    report("F12", Object.fromEntries(round))
  })
})
