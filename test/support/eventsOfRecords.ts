/** Facts about records and about work, each with the events that a subscriber gets for it. */
import { fact, workCounts, aCharger, type Case, whole } from "./placedFacts.ts"

/** Changes by operators and partners, and the events about the service's own work. */
export const eventsOfRecords: ReadonlyArray<Case> = [
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
    "a fault of a charger's frames",
    fact("SecurityEventRecorded", { source: "service", event: "BinaryFrame", detail: "binary frame of 9 bytes" }),
    [
      {
        type: "frames.faulty",
        subject: "charger:CP-1",
        data: { chargerId: "CP-1", siteId: "site-1", fault: "BinaryFrame", detail: "binary frame of 9 bytes" }
      }
    ]
  ],
  [
    "a security event of the same name that the charger itself reports",
    fact("SecurityEventRecorded", { source: "charger", event: "BinaryFrame", detail: null }),
    []
  ],
  [
    "a transaction of another charger",
    fact("SecurityEventRecorded", { source: "service", event: "ForeignTransactionId", detail: "StopTransaction 7" }),
    []
  ],
  [
    "transactions that were only counted",
    fact("NegligibleTransactionsCounted", {
      day: Date.UTC(2026, 10, 27),
      transactions: 10,
      energyWh: 25,
      firstAt: Date.UTC(2026, 10, 27, 9),
      lastAt: Date.UTC(2026, 10, 27, 10)
    }),
    [
      {
        type: "transactions.counted",
        subject: "charger:CP-1",
        data: {
          chargerId: "CP-1",
          siteId: "site-1",
          day: "2026-11-27",
          transactions: 10,
          energyWh: 25,
          firstAt: "2026-11-27T09:00:00.000Z"
        }
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
