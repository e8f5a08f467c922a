/** The Core cases in which the operator acts: starts, stops, resets, unlocks, configures. Each reads the result from REST. */
import { describe, expect, it } from "vitest"
import { World } from "./World.ts"

const world = new World()

describe("OCPP 1.6 Core, remote control", () => {
  it("TC_010 starts a session remotely after the plug, and the command names the session", async () => {
    const { id, station } = await world.station()
    const idTag = await world.card()
    station.on("RemoteStartTransaction", { status: "Accepted" })
    await station.status(1, "Preparing")
    const command = await world.command(id, "RemoteStart", { idTag, connectorId: 1 })
    expect(command).toMatchObject({ status: "Accepted", result: { status: "Accepted" }, sessionId: null })
    expect(station.asked("RemoteStartTransaction")).toEqual([{ idTag, connectorId: 1 }])
    await station.start(1, idTag)
    const session = await world.sessionOf(id)
    expect(await world.get(`commands/${command.id}`)).toMatchObject({
      sessionId: session["id"],
      effect: "SessionStarted"
    })
  })

  it("TC_011_1 starts a session remotely before the plug", async () => {
    const { id, station } = await world.station()
    const idTag = await world.card()
    station.on("RemoteStartTransaction", { status: "Accepted" })
    const command = await world.command(id, "RemoteStart", { idTag })
    expect(station.asked("RemoteStartTransaction")).toEqual([{ idTag }])
    await station.status(2, "Preparing")
    await station.start(2, idTag)
    expect((await world.get(`commands/${command.id}`))["sessionId"]).toBe((await world.sessionOf(id))["id"])
  })

  it("TC_011_2 shows no session for a remote start after which no driver plugged in", async () => {
    const { id, station } = await world.station()
    station.on("RemoteStartTransaction", { status: "Accepted" })
    const command = await world.command(id, "RemoteStart", { idTag: await world.card(), connectorId: 1 })
    await station.status(1, "Preparing")
    await station.status(1, "Available")
    expect(await world.get(`commands/${command.id}`)).toMatchObject({ status: "Accepted", sessionId: null })
  })

  it("TC_012 stops a session remotely, by its session id", async () => {
    const { id, station } = await world.station()
    station.on("RemoteStopTransaction", { status: "Accepted" })
    const { id: transactionId } = await station.start(1, await world.card())
    const { id: sessionId } = await world.sessionOf(id)
    const command = await world.command(id, "RemoteStop", { sessionId })
    expect(command).toMatchObject({ status: "Accepted", sessionId })
    expect(station.asked("RemoteStopTransaction")).toEqual([{ transactionId }])
    await station.stop(transactionId, { reason: "Remote" })
    expect(await world.get(`commands/${command.id}`)).toMatchObject({ sessionId, effect: "SessionEnded" })
  })

  for (const { id: tc, type } of [
    { id: "TC_013", type: "Hard" },
    { id: "TC_014", type: "Soft" }
  ]) {
    it(`${tc} resets the charger (${type}), which reconnects and stops its session`, async () => {
      const { id, station } = await world.station()
      station.on("Reset", { status: "Accepted" })
      const { id: transactionId } = await station.start(1, await world.card())
      expect(await world.command(id, "Reset", { resetType: type })).toMatchObject({ status: "Accepted" })
      expect(station.asked("Reset")).toEqual([{ type }])
      if (type === "Soft") await station.stop(transactionId, { reason: "SoftReset" })
      await station.close()
      const { station: again } = await world.station(id)
      if (type === "Hard") await again.stop(transactionId, { reason: "HardReset" })
      expect(await world.sessionOf(id)).toMatchObject({ status: "COMPLETED", stopReason: `${type}Reset` })
    })
  }

  const unlocks = [
    { id: "TC_017_1", what: "of a socket", answer: "Unlocked", status: "Accepted" },
    { id: "TC_017_2", what: "of a fixed cable", answer: "NotSupported", status: "Rejected" },
    { id: "TC_030", what: "that fails", answer: "UnlockFailed", status: "Rejected" }
  ]
  for (const { answer, id: tc, status, what } of unlocks) {
    it(`${tc} shows the result of an unlock ${what}`, async () => {
      const { id, station } = await world.station()
      station.on("UnlockConnector", { status: answer })
      const command = await world.command(id, "UnlockConnector", { connectorId: 1 })
      expect(command).toMatchObject({ status, result: { status: answer } })
      expect(station.asked("UnlockConnector")).toEqual([{ connectorId: 1 }])
    })
  }

  it("TC_018_1 unlocks while a session runs, which the charger then stops", async () => {
    const { id, station } = await world.station()
    station.on("UnlockConnector", { status: "Unlocked" })
    const { id: transactionId } = await station.start(1, await world.card())
    expect(await world.command(id, "UnlockConnector", { connectorId: 1 })).toMatchObject({ status: "Accepted" })
    await station.stop(transactionId, { reason: "UnlockCommand" })
    expect(await world.sessionOf(id)).toMatchObject({ status: "COMPLETED", stopReason: "UnlockCommand" })
  })

  it("TC_031 shows that a charger does not know the connector to unlock", async () => {
    const { id, station } = await world.station()
    station.on("UnlockConnector", { status: "NotSupported" })
    const command = await world.command(id, "UnlockConnector", { connectorId: 9 })
    expect(command).toMatchObject({ status: "Rejected", result: { status: "NotSupported" } })
  })

  it("TC_019_1 retrieves all configuration keys", async () => {
    const { id, station } = await world.station()
    const command = await world.command(id, "GetConfiguration")
    expect(command).toMatchObject({
      status: "Accepted",
      result: { configurationKey: [{ key: "HeartbeatInterval" }, {}] }
    })
    expect(station.asked("GetConfiguration").at(-1)).toEqual({})
    await world.eventually("the configuration is shown", `chargers/${id}/configuration`, ({ items }) =>
      JSON.stringify(items).includes("HeartbeatInterval")
    )
  })

  it("TC_019_2 retrieves one configuration key", async () => {
    const { id, station } = await world.station()
    station.on("GetConfiguration", {
      configurationKey: [{ key: "SupportedFeatureProfiles", readonly: true, value: "Core" }]
    })
    const command = await world.command(id, "GetConfiguration", { key: ["SupportedFeatureProfiles"] })
    expect(command.result).toMatchObject({ configurationKey: [{ value: "Core" }] })
    expect(station.asked("GetConfiguration").at(-1)).toEqual({ key: ["SupportedFeatureProfiles"] })
  })

  const changes = [
    {
      id: "TC_021",
      what: "that the charger accepts",
      answer: "Accepted",
      status: "Accepted",
      key: "MeterValueSampleInterval",
      value: "60"
    },
    {
      id: "TC_040_1",
      what: "of a key that the charger does not know",
      answer: "NotSupported",
      status: "Rejected",
      key: "NoSuchKey",
      value: "1"
    },
    {
      id: "TC_040_2",
      what: "to an invalid value",
      answer: "Rejected",
      status: "Rejected",
      key: "MeterValueSampleInterval",
      value: "-1"
    }
  ]
  for (const { answer, id: tc, key, status, value, what } of changes) {
    it(`${tc} shows the result of a configuration change ${what}`, async () => {
      const { id, station } = await world.station()
      station.on("ChangeConfiguration", { status: answer })
      expect(await world.command(id, "ChangeConfiguration", { key, value })).toMatchObject({
        status,
        result: { status: answer }
      })
      expect(station.asked("ChangeConfiguration")).toEqual([{ key, value }])
    })
  }

  it("TC_026 shows that a remote start was rejected", async () => {
    const { id, station } = await world.station()
    station.on("RemoteStartTransaction", { status: "Rejected" })
    const command = await world.command(id, "RemoteStart", { idTag: await world.card(), connectorId: 1 })
    expect(command).toMatchObject({ status: "Rejected", result: { status: "Rejected" }, sessionId: null })
  })

  it("TC_028 shows that a remote stop was rejected", async () => {
    const { id, station } = await world.station()
    station.on("RemoteStopTransaction", { status: "Rejected" })
    const command = await world.command(id, "RemoteStop", { transactionId: 4711 })
    expect(command).toMatchObject({ status: "Rejected", sessionId: null })
  })

  it("TC_061 clears the charger's cache of cards", async () => {
    const { id, station } = await world.station()
    station.on("ClearCache", { status: "Accepted" })
    expect(await world.command(id, "ClearCache")).toMatchObject({ status: "Accepted" })
    expect(station.asked("ClearCache")).toEqual([{}])
  })
})
