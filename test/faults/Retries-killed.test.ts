/**
 * `kill -9` at random instants while a script posts with an `Idempotency-Key`, and repeats each request until it is answered: each thing is created
 * once, and no retry is refused.
 */
import { expect, it } from "vitest"
import { type Service, withService } from "../simulation/Process.ts"
import { randomOf, seed, share } from "../simulation/Choice.ts"

type Json = Readonly<Record<string, unknown>>

/** Repeats the request until there is an answer; the service may be unavailable for as long as its start takes. */
const untilAnswered = async (service: Service, path: string, body: Json, key: string): Promise<Json> => {
  const end = Date.now() + 60_000
  while (true) {
    try {
      const { status, text } = await service.rest.request("POST", path, body, { "idempotency-key": key })
      if (status < 300) return JSON.parse(text) as Json
      if (status < 500) throw new Error(`${path} ${key} was refused: ${status} ${text}`, { cause: "refused" })
    } catch (error) {
      if ((error instanceof Error && error.cause === "refused") || Date.now() > end) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** The ids of a list, in order. */
const idsOf = async (service: Service, path: string, name: string): Promise<ReadonlyArray<string>> => {
  const items = (await service.rest.list(path)) as ReadonlyArray<Json>
  return items.map((item) => String(item[name])).toSorted()
}

it("creates each site, card and command once, and refuses no retry, when the service is killed in between", async () => {
  const random = randomOf("Retries")
  const cycles = share(30, 4)
  await withService({}, async (service) => {
    const first = String((await untilAnswered(service, "sites", { name: "First" }, "first"))["id"])
    await untilAnswered(service, "chargers", { name: "K", chargerId: "KILLED-9" }, "charger")
    const made = { sites: new Set<string>(), tokens: new Set<string>(), commands: new Set<string>() }
    let n = 0
    const script = { isDone: false }
    const run = async () => {
      while (!script.isDone) {
        const turn = n++
        const command = { type: "ClearCache", expiresIn: 1 }
        made.sites.add(String((await untilAnswered(service, "sites", { name: `S ${turn}` }, `site ${turn}`))["id"]))
        made.tokens.add(String((await untilAnswered(service, "tokens", { uid: `C${turn}` }, `card ${turn}`))["uid"]))
        const issued = await untilAnswered(service, "chargers/KILLED-9/commands", command, `command ${turn}`)
        made.commands.add(String(issued["id"]))
      }
    }
    const running = run()
    for (let cycle = 0; cycle < cycles; cycle++) {
      await new Promise((resolve) => setTimeout(resolve, 50 + random() * 350))
      await service.kill("SIGKILL")
      await service.restart()
    }
    script.isDone = true
    await running
    const about = `seed ${seed}, ${n} of each`
    made.sites.add(first)
    expect(await idsOf(service, "sites", "id"), about).toEqual([...made.sites].toSorted())
    expect(await idsOf(service, "tokens", "uid"), about).toEqual([...made.tokens].toSorted())
    expect(await idsOf(service, "commands", "id"), about).toEqual([...made.commands].toSorted())
    expect([made.sites.size - 1, made.tokens.size, made.commands.size], about).toEqual([n, n, n])
  })
}, 600_000)
