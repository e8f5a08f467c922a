/** Firmware campaigns in REST v2: an update in waves, within a window of the sites' local time, paused by failures. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { defaultDays, maxDays, maxTargets, maxWaves } from "../../../domain/rollout/Rollout.ts"
import { rule, text, Uuid, whole } from "../../Fields.ts"
import { Location, retrying } from "../commands/Values.ts"
import { Conflict409, NotFound404, TooMany429 } from "../requests/Failures.ts"
import { graveOperation } from "../requests/Middleware.ts"
import { createdAt, IdempotencyHeader } from "../requests/Paging.ts"
import { rolloutNameMax } from "./CommandBatchesApi.ts"
import { FirmwareCampaign, rolloutEndpoints, targetFields } from "./RolloutSchema.ts"

/** "22:00"; 24:00 is the end of the day. */
const TimeOfDay = Schema.String.check(
  rule(
    (value: string) => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(value) || value === "24:00",
    "Must be a time of day from 00:00 to 24:00"
  )
)

const Wave = Schema.Union([
  whole(1, maxTargets),
  Schema.String.check(
    rule(
      (value: string) => /^(?:[1-9]\d?|100)%$/.test(value),
      "Must be a number of chargers, or a share of them from 1% to 100%"
    )
  )
])

const NewFirmwareCampaign = Schema.Struct({
  name: text(rolloutNameMax),
  fileId: Schema.optionalKey(Uuid.annotate({ description: "A file of this service; or `location`" })),
  location: Schema.optionalKey(Location),
  signature: Schema.optionalKey(
    text(800).annotate({ description: "With `signingCertificate`: chargers get SignedUpdateFirmware" })
  ),
  signingCertificate: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(5500))),
  ...retrying,
  version: Schema.optionalKey(
    text(255).annotate({
      description:
        "The version that chargers report afterwards. Chargers that already run it are skipped, and those that report it have succeeded. Without it, any version other than the previous one is a success"
    })
  ),
  ...targetFields,
  waves: Schema.optionalKey(
    Schema.Array(Wave).check(Schema.isMinLength(1), Schema.isMaxLength(maxWaves)).annotate({
      description:
        'The total number of chargers updated by the end of each wave, as a number or a share of all: [1, "10%"] is one, then a tenth, then all. The next wave begins when the previous one has ended'
    })
  ),
  window: Schema.optionalKey(
    Schema.Struct({ from: TimeOfDay, to: TimeOfDay }).annotate({
      description: "Hours in which chargers are updated, in the local time of each site; may extend past midnight"
    })
  ),
  needsApproval: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "true: it begins only after another person has approved it" })
  ),
  days: Schema.optionalKey(
    whole(1, maxDays).annotate({
      description: `Days after which it ends, even if not all chargers had their turn; default ${defaultDays}`
    })
  )
}).annotate({ identifier: "NewFirmwareCampaign" })

export type NewFirmwareCampaignBody = typeof NewFirmwareCampaign.Type

const shared = rolloutEndpoints("/v2/firmware-campaigns", FirmwareCampaign, {
  one: "firmware campaign",
  many: "firmware campaigns"
})

export class FirmwareCampaignsApi extends HttpApiGroup.make("firmware-campaigns").add(
  HttpApiEndpoint.post("create", "/v2/firmware-campaigns", {
    headers: IdempotencyHeader,
    payload: NewFirmwareCampaign,
    success: createdAt(FirmwareCampaign.pipe(HttpApiSchema.status(201))),
    error: [NotFound404, Conflict409, TooMany429]
  }).annotateMerge(graveOperation(`Update the firmware of up to ${maxTargets} chargers in waves`, "commands:write")),
  shared.list,
  shared.get,
  shared.targets,
  shared.approve,
  shared.pause,
  shared.resume,
  shared.cancel
) {}
