/** F04: SIGTERM under load. Readiness ends first, pending CALLs are answered, connections are closed with 1012, and the exit code is 0. */
import { expect, it } from "vitest"
import { between, chosen, quantile, report } from "../simulation/Choice.ts"
import { drivers, expectNothingLost } from "../simulation/Drivers.ts"
import { Fleet } from "../simulation/Fleet.ts"
import { sleepMillis } from "../simulation/Wait.ts"

const chargers = 200

for (const { missing, name, run } of drivers) {
  it.skipIf(missing)(
    `answers pending calls and closes connections with 1012 on SIGTERM (${name})`,
    { timeout: 1_200_000 },
    () =>
      run(async (subject) => {
        const { driver, service } = subject
        const stops = chosen(`F04 ${driver}`, 20, 1, (random) => ({ afterMillis: between(random, 200, 2_500) }))
        const fleet = await Fleet.register(service, `F04-${driver}`, { chargers, slowestMillis: 200 })
        fleet.start()
        await fleet.allOnline()
        fleet.beginTraffic()
        const exits: Array<number> = []
        for (const { afterMillis } of stops) {
          await sleepMillis(afterMillis)
          const codes: Array<number> = []
          const unanswered: Array<string> = []
          let readiness: Promise<number> | undefined
          // The CALL that each charger had sent when the signal came, by message id; later CALLs may not be accepted any more.
          const asked = new Map(fleet.chargers.map((charger) => [charger, charger.waitingForId]))
          for (const charger of fleet.chargers) {
            charger.onClose = (code, messageId) => {
              codes.push(code)
              readiness ??= service.status("/readyz")
              if (messageId !== undefined && messageId === asked.get(charger))
                unanswered.push(`${charger.id} ${messageId}`)
            }
          }
          const { afterMillis: tookMillis, code } = await service.kill("SIGTERM")
          for (const charger of fleet.chargers) charger.onClose = undefined
          exits.push(tookMillis)
          expect(code, "exit code").toBe(0)
          expect(codes, "close codes").toEqual(Array.from({ length: chargers }, () => 1012))
          expect(unanswered, "asked before the signal and never answered").toEqual([])
          expect(await readiness, "readiness when the first charger was sent away").not.toBe(200)
          await service.restart()
          await fleet.allOnline()
          expect(await fleet.brokenOverRest()).toEqual([])
        }
        await expectNothingLost(fleet, subject)
        report(`F04 ${driver}`, {
          stops: stops.length,
          chargers,
          ...fleet.figures,
          "signal to exit p50 ms": Math.round(quantile(exits, 0.5)),
          "max ms": Math.round(Math.max(...exits)),
          met: fleet.tally.toString()
        })
      })
  )
}
