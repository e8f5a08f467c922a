/** Chargers in REST v2: what an operator registers, what the charger reports, its message log and its configuration. */
import { connectorStatuses, placeOf } from "../../../domain/site/Connector.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { describedEvsesMax } from "../../../domain/charger/Describing.ts"
import { ChargerId, flag, Name, rule, text, Uuid } from "../../Fields.ts"
import { counts, rows } from "./ChargerRowsApi.ts"
import { exportMessages, messages } from "./MessagesApi.ts"
import { Charger, ConnectorChange, EvseChange, reportedFields } from "./ChargerSchema.ts"
import { Conflict409, NotFound404 } from "../requests/Failures.ts"
import { graveOperationIf, operation, Reported } from "../requests/Middleware.ts"
import { createdAt, IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"
import { registrations } from "../../../domain/values/Registration.ts"

/**
 * Shortest password that an operator may choose, since chargers in the field have short ones. `generatePassword` makes one of 20
 * characters.
 */
const passwordMinLength = 8

/** Longest password that any OCPP version can carry (2.1: 64). */
const passwordMaxLength = 64

/** Most connectors in one request. The largest chargers have a few dozen. */
const connectorsMax = 128

const passwordPattern = new RegExp(`^[\\x21-\\x7e]{${passwordMinLength},${passwordMaxLength}}$`)

const Password = Schema.String.check(
  rule(
    (value: string) => passwordPattern.test(value),
    `Must have ${passwordMinLength} to ${passwordMaxLength} printable ASCII characters without spaces (OCPP 1.6 chargers: 16 to 20)`,
    { pattern: passwordPattern.source }
  )
).annotate({ description: "Never shown again. OCPP 1.6 chargers take 16 to 20 characters, 2.x up to 40." })

const SecurityProfile = Schema.Literals([0, 1, 2, 3]).annotate({
  description: "OCPP's security profile: 0 none, 1 password, 2 password over TLS, 3 client certificate"
})

/** A certificate's common name has at most 64 characters (RFC 5280, ub-common-name). */
const serialNumberMax = 64

const RegisteredSerialNumber = text(serialNumberMax).annotate({
  description:
    "The serial number that its client certificate (security profile 3) may carry as common name, instead of the charger's id. The `serialNumber` that the charger reports is never used for this."
})

const generatePassword = Schema.Boolean.annotate({
  description: "Generates a password and shows it once, as `password`"
})

const Registration = Schema.Literals(registrations)

interface Credentials {
  readonly securityProfile?: 0 | 1 | 2 | 3
  readonly password?: string
  readonly generatePassword?: boolean
}

/** Refuses passwords and profiles that contradict each other. */
const credentialsFit = Schema.makeFilter((given: Credentials) => {
  const wantsPassword = given.password !== undefined || given.generatePassword === true
  if (given.password !== undefined && given.generatePassword === true) {
    return { path: ["generatePassword"], issue: "Must not be true if a password is given" }
  }
  return wantsPassword && (given.securityProfile === 0 || given.securityProfile === 3)
    ? { path: ["securityProfile"], issue: "Must be 1 or 2 if there is a password" }
    : undefined
})

export const NewCharger = Schema.Struct({
  name: Name,
  chargerId: ChargerId.annotate({
    description: "Unique in the whole service; must equal the identity set in the charger"
  }),
  siteId: Schema.optionalKey(Uuid.annotate({ description: "Default: the organisation's oldest site" })),
  securityProfile: Schema.optionalKey(SecurityProfile),
  password: Schema.optionalKey(Password),
  generatePassword: Schema.optionalKey(generatePassword),
  registeredSerialNumber: Schema.optionalKey(RegisteredSerialNumber),
  registration: Schema.optionalKey(
    Registration.annotate({ description: "The answer to its BootNotification; default Accepted" })
  )
})
  .check(
    credentialsFit,
    Schema.makeFilter((given: Credentials) =>
      (given.securityProfile === 1 || given.securityProfile === 2) &&
      given.password === undefined &&
      given.generatePassword !== true
        ? { path: ["securityProfile"], issue: "Requires a password, or generatePassword: true, in the same request" }
        : undefined
    )
  )
  .annotate({ identifier: "NewCharger" })

/** Each connector at most once. Without an `evseId`, `connectorId` is that of OCPP 1.6: connector n is EVSE n with its only connector. */
const eachOnce = rule(
  (connectors: ReadonlyArray<typeof ConnectorChange.Type>) =>
    new Set(connectors.map(placeOf).map((at) => `${at.evseId}/${at.connectorId}`)).size === connectors.length,
  "Must name each connector only once"
)

const eachEvseOnce = rule(
  (evses: ReadonlyArray<typeof EvseChange.Type>) => new Set(evses.map(({ evseId }) => evseId)).size === evses.length,
  "Must name each EVSE only once"
)

export const ChargerChange = Schema.Struct({
  name: Schema.optionalKey(Name),
  siteId: Schema.optionalKey(Uuid),
  securityProfile: Schema.optionalKey(SecurityProfile),
  password: Schema.optionalKey(Password),
  generatePassword: Schema.optionalKey(generatePassword),
  registeredSerialNumber: Schema.optionalKey(
    Schema.NullOr(RegisteredSerialNumber).annotate({ description: "Null removes it" })
  ),
  registration: Schema.optionalKey(Registration.annotate({ description: "The answer to its next BootNotification" })),
  connectors: Schema.optionalKey(Schema.Array(ConnectorChange).check(Schema.isMaxLength(connectorsMax), eachOnce)),
  evses: Schema.optionalKey(Schema.Array(EvseChange).check(Schema.isMaxLength(describedEvsesMax), eachEvseOnce))
})
  .check(credentialsFit)
  .annotate({ identifier: "ChargerChange" })

/** A charger, with its password if one was just generated. */
const ChargerOnce = Schema.Struct({
  ...Charger.fields,
  password: Schema.optionalKey(
    Schema.String.annotate({ description: "Only after `generatePassword: true`; shown only once" })
  )
}).annotate({ identifier: "ChargerWithPassword" })

const ConfigurationKey = Schema.Struct({
  key: Schema.String,
  value: Schema.NullOr(Schema.String),
  readonly: Schema.Boolean,
  expected: Schema.NullOr(Schema.String).annotate({
    description: "The template's value; null if the template has none"
  }),
  drift: Schema.Boolean.annotate({ description: "Whether it differs from the expected value, or is missing" }),
  missing: Schema.Boolean.annotate({ description: "Whether the key is expected and the charger does not have it" }),
  secret: Schema.Boolean.annotate({
    description: "Whether the value is a secret by the key's name, which is masked without `chargers:secrets`"
  }),
  unknown: Schema.Boolean.annotate({
    description: "Whether a secret is expected and the charger does not tell its own, so that they cannot be compared"
  })
}).annotate({ identifier: "ConfigurationKey" })

const params = { chargerId: ChargerId }

/** Longest version or model in a filter. Values of chargers that exceed OCPP's 50 characters are stored unchanged. */
const reportedMax = 255

const filters = {
  siteId: Schema.optionalKey(Uuid),
  connected: Schema.optionalKey(flag("true: only chargers that are connected; false: only those that are not")),
  status: Schema.optionalKey(
    Schema.Literals(connectorStatuses).annotate({
      description: "Only chargers that reported this status for themselves as a whole, or for one of their connectors"
    })
  ),
  firmwareVersion: Schema.optionalKey(text(reportedMax).annotate({ description: "As the charger reports it" })),
  model: Schema.optionalKey(text(reportedMax).annotate({ description: "`chargerModel` as the charger reports it" })),
  q: Schema.optionalKey(
    text(100).annotate({
      description: "Text that occurs in the chargerId, name, serialNumber, manufacturer or model; case does not matter"
    })
  )
}

/** When the second factor is asked for again. */
const setsPassword = "if `password` is given or `generatePassword` is true"

export class ChargersApi extends HttpApiGroup.make("chargers").add(
  HttpApiEndpoint.post("create", "/v2/chargers", {
    headers: IdempotencyHeader,
    payload: NewCharger,
    success: createdAt(ChargerOnce),
    error: [NotFound404, Conflict409]
  }).annotateMerge(graveOperationIf(setsPassword, "Register a charger", "chargers:write")),
  HttpApiEndpoint.get("list", "/v2/chargers", {
    query: { ...PageQuery, ...filters },
    success: listOf(Charger)
  }).annotateMerge(operation("List chargers by chargerId", "chargers:read")),
  HttpApiEndpoint.get("get", "/v2/chargers/:chargerId", { params, success: Charger, error: NotFound404 })
    .annotate(Reported, reportedFields)
    .annotateMerge(operation("Read a charger with everything that it reported", "chargers:read")),
  HttpApiEndpoint.patch("update", "/v2/chargers/:chargerId", {
    params,
    payload: ChargerChange,
    success: ChargerOnce,
    error: [NotFound404, Conflict409]
  }).annotateMerge(
    graveOperationIf(setsPassword, "Change a charger, or describe its connectors and EVSEs", "chargers:write")
  ),
  HttpApiEndpoint.delete("remove", "/v2/chargers/:chargerId", {
    params,
    success: HttpApiSchema.NoContent,
    error: [NotFound404, Conflict409]
  }).annotateMerge(operation("Delete a charger; its sessions stay", "chargers:write")),
  messages,
  exportMessages,
  HttpApiEndpoint.get("configuration", "/v2/chargers/:chargerId/configuration", {
    params,
    query: { cursor: PageQuery.cursor },
    success: listOf(ConfigurationKey),
    error: NotFound404
  }).annotateMerge(operation("Read the configuration keys that the charger reported", "chargers:read")),
  rows,
  counts
) {}
