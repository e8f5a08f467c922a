/** What each fact of the journal tells outside: the public shapes, word for word. */
import { describe, expect, it } from "vitest"
import { Schema } from "effect"
import { type Event, eventData, eventTypes, formatCursor, parseCursor } from "../../../src/domain/event/Event.ts"
import { behind, eventsOf, factTypesOf } from "../../../src/domain/event/EventsOf.ts"
import type { PlacedFact } from "../../../src/domain/event/FactLocation.ts"

const at = Date.UTC(2026, 4, 20, 12)
const iso = "2026-05-20T12:00:00.000Z"

const fact = (type: string, body: unknown, more: Partial<PlacedFact> = {}): PlacedFact => ({
  position: 41,
  type,
  subject: "charger:CP-1",
  at,
  body,
  chargerId: "CP-1",
  siteId: "site-1",
  ...more
})

const charger = { chargerId: "CP-1", siteId: "site-1" }
const session = { sessionId: "s1", ...charger }

const start = {
  sessionId: "s1",
  evseId: 1,
  connectorId: 1,
  transactionId: 77,
  tokenUid: "CARD",
  meterStartWh: 1000,
  authorization: { status: "Accepted", source: "LocalToken", decidedAt: at },
  supersedes: []
}

const started = {
  type: "session.started",
  subject: "session:s1",
  data: {
    ...session,
    evseId: 1,
    connectorId: 1,
    transactionId: "77",
    tokenUid: "CARD",
    authorization: "Accepted",
    startedAt: iso,
    meterStartWh: 1000
  }
}

const unread = { meterWh: null, readAt: null, powerW: null, cost: null }

const workCounts = {
  heldSessions: 1,
  corrections: 0,
  parkedDeliveries: 2,
  tokenConflicts: 0,
  unknownChargers: 3,
  configurationDrifts: 4
}

/** The operator's part of a charger. */
const aCharger = {
  chargerId: "CP-1",
  siteId: "site-0",
  name: "Left",
  securityProfile: 1,
  registration: "Accepted",
  hasPassword: true,
  equipment: []
}
const whole = { ...charger, name: "Left" }

const superseded = { energyWh: null, meterStopWh: null, stopReason: "Superseded", heldReason: "StopMissing" }

const tables: ReadonlyArray<readonly [string, PlacedFact, ReadonlyArray<object>]> = [
  [
    "a card that was refused",
    fact("TokenAuthorized", { tokenUid: "CARD", authorization: { ...start.authorization, status: "Blocked" } }),
    [
      {
        type: "authorization.refused",
        subject: "charger:CP-1",
        data: { ...charger, tokenUid: "CARD", reason: "Blocked", source: "LocalToken" }
      }
    ]
  ],
  [
    "a connection",
    fact("ChargerConnected", { epoch: 3, node: "n", ocppVersion: "1.6", securityProfile: 1 }),
    [
      {
        type: "charger.connected",
        subject: "charger:CP-1",
        data: { ...charger, ocppVersion: "1.6", securityProfile: 1 }
      }
    ]
  ],
  [
    "its end, of a charger that was removed since",
    fact("ChargerDisconnected", { epoch: 3, reason: "gone" }, { siteId: undefined }),
    [
      {
        type: "charger.disconnected",
        subject: "charger:CP-1",
        data: { chargerId: "CP-1", siteId: null, reason: "gone" }
      }
    ]
  ],
  [
    "a boot, without the numbers of its SIM",
    fact("ChargerBooted", { vendor: "V", model: "M", serialNumber: "S", iccid: "secret", registration: "Accepted" }),
    [
      {
        type: "charger.booted",
        subject: "charger:CP-1",
        data: {
          ...charger,
          vendor: "V",
          model: "M",
          serialNumber: "S",
          firmwareVersion: null,
          registration: "Accepted"
        }
      }
    ]
  ],
  [
    "a status",
    fact("ConnectorStatusChanged", {
      evseId: 2,
      connectorId: 1,
      status: "Faulted",
      rawStatus: "faulted",
      errorCode: "GroundFailure"
    }),
    [
      {
        type: "connector.status",
        subject: "charger:CP-1",
        data: {
          ...charger,
          evseId: 2,
          connectorId: 1,
          status: "Faulted",
          errorCode: "GroundFailure",
          info: null,
          vendorErrorCode: null
        }
      }
    ]
  ],
  [
    "the end of a command, without the charger's answer",
    fact("CommandAnswered", {
      commandId: "c1",
      type: "GetConfiguration",
      status: "Accepted",
      result: { configurationKey: [] }
    }),
    [
      {
        type: "command.completed",
        subject: "command:c1",
        data: { ...charger, commandId: "c1", type: "GetConfiguration", status: "Accepted" }
      }
    ]
  ],
  ["a start", fact("SessionStarted", start), [started]],
  [
    "a start that shows another session to have ended unheard: that end first, held",
    fact("SessionStarted", { ...start, supersedes: ["s0"] }),
    [
      {
        type: "session.ended",
        subject: "session:s0",
        data: { ...charger, sessionId: "s0", endedAt: iso, ...superseded }
      },
      {
        type: "session.held",
        subject: "session:s0",
        data: { ...charger, sessionId: "s0", heldReason: "StopMissing" }
      },
      started
    ]
  ],
  [
    "a start that was heard after a newer one",
    fact("SessionStarted", { ...start, supersededBy: "s2" }),
    [
      started,
      { type: "session.ended", subject: "session:s1", data: { ...session, endedAt: null, ...superseded } },
      { type: "session.held", subject: "session:s1", data: { ...session, heldReason: "StopMissing" } }
    ]
  ],
  [
    "readings of a session",
    fact(
      "MeterRead",
      {
        sessionId: "s1",
        evseId: 2,
        connectorId: 1,
        registerWh: 2500.4,
        registerAt: at,
        powerW: 11_040,
        powerAt: at,
        fromStop: false,
        count: 3
      },
      { cost: { currency: "EUR", exclVat: 1, inclVat: 1.24 } }
    ),
    [
      {
        type: "session.updated",
        subject: "session:s1",
        data: {
          ...session,
          reason: "MeterRead",
          evseId: 2,
          connectorId: 1,
          meterWh: 2500,
          readAt: iso,
          powerW: 11_040,
          cost: { currency: "EUR", exclVat: 1, inclVat: 1.24 }
        }
      }
    ]
  ],
  [
    "a reading that shows no power, of a session without a price",
    fact("MeterRead", { sessionId: "s1", evseId: 1, connectorId: 1, registerWh: 2500, registerAt: at, count: 1 }),
    [
      {
        type: "session.updated",
        subject: "session:s1",
        data: {
          ...session,
          reason: "MeterRead",
          evseId: 1,
          connectorId: 1,
          meterWh: 2500,
          readAt: iso,
          powerW: null,
          cost: null
        }
      }
    ]
  ],
  ["readings of no session", fact("MeterRead", { registerWh: 2500, registerAt: at, count: 1 }), []],
  [
    "a stop",
    fact("SessionEnded", { sessionId: "s1", meterStopWh: 6000, energyWh: 5000, reason: "Local" }),
    [
      {
        type: "session.ended",
        subject: "session:s1",
        data: { ...session, endedAt: iso, energyWh: 5000, meterStopWh: 6000, stopReason: "Local", heldReason: null }
      }
    ]
  ],
  [
    "a stop that is held",
    fact("SessionEnded", { sessionId: "s1", reason: "Local", heldReason: "RegisterFell" }),
    [
      {
        type: "session.ended",
        subject: "session:s1",
        data: {
          ...session,
          endedAt: iso,
          energyWh: null,
          meterStopWh: null,
          stopReason: "Local",
          heldReason: "RegisterFell"
        }
      },
      { type: "session.held", subject: "session:s1", data: { ...session, heldReason: "RegisterFell" } }
    ]
  ],
  [
    "a silent session that was closed",
    fact(
      "SessionClosed",
      { by: "platform", after: { sessionId: "s1", reason: "ChargerSilent", endedAt: at, energyWh: 7 } },
      { subject: "session:s1" }
    ),
    [
      {
        type: "session.ended",
        subject: "session:s1",
        data: {
          ...session,
          endedAt: iso,
          energyWh: 7,
          meterStopWh: null,
          stopReason: "Closed",
          heldReason: "ChargerSilent"
        }
      },
      { type: "session.held", subject: "session:s1", data: { ...session, heldReason: "ChargerSilent" } }
    ]
  ],
  [
    "a silent session that never was",
    fact(
      "SessionClosed",
      { by: "platform", after: { sessionId: "s1", reason: "Silent", endedAt: at, energyWh: 0, neverWas: true } },
      { subject: "session:s1" }
    ),
    [
      {
        type: "session.ended",
        subject: "session:s1",
        data: { ...session, endedAt: iso, energyWh: 0, meterStopWh: null, stopReason: "Closed", heldReason: null }
      }
    ]
  ],
  [
    "a session that was found odd",
    fact("SessionHeld", { by: "platform", after: { sessionId: "s1", heldReason: "DurationImplausible" } }),
    [{ type: "session.held", subject: "session:s1", data: { ...session, heldReason: "DurationImplausible" } }]
  ],
  [
    "a correction, without its author",
    fact(
      "SessionCorrected",
      { by: "key:1", before: {}, after: { sessionId: "s1", energyWh: 1, reason: "why" } },
      { evseId: 2, connectorId: 1 }
    ),
    [
      {
        type: "session.updated",
        subject: "session:s1",
        data: { ...session, reason: "Corrected", evseId: 2, connectorId: 1, ...unread }
      }
    ]
  ],
  [
    "a credit",
    fact("CdrIssued", {
      by: "platform",
      after: {
        id: "d2",
        number: 2,
        sessionId: "s1",
        currency: "EUR",
        total: { exclVat: -1, inclVat: -1.24 },
        creditReferenceId: "d1"
      }
    }),
    [
      {
        type: "cdr.issued",
        subject: "cdr:d2",
        data: {
          cdrId: "d2",
          ...session,
          currency: "EUR",
          totalCost: { exclVat: -1, inclVat: -1.24 },
          creditReferenceId: "d1"
        }
      }
    ]
  ],
  [
    "a card that was removed",
    fact("TokenRemoved", { by: "key:1", before: { uid: "CARD", status: "Blocked", note: "private" } }),
    [{ type: "token.changed", subject: "token:CARD", data: { uid: "CARD", change: "Removed", status: "Blocked" } }]
  ],
  [
    "a partner's card",
    fact("RoamingTokenChanged", { by: "partner:1", after: { uid: "CARD", valid: true, contractId: "private" } }),
    [{ type: "token.changed", subject: "token:CARD", data: { uid: "CARD", change: "Created", status: "Accepted" } }]
  ],
  [
    "a partner's card that was taken back",
    fact("RoamingTokenChanged", { by: "platform", before: { uid: "CARD" }, after: { uid: "CARD", valid: false } }),
    [{ type: "token.changed", subject: "token:CARD", data: { uid: "CARD", change: "Changed", status: "Blocked" } }]
  ],
  [
    "a tariff",
    fact("TariffChanged", { by: "key:1", before: { id: "t", version: 1 }, after: { id: "t", version: 2 } }),
    [{ type: "tariff.changed", subject: "tariff:t", data: { tariffId: "t", change: "Changed", version: 2 } }]
  ],
  [
    "a tariff's assignment",
    fact("TariffAssigned", { by: "key:1", after: { tariffId: "t", siteId: "site-1" } }),
    [{ type: "tariff.changed", subject: "tariff:t", data: { tariffId: "t", change: "Assigned", version: null } }]
  ],
  [
    "a charger that was refused under an unknown id",
    fact("ChargerRefused", { reason: "UnknownCharger", network: "192.0.2.0/24", attempts: 3 }, { siteId: undefined }),
    [
      {
        type: "charger.refused",
        subject: "charger:CP-1",
        data: { chargerId: "CP-1", siteId: null, reason: "UnknownCharger", network: "192.0.2.0/24", attempts: 3 }
      }
    ]
  ],
  [
    "a new charger",
    fact("ChargerRegistered", { by: "key:1", after: { ...aCharger, hasPassword: true } }),
    [{ type: "charger.changed", subject: "charger:CP-1", data: { ...whole, change: "Created", fields: [] } }]
  ],
  [
    "a charger that was renamed, moved and given a password, without the values",
    fact("ChargerChanged", {
      by: "key:1",
      before: { ...aCharger, name: "Old", equipment: [{ evseId: 1, standard: "CHADEMO" }] },
      after: { ...aCharger, siteId: "site-1", passwordChanged: true, equipment: [{ standard: "CHADEMO", evseId: 1 }] }
    }),
    [
      {
        type: "charger.changed",
        subject: "charger:CP-1",
        data: { ...whole, change: "Changed", fields: ["name", "siteId", "password"] }
      }
    ]
  ],
  [
    "a charger that was described and lost its serial number",
    fact("ChargerChanged", {
      by: "key:1",
      before: { ...aCharger, registeredSerialNumber: "SN-1" },
      after: { ...aCharger, registration: "Pending", equipment: [{ evseId: 1 }], evses: [{ evseId: 1 }] }
    }),
    [
      {
        type: "charger.changed",
        subject: "charger:CP-1",
        data: {
          ...whole,
          change: "Changed",
          fields: ["registeredSerialNumber", "registration", "connectors", "evses"]
        }
      }
    ]
  ],
  [
    "a charger that was removed",
    fact("ChargerRemoved", { by: "key:1", before: aCharger }),
    [{ type: "charger.changed", subject: "charger:CP-1", data: { ...whole, change: "Removed", fields: [] } }]
  ],
  [
    "a site",
    fact("SiteCreated", { by: "key:1", after: { id: "site-1", name: "Home" } }),
    [
      {
        type: "site.changed",
        subject: "site:site-1",
        data: { siteId: "site-1", change: "Created", name: "Home" }
      }
    ]
  ],
  [
    "a partner, without its switches and tokens",
    fact("PartnerRegistered", { by: "platform", after: { id: "p", name: "Go", status: "Registered", switches: {} } }),
    [
      {
        type: "partner.changed",
        subject: "partner:p",
        data: { partnerId: "p", change: "Registered", name: "Go", status: "Registered" }
      }
    ]
  ],
  [
    "a partner that stopped answering",
    fact("PartnerHealthChanged", { name: "Go", isDown: true, problem: "timeout" }, { subject: "partner:p" }),
    [
      {
        type: "partner.health",
        subject: "partner:p",
        data: { partnerId: "p", name: "Go", state: "Down", problem: "timeout" }
      }
    ]
  ],
  [
    "an event that a webhook refused for good",
    fact(
      "DeliveryParked",
      { subscriber: "webhook", itemId: "i", kind: "event", objectId: "7", problem: "HTTP 400" },
      { subject: "webhook:w" }
    ),
    [
      {
        type: "delivery.parked",
        subject: "webhook:w",
        data: { partnerId: null, webhookId: "w", deliveryId: "i", kind: "event", objectId: "7", problem: "HTTP 400" }
      }
    ]
  ],
  [
    "a firmware campaign that paused",
    fact(
      "RolloutChanged",
      {
        before: {
          id: "r",
          kind: "FirmwareCampaign",
          name: "To 6.6",
          type: "UpdateFirmware",
          targets: 40,
          state: "Running"
        },
        after: {
          id: "r",
          kind: "FirmwareCampaign",
          name: "To 6.6",
          type: "UpdateFirmware",
          targets: 40,
          state: "Paused",
          pauseReason: "Failures"
        }
      },
      { subject: "rollout:r" }
    ),
    [
      {
        type: "rollout.changed",
        subject: "rollout:r",
        data: {
          rolloutId: "r",
          kind: "FirmwareCampaign",
          name: "To 6.6",
          state: "Paused",
          pauseReason: "Failures",
          targets: 40
        }
      }
    ]
  ],
  [
    "how far a command batch is",
    fact(
      "RolloutProgressed",
      { kind: "CommandBatch", counts: { Waiting: 1, Issued: 2, Succeeded: 3, Failed: 4, Skipped: 5, Unreached: 6 } },
      { subject: "rollout:r" }
    ),
    [
      {
        type: "rollout.progress",
        subject: "rollout:r",
        data: {
          rolloutId: "r",
          kind: "CommandBatch",
          waiting: 1,
          issued: 2,
          succeeded: 3,
          failed: 4,
          skipped: 5,
          unreached: 6
        }
      }
    ]
  ],
  [
    "the work queues",
    fact("WorkChanged", workCounts, { subject: "organisation:o" }),
    [{ type: "work.changed", subject: "organisation:o", data: workCounts }]
  ]
]

describe("An event", () => {
  it.each(tables)("tells of %s", (_, of, told) => {
    const events = eventsOf(of)
    expect(events.map(({ at: _at, id: _id, ...event }) => event)).toEqual(told)
    for (const event of events) {
      expect(event.at).toBe(iso)
      Schema.decodeUnknownSync(eventData[event.type] as Schema.Codec<unknown, unknown>)(event.data)
    }
  })

  it.each([
    ["ApiKeyIssued", { after: { id: "k" } }],
    ["CommandIssued", { commandId: "c" }],
    ["TokenAuthorized", { tokenUid: "CARD" }],
    ["TokenAuthorized", { tokenUid: "CARD", authorization: start.authorization }],
    ["toString", {}],
    ["SessionEnded", { sessionId: 5 }],
    ["SessionEnded", null]
  ])("is not made of %s %j", (type, body) => {
    expect(eventsOf(fact(type, body))).toEqual([])
  })

  it("has a type for every name there is, and is found by a filter of its type", () => {
    const told = new Map<string, Set<string>>()
    for (const [, of] of tables) {
      for (const { type } of eventsOf(of)) told.set(type, (told.get(type) ?? new Set()).add(of.type))
    }
    expect([...told.keys()].toSorted()).toEqual([...eventTypes].toSorted())
    for (const type of eventTypes) expect(factTypesOf([type])).toEqual(expect.arrayContaining([...told.get(type)!]))
  })
})

describe("A cursor", () => {
  const several = eventsOf(fact("SessionStarted", { ...start, supersedes: ["s0"] }))

  it("is an event's id: the fact's position, with a number where it tells several", () => {
    expect(eventsOf(fact("SessionStarted", start)).map(({ id }) => id)).toEqual(["41"])
    expect(several.map(({ id }) => id)).toEqual(["41.01", "41.02", "41.03"])
    for (const { id } of several) expect(formatCursor(parseCursor(id)!)).toBe(id)
  })

  it("leaves what comes behind it", () => {
    const left = (cursor: string): ReadonlyArray<Event["id"]> =>
      behind(several, 41, parseCursor(cursor)!).map(({ id }) => id)
    expect(left("40")).toEqual(["41.01", "41.02", "41.03"])
    expect(left("41.01")).toEqual(["41.02", "41.03"])
    expect(left("41.03")).toEqual([])
    expect(left("41")).toEqual([])
    expect(left("42")).toEqual([])
  })

  it.each(["", "-1", "01", "1.1", "1.001", "1e3", "99999999999999999", " 1", "x"])("is not %j", (text) => {
    expect(parseCursor(text)).toBeUndefined()
  })
})
