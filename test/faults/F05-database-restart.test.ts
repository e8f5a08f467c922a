/**
 * F05: PostgreSQL is stopped and started under load, by fast and by immediate shutdowns. Chargers keep their sockets. What they send meanwhile waits
 * or is refused, and none of it is acknowledged. Once the database is back, so is the service.
 */
import { execFile } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { findBinaries, startPostgres, type Postgres } from "../../scripts/postgres.ts"
import { between, chosen, quantile, report, type Random } from "../simulation/Choice.ts"
import { onPostgres } from "../simulation/Database.ts"
import { expectNothingLost } from "../simulation/Drivers.ts"
import { Fleet } from "../simulation/Fleet.ts"
import { withService, type Service } from "../simulation/Process.ts"
import { sleepMillis, until } from "../simulation/Wait.ts"

const chargers = 200

/** Longer than a CALL waits for an unavailable database. */
const longMillis = 15_000

interface Outage {
  readonly mode: "fast" | "immediate"
  readonly beforeMillis: number
  readonly downMillis: number
}

const outage = (random: Random): Outage => ({
  mode: random() < 0.5 ? "fast" : "immediate",
  beforeMillis: between(random, 200, 2_000),
  downMillis: random() < 0.2 ? longMillis : between(random, 0, 3_000)
})

const run = promisify(execFile)

/** Runs pg_ctl on the private cluster, as its owner. A start passes the options with which the cluster was first started. */
const control = async (postgres: Postgres, ...args: ReadonlyArray<string>): Promise<void> => {
  const data = join(postgres.directory, "data")
  const { gid, uid } = statSync(data)
  const [, ...first] = readFileSync(join(data, "postmaster.opts"), "utf8").trim().split(" ")
  const how = args[0] === "start" ? ["-l", join(data, "restarts.log"), "-o", first.slice(2).join(" ")] : []
  await run(join(findBinaries() ?? "", "pg_ctl"), ["-D", data, "-w", "-t", "60", ...how, ...args], {
    cwd: postgres.directory,
    ...(process.getuid?.() === 0 ? { uid, gid } : {})
  })
}

/** Waits until every charger has an answer to a message again; returns how long that took, in ms. */
const recovered = async (fleet: Fleet, service: Service): Promise<number> => {
  const since = performance.now()
  const before = new Map(fleet.chargers.map((charger) => [charger, charger.acknowledged]))
  await until(
    () => `every charger had an answer again; ${fleet.tally.toString()}`,
    60_000,
    () => fleet.chargers.every((charger) => charger.acknowledged > (before.get(charger) ?? 0))
  )
  await until(
    () => "readyz says 200",
    60_000,
    async () => (await service.status("/readyz")) === 200
  )
  return performance.now() - since
}

/** Stops the service while its database is unavailable. It must end, and what its chargers kept must arrive later. */
const endWithoutDatabase = async (postgres: Postgres, service: Service, fleet: Fleet): Promise<number> => {
  fleet.start()
  await fleet.allOnline()
  fleet.beginTraffic()
  await sleepMillis(500)
  await control(postgres, "stop", "-m", "immediate")
  await sleepMillis(500)
  const before = fleet.tally.of("closed 1012")
  const { afterMillis, code } = await service.kill("SIGTERM")
  expect(code, "exit code without a database").toBe(0)
  expect(fleet.tally.of("closed 1012") - before, "chargers whose connection was closed for the restart").toBe(chargers)
  await control(postgres, "start")
  await service.restart()
  await fleet.allOnline()
  return afterMillis
}

const underLoad = async (postgres: Postgres, service: Service): Promise<void> => {
  const outages = chosen("F05", 20, 1, outage)
  const fleet = await Fleet.register(service, "F05", { chargers, slowestMillis: 300, answerLimitMillis: 30_000 })
  fleet.start()
  await fleet.allOnline()
  fleet.beginTraffic()
  const recoveries: Array<number> = []
  const longOutages: Array<readonly [from: number, to: number]> = []
  // The long outage is in every run: only it shows what a charger is answered when the wait ends.
  for (const { beforeMillis, downMillis, mode } of [
    ...outages,
    { mode: "fast", beforeMillis: 500, downMillis: longMillis }
  ]) {
    await sleepMillis(beforeMillis)
    await control(postgres, "stop", "-m", mode)
    const acknowledged = fleet.figures.acknowledged
    if (downMillis > 0) {
      const answer = await service.rest.request("GET", "sessions?limit=1")
      expect([answer.status, answer.text], "REST without a database").toEqual([503, expect.stringContaining("code")])
      expect(await service.status("/livez"), "livez without a database").toBe(200)
    }
    const from = Date.now()
    await sleepMillis(downMillis)
    const to = Date.now()
    // Answers to what was committed before the end may still arrive: at most one CALL for each charger.
    expect(fleet.figures.acknowledged - acknowledged).toBeLessThanOrEqual(chargers)
    await control(postgres, "start")
    recoveries.push(await recovered(fleet, service))
    if (downMillis === longMillis) longOutages.push([from, to])
    expect(await fleet.brokenOverRest(), `after ${mode} of ${downMillis} ms`).toEqual([])
  }
  const closes = fleet.chargers.flatMap((charger) => charger.closes)
  const query = onPostgres(String(service.env["DATABASE_URL"]))
  await expectNothingLost(fleet, { truth: (read) => read(query) })
  for (const [from, to] of longOutages) {
    const [row] = await query(`SELECT count(*)::int AS frames FROM message
      WHERE at BETWEEN to_timestamp(${from} / 1000.0) AND to_timestamp(${to} / 1000.0)`)
    expect(row?.["frames"], "frames of the outage in the message log").toBeGreaterThan(chargers)
  }
  const endedAfter = await endWithoutDatabase(postgres, service, fleet)
  await expectNothingLost(fleet, { truth: (read) => read(query) })
  report("F05", {
    outages: recoveries.length,
    chargers,
    ...fleet.figures,
    "sockets lost": closes.length,
    "recovered p50 ms": Math.round(quantile(recoveries, 0.5)),
    "max ms": Math.round(Math.max(...recoveries)),
    "SIGTERM to exit without a database ms": Math.round(endedAfter),
    met: fleet.tally.toString()
  })
  expect(closes.length, "sockets lost").toBeLessThanOrEqual((chargers * recoveries.length) / 100)
  expect(fleet.tally.of("CALLERROR InternalError"), "refused when patience ended").toBeGreaterThan(0)
}

it.skipIf(findBinaries() === undefined)(
  "keeps its chargers and loses nothing when PostgreSQL is restarted",
  { timeout: 1_800_000 },
  async () => {
    const postgres = await startPostgres({ fsync: false })
    try {
      await expect(
        withService({ databaseUrl: postgres.url }, (service) => underLoad(postgres, service))
      ).resolves.toBeUndefined()
    } finally {
      try {
        await control(postgres, "stop", "-m", "immediate")
      } catch {
        // It was stopped already.
      }
      await postgres.stop()
    }
  }
)
