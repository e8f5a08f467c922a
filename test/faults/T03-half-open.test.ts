/** T03: the charger's connection died silently, so the service still has its socket. The charger must nevertheless be able to reconnect. */
import { expect, it } from "vitest"
import { report, share } from "../simulation/Choice.ts"
import { Connection, dial } from "../simulation/Dial.ts"
import { quickest } from "../simulation/Drivers.ts"
import { FaultProxy, type Link } from "../simulation/FaultProxy.ts"
import type { Service } from "../simulation/Process.ts"

const password = "HalfOpen-password-1"

/** Makes the one open connection dead: nothing passes any more, not even its end. */
const die = (proxy: FaultProxy): ReadonlyArray<Link> => {
  const links = [...proxy.links]
  for (const link of links) {
    link.set("toServer", { kind: "blackHole" })
    link.set("toCharger", { kind: "blackHole" })
  }
  return links
}

interface Round {
  /** The new socket worked, and still did after the old connection had ended late. */
  readonly held: boolean
  /** From the second dial until it is accepted. */
  readonly tookMillis: number
}

const admitted = async (url: string, id: string, secret: string | undefined): Promise<Connection> => {
  const result = await dial(url, id, secret)
  if (!(result instanceof Connection)) throw new Error(`${id} was refused with ${result}`)
  return result
}

/** Connects, loses its connection and connects again. */
const round = async (service: Service, proxy: FaultProxy, id: string, secret?: string): Promise<Round> => {
  const url = `ws://127.0.0.1:${proxy.port}/ocpp`
  const first = await admitted(url, id, secret)
  const alive = await first.alive()
  const dead = die(proxy)
  const since = performance.now()
  const second = await admitted(url, id, secret)
  const tookMillis = performance.now() - since
  const worked = await second.alive()
  // The old connection only ends now, as by the kernel's timeout.
  for (const link of dead) link.reset()
  const goesOn = await second.alive()
  const { activeConnection } = await service.rest.charger(id)
  second.socket.terminate()
  return { held: alive && worked && goesOn && activeConnection, tookMillis }
}

it("readmits a charger whose old socket is half-open", { timeout: 300_000 }, () =>
  quickest.run(async ({ service }) => {
    await using proxy = await FaultProxy.listen(service.port)
    await service.rest.register([{ id: "T03-1", password }, { id: "T03-0" }], [])
    const [proved, open]: [Array<Round>, Array<Round>] = [[], []]
    for (let i = 0; i < share(100, 10); i++) proved.push(await round(service, proxy, "T03-1", password))
    for (let i = 0; i < share(10, 1); i++) open.push(await round(service, proxy, "T03-0"))
    report("T03", {
      "with a password": proved.length,
      "back in after at most ms": Math.round(Math.max(...proved.map(({ tookMillis }) => tookMillis))),
      "profile 0": open.length,
      "at most ms": Math.round(Math.max(...open.map(({ tookMillis }) => tookMillis)))
    })
    expect([...proved, ...open].filter(({ held }) => !held)).toEqual([])
  })
)
