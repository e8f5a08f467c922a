/** Facts about chargers and sessions, each with the events that a subscriber gets for it. */
import { at, iso, fact, charger, session, start, started, type Case, superseded, unread } from "./placedFacts.ts"

/** What chargers report, the course of their sessions, and prices. */
export const eventsOfCharging: ReadonlyArray<Case> = [
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
  ]
]
