/**
 * Public events: what happened, in documented and stable shapes. They are made from the journal's facts (`EventsOf`). The feed, server-sent
 * events and webhooks carry the same JSON. They contain no secret: no credentials token, no key, no charger's answer.
 */
import { Schema } from "effect"
import { frameFaults } from "../charger/ChargerEvent.ts"
import { chargerRefusalReasons } from "../charger/ChargerRefusals.ts"
import { rolloutCountFields } from "../rollout/Counts.ts"
import { pauseReasons, rolloutKinds, rolloutStates } from "../rollout/Rollout.ts"
import { registrations } from "../values/Registration.ts"
import { deliveredKinds } from "./Subscription.ts"

/** RFC 3339 in UTC with ms, as `Date.toISOString` writes it. */
const Time = Schema.String.annotate({ format: "date-time" })

const Nullable = Schema.NullOr(Schema.String)

/** Where an event happened. */
const charger = {
  chargerId: Schema.String,
  siteId: Nullable.annotate({ description: "The charger's present site; null for a charger that was removed" })
}

const place = { ...charger, evseId: Schema.Int, connectorId: Schema.Int }

const session = {
  sessionId: Schema.String,
  chargerId: Nullable,
  siteId: Nullable
}

/** The fields of a charger that an operator may change, by their names in REST. */
export const chargerFields = [
  "name",
  "siteId",
  "securityProfile",
  "password",
  "registeredSerialNumber",
  "registration",
  "connectors",
  "evses"
] as const
export type ChargerField = (typeof chargerFields)[number]

const change = <const A extends ReadonlyArray<string>>(...kinds: A) => ({ change: Schema.Literals(kinds) })

/** The data of each event type. */
export const eventData = {
  "charger.connected": Schema.Struct({
    ...charger,
    ocppVersion: Schema.String,
    securityProfile: Schema.Int
  }).annotate({
    description:
      "Two of these events without a charger.disconnected in between: the newer connection has replaced the older one"
  }),
  "charger.disconnected": Schema.Struct({ ...charger, reason: Schema.String }),
  "charger.booted": Schema.Struct({
    ...charger,
    vendor: Schema.String,
    model: Schema.String,
    serialNumber: Nullable,
    firmwareVersion: Nullable,
    registration: Schema.Literals(registrations)
  }),
  "charger.changed": Schema.Struct({
    ...charger,
    ...change("Created", "Changed", "Removed"),
    name: Schema.String,
    fields: Schema.Array(Schema.Literals(chargerFields)).annotate({
      description: "The changed fields, by their names in REST; empty unless `change` is Changed"
    })
  }).annotate({ description: "An operator changed a charger; there are separate events for what the charger reports" }),
  "charger.refused": Schema.Struct({
    ...charger,
    reason: Schema.Literals(chargerRefusalReasons),
    network: Schema.String.annotate({ description: "The network that it came from: the /24 or /64 of its address" }),
    attempts: Schema.Int.annotate({
      description: "Refusals for this reason since the last such event, including this one"
    })
  }).annotate({
    description:
      "A charger tried to connect and was refused. Repeats are published after 1, 2, 4 and more minutes, up to an hour. Attempts with an unknown id are published only if the service holds one organisation"
  }),
  "frames.faulty": Schema.Struct({
    ...charger,
    fault: Schema.Literals(frameFaults),
    detail: Schema.String.annotate({ description: "What was received; it contains nothing that the charger worded" })
  }).annotate({
    description:
      "The charger sends frames with a fault, of which everything else was read. Published once a day for each fault; the charger's messages show the frames"
  }),
  "connector.status": Schema.Struct({
    ...place,
    status: Schema.String.annotate({ description: "As in the charger's connections" }),
    errorCode: Nullable,
    info: Nullable,
    vendorErrorCode: Nullable
  }),
  "authorization.refused": Schema.Struct({
    ...charger,
    tokenUid: Schema.String,
    reason: Schema.String,
    source: Schema.String
  }).annotate({
    description:
      "A card was refused at an Authorize; at most one event a minute for each charger, card and reason. A refused start is a session.started"
  }),
  "transactions.counted": Schema.Struct({
    ...charger,
    day: Schema.String.annotate({ format: "date", description: "The day (UTC) that the totals belong to" }),
    transactions: Schema.Int.annotate({ description: "How many were counted so far on this day" }),
    energyWh: Schema.Int.annotate({ description: "Their energy, in Wh" }),
    firstAt: Time.annotate({ description: "When the first of them was counted" })
  }).annotate({
    description:
      "A charger has begun more transactions than are stored of it in a day. Those that took less than 100 Wh and a minute are only counted. Published at the first one of a day, the tenth, the hundredth and so on"
  }),
  "session.started": Schema.Struct({
    ...session,
    evseId: Schema.Int,
    connectorId: Schema.Int,
    transactionId: Schema.String,
    tokenUid: Schema.String,
    authorization: Schema.String.annotate({ description: "The answer to the charger: Accepted, or why not" }),
    startedAt: Time,
    meterStartWh: Schema.Int
  }),
  "session.updated": Schema.Struct({
    ...session,
    reason: Schema.Literals(["MeterRead", "Released", "Corrected"]),
    evseId: Schema.NullOr(Schema.Int),
    connectorId: Schema.NullOr(Schema.Int),
    meterWh: Schema.NullOr(Schema.Int).annotate({ description: "The register, if a reading has it" }),
    readAt: Schema.NullOr(Time),
    powerW: Schema.NullOr(Schema.Int).annotate({
      description:
        "The power at the newest reading: reported by the meter, or computed from its register. Null if unknown"
    }),
    cost: Schema.NullOr(
      Schema.Struct({ currency: Schema.String, exclVat: Schema.Finite, inclVat: Schema.Finite })
    ).annotate({
      description:
        "The cost so far as last computed, which may not include this reading. Null if there is none yet, and after a correction"
    })
  }),
  "session.ended": Schema.Struct({
    ...session,
    endedAt: Schema.NullOr(Time),
    energyWh: Schema.NullOr(Schema.Int),
    meterStopWh: Schema.NullOr(Schema.Int),
    stopReason: Schema.String,
    heldReason: Nullable
  }).annotate({
    description:
      "If a session was ended without a stop and the stop is received afterwards, it is published as another session.ended"
  }),
  "session.held": Schema.Struct({ ...session, heldReason: Schema.String }),
  "cdr.issued": Schema.Struct({
    cdrId: Schema.String,
    ...session,
    currency: Schema.String,
    totalCost: Schema.Struct({ exclVat: Schema.Finite, inclVat: Schema.Finite }),
    creditReferenceId: Nullable.annotate({ description: "The record that this one cancels" })
  }),
  "command.completed": Schema.Struct({
    commandId: Schema.String,
    ...charger,
    type: Schema.String,
    status: Schema.String.annotate({ description: "The charger's answer is at /v2/commands/{commandId}" })
  }),
  "rollout.changed": Schema.Struct({
    rolloutId: Schema.String,
    kind: Schema.Literals(rolloutKinds),
    name: Schema.String,
    state: Schema.Literals(rolloutStates),
    pauseReason: Schema.NullOr(Schema.Literals(pauseReasons)),
    targets: Schema.Int.annotate({ description: "Number of chargers that it is for" })
  }).annotate({
    description:
      "A command batch or firmware campaign was made, approved, paused, resumed, cancelled, or is complete. Each command that it issues has a command.completed"
  }),
  "rollout.progress": Schema.Struct({
    rolloutId: Schema.String,
    kind: Schema.Literals(rolloutKinds),
    ...rolloutCountFields
  }).annotate({
    description:
      "Chargers of a command batch or firmware campaign have an outcome: the number of chargers in each state"
  }),
  "token.changed": Schema.Struct({
    uid: Schema.String,
    ...change("Created", "Changed", "Removed"),
    status: Nullable
  }),
  "tariff.changed": Schema.Struct({
    tariffId: Schema.String,
    ...change("Created", "Changed", "Removed", "Assigned", "Unassigned"),
    version: Schema.NullOr(Schema.Int)
  }),
  "site.changed": Schema.Struct({
    siteId: Schema.String,
    ...change("Created", "Changed", "Removed"),
    name: Schema.String
  }),
  "partner.changed": Schema.Struct({
    partnerId: Schema.String,
    ...change("Created", "Changed", "Removed", "Invited", "Registered", "Unregistered"),
    name: Schema.String,
    status: Schema.String
  }),
  "partner.health": Schema.Struct({
    partnerId: Schema.String,
    name: Schema.String,
    state: Schema.Literals(["Down", "Answers"]),
    problem: Nullable.annotate({ description: "The error of the last attempt, if the partner is down" })
  }).annotate({
    description:
      "A partner stopped answering, or answers again: while it is down, it is tried once a minute; everything is sent once it answers"
  }),
  "delivery.parked": Schema.Struct({
    partnerId: Nullable,
    webhookId: Nullable,
    deliveryId: Schema.String,
    kind: Schema.Literals(deliveredKinds),
    objectId: Schema.String,
    problem: Schema.String
  }).annotate({
    description:
      "An object was finally refused, or its delivery failed for days, and waits for an operator. Has a partnerId or a webhookId. Webhooks are not sent those events about webhooks"
  }),
  "work.changed": Schema.Struct({
    heldSessions: Schema.Int,
    corrections: Schema.Int,
    parkedDeliveries: Schema.Int,
    tokenConflicts: Schema.Int,
    unknownChargers: Schema.Int,
    configurationDrifts: Schema.Int
  }).annotate({
    description:
      "Numbers of items that wait for operators, each counted up to 1,000; sent a few seconds after a change, with several changes combined. Parked events of webhooks are only in GET /work"
  })
} as const

export type EventType = keyof typeof eventData

export const eventTypes = Object.keys(eventData) as ReadonlyArray<EventType> as readonly [
  EventType,
  ...Array<EventType>
]

export type EventData<T extends EventType> = (typeof eventData)[T]["Type"]

/** What happened, as clients see it. */
export type Event = {
  readonly [T in EventType]: {
    /** Ascends with time, and is a cursor of the feed: `position`, or `position.nn` if the fact makes several events. */
    readonly id: string
    readonly type: T
    /** When it happened, as RFC 3339: by the charger's clock if that is believable. */
    readonly at: string
    /**
     * `charger:<id>`, `session:<id>`, `cdr:<id>`, `command:<id>`, `rollout:<id>`, `token:<uid>`, `tariff:<id>`, `site:<id>`, `partner:<id>`,
     * `webhook:<id>`, `organisation:<id>`.
     */
    readonly subject: string
    readonly data: EventData<T>
  }
}[EventType]

/** A position in the feed: after the first `index` events of the fact at `position`, or after all of them if `index` is undefined. */
export interface EventCursor {
  readonly position: number
  readonly index: number | undefined
}

/** Two digits, so that the events of a fact sort as text in their order. */
const written = /^(0|[1-9]\d{0,15})(?:\.(\d{2}))?$/

/** Parses an event's id or a `nextCursor`; undefined for other text. */
export const parseCursor = (text: string): EventCursor | undefined => {
  const [, position, index] = written.exec(text) ?? []
  if (position === undefined || !Number.isSafeInteger(Number(position))) return undefined
  return { position: Number(position), index: index === undefined ? undefined : Number(index) }
}

export const formatCursor = ({ position, index }: EventCursor): string =>
  index === undefined ? String(position) : `${position}.${String(index).padStart(2, "0")}`
