/** Schemas that command batches and firmware campaigns share in REST v2: their chargers, their rate, and their progress. */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { overallStates } from "../../../domain/charger/ChargerRow.ts"
import { rolloutCountFields } from "../../../domain/rollout/Counts.ts"
import { commandTypes } from "../../../domain/command/Kinds.ts"
import { maxTargets, pauseReasons, rolloutStates, targetStates } from "../../../domain/rollout/Rollout.ts"
import { ChargerId, text, Time, Uuid, whole } from "../../Fields.ts"
import { Conflict409, NotFound404 } from "../requests/Failures.ts"
import { graveOperation, operation } from "../requests/Middleware.ts"
import { IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"

/** The filters of `GET /v2/charger-rows`, under the same names. */
const TargetFilter = Schema.Struct({
  q: Schema.optionalKey(
    text(100).annotate({
      description: "Text that occurs in the chargerId, the name, the site's name or `vendor model`"
    })
  ),
  siteId: Schema.optionalKey(Uuid),
  state: Schema.optionalKey(
    Schema.Array(Schema.Literals(overallStates)).check(Schema.isMinLength(1), Schema.isMaxLength(overallStates.length))
  ),
  connected: Schema.optionalKey(Schema.Boolean),
  firmware: Schema.optionalKey(text(255).annotate({ description: "As the charger reports it" }))
}).annotate({
  identifier: "RolloutFilter",
  description: "Chargers that match all of these conditions now; an empty filter matches all chargers"
})

/** Chargers that a caller may command per minute (T26); a rollout uses a share of that. */
const perMinuteMost = 60

/** The chargers, and the rate. */
export const targetFields = {
  chargerIds: Schema.optionalKey(
    Schema.Array(ChargerId)
      .check(Schema.isMinLength(1), Schema.isMaxLength(maxTargets))
      .annotate({ description: "These chargers, in this order; alternative to `filter`" })
  ),
  filter: Schema.optionalKey(TargetFilter),
  expectedTargets: Schema.optionalKey(
    whole(1, maxTargets).annotate({
      description: "The expected number of chargers: refused with 409 `targets_changed` if it differs"
    })
  ),
  perMinute: Schema.optionalKey(
    whole(1, perMinuteMost).annotate({
      description: "Maximum number of chargers that get the command in one minute; default 30"
    })
  ),
  pauseAfterFailures: Schema.optionalKey(
    whole(1, maxTargets).annotate({ description: "The number of failed chargers at which it pauses" })
  )
} as const

export type TargetFields = Schema.Struct<typeof targetFields>["Type"]

const Clock = Schema.String.annotate({ description: "As in 22:00" })

const Counts = Schema.Struct(rolloutCountFields).annotate({ identifier: "RolloutCounts" })

const rolloutFields = {
  id: Schema.String,
  name: Schema.String,
  state: Schema.Literals(rolloutStates),
  pauseReason: Schema.NullOr(Schema.Literals(pauseReasons)),
  type: Schema.Literals(commandTypes),
  parameters: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "The command's fields as given, with secrets masked"
  }),
  targets: Schema.Int,
  counts: Counts,
  perMinute: Schema.Int,
  pauseAfterFailures: Schema.NullOr(Schema.Int),
  createdAt: Time,
  createdBy: Schema.String,
  lastIssuedAt: Schema.NullOr(Time),
  endsAt: Time,
  endedAt: Schema.NullOr(Time)
}

export const CommandBatch = Schema.Struct(rolloutFields).annotate({ identifier: "CommandBatch" })

export const FirmwareCampaign = Schema.Struct({
  ...rolloutFields,
  version: Schema.NullOr(Schema.String),
  waves: Schema.Array(Schema.Int),
  wave: Schema.Int,
  window: Schema.NullOr(Schema.Struct({ from: Clock, to: Clock }).annotate({ identifier: "RolloutWindow" })),
  approvedBy: Schema.NullOr(Schema.String),
  approvedAt: Schema.NullOr(Time)
}).annotate({ identifier: "FirmwareCampaign" })

const Target = Schema.Struct({
  chargerId: Schema.String,
  state: Schema.Literals(targetStates),
  detail: Schema.NullOr(Schema.String),
  commandId: Schema.NullOr(Schema.String),
  issuedAt: Schema.NullOr(Time),
  endedAt: Schema.NullOr(Time)
}).annotate({ identifier: "RolloutTarget" })

interface Naming {
  /** `command batch`, `firmware campaign`. */
  readonly one: string
  readonly many: string
}

/** The endpoints that both kinds have besides their `POST`: read, follow, pause, resume and cancel. */
export const rolloutEndpoints = <const Path extends `/${string}`, S extends Schema.Top>(
  path: Path,
  Rollout: S,
  { many, one }: Naming
) => {
  const params = { id: Uuid }
  const decision = <const Name extends string>(name: Name, summary: string, says = operation) =>
    HttpApiEndpoint.post(name, `${path}/:id/${name}` as const, {
      params,
      headers: IdempotencyHeader,
      success: Rollout,
      error: [NotFound404, Conflict409]
    }).annotateMerge(says(summary, "commands:write"))
  return {
    list: HttpApiEndpoint.get("list", path, {
      query: { ...PageQuery, state: Schema.optionalKey(Schema.Literals(rolloutStates)) },
      success: listOf(Rollout)
    }).annotateMerge(operation(`List ${many}, newest first`, "commands:read")),
    get: HttpApiEndpoint.get("get", `${path}/:id` as const, {
      params,
      success: Rollout,
      error: NotFound404
    }).annotateMerge(operation(`Read a ${one}`, "commands:read")),
    targets: HttpApiEndpoint.get("targets", `${path}/:id/targets` as const, {
      params,
      query: { ...PageQuery, state: Schema.optionalKey(Schema.Literals(targetStates)) },
      success: listOf(Target),
      error: NotFound404
    }).annotateMerge(operation(`List the chargers of a ${one}, in order`, "commands:read")),
    pause: decision("pause", `Pause a ${one}: no further commands are issued`),
    resume: decision("resume", `Resume a ${one}; failures up to now are accepted`),
    cancel: decision("cancel", `Cancel a ${one}; commands that are already issued continue`),
    approve: decision("approve", `Approve a ${one} that another person made`, graveOperation)
  } as const
}
