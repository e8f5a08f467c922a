/** F14: the service restarts and all the chargers of a city come back at once, through one address. No charger is refused permanently. */
import { expect, it } from "vitest"
import { isFull, report } from "../simulation/Choice.ts"
import { drivers, expectNothingLost, quickest } from "../simulation/Drivers.ts"
import { Fleet } from "../simulation/Fleet.ts"

const chargers = isFull ? 2_000 : 1_000

for (const { missing, name, run } of drivers) {
  it.skipIf(missing || (!isFull && name !== quickest.name))(
    `readmits every charger after a restart (${name})`,
    { timeout: 600_000 },
    () =>
      run(async (subject) => {
        const { driver, service } = subject
        // Each card costs a registration; the run of a tenth is about the sockets alone.
        const connectors = isFull ? 1 : 0
        const fleet = await Fleet.register(service, `F14-${driver}`, { chargers, connectors, slowestMillis: 10_000 })
        fleet.start()
        const first = await fleet.allOnline()
        if (connectors > 0) fleet.beginTraffic()
        await service.kill("SIGKILL")
        const ready = await service.restart()
        const back = await fleet.allOnline()
        const refused = fleet.tally.sum("refused")
        // All connections are cut at once while the service goes on: the old sockets still exist when the new ones come.
        for (const charger of fleet.chargers) charger.dropLine()
        const cut = await fleet.allOnline()
        await fleet.settle()
        // The other case: a stop closes all of them, each with 1012.
        const before = fleet.tally.of("closed 1012")
        const { afterMillis, code } = await service.kill("SIGTERM")
        expect(code).toBe(0)
        expect(fleet.tally.of("closed 1012") - before, "chargers whose connection was closed for the restart").toBe(
          chargers
        )
        if (connectors > 0) {
          await service.restart()
          await fleet.allOnline()
          await expectNothingLost(fleet, subject)
        }
        await fleet.stop()
        report(`F14 ${driver}`, {
          chargers,
          "first connect ms": Math.round(first),
          "ready ms": Math.round(ready),
          "all back after the restart ms": Math.round(back),
          "all back after the cut ms": Math.round(cut),
          refusals: refused,
          "all sent away after ms": Math.round(afterMillis),
          met: fleet.tally.toString()
        })
        expect(fleet.online, "after everybody has settled and stopped").toBe(0)
      })
  )
}
