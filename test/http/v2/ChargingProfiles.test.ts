/** Charging profiles over REST: the profiles in force, the composite schedule, and what the charger reported. */
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { profilesOf } from "../../support/fakeProfiles.ts"
import { aFakeSession } from "../../support/fakeSessions.ts"
import { fakeApp, withCharger } from "../../support/restApp.ts"

const now = Date.UTC(2026, 4, 20, 12)
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString()

let app: Awaited<ReturnType<typeof fakeApp>>

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now })
  app = await fakeApp()
  const { siteId } = await withCharger(app.ask, app.key, "CP-1")
  const organisationId = app.own.organisationId
  aFakeSession(app.world, { organisationId, chargerId: "CP-1", siteId, transactionId: "7", startedAt: now - 600_000 })
  profilesOf(app.world).inForce.set("CP-1", [
    {
      evseId: 0,
      setAt: now - 7200_000,
      profile: {
        profileId: 1,
        stackLevel: 0,
        purpose: "ChargePointMaxProfile",
        kind: "Recurring",
        recurrency: "Daily",
        validFrom: now - 86_400_000,
        schedule: { startSchedule: now - 3600_000, chargingRateUnit: "A", periods: [{ startPeriod: 0, limit: 20 }] }
      }
    },
    {
      evseId: 1,
      setAt: now - 600_000,
      profile: {
        profileId: 2,
        transactionId: 7,
        stackLevel: 0,
        purpose: "TxProfile",
        kind: "Relative",
        schedule: {
          chargingRateUnit: "A",
          periods: [
            { startPeriod: 0, limit: 6, numberPhases: 1 },
            { startPeriod: 900, limit: 32 }
          ]
        }
      }
    }
  ])
})
afterEach(async () => {
  vi.useRealTimers()
  await app.close()
})

it("lists the profiles in force with OCPP 1.6's field names", async () => {
  const { json, status } = await app.ask("GET", "/cpo/v2/chargers/CP-1/charging-profiles", { key: app.key })
  expect(status).toBe(200)
  expect(json).toEqual({
    nextCursor: null,
    items: [
      {
        connectorId: 0,
        evseId: 0,
        setAt: at(-7200),
        chargingProfile: {
          chargingProfileId: 1,
          stackLevel: 0,
          chargingProfilePurpose: "ChargePointMaxProfile",
          chargingProfileKind: "Recurring",
          recurrencyKind: "Daily",
          validFrom: at(-86_400),
          chargingSchedule: {
            startSchedule: at(-3600),
            chargingRateUnit: "A",
            chargingSchedulePeriod: [{ startPeriod: 0, limit: 20 }]
          }
        }
      },
      {
        connectorId: 1,
        evseId: 1,
        setAt: at(-600),
        chargingProfile: {
          chargingProfileId: 2,
          transactionId: 7,
          stackLevel: 0,
          chargingProfilePurpose: "TxProfile",
          chargingProfileKind: "Relative",
          chargingSchedule: {
            chargingRateUnit: "A",
            chargingSchedulePeriod: [
              { startPeriod: 0, limit: 6, numberPhases: 1 },
              { startPeriod: 900, limit: 32 }
            ]
          }
        }
      }
    ]
  })
})

const composite = (query: string) =>
  app.ask("GET", `/cpo/v2/chargers/CP-1/composite-schedule?${query}`, { key: app.key })

it("computes the composite schedule, including the running transaction at the connector", async () => {
  const { json, status } = await composite("connectorId=1&duration=3600")
  expect([status, json]).toEqual([
    200,
    {
      connectorId: 1,
      computed: {
        duration: 3600,
        startSchedule: at(0),
        chargingRateUnit: "A",
        chargingSchedulePeriod: [
          { startPeriod: 0, limit: 6, numberPhases: 1 },
          { startPeriod: 300, limit: 20 }
        ]
      },
      reported: null,
      differences: null
    }
  ])
  expect((await composite("chargingRateUnit=W&connectorId=1")).json.computed.chargingSchedulePeriod).toEqual([
    { startPeriod: 0, limit: 1380, numberPhases: 1 },
    { startPeriod: 300, limit: 13800 }
  ])
  expect((await composite("")).json.computed).toMatchObject({
    duration: 86_400,
    chargingSchedulePeriod: [{ startPeriod: 0, limit: 20 }]
  })
})

it("lists where the charger's last answer differs, in the charger's unit and from its start time", async () => {
  const answer = {
    status: "Accepted",
    connectorId: 1,
    scheduleStart: at(-60),
    chargingSchedule: {
      duration: 600,
      chargingRateUnit: "A",
      chargingSchedulePeriod: [
        { startPeriod: 0, limit: 6 },
        { startPeriod: 360, limit: 32 }
      ]
    }
  }
  profilesOf(app.world).reported.set("CP-1/1", { at: now - 30_000, answer })
  const { json } = await composite("connectorId=1&chargingRateUnit=W")
  expect(json.reported).toEqual({ at: at(-30), answer })
  expect(json.differences).toEqual([{ from: at(300), to: at(540), computed: 20, reported: 32 }])
  profilesOf(app.world).reported.set("CP-1/1", { at: now, answer: { status: "Accepted" } })
  expect((await composite("connectorId=1")).json).toMatchObject({
    reported: { answer: { status: "Accepted" } },
    differences: null
  })
})

it.each(["connectorId=-1", "connectorId=x", "duration=0", "duration=999999999", "chargingRateUnit=kW"])(
  "refuses %s",
  async (query) => {
    const { json, status } = await composite(query)
    expect([status, json.errors[0].pointer]).toEqual([400, `/${query.split("=")[0]}`])
  }
)

it("answers 404 for an unknown charger", async () => {
  for (const path of ["charging-profiles", "composite-schedule"]) {
    expect((await app.ask("GET", `/cpo/v2/chargers/CP-2/${path}`, { key: app.key })).status).toBe(404)
  }
})

it("answers 404 for a connector that the charger does not have, once it has reported any", async () => {
  const statusOf = async (connectorId: number) => (await composite(`connectorId=${connectorId}`)).status
  expect(await statusOf(9)).toBe(200)
  const charger = app.world.chargers.get("CP-1")!
  const unknown = { info: undefined, vendorId: undefined, vendorErrorCode: undefined, equipment: undefined }
  const second = { evseId: 2, connectorId: 1, status: "Available", errorCode: undefined, statusAt: now, ...unknown }
  app.world.chargers.set("CP-1", { ...charger, connectors: [second as (typeof charger.connectors)[number]] })
  const { json, status } = await composite("connectorId=9")
  expect([status, json.detail]).toEqual([
    404,
    'There is no connector 9 at charger "CP-1", or you have no access to it.'
  ])
  expect(await Promise.all([0, 2].map(statusOf))).toEqual([200, 200])
  // This connector was not reported, but the charger has accepted a profile for it.
  expect(await statusOf(1)).toBe(200)
})
