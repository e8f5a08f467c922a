/** What an organisation expects of its chargers, in REST v2: the configuration template and the quirk book. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { quirksMax, rollOverBounds, type Tolerances, toleranceBounds } from "../../../domain/charger/Quirks.ts"
import { toleranceTypes } from "../../../domain/charger/ToleranceKinds.ts"
import { isRefused, keyMaxLength, nameOf, templateKeysMax, valueMaxLength } from "../../../domain/charger/Template.ts"
import { ChargerId, optionalText, rule, text, Time, whole } from "../../Fields.ts"
import { Command, expiresIn } from "../commands/CommandsApi.ts"
import { Conflict409, NotFound404, TooMany429 } from "../requests/Failures.ts"
import { ignored } from "../requests/Given.ts"
import { operation } from "../requests/Middleware.ts"
import { IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"

/** Longest pattern of a make or model, and longest note. OCPP's names have at most 50 characters, but chargers send longer ones. */
const patternMaxLength = 100
const noteMaxLength = 500

const TemplateKey = Schema.Struct({
  key: text(keyMaxLength).check(
    rule(
      (key: string) => !isRefused(key),
      "Must not be AuthorizationKey or SecurityProfile: each charger has its own; change them by command"
    )
  ),
  value: optionalText(valueMaxLength)
}).annotate({ identifier: "TemplateKey" })

const NewTemplate = Schema.Struct({
  keys: Schema.Array(TemplateKey).check(
    Schema.isMaxLength(templateKeysMax),
    rule(
      (keys: ReadonlyArray<typeof TemplateKey.Type>) =>
        new Set(keys.map(({ key }) => nameOf(key))).size === keys.length,
      "Must name each key once, whatever its case"
    )
  ),
  updatedAt: ignored
}).annotate({ identifier: "NewConfigurationTemplate" })

const Template = Schema.Struct({
  keys: Schema.Array(TemplateKey),
  updatedAt: Schema.NullOr(Time)
}).annotate({ identifier: "ConfigurationTemplate" })

const seconds = ([least, most]: readonly [number, number], description: string) =>
  Schema.optionalKey(whole(least, most).annotate({ description }))

const flag = (description: string) => Schema.optionalKey(Schema.Boolean.annotate({ description }))

const TolerancesGiven = Schema.Struct({
  callTimeoutSeconds: seconds(toleranceBounds.callTimeoutSeconds, "How long it may take to answer a call"),
  waitForBootSeconds: seconds(
    toleranceBounds.waitForBootSeconds,
    "It is sent nothing until it has booted on a connection, or for so long"
  ),
  quietAfterBootSeconds: seconds(
    toleranceBounds.quietAfterBootSeconds,
    "It is sent nothing for so long after a boot was accepted"
  ),
  skipConfigurationAfterBoot: flag(
    "It is not asked for its configuration after a boot, and gets no template by itself"
  ),
  heartbeatByConfiguration: flag("It also gets its heartbeat interval as the key HeartbeatInterval"),
  statusAfterConnect: flag("It is asked for its connectors' statuses after each connection and boot"),
  registerUnit: Schema.optionalKey(
    Schema.Literal("kWh").annotate({
      description: "The energy registers of its meter values are kWh, whatever they say"
    })
  ),
  registerRollsOverAtWh: Schema.optionalKey(
    whole(...rollOverBounds).annotate({
      description: "Its registers begin at 0 again after so many Wh: 100000000 for one that shows 99999.999 kWh at most"
    })
  ),
  registerCountsSession: flag("Its registers begin at 0 with each session, whatever its start says")
}).check(rule((given: Tolerances) => Object.keys(given).length > 0, "Must grant something"))

const pattern = Schema.optionalKey(
  text(patternMaxLength).annotate({ description: "As its boot reports it; * fits any text, case does not matter" })
)

const rules = {
  name: text(patternMaxLength),
  vendor: pattern,
  model: pattern,
  firmware: pattern,
  tolerances: TolerancesGiven,
  evidence: Schema.optionalKey(text(noteMaxLength).annotate({ description: "Where it was seen" }))
}

const NewQuirk = Schema.Struct({ ...rules, chargers: ignored, chargerIds: ignored })
  .check(
    Schema.makeFilter((given: { readonly vendor?: string; readonly model?: string; readonly firmware?: string }) =>
      given.vendor === undefined && given.model === undefined && given.firmware === undefined
        ? { path: ["vendor"], issue: "Must be there, or model, or firmware: a rule for everybody is a setting" }
        : undefined
    )
  )
  .annotate({ identifier: "NewQuirk" })

const Quirk = Schema.Struct({
  ...rules,
  chargers: Schema.Int.annotate({ description: "How many chargers of the organisation it applies to" }),
  chargerIds: Schema.Array(Schema.String).annotate({ description: "The first few of them" })
}).annotate({ identifier: "Quirk" })

const ToleranceKind = Schema.Struct({
  name: Schema.String.annotate({ description: "Its field among the tolerances of a rule" }),
  title: Schema.String,
  about: Schema.String.annotate({ description: "What the service does where it is granted" }),
  useWhen: Schema.String.annotate({ description: "What operators see of a charger that needs it" }),
  type: Schema.Literals(toleranceTypes),
  unit: Schema.NullOr(Schema.String),
  minimum: Schema.NullOr(Schema.Int),
  maximum: Schema.NullOr(Schema.Int),
  choices: Schema.Array(Schema.String)
}).annotate({ identifier: "ToleranceKind" })

const QuirkBook = Schema.Struct({
  rules: Schema.Array(Quirk).annotate({
    description: "The organisation's own; they have the last word, the lower ones over the upper"
  }),
  builtIn: Schema.Array(Quirk).annotate({ description: "What everybody gets; cannot be changed, only overruled" }),
  kinds: Schema.Array(ToleranceKind).annotate({ description: "What a rule can grant, in plain words" })
}).annotate({ identifier: "QuirkBook" })

const NewQuirkBook = Schema.Struct({
  rules: Schema.Array(NewQuirk).check(
    Schema.isMaxLength(quirksMax),
    rule(
      (given: ReadonlyArray<typeof NewQuirk.Type>) => new Set(given.map(({ name }) => name)).size === given.length,
      "Must have a name of its own each"
    )
  ),
  builtIn: ignored,
  kinds: ignored
}).annotate({ identifier: "NewQuirkBook" })

const Applied = Schema.Struct({
  items: Schema.Array(Command).annotate({ description: "The commands that were issued; none where nothing drifts" })
}).annotate({ identifier: "AppliedTemplate" })

const Drift = Schema.Struct({
  chargerId: Schema.String,
  name: Schema.String,
  siteId: Schema.String,
  siteName: Schema.String,
  vendor: Schema.String,
  model: Schema.String,
  firmwareVersion: Schema.String,
  keys: Schema.Int,
  since: Time
}).annotate({ identifier: "ConfigurationDrift" })

export class ExpectationsApi extends HttpApiGroup.make("expectations").add(
  HttpApiEndpoint.get("template", "/v2/configuration-template", { success: Template }).annotateMerge(
    operation("The configuration keys that every charger is to have", "chargers:read")
  ),
  HttpApiEndpoint.put("setTemplate", "/v2/configuration-template", {
    payload: NewTemplate,
    success: Template
  }).annotateMerge(
    operation(
      "Replace the template: it is applied after each boot, beginning with the charger's next connection",
      "chargers:write"
    )
  ),
  HttpApiEndpoint.post("apply", "/v2/chargers/:chargerId/configuration/apply", {
    params: { chargerId: ChargerId },
    headers: IdempotencyHeader,
    payload: [Schema.Struct(expiresIn), Schema.Undefined],
    success: Applied.pipe(HttpApiSchema.status(202)),
    error: [NotFound404, Conflict409, TooMany429]
  })
    .annotateMerge(
      operation("Send the charger what drifts from the template, one command for each key", "commands:write")
    )
    .annotate(OpenApi.Transform, (shown) => ({ ...shown, requestBody: { ...shown["requestBody"], required: false } })),
  HttpApiEndpoint.get("drifts", "/v2/configuration-drifts", {
    query: PageQuery,
    success: listOf(Drift)
  }).annotateMerge(
    operation("List chargers whose configuration differs from what is expected, by chargerId", "chargers:read")
  ),
  HttpApiEndpoint.get("quirks", "/v2/quirks", { success: QuirkBook }).annotateMerge(
    operation("The quirk book: what chargers of some makes are granted, and which chargers that are", "chargers:read")
  ),
  HttpApiEndpoint.put("setQuirks", "/v2/quirks", { payload: NewQuirkBook, success: QuirkBook }).annotateMerge(
    operation("Replace the organisation's own rules; they hold from a charger's next connection on", "chargers:write")
  )
) {}
