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
      "Must not be AuthorizationKey or SecurityProfile: each charger has its own; change them with a command"
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
      "Must name each key only once; case does not matter"
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
  callTimeoutSeconds: seconds(toleranceBounds.callTimeoutSeconds, "How long the charger may take to answer a call"),
  waitForBootSeconds: seconds(
    toleranceBounds.waitForBootSeconds,
    "After connecting, nothing is sent until the charger has booted, or until this time has passed"
  ),
  quietAfterBootSeconds: seconds(
    toleranceBounds.quietAfterBootSeconds,
    "Nothing is sent for this time after a boot was accepted"
  ),
  skipConfigurationAfterBoot: flag(
    "The charger is not asked for its configuration after a boot, and does not get the template automatically"
  ),
  heartbeatByConfiguration: flag("The heartbeat interval is also sent as the configuration key HeartbeatInterval"),
  statusAfterConnect: flag("The charger is asked for its connectors' statuses after each connection and boot"),
  registerUnit: Schema.optionalKey(
    Schema.Literal("kWh").annotate({
      description: "The energy registers of its meter values are read as kWh, whatever unit they name"
    })
  ),
  registerRollsOverAtWh: Schema.optionalKey(
    whole(...rollOverBounds).annotate({
      description:
        "Its registers restart at 0 at this value in Wh: 100000000 for a meter that shows at most 99999.999 kWh"
    })
  ),
  registerCountsSession: flag("Its registers restart at 0 with each session, whatever register value the start reports")
}).check(rule((given: Tolerances) => Object.keys(given).length > 0, "Must grant at least one tolerance"))

const pattern = Schema.optionalKey(
  text(patternMaxLength).annotate({ description: "As reported at boot; * matches any text, case does not matter" })
)

const rules = {
  name: text(patternMaxLength),
  vendor: pattern,
  model: pattern,
  firmware: pattern,
  tolerances: TolerancesGiven,
  evidence: Schema.optionalKey(text(noteMaxLength).annotate({ description: "Where the behaviour was observed" }))
}

const NewQuirk = Schema.Struct({ ...rules, chargers: ignored, chargerIds: ignored })
  .check(
    Schema.makeFilter((given: { readonly vendor?: string; readonly model?: string; readonly firmware?: string }) =>
      given.vendor === undefined && given.model === undefined && given.firmware === undefined
        ? { path: ["vendor"], issue: "Is required, or model or firmware: a rule cannot apply to all chargers" }
        : undefined
    )
  )
  .annotate({ identifier: "NewQuirk" })

const Quirk = Schema.Struct({
  ...rules,
  chargers: Schema.Int.annotate({ description: "Number of the organisation's chargers that it applies to" }),
  chargerIds: Schema.Array(Schema.String).annotate({ description: "The first few of those chargers" })
}).annotate({ identifier: "Quirk" })

const ToleranceKind = Schema.Struct({
  name: Schema.String.annotate({ description: "The name of its field in a rule's tolerances" }),
  title: Schema.String,
  about: Schema.String.annotate({ description: "What the service does if the tolerance is granted" }),
  useWhen: Schema.String.annotate({ description: "What operators see if a charger needs the tolerance" }),
  type: Schema.Literals(toleranceTypes),
  unit: Schema.NullOr(Schema.String),
  minimum: Schema.NullOr(Schema.Int),
  maximum: Schema.NullOr(Schema.Int),
  choices: Schema.Array(Schema.String)
}).annotate({ identifier: "ToleranceKind" })

const QuirkBook = Schema.Struct({
  rules: Schema.Array(Quirk).annotate({
    description: "The organisation's own rules; they override the built-in ones, and later rules override earlier ones"
  }),
  builtIn: Schema.Array(Quirk).annotate({
    description: "The built-in rules, which every organisation has; they cannot be changed, only overridden"
  }),
  kinds: Schema.Array(ToleranceKind).annotate({
    description: "The tolerances that a rule can grant, with explanations"
  })
}).annotate({ identifier: "QuirkBook" })

const NewQuirkBook = Schema.Struct({
  rules: Schema.Array(NewQuirk).check(
    Schema.isMaxLength(quirksMax),
    rule(
      (given: ReadonlyArray<typeof NewQuirk.Type>) => new Set(given.map(({ name }) => name)).size === given.length,
      "Must each have a unique name"
    )
  ),
  builtIn: ignored,
  kinds: ignored
}).annotate({ identifier: "NewQuirkBook" })

const Applied = Schema.Struct({
  items: Schema.Array(Command).annotate({ description: "The commands that were issued; empty if no key differs" })
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
    operation("Read the configuration template: the keys that every charger should have", "chargers:read")
  ),
  HttpApiEndpoint.put("setTemplate", "/v2/configuration-template", {
    payload: NewTemplate,
    success: Template
  }).annotateMerge(
    operation(
      "Replace the template: it is applied after each boot, starting with the charger's next connection",
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
      operation("Send the charger the template's value of each key that differs, one command per key", "commands:write")
    )
    .annotate(OpenApi.Transform, (shown) => ({ ...shown, requestBody: { ...shown["requestBody"], required: false } })),
  HttpApiEndpoint.get("drifts", "/v2/configuration-drifts", {
    query: PageQuery,
    success: listOf(Drift)
  }).annotateMerge(
    operation("List chargers whose configuration differs from the template, by chargerId", "chargers:read")
  ),
  HttpApiEndpoint.get("quirks", "/v2/quirks", { success: QuirkBook }).annotateMerge(
    operation(
      "Read the quirk book: the tolerances granted to some makes, and the chargers that they apply to",
      "chargers:read"
    )
  ),
  HttpApiEndpoint.put("setQuirks", "/v2/quirks", { payload: NewQuirkBook, success: QuirkBook }).annotateMerge(
    operation("Replace the organisation's own rules; they apply from a charger's next connection", "chargers:write")
  )
) {}
