/**
 * `npm run demo`: a town of chargers on this machine, with the real service, real OCPP over real sockets, and two roaming partners. Everything is
 * created in a temporary folder and removed at the end. It asks no questions, and listens on loopback only.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { build } from "./Build.ts"
import { breakages, firstMinute, type Stage } from "./Screenplay.ts"
import { Service } from "./Service.ts"
import { randomFrom } from "./Town.ts"

const help = `npm run demo -- [options]
  --chargers N   chargers of the town, 1 to 72 (72)
  --days N       days of history (7)
  --speed N      cars charge so many times faster than the clock (1)
  --seed N       another town for each number (1)
  --port N       of the service (8080, or another one that is free)
  --seconds N    ends by itself after so long
`

const { values } = parseArgs({
  options: {
    chargers: { type: "string", default: "72" },
    days: { type: "string", default: "7" },
    speed: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    port: { type: "string" },
    seconds: { type: "string" },
    help: { type: "boolean", default: false }
  }
})

const fail = (text: string): never => {
  process.stderr.write(`demo: ${text}\n`)
  process.exit(2)
}

const number = (name: string, text: string, least: number, most: number): number => {
  const value = Number(text)
  return value >= least && value <= most ? value : fail(`--${name} must be a number from ${least} to ${most}`)
}

if (values.help) {
  process.stdout.write(help)
  process.exit(0)
}
const chargerCount = number("chargers", values.chargers, 1, 72)
const days = number("days", values.days, 0, 30)
const speed = number("speed", values.speed, 0.1, 60)
const random = randomFrom(number("seed", values.seed, 0, 2 ** 32 - 1))
const seconds = values.seconds === undefined ? undefined : number("seconds", values.seconds, 1, 86_400)

/** A free port: the wanted one, or any. */
const freePort = (wanted: number): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(freePort(0)))
    server.listen(wanted, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : wanted))
    })
  })

const began = Date.now()
const say = (text: string): void => {
  process.stdout.write(`${`${Math.round((Date.now() - began) / 1000)} s`.padStart(7)}  ${text}\n`)
}

/** Past sessions a day at each connector, the share of connectors with a car at the start, and cars per connector and hour from then on. */
const perDay = 1.4
const busyShare = 0.6
const arrivalsPerHour = 1.5
const tickMillis = 1_000

const dataDir = mkdtempSync(join(tmpdir(), "voltlane-demo-"))
const port = await freePort(values.port === undefined ? 8080 : number("port", values.port, 1, 65_535))
const service = new Service({ port, dataDir: join(dataDir, "data") })
process.once("exit", () => {
  service.kill()
  rmSync(dataDir, { recursive: true, force: true })
})

say("starting the service on a database of its own")
await service.start()
const built = await build(service, { random, chargers: chargerCount, speed, say })
const stage: Stage = { ...built, service, random, say }

for (const charger of built.chargers) {
  charger.remember(days, perDay, busyShare)
  charger.start()
}

process.stdout.write(`
  The town is at work. The console, signed in:

    ${service.link}

  REST, with its key:

    curl -s ${service.url}/cpo/v2/statistics -H 'x-api-key: ${service.apiKey}'

  API page   ${service.url}/cpo/docs

  Break something:
${breakages.map(({ key, title }) => `    ${key}  ${title}`).join("\n")}
    q  end

`)

let isEnding = false
const end = async (): Promise<void> => {
  if (isEnding) return
  isEnding = true
  say("ending")
  clearInterval(ticks)
  for (const charger of built.chargers) charger.stop()
  await service.stop()
  await Promise.all(built.partners.map(({ partner }) => partner.server.down()))
  process.exit(0)
}

let last = Date.now()
let historyDone = false
const ticks = setInterval(() => {
  const now = Date.now()
  for (const charger of built.chargers) charger.tick(now, historyDone ? arrivalsPerHour * speed : 0, now - last)
  last = now
  const waiting = built.chargers.reduce((sum, { backlog }) => sum + backlog, 0)
  if (!historyDone && waiting < built.chargers.length / 4) {
    historyDone = true
    const charging = built.chargers.reduce((sum, one) => sum + one.charging, 0)
    say(`${days} days of history are stored; ${charging} cars are charging`)
  }
}, tickMillis)

for (const [second, play] of firstMinute) setTimeout(() => void play(stage), second * 1000)
if (seconds !== undefined) setTimeout(() => void end(), seconds * 1000)
process.once("SIGINT", () => void end())
process.once("SIGTERM", () => void end())

if (process.stdin.isTTY) {
  process.stdin.setRawMode(true)
  process.stdin.setEncoding("utf8").on("data", (keys: string) => {
    for (const key of keys) {
      if (key === "q" || key === "\u0003") void end()
      else void breakages.find((one) => one.key === key)?.play(stage)
    }
  })
}
