/**
 * T06 and T07: what one charger can do to another, over real sockets. Naming its transaction changes no row of it and is recorded; answers to calls
 * that were sent to another charger, or never sent, are dropped.
 */
import { expect, it } from "vitest"
import type { Json } from "../support/restApp.ts"
import { eventually, threatDrivers, WireCharger, type World } from "./world.ts"

const limitMillis = 240_000

const boot = { chargePointVendor: "V", chargePointModel: "M" }
const time = "2026-11-20T10:00:00.000Z"
const stoppedAt = "2026-11-20T11:00:00.000Z"

const registered = async (world: World, ids: ReadonlyArray<string>): Promise<void> => {
  await world.done("POST", "/cpo/v2/sites", { body: { name: "Site" } })
  for (const chargerId of ids) await world.done("POST", "/cpo/v2/chargers", { body: { name: chargerId, chargerId } })
  await world.done("POST", "/cpo/v2/tokens", { body: { uid: "CARD-A" } })
}

/** All that REST shows of a charger and its sessions, except when and with what it was last heard from, since it still answers calls. */
const viewOf = async (world: World, chargerId: string): Promise<string> => {
  const { lastMessage: _, lastSeen: __, ...charger } = await world.done("GET", `/cpo/v2/chargers/${chargerId}`)
  const { items } = await world.done("GET", `/cpo/v2/sessions?chargerId=${chargerId}`)
  const sessions = await Promise.all(
    items.map(({ id }: Json) => world.done("GET", `/cpo/v2/sessions/${id}?include=meterValues`))
  )
  return JSON.stringify({ charger, sessions })
}

/** Every message that can name a transaction, and every other one with a transaction added. */
const attacks = (transactionId: number): ReadonlyArray<readonly [action: string, payload: Json]> => {
  const meterValue = [{ timestamp: time, sampledValue: [{ value: "999999" }] }]
  const stop = { idTag: "CARD-A", meterStop: 999_999, timestamp: stoppedAt }
  const odd: ReadonlyArray<Json> = [
    transactionId,
    String(transactionId),
    `${transactionId}.0`,
    [transactionId],
    { id: transactionId }
  ]
  return [
    ...odd.flatMap((id): ReadonlyArray<readonly [string, Json]> => [
      ["MeterValues", { connectorId: 1, transactionId: id, meterValue }],
      ["StopTransaction", { ...stop, transactionId: id }],
      ["StopTransaction", { ...stop, transactionId: id, transactionData: meterValue, reason: "Remote" }]
    ]),
    ["StopTransaction", { transactionId, meterStop: 0, timestamp: time }],
    ["StopTransaction", { transactionId, meterStop: "x", timestamp: {} }],
    ["StopTransaction", { ...stop, transactionId: -1 }],
    [
      "StartTransaction",
      {
        connectorId: 1,
        idTag: "CARD-A",
        meterStart: 1000,
        timestamp: time,
        transactionId,
        reservationId: transactionId
      }
    ],
    ["MeterValues", { connectorId: 1, transactionId, meterValue: "x" }],
    [
      "StatusNotification",
      { connectorId: 1, status: "Faulted", errorCode: "OtherError", transactionId, info: String(transactionId) }
    ],
    ["BootNotification", { ...boot, transactionId, chargeBoxSerialNumber: String(transactionId) }],
    ["Authorize", { idTag: String(transactionId), transactionId }],
    ["Heartbeat", { transactionId }],
    ["DataTransfer", { vendorId: "V", messageId: "StopTransaction", data: JSON.stringify({ ...stop, transactionId }) }],
    ["DiagnosticsStatusNotification", { status: "Uploaded", transactionId }],
    ["FirmwareStatusNotification", { status: "Installed", transactionId }],
    ["LogStatusNotification", { status: "Uploaded", requestId: transactionId }],
    ["SignedFirmwareStatusNotification", { status: "Installed", requestId: transactionId }],
    ["SecurityEventNotification", { type: "X", timestamp: time, techInfo: String(transactionId), transactionId }],
    ["SignCertificate", { csr: String(transactionId), transactionId }]
  ]
}

for (const { missing, name, run } of threatDrivers) {
  it.skipIf(missing)(
    `lets no charger affect another one's transaction by naming it (${name})`,
    { timeout: limitMillis },
    () =>
      run(async (world) => {
        await registered(world, ["T06-victim", "T06-attacker"])
        const [victim, attacker] = await Promise.all(
          ["T06-victim", "T06-attacker"].map((id) => WireCharger.connect(world.service.ocppUrl, id))
        )
        if (victim === undefined || attacker === undefined) throw new Error("not connected")
        await victim.call("BootNotification", boot)
        await attacker.call("BootNotification", boot)
        await victim.call("StatusNotification", {
          connectorId: 1,
          status: "Charging",
          errorCode: "NoError",
          timestamp: time
        })
        const [, , started] = await victim.call("StartTransaction", {
          connectorId: 1,
          idTag: "CARD-A",
          meterStart: 1000,
          timestamp: time
        })
        const { transactionId } = started
        expect(transactionId).toBeGreaterThan(0)
        const metered = { timestamp: time, sampledValue: [{ value: "1500" }] }
        await victim.call("MeterValues", { connectorId: 1, transactionId, meterValue: [metered] })
        const before = await viewOf(world, "T06-victim")
        const results = []
        for (const [action, payload] of attacks(transactionId)) {
          const [type, , answer] = await attacker.call(action, payload)
          results.push(`${action} ${type === 3 ? "answered" : answer}`)
          expect(await viewOf(world, "T06-victim"), `${action} ${JSON.stringify(payload)}`).toBe(before)
        }
        expect(results.filter((result) => /^(Start|Stop|Meter).*(?<!answered)$/.test(result))).toEqual([])
        expect(
          (await world.done("GET", "/cpo/v2/sessions?chargerId=T06-attacker")).items.map(
            (one: Json) => one.transactionId
          )
        ).not.toContain(transactionId)
        // Only the victim's own stop ends it, with its own figures.
        await victim.call("StopTransaction", { transactionId, idTag: "CARD-A", meterStop: 2500, timestamp: stoppedAt })
        const { items } = await world.done("GET", "/cpo/v2/sessions?chargerId=T06-victim")
        expect(items).toHaveLength(1)
        expect(items[0]).toMatchObject({
          status: "COMPLETED",
          energyWh: 1500,
          meterStopWh: 2500,
          heldReason: null,
          chargerId: "T06-victim"
        })
        await world.truth(async (query) => {
          const alarms = await query(`SELECT subject FROM journal WHERE type = 'SecurityEventRecorded'
          AND body ->> 'event' = 'ForeignTransactionId' AND body ->> 'detail' LIKE '%${transactionId}%'`)
          expect(new Set(alarms.map(({ subject }) => subject))).toEqual(new Set(["charger:T06-attacker"]))
          const strays = await query(`SELECT 1 FROM meter WHERE charger_id = 'T06-attacker' AND session_id IN (
          SELECT id FROM session WHERE charger_id = 'T06-victim')`)
          expect(strays).toEqual([])
          const ends = await query(
            `SELECT subject FROM journal WHERE type = 'SessionEnded' AND body ->> 'sessionId' = '${items[0].id}'`
          )
          expect(ends).toEqual([{ subject: "charger:T06-victim" }])
        })
      })
  )

  it.skipIf(missing)(`drops unexpected answers, and accepts the expected one (${name})`, { timeout: limitMillis }, () =>
    run(async (world) => {
      await registered(world, ["T07-asked", "T07-other"])
      const [asked, other] = await Promise.all(
        ["T07-asked", "T07-other"].map((id) => WireCharger.connect(world.service.ocppUrl, id))
      )
      if (asked === undefined || other === undefined) throw new Error("not connected")
      // Only the question that comes first is answered.
      const triggered = (action: string, id: string) =>
        action === "TriggerMessage" ? JSON.stringify([3, id, { status: "NotImplemented" }]) : undefined
      asked.onCall = triggered
      other.onCall = triggered
      await asked.call("BootNotification", boot)
      await other.call("BootNotification", boot)
      const [id, othersId] = await Promise.all([asked.called("GetConfiguration"), other.called("GetConfiguration")])
      expect(id).not.toBe(othersId)
      const answer = (messageId: string, value: string) =>
        JSON.stringify([
          3,
          messageId,
          { configurationKey: [{ key: "Spoofed", readonly: false, value }], unknownKey: [] }
        ])
      const guesses = [
        ...Array.from({ length: 120 }, () => crypto.randomUUID()),
        ...Array.from({ length: 20 }, (_, n) => String(n)),
        id.toUpperCase(),
        `${id} `,
        ` ${id}`,
        id.slice(0, -1),
        "",
        othersId
      ].filter((guess) => guess !== id)
      for (const guess of guesses) asked.send(answer(guess, "guessed"))
      // The other charger knows the message id of the first one's call, and answers in its place.
      other.send(answer(id, "for another charger"))
      other.send(JSON.stringify([4, id, "InternalError", "for another charger", {}]))
      await asked.call("Heartbeat", {})
      await other.call("Heartbeat", {})
      const configurationOf = async (chargerId: string) =>
        (await world.done("GET", `/cpo/v2/chargers/${chargerId}/configuration`)).items.map(({ value }: Json) => value)
      expect(await configurationOf("T07-asked")).toEqual([])
      expect(await configurationOf("T07-other")).toEqual([])
      const metrics = (await world.ask("GET", "/metrics")).text
      const dropped = [...metrics.matchAll(/^[a-z_]+\{[^}]*reason="unmatched"[^}]*\} (\d+)/gm)].map(([, n]) =>
        Number(n)
      )
      expect(dropped).toEqual([guesses.length + 2])
      asked.send(answer(id, "true"))
      await eventually("the true answer is taken", async () => (await configurationOf("T07-asked")).length > 0)
      asked.send(answer(id, "said again"))
      await asked.call("Heartbeat", {})
      expect(await configurationOf("T07-asked")).toEqual(["true"])
      expect(await configurationOf("T07-other")).toEqual([])
    })
  )
}
