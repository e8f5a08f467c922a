/**
 * F03: a message is committed but its answer never arrives, because the connection or the process dies in between. A proxy swallows what the service
 * sends: each charger's CALL has then been stored and answered, and no charger knows. The service itself needs no hook for it.
 */
import { expect, it } from "vitest"
import { chosen, report } from "../simulation/Choice.ts"
import { drivers, expectNothingLost } from "../simulation/Drivers.ts"
import { FaultProxy } from "../simulation/FaultProxy.ts"
import { Fleet } from "../simulation/Fleet.ts"
import { until } from "../simulation/Wait.ts"

const chargers = 200
const transactionMessages = new Set(["StartTransaction", "MeterValues", "StopTransaction"])

for (const { missing, name, run } of drivers) {
  it.skipIf(missing)(
    `stores a message once whose answer was lost after the commit (${name})`,
    { timeout: 3_600_000 },
    () =>
      run(async (subject) => {
        const { driver, service } = subject
        await using proxy = await FaultProxy.listen(service.port)
        // In each round about two thirds of the chargers wait for the answer to a transaction message, so 50 rounds on both databases are more than
        // 10,000 forced failures.
        const rounds = chosen(`F03 ${driver}`, 50, 3, (random) => ({ end: random() < 0.3 ? "kill" : "reset" }))
        const fleet = await Fleet.register(service, `F03-${driver}`, {
          chargers,
          url: `ws://127.0.0.1:${proxy.port}/ocpp`,
          slowestMillis: 150,
          answerLimitMillis: 120_000
        })
        fleet.start()
        await fleet.allOnline()
        fleet.beginTraffic()
        let points = 0
        for (const { end } of rounds) {
          const links = [...proxy.links]
          proxy.set("toCharger", { kind: "blackHole" })
          await until(
            () =>
              `an answer to each of ${links.length} chargers swallowed: ${links.filter((l) => l.swallowed.toCharger > 0).length}`,
            60_000,
            () => links.every((link) => link.swallowed.toCharger > 0)
          )
          points += fleet.chargers.filter((charger) => transactionMessages.has(charger.waitingFor ?? "")).length
          if (end === "kill") await service.kill("SIGKILL")
          proxy.healNew()
          proxy.reset()
          if (end === "kill") await service.restart()
          await fleet.allOnline()
        }
        await expectNothingLost(fleet, subject)
        report(`F03 ${driver}`, {
          rounds: rounds.length,
          "answers lost after the commit": points,
          ...fleet.figures,
          duplicates: 0,
          met: fleet.tally.toString()
        })
        expect(fleet.figures.retried, "messages that were sent twice").toBeGreaterThan(rounds.length * 10)
      })
  )
}
