/** Roaming partners in REST v2: invited with a token, or registered with by us; suspended, invited again, and removed. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { CountryAlpha2, Name, rule, Time, Uuid } from "../../Fields.ts"
import { Conflict409, NotFound404 } from "../requests/Failures.ts"
import { graveOperation, operation, Staged } from "../requests/Middleware.ts"
import { createdAt, IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"
import { partyRoles } from "../../../domain/roaming/Party.ts"
import { partnerStatuses } from "../../../domain/roaming/Partner.ts"

const switches = {
  tokenForm: Schema.Literals(["Raw", "Base64"]).annotate({
    description: "How our calls carry the token; default: as the version requires, and the other way if that is refused"
  }),
  semanticErrorsAs400: Schema.Boolean,
  createdAs201: Schema.Boolean,
  credentialsOnce: Schema.Boolean,
  noCreditCdrs: Schema.Boolean,
  askUnknownTokens: Schema.Boolean.annotate({
    description: "True: the partner is asked in real time about cards that are otherwise unknown"
  })
}

const Switches = Schema.Struct({
  tokenForm: Schema.optionalKey(switches.tokenForm),
  semanticErrorsAs400: Schema.optionalKey(switches.semanticErrorsAs400),
  createdAs201: Schema.optionalKey(switches.createdAs201),
  credentialsOnce: Schema.optionalKey(switches.credentialsOnce),
  noCreditCdrs: Schema.optionalKey(switches.noCreditCdrs),
  askUnknownTokens: Schema.optionalKey(switches.askUnknownTokens)
}).annotate({
  identifier: "PartnerSwitches",
  description: "Where this partner deviates from the standard"
})

const changed = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const SwitchesChange = Schema.Struct({
  tokenForm: changed(switches.tokenForm),
  semanticErrorsAs400: changed(switches.semanticErrorsAs400),
  createdAs201: changed(switches.createdAs201),
  credentialsOnce: changed(switches.credentialsOnce),
  noCreditCdrs: changed(switches.noCreditCdrs),
  askUnknownTokens: changed(switches.askUnknownTokens)
}).annotate({
  identifier: "PartnerSwitchesChange",
  description: "Only the given switches change; null resets a switch"
})

/** Three letters or digits (OCPI 2.2.1 §3.1). */
export const PartyCode = Schema.String.check(
  rule((id: string) => /^[A-Z0-9]{3}$/.test(id), "Must have three upper-case letters or digits", {
    pattern: "^[A-Z0-9]{3}$"
  })
)

const Role = Schema.Literals(partyRoles)

const Party = Schema.Struct({
  role: Role,
  countryCode: Schema.String,
  partyId: Schema.String,
  name: Schema.String,
  website: Schema.NullOr(Schema.String)
}).annotate({ identifier: "PartnerParty" })

const fields = {
  id: Schema.String,
  name: Schema.String,
  countryCode: Schema.NullOr(Schema.String),
  partyId: Schema.NullOr(Schema.String).annotate({
    description: "The party that you invited; `parties` has what the partner declares"
  }),
  roles: Schema.Array(Role),
  status: Schema.Literals(partnerStatuses),
  ocpiVersion: Schema.NullOr(Schema.String).annotate({ description: "Null if it is not registered" }),
  versionsUrl: Schema.String.annotate({ description: "Our versions URL, to give to the partner" }),
  partnerVersionsUrl: Schema.NullOr(Schema.String).annotate({ description: "The partner's own, as it gave it" }),
  parties: Schema.Array(Party).annotate({ description: "As the partner has declared them in its credentials" }),
  modules: Schema.Array(Schema.String).annotate({ description: "What the partner serves" }),
  registeredAt: Schema.NullOr(Time),
  switches: Switches,
  createdAt: Time,
  updatedAt: Time
}

export const Partner = Schema.Struct(fields).annotate({ identifier: "Partner" })

export const InvitedPartner = Schema.Struct({
  ...fields,
  credentialsToken: Schema.String.annotate({
    description:
      "To give to the partner together with versionsUrl: valid for seven days and for one registration, and shown only once"
  })
}).annotate({ identifier: "InvitedPartner" })

export const NewPartner = Schema.Struct({
  name: Name,
  countryCode: CountryAlpha2,
  partyId: PartyCode,
  roles: Schema.Array(Role).check(Schema.isMinLength(1), Schema.isMaxLength(7)),
  switches: Schema.optionalKey(SwitchesChange)
}).annotate({ identifier: "NewPartner" })

export const PartnerChange = Schema.Struct({
  name: Schema.optionalKey(Name),
  switches: Schema.optionalKey(SwitchesChange),
  suspended: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "True: its calls are refused and nothing is sent to it" })
  )
}).annotate({ identifier: "PartnerChange" })

export const Handover = Schema.Struct({
  versionsUrl: Schema.String.check(
    rule((text: string) => URL.canParse(text) && text.length <= 255, "Must be an absolute URL", { format: "uri" })
  ),
  token: Schema.String.check(
    rule((text: string) => /^[\u0021-\u007e]{1,64}$/.test(text), "Must have 1 to 64 printable characters")
  ),
  version: Schema.optionalKey(Schema.Literals(["2.1.1", "2.2", "2.2.1"]))
}).annotate({ identifier: "PartnerHandover" })

const params = { partnerId: Uuid }

export class PartnersApi extends HttpApiGroup.make("partners").add(
  HttpApiEndpoint.post("create", "/v2/partners", {
    headers: IdempotencyHeader,
    payload: NewPartner,
    success: createdAt(InvitedPartner.pipe(HttpApiSchema.status(201))),
    error: Conflict409
  }).annotateMerge(graveOperation("Invite a partner to register", "partners:write")),
  HttpApiEndpoint.get("list", "/v2/partners", { query: PageQuery, success: listOf(Partner) }).annotateMerge(
    operation("List partners, newest first", "partners:read")
  ),
  HttpApiEndpoint.get("get", "/v2/partners/:partnerId", { params, success: Partner, error: NotFound404 }).annotateMerge(
    operation("Read a partner", "partners:read")
  ),
  HttpApiEndpoint.patch("update", "/v2/partners/:partnerId", {
    params,
    payload: PartnerChange,
    success: Partner,
    error: NotFound404
  }).annotateMerge(
    operation("Rename a partner, change its switches, suspend it or end its suspension", "partners:write")
  ),
  HttpApiEndpoint.delete("remove", "/v2/partners/:partnerId", {
    params,
    success: HttpApiSchema.NoContent,
    error: NotFound404
  }).annotateMerge(
    operation("Remove a partner; its tokens are no longer accepted, and it is notified", "partners:write")
  ),
  HttpApiEndpoint.post("invite", "/v2/partners/:partnerId/invite", {
    params,
    headers: IdempotencyHeader,
    success: InvitedPartner.pipe(HttpApiSchema.status(201)),
    error: NotFound404
  }).annotateMerge(
    graveOperation(
      "Reset a registration: all its tokens end, and it may register again with the new one",
      "partners:write"
    )
  ),
  HttpApiEndpoint.post("register", "/v2/partners/:partnerId/register", {
    params,
    headers: IdempotencyHeader,
    payload: Handover,
    success: Partner.pipe(HttpApiSchema.status(201)),
    error: [NotFound404, Conflict409]
  })
    .annotateMerge(graveOperation("Register with a partner that has given you its token", "partners:write"))
    .annotate(Staged, true),
  HttpApiEndpoint.post("renew", "/v2/partners/:partnerId/renew", {
    params,
    headers: IdempotencyHeader,
    success: Partner.pipe(HttpApiSchema.status(201)),
    error: [NotFound404, Conflict409]
  })
    .annotateMerge(
      graveOperation("Exchange new tokens with a registered partner, without interruption", "partners:write")
    )
    .annotate(Staged, true)
) {}
