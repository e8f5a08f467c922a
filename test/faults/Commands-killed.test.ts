/**
 * `kill -9` before a command is sent, while the charger has it, and after it has answered. Every command ends with its true outcome, none is sent
 * twice, and commands that may wait for their charger are sent after the service has restarted.
 */
import { describe, expect, it } from "vitest"
import { Station } from "../cases/Station.ts"
import { type Service, withService } from "../simulation/Process.ts"
import { until } from "../simulation/Wait.ts"

type Json = Readonly<Record<string, unknown>>

const ask = async (service: Service, method: string, path: string, body?: unknown): Promise<Json> => {
  const { status, text } = await service.rest.request(method, path, body)
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
  return JSON.parse(text) as Json
}

const setUp = async (service: Service, chargerId: string): Promise<void> => {
  await ask(service, "POST", "sites", { name: "Killed" })
  await ask(service, "POST", "chargers", { name: chargerId, chargerId })
}

const connected = async (service: Service, chargerId: string): Promise<Station> => {
  const station = new Station(service.ocppUrl, chargerId)
  await station.connect()
  await station.boot()
  await station.status(1, "Available")
  return station
}

const reset = (service: Service, chargerId: string, more: Json = {}) =>
  ask(service, "POST", `chargers/${chargerId}/commands`, { type: "Reset", resetType: "Soft", ...more })

const ended = async (service: Service, id: unknown): Promise<Json> => {
  let last: Json = {}
  await until(
    () => `the command has ended: ${JSON.stringify(last)}`,
    30_000,
    async () => {
      last = await ask(service, "GET", `commands/${String(id)}`)
      return last["completedAt"] !== null
    }
  )
  return last
}

describe("commands and kill -9", () => {
  it("ends as failed a command that the charger had not answered, and never sends it again", async () => {
    await withService({}, async (service) => {
      await setUp(service, "KILLED-1")
      const station = await connected(service, "KILLED-1")
      station.on("Reset", () => new Promise(() => {}))
      const { id } = await reset(service, "KILLED-1")
      await until(
        () => "the charger has it",
        10_000,
        () => station.asked("Reset").length === 1
      )
      await service.kill("SIGKILL")
      await station.close()
      await service.restart()
      expect(await ended(service, id)).toMatchObject({ status: "Failed", result: { errorCode: "ConnectionLost" } })
      const again = await connected(service, "KILLED-1")
      again.on("Reset", { status: "Accepted" })
      const { id: next } = await reset(service, "KILLED-1")
      expect(await ended(service, next)).toMatchObject({ status: "Accepted" })
      expect(again.asked("Reset")).toHaveLength(1)
      await again.close()
    })
  })

  it("sends a waiting command once when its charger connects, although the process was killed meanwhile", async () => {
    await withService({}, async (service) => {
      await setUp(service, "KILLED-2")
      const { id } = await reset(service, "KILLED-2", { expiresIn: 600 })
      await service.kill("SIGKILL")
      await service.restart()
      expect(await ask(service, "GET", `commands/${String(id)}`)).toMatchObject({ status: "Pending" })
      const station = new Station(service.ocppUrl, "KILLED-2").on("Reset", { status: "Accepted" })
      await station.connect()
      await station.boot()
      expect(await ended(service, id)).toMatchObject({ status: "Accepted", result: { status: "Accepted" } })
      await service.kill("SIGKILL")
      await station.close()
      await service.restart()
      expect(await ended(service, id)).toMatchObject({ status: "Accepted" })
      const again = await connected(service, "KILLED-2")
      const { id: question } = await ask(service, "POST", "chargers/KILLED-2/commands?wait=20", {
        type: "GetConfiguration"
      })
      expect(await ended(service, question)).toMatchObject({ status: "Accepted" })
      expect([...station.asked("Reset"), ...again.asked("Reset")]).toHaveLength(1)
      await again.close()
    })
  })
})
