/** When a silent charger is pinged, and when it counts as gone; time is the test's clock, pings and pongs are real. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { connect, eventLoopIterations, settle, until } from "./client.ts"
import { HandClock, startServer } from "./harness.ts"

/** A connected charger that has sent one message and been checked once, and counts the pings it gets. */
const start = async (options: { readonly autoPong: boolean }) => {
  const clock = new HandClock()
  const server = await startServer({ chargers: { CP1: {} }, clock })
  const client = await connect(server.port, "CP1", { autoPong: options.autoPong } as object)
  let pings = 0
  client.ws.on("ping", () => pings++)
  expect(await client.call("Heartbeat")).toMatchObject([3, "1", {}])
  clock.advance(5_000)
  await until(() => pings === 1, "the first ping")
  return {
    clock,
    client,
    server,
    pings: () => pings,
    /** Advances the clock, and lets pending messages arrive. */
    pass: async (seconds: number): Promise<void> => {
      for (let i = 0; i < seconds; i += 5) {
        clock.advance(5_000)
        await eventLoopIterations(5)
      }
    },
    closedBecause: () => server.inbox.of("CP1").closedBecause
  }
}

describe("a charger that answers pings", () => {
  it("is pinged after half a minute of silence, and is never disconnected", async () => {
    const charger = await start({ autoPong: true })
    await charger.pass(25)
    expect(charger.pings()).toBe(1)
    await charger.pass(15)
    expect(charger.pings()).toBe(2)
    await charger.pass(600)
    expect(charger.closedBecause()).toEqual([])
    expect(charger.pings()).toBeGreaterThan(15)
  })

  it("is disconnected at most 75 seconds after it went silent, and not before two pings", async () => {
    const charger = await start({ autoPong: true })
    charger.client.ws.pause()
    await charger.pass(65)
    expect(charger.closedBecause()).toEqual([])
    await charger.pass(10)
    await until(() => charger.closedBecause().length === 1, "the end")
    expect(charger.closedBecause()).toEqual(["does not answer pings"])
    expect(charger.server.metric("ocpp_closed_connections_total", { reason: "dead" })).toBe(1)
  })

  it("is not disconnected because this process was stalled", async () => {
    const charger = await start({ autoPong: true })
    charger.client.ws.pause()
    for (let i = 0; i < 5; i++) charger.clock.stall(300_000)
    expect(charger.closedBecause()).toEqual([])
  })

  it("is not disconnected while its mailbox is full and it is not read", async () => {
    const charger = await start({ autoPong: true })
    charger.server.inbox.of("CP1").line.pause()
    await charger.pass(300)
    expect(charger.closedBecause()).toEqual([])
    charger.server.inbox.of("CP1").line.resume()
    expect(await charger.client.call("Heartbeat", {}, "2")).toMatchObject([3, "2", {}])
  })
})

describe("a charger that never answers pings", () => {
  /** Sends one more message after pings were left unanswered, so that it is judged by its messages. */
  const talking = async () => {
    const charger = await start({ autoPong: false })
    await charger.pass(15)
    charger.client.received.length = 0
    expect(await charger.client.call("Heartbeat", {}, "still here")).toMatchObject([3, "still here", {}])
    return charger
  }

  it("stays connected by its messages", async () => {
    const charger = await talking()
    for (let i = 0; i < 3; i++) {
      await charger.pass(500)
      charger.client.received.length = 0
      expect(await charger.client.call("Heartbeat", {}, String(i))).toMatchObject([3, String(i), {}])
    }
    expect(charger.closedBecause()).toEqual([])
  })

  it("stays connected by its answers alone, for which it is asked before it would count as gone", async () => {
    const charger = await start({ autoPong: false })
    const mailbox = charger.server.inbox.of("CP1")
    const { doubted } = mailbox
    mailbox.doubted = () => {
      doubted.call(mailbox)
      mailbox.call(`doubt-${mailbox.doubts}`, { _tag: "TriggerMessage", requestedMessage: "Heartbeat" })
    }
    charger.client.ws.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as ReadonlyArray<unknown>
      if (frame[0] === 2) charger.client.send([4, String(frame[1]), "NotImplemented", "", {}])
    })
    await charger.pass(1000)
    expect(charger.closedBecause()).toEqual([])
    const { doubts, results } = mailbox
    expect(results).toHaveLength(doubts)
    expect(doubts).toBeGreaterThan(2)
    expect(doubts).toBeLessThan(6)
  })

  it("is disconnected after ten minutes without messages", async () => {
    const charger = await talking()
    await charger.pass(590)
    expect(charger.closedBecause()).toEqual([])
    await charger.pass(20)
    await until(() => charger.closedBecause().length === 1, "the end")
  })

  it("stays connected by pings of its own", async () => {
    const charger = await talking()
    for (let i = 0; i < 3; i++) {
      await charger.pass(500)
      const heard = new Promise((resolve) => charger.client.ws.once("pong", resolve))
      charger.client.ws.ping()
      await heard
    }
    expect(charger.closedBecause()).toEqual([])
  })

  it("is disconnected after 75 seconds if it never sent a pong, and is asked for a message before that", async () => {
    const charger = await start({ autoPong: false })
    await charger.pass(60)
    expect([charger.closedBecause(), charger.server.inbox.of("CP1").doubts]).toEqual([[], 1])
    await charger.pass(15)
    await until(() => charger.closedBecause().length === 1, "the end")
    expect(charger.closedBecause()).toEqual(["does not answer pings"])
  })
})

describe("a charger that sends nothing after its upgrade", () => {
  const silent = async (options: { readonly autoPong: boolean }) => {
    const clock = new HandClock()
    const server = await startServer({ chargers: { CP1: {} }, clock })
    const client = await connect(server.port, "CP1", { autoPong: options.autoPong } as object)
    const pass = async (seconds: number): Promise<void> => {
      for (let i = 0; i < seconds; i += 5) {
        clock.advance(5_000)
        await eventLoopIterations(5)
      }
    }
    return { client, pass, mailbox: server.inbox.of("CP1") }
  }

  it("stays connected while it answers pings, without being asked for a message", async () => {
    const { client, mailbox, pass } = await silent({ autoPong: true })
    await pass(900)
    expect([mailbox.closedBecause, mailbox.doubts]).toEqual([[], 0])
    expect(await client.call("Heartbeat")).toMatchObject([3, "1", {}])
  })

  it("stays connected by pings of its own", async () => {
    const { client, mailbox, pass } = await silent({ autoPong: false })
    for (let i = 0; i < 20; i++) {
      await pass(30)
      const heard = new Promise((resolve) => client.ws.once("pong", resolve))
      client.ws.ping()
      await heard
    }
    expect(mailbox.closedBecause).toEqual([])
  })

  it("is disconnected after 75 seconds if it answers nothing", async () => {
    const { mailbox, pass } = await silent({ autoPong: false })
    await pass(65)
    expect(mailbox.closedBecause).toEqual([])
    await pass(10)
    await until(() => mailbox.closedBecause.length === 1, "the end")
    expect(mailbox.closedBecause).toEqual(["does not answer pings"])
  })
})

describe("whether a charger answers a ping", () => {
  const ask = async (
    act: (client: Awaited<ReturnType<typeof connect>>) => void,
    { autoPong, millis = 30_000 }: { readonly autoPong: boolean; readonly millis?: number }
  ): Promise<boolean> => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1", { autoPong } as object)
    const answer = Effect.runPromise(server.inbox.of("CP1").line.answersPing(millis))
    act(client)
    return answer
  }

  it("is true for a pong", async () => {
    expect(await ask(() => {}, { autoPong: true })).toBe(true)
  })
  it("is true for any message instead", async () => {
    expect(await ask((client) => client.send([2, "1", "Heartbeat", {}]), { autoPong: false })).toBe(true)
  })
  it("is false for silence", async () => {
    expect(await ask(() => {}, { autoPong: false, millis: 100 })).toBe(false)
  })
  it("is false for a connection that ends in the meantime", async () => {
    expect(await ask((client) => client.ws.terminate(), { autoPong: false })).toBe(false)
  })

  it("is true for a paused connection, which stays paused", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    const client = await connect(server.port, "CP1")
    const mailbox = server.inbox.of("CP1")
    mailbox.line.pause()
    client.send([2, "1", "Heartbeat", {}])
    expect(await Effect.runPromise(mailbox.line.answersPing(30_000))).toBe(true)
    await settle()
    expect(mailbox.delivered).toEqual([])
    mailbox.line.resume()
    expect(await client.next()).toMatchObject([3, "1", {}])
  })

  it("can be checked several times at once, and cancelled", async () => {
    const server = await startServer({ chargers: { CP1: {} } })
    await connect(server.port, "CP1")
    const { line } = server.inbox.of("CP1")
    const given = Effect.runPromise(line.answersPing(60_000).pipe(Effect.timeoutOption(0)))
    expect(
      await Promise.all([line.answersPing(30_000), line.answersPing(30_000)].map((asked) => Effect.runPromise(asked)))
    ).toEqual([true, true])
    await given
  })
})
