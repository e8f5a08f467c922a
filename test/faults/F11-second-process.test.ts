/** F11: a second service on the same DATA_DIR. It must end at once, name the first, and change nothing. */
import { expect, it } from "vitest"
import { freePort } from "../../bench/servers/port.ts"
import { report, share } from "../simulation/Choice.ts"
import { expectNothingLost } from "../simulation/Drivers.ts"
import { onFiles } from "../simulation/Database.ts"
import { Fleet } from "../simulation/Fleet.ts"
import { withService } from "../simulation/Process.ts"
import type { RestSession } from "../simulation/Rest.ts"

/** Sessions as reported by their chargers. The reason for a hold is left out: the first process sets it by itself some seconds after their end. */
const asReported = (sessions: ReadonlyArray<RestSession>) =>
  sessions.map((session) => ({ ...session, heldReason: undefined }))

it("refuses a second process on one embedded database and names the first", { timeout: 600_000 }, async () => {
  await withService({}, async (service) => {
    const fleet = await Fleet.register(service, "F11", { chargers: 20, slowestMillis: 100 })
    fleet.start()
    await fleet.allOnline()
    fleet.beginTraffic()
    const took: Array<number> = []
    for (let i = 0; i < share(20, 2); i++) {
      const second = service.another({ PORT: String(await freePort()) })
      const { afterMillis, code } = await second.end()
      took.push(afterMillis)
      expect(code, second.output).toBeGreaterThan(0)
      expect(second.output).toContain(`process ${service.life.pid} `)
      expect(second.output.trim().split("\n"), "one line").toHaveLength(1)
    }
    expect(await service.status("/readyz"), "the first goes on").toBe(200)
    await fleet.settle()
    const sessions = asReported(await service.rest.sessions())
    const chargers = await service.rest.chargers()
    const last = service.another({ PORT: String(await freePort()) })
    await last.end()
    expect(asReported(await service.rest.sessions()), "sessions after another try").toEqual(sessions)
    expect(await service.rest.chargers(), "chargers after another try").toEqual(chargers)
    await expectNothingLost(fleet, {
      truth: async (read) => {
        await service.kill("SIGTERM")
        await onFiles(service.dataDir, read)
      }
    })
    report("F11", { tries: took.length, "refused after at most ms": Math.round(Math.max(...took)), ...fleet.figures })
  })
})
