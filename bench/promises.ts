/**
 * Checks whether the service keeps what its answers promise, by reading its tables instead of asking it. Done after a
 * load at a fixed rate (for what is written behind) and after `kill -9` in the middle of transactions (for what is
 * written before the answer).
 */
import { setTimeout as sleep } from "node:timers/promises"
import { query, type Row } from "./measure/postgres.ts"
import type { PromiseCheck } from "./results.ts"
import { PREFIX, type Running } from "./workloads.ts"

/** The message log and last-seen may lag behind the answers by this much. */
const WRITTEN_BEHIND_MS = 2_000
/** Waits longer than the allowed lag, so that late data is distinguished from lost data. */
const LOOK_LIMIT_MS = 10_000
const LOOK_EVERY_MS = 100
/** Time into the transactions, long enough for them to be at different steps. */
const KILL_AFTER_MS = 1_500

const ask = async ({ cluster, server }: Running, sql: string): Promise<Row> => {
  const [row = {}] = await query(cluster.url(server.database ?? ""), sql)
  return row
}

/** Polls until `found` has reached `wanted`; the result says after how long. */
const within = async (what: string, wanted: number, found: () => Promise<number>): Promise<PromiseCheck> => {
  const startedAt = performance.now()
  while (true) {
    const [count, waited] = [await found(), performance.now() - startedAt]
    if (count < wanted && waited < LOOK_LIMIT_MS) await sleep(LOOK_EVERY_MS)
    else {
      const kept = count >= wanted && waited <= WRITTEN_BEHIND_MS
      return { what, kept, detail: `${count} of ${wanted} after ${(waited / 1000).toFixed(1)} s` }
    }
  }
}

/**
 * Sends MeterValues at the fixed rate. Then every frame of both directions must be in the log, and every charger's last-seen be written, within 2 s.
 */
const writtenBehind = async (running: Running): Promise<ReadonlyArray<PromiseCheck>> => {
  const { chargers, rate, seconds } = running.options
  const startedAt = Date.now()
  const load = await running.generator.order({ kind: "open", workload: "meter", rate, seconds })
  // Each charger has sent a message within the fleet's last round, or has not had its turn.
  const lastRoundMs = Math.min(seconds, chargers / rate) * 1000
  const sinceLastRound = `to_timestamp(${(Date.now() - lastRoundMs - LOOK_EVERY_MS) / 1000})`
  const frames = within("message log written within 2 s", load.messages * 2, async () => {
    const sql = `SELECT count(*)::float8 AS n FROM message WHERE at >= to_timestamp(${startedAt / 1000})
      AND charger_id LIKE '${PREFIX}-%'`
    return Number((await ask(running, sql))["n"])
  })
  const seen = within("last-seen written within 2 s", Math.min(chargers, load.messages), async () => {
    const sql = `SELECT count(*)::float8 AS n FROM charger_seen WHERE last_seen >= ${sinceLastRound}
      AND charger_id LIKE '${PREFIX}-%'`
    return Number((await ask(running, sql))["n"])
  })
  return Promise.all([frames, seen])
}

/** A cycle's six meter readings after the first are 3 Wh apart (`load/frames.ts`). */
const WH_PER_TRANSACTION = 18

/** `kill -9` while transactions run. What was acknowledged must be in the tables, and no more than what may have been in flight. */
const afterKill = async (running: Running): Promise<ReadonlyArray<PromiseCheck>> => {
  const { active } = running.options
  const load = running.generator.order({ kind: "closed", workload: "tx", active, seconds: 600 })
  await sleep(KILL_AFTER_MS)
  await running.child.kill()
  const { acknowledged } = await load
  const row = await ask(
    running,
    `SELECT count(*)::float8 AS started, count(*) FILTER (WHERE status = 'COMPLETED')::float8 AS stopped,
       coalesce(sum(energy_wh) FILTER (WHERE status = 'COMPLETED'), 0)::float8 AS energy,
       (SELECT count(*)::float8 FROM meter WHERE charger_id LIKE '${PREFIX}-%')
         + (SELECT count(*)::float8 FROM meter_unassigned WHERE charger_id LIKE '${PREFIX}-%') AS readings
     FROM session WHERE charger_id LIKE '${PREFIX}-%'`
  )
  const check = (what: string, found: unknown, promised: number, perMessage: number): PromiseCheck => {
    const most = promised + acknowledged.unanswered * perMessage
    const kept = Number(found) >= promised && Number(found) <= most
    return { what: `after kill -9: ${what}`, kept, detail: `${String(found)} stored, ${promised} to ${most} expected` }
  }
  return [
    check("sessions started", row["started"], acknowledged.started, 1),
    check("sessions stopped", row["stopped"], acknowledged.stopped, 1),
    check("energy of stopped sessions, Wh", row["energy"], acknowledged.energyWh, WH_PER_TRANSACTION),
    check("meter readings", row["readings"], acknowledged.readings + acknowledged.looseReadings, 1)
  ]
}

/** Runs last, since the service does not survive it. */
export const checkPromises = async (running: Running): Promise<ReadonlyArray<PromiseCheck>> => {
  const { workloads } = running.options
  return [
    ...(workloads.includes("meter") ? await writtenBehind(running) : []),
    ...(workloads.includes("tx") ? await afterKill(running) : [])
  ]
}
