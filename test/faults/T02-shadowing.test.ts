/**
 * T02: a second socket with a charger's id. Only a socket that authenticates may replace the first, and the late close of an older one does not
 * affect the newest.
 */
import { expect, it } from "vitest"
import { between, isFull, pick, randomOf, report, share, type Random } from "../simulation/Choice.ts"
import { Connection, dial } from "../simulation/Dial.ts"
import { drivers, quickest } from "../simulation/Drivers.ts"
import type { Service } from "../simulation/Process.ts"
import { inParallel, sleepMillis, until } from "../simulation/Wait.ts"

const passwordOf = (id: string): string => `Shadowed-${id}`
const idsOf = (prefix: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`)

const registered = async (service: Service, prefix: string, count: number): Promise<ReadonlyArray<string>> => {
  const ids = idsOf(prefix, count)
  await service.rest.register(
    ids.map((id) => ({ id, password: passwordOf(id) })),
    []
  )
  return ids
}

const connected = async (service: Service, id: string, password?: string): Promise<Connection> => {
  const connection = await dial(service.ocppUrl, id, password)
  if (!(connection instanceof Connection)) throw new Error(`${id} was refused with ${connection}`)
  return connection
}

it("lets only the charger itself take its place", { timeout: 600_000 }, () =>
  quickest.run(async ({ service }) => {
    const random = randomOf("T02 attempts")
    const ids = await registered(service, "T02", 20)
    const outcomes: Record<string, number> = {}
    let displaced = 0
    await inParallel(ids, 4, async (id) => {
      let holder = await connected(service, id, passwordOf(id))
      expect(await holder.alive()).toBe(true)
      // 20 chargers × 10 of each kind are 200 attempts of each, in random order.
      const kinds = ["none", "wrong", "right"].flatMap((kind) => Array.from({ length: 10 }, () => kind))
      for (const kind of kinds.map((k) => ({ k, at: random() })).sort((a, b) => a.at - b.at)) {
        const password = { none: undefined, wrong: `${passwordOf(id)}x`, right: passwordOf(id) }[kind.k]
        // An attacker guesses from another address, and the charger's own network has no refusals.
        const from = kind.k === "right" ? "127.0.0.1" : `127.0.${between(random, 1, 200)}.1`
        const result = await dial(service.ocppUrl, id, password, from)
        const status = result instanceof Connection ? 101 : result
        const name = `${kind.k} ${status}`
        outcomes[name] = (outcomes[name] ?? 0) + 1
        expect(kind.k === "right" ? [101] : [401, 429], `answer to ${kind.k} password`).toContain(status)
        if (result instanceof Connection) {
          const old = holder
          holder = result
          await until(
            () => `the older socket of ${id} closed`,
            30_000,
            () => old.code !== undefined
          )
          displaced++
        }
        expect(await holder.alive(), `the holder after ${name}`).toBe(true)
        expect((await service.rest.charger(id)).activeConnection).toBe(true)
      }
      holder.socket.close()
    })
    report("T02 attempts", { ...outcomes, displaced, "displaced wrongly": 0 })
    expect(displaced).toBe(200)
  })
)

it("keeps the older socket on profile 0 while it answers", { timeout: 120_000 }, () =>
  quickest.run(async ({ service }) => {
    const ids = idsOf("T02-open", 5)
    await service.rest.register(
      ids.map((id) => ({ id })),
      []
    )
    await inParallel(ids, 5, async (id) => {
      const holder = await connected(service, id)
      for (let i = 0; i < 4; i++) {
        expect(await dial(service.ocppUrl, id, i % 2 === 0 ? undefined : "guess")).toBe(409)
        expect(await holder.alive()).toBe(true)
      }
      holder.socket.close()
      await until(
        () => `${id} gone`,
        30_000,
        async () => !(await service.rest.charger(id)).activeConnection
      )
      const next = await connected(service, id)
      expect(await next.alive()).toBe(true)
      next.socket.close()
    })
  })
)

/** Opens and closes sockets of one charger in a random order and overlap; returns those that were ever accepted. */
const interleave = async (service: Service, id: string, random: Random): Promise<ReadonlyArray<Connection>> => {
  const dials: Array<Promise<Connection | number>> = []
  const closings: Array<Promise<void>> = []
  const end = async (which: Promise<Connection | number>, politely: boolean, afterMillis: number): Promise<void> => {
    const connection = await which
    if (!(connection instanceof Connection)) return
    if (afterMillis > 0) await sleepMillis(afterMillis)
    if (politely) connection.socket.close(1000)
    else connection.socket.terminate()
  }
  for (let steps = between(random, 2, 4); steps > 0; steps--) {
    const step = random()
    if (dials.length === 0 || step < 0.5) dials.push(dial(service.ocppUrl, id, passwordOf(id)))
    else closings.push(end(pick(random, dials), random() < 0.5, between(random, 0, 4)))
    if (random() < 0.5) await sleepMillis(between(random, 0, 5))
  }
  await Promise.all(closings)
  return (await Promise.all(dials)).filter((result) => result instanceof Connection)
}

for (const { missing, name, run } of drivers) {
  it.skipIf(missing || (!isFull && name !== quickest.name))(
    `never ends the newest socket when an older one closes (${name})`,
    { timeout: 1_800_000 },
    () =>
      run(async ({ service }) => {
        const chargers = share(200, 25)
        const [each, total] = [share(10_000, 500) / chargers, share(10_000, 500)]
        const ids = await registered(service, "T02-race", chargers)
        let [admitted, survivors, staleRemovals] = [0, 0, 0]
        const last: Array<Connection | undefined> = []
        await inParallel(ids, 8, async (id) => {
          const random = randomOf(id)
          let survivor: Connection | undefined
          for (let i = 0; i < each; i++) {
            // Since the last check there was time for a late close to have an effect.
            if (survivor !== undefined && !(await service.rest.charger(id)).activeConnection) staleRemovals++
            const all = [...(survivor === undefined ? [] : [survivor]), ...(await interleave(service, id, random))]
            admitted += all.length - (survivor === undefined ? 0 : 1)
            await until(
              () => `one socket of ${id} at most: ${all.filter((connection) => connection.open).length}`,
              30_000,
              () => all.filter((connection) => connection.open).length <= 1
            )
            survivor = all.find((connection) => connection.open)
            if (survivor !== undefined && (await survivor.alive())) {
              survivors++
              if (!(await service.rest.charger(id)).activeConnection) staleRemovals++
            } else {
              survivor = undefined
              await until(
                () => `${id} gone`,
                30_000,
                async () => !(await service.rest.charger(id)).activeConnection
              )
            }
          }
          last.push(survivor)
        })
        // Compares what the process remembers of the connections with what the database says. A late close would show here at the latest.
        const alive = last.filter((survivor) => survivor?.open === true).length
        await until(
          () => `statistics say ${alive} connected`,
          30_000,
          async () => (await service.rest.connected()) === alive
        )
        await sleepMillis(500)
        expect(await service.rest.connected(), "connected by the database").toBe(alive)
        for (const survivor of last) survivor?.socket.terminate()
        report(`T02 interleavings ${name}`, { interleavings: total, admitted, survivors, alive, staleRemovals })
        expect(staleRemovals, "newest connections that an older one's end took").toBe(0)
        expect(survivors, "interleavings that prove anything").toBeGreaterThan(total / 4)
      })
  )
}
