/**
 * A process whose disk fills up: chargers reconnect and send heartbeats while transactions wait for room, files are refused long before, and
 * everything works again once there is room. A module that the process loads first simulates the disk.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { until } from "../simulation/Wait.ts"
import { Connection, dial } from "../simulation/Dial.ts"
import { apiKey, withService } from "../simulation/Process.ts"

const MiB = 1024 * 1024

const madeUpDisk = `
  import fs from "node:fs"
  import { syncBuiltinESMExports } from "node:module"
  fs.promises.statfs = async () => ({ bavail: Number(fs.readFileSync(process.env.FREE_BYTES_FILE, "utf8")), bsize: 1 })
  syncBuiltinESMExports()
`

/** Each has a different meter reading, since a repeated start needs no write. */
let meterStart = 0
const starting = () => ({
  connectorId: 1,
  idTag: "CARD",
  meterStart: meterStart++,
  timestamp: "2026-01-01T00:00:00Z"
})

it.skipIf(process.versions["deno"] !== undefined)(
  "lets chargers reconnect and send heartbeats on a nearly full disk, until half of the reserve is used",
  { timeout: 60_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "voltlane-disk-"))
    const file = join(folder, "free")
    const free = (mebibytes: number) => writeFileSync(file, String(mebibytes * MiB))
    free(2_000)
    const env = {
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(madeUpDisk)}`,
      FREE_BYTES_FILE: file
    }
    await withService({ env }, async (service) => {
      await service.rest.register([{ id: "FULL-1" }], ["CARD"])
      const upload = async () => {
        const answer = await fetch(`${service.url}/cpo/v2/files`, {
          method: "POST",
          headers: { "x-api-key": apiKey, "content-type": "application/octet-stream" },
          body: "an image"
        })
        return answer.status
      }
      const isReady = async () => (await service.status("/readyz")) === 200
      /** What a charger gets that connects and disconnects: whether it is admitted, and the answer to a transaction's start. */
      const comes = async () => {
        const charger = await dial(service.ocppUrl, "FULL-1")
        if (!(charger instanceof Connection)) return charger
        const isAlive = await charger.alive()
        const answer = await charger.call("StartTransaction", starting())
        charger.socket.close()
        await until(
          () => "the socket is closed",
          5_000,
          () => charger.code !== undefined
        )
        return [isAlive, typeof answer === "string" ? answer : "started"]
      }
      expect([await comes(), await upload()]).toEqual([[true, "started"], 201])
      free(500)
      await until(
        () => "files are refused",
        5_000,
        async () => (await upload()) === 503
      )
      expect([await comes(), await isReady()]).toEqual([[true, "started"], true])
      free(63)
      await until(
        () => "the disk is found full",
        5_000,
        async () => !(await isReady())
      )
      // The session itself becomes read-only within a second.
      await new Promise((resume) => setTimeout(resume, 1_500))
      expect([await comes(), await comes()]).toEqual([
        [true, "InternalError"],
        [true, "InternalError"]
      ])
      free(31)
      await new Promise((resume) => setTimeout(resume, 500))
      expect(await comes()).toBe(503)
      free(2_000)
      await until(
        () => "there is room again",
        5_000,
        async () => (await isReady()) && (await upload()) === 201
      )
      expect(await comes()).toEqual([true, "started"])
    })
    rmSync(folder, { recursive: true })
  }
)
