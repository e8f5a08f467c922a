/** What happens in the demo by itself in its first minute, and what its visitor can break. */
import type { Built } from "./Build.ts"
import type { Service } from "./Service.ts"
import { pick, type Random } from "./Town.ts"

export interface Stage extends Built {
  readonly service: Service
  readonly random: Random
  readonly say: (text: string) => void
}

export interface Scene {
  readonly key: string
  readonly title: string
  readonly play: (stage: Stage) => Promise<void> | void
}

const busy = ({ chargers, random }: Stage) => {
  const some = chargers.filter(({ charging, isOnline }) => charging > 0 && isOnline)
  return some.length === 0 ? undefined : pick(random, some)
}

/** How long a partner is away. */
const awayMillis = 40_000

const stopPartner = async ({ partners, say }: Stage): Promise<void> => {
  const one = partners.at(-1)
  if (one === undefined) return
  say(`${one.name} is down: records and statuses wait for it`)
  await one.partner.server.down()
  setTimeout(
    () => void one.partner.server.up().then(() => say(`${one.name} is back, and gets what waited`)),
    awayMillis
  )
}

/** What a visitor can trigger with one key. */
export const breakages: ReadonlyArray<Scene> = [
  {
    key: "1",
    title: "pull a cable",
    play: (stage) => {
      const one = busy(stage)
      if (one?.pullCable() === true) stage.say(`the cable at ${one.plan.name} was pulled`)
    }
  },
  {
    key: "2",
    title: "cut a line for a minute",
    play: (stage) => {
      const one = pick(stage.random, stage.chargers)
      one.loseLine(60_000)
      stage.say(`${one.plan.name} has lost its line; it comes back in a minute with all that it had to say`)
    }
  },
  {
    key: "3",
    title: "trip a breaker",
    play: (stage) => {
      const one = busy(stage) ?? pick(stage.random, stage.chargers)
      one.fail("GroundFailure", "RCD tripped", 10 * 60_000)
      stage.say(`${one.plan.name} reports GroundFailure until it is reset, or for ten minutes`)
    }
  },
  {
    key: "4",
    title: "make a meter lose its count",
    play: (stage) => {
      const one = busy(stage)
      if (one?.loseCount() === true)
        stage.say(`the meter of ${one.plan.name} fell: its session is held until you have looked at it`)
    }
  },
  { key: "5", title: "stop a partner for 40 s", play: stopPartner },
  {
    key: "6",
    title: "restart the service",
    play: async ({ say, service }) => {
      say("the service stops; chargers keep what they have to say")
      await service.stop()
      await service.start()
      say("the service is back")
    }
  }
]

const breakage = (key: string, stage: Stage) => breakages.find((one) => one.key === key)?.play(stage)

/** A campaign for one model. Chargers without a car come first, since the others wait for their car to leave. */
const beginCampaign = async ({ chargers, say, service }: Stage): Promise<void> => {
  const make = "AMTRON Professional"
  const version = "5.23.0"
  const image = new Uint8Array(200_000).fill(7)
  const fileId = await service.storeFirmware(`amtron-${version}.bin`, image)
  const chosen = chargers
    .filter(({ plan }) => plan.make.model === make)
    .toSorted((one, other) => one.charging - other.charging)
  await service.ask("POST", "firmware-campaigns", {
    name: `${make} to ${version}`,
    fileId,
    version,
    chargerIds: chosen.map(({ plan }) => plan.chargerId),
    waves: [1, "25%"],
    perMinute: 20
  })
  say(`${chosen.length} chargers of ${make} are updated to ${version}, in waves`)
}

/** The events of the first minute, in seconds from its beginning. */
export const firstMinute: ReadonlyArray<readonly [second: number, play: Scene["play"]]> = [
  [20, (stage) => breakage("3", stage)],
  [25, beginCampaign],
  [
    30,
    (stage) => {
      const one = pick(stage.random, stage.chargers)
      one.loseLine(45_000)
      stage.say(`${one.plan.name} is silent for 45 s`)
    }
  ],
  [40, (stage) => breakage("4", stage)],
  [50, (stage) => breakage("5", stage)]
]
