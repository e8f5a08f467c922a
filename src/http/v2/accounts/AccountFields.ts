/** Fields in the requests and answers about people's accounts. */
import { Schema } from "effect"
import { permissions } from "../../../domain/operator/Permission.ts"
import { builtInRoleNames } from "../../../domain/operator/Role.ts"
import { isUuid } from "../../../domain/values/Uuid7.ts"
import { optionalText, rule, Time } from "../../Fields.ts"

/** Longest password that is accepted for checking. The rules for a new password are in the domain. */
const passwordMost = 1024

/** Any text: the rules for a new password are checked where it is set. */
export const Password = Schema.String.check(Schema.isMaxLength(passwordMost))

export const Code = optionalText(64)

/** The secret of a link: the part after its `#`. */
export const LinkToken = optionalText(256)

export const Permissions = Schema.Array(Schema.Literals(permissions)).check(Schema.isMaxLength(permissions.length))

/** A built-in role by its name, or a role of the organisation by its id. */
export const RoleId = Schema.String.check(
  rule(
    (id: string) => builtInRoleNames.some((name) => name === id) || isUuid(id),
    `Must be one of ${builtInRoleNames.join(", ")}, or the id of a role of this organisation`
  )
)

/** The answer of `GET /v2/me`, which every way to sign in also answers. */
export const Me = Schema.Struct({
  operator: Schema.NullOr(
    Schema.Struct({ id: Schema.String, email: Schema.String, name: Schema.String, locale: Schema.String })
  ).annotate({ description: "The signed-in operator; null if the caller is a key" }),
  organisation: Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    countryCode: Schema.String,
    partyId: Schema.String,
    timeZone: Schema.String
  }),
  organisations: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String })),
  singleSignOn: Schema.Boolean,
  permissions: Schema.Array(Schema.String),
  role: Schema.NullOr(Schema.String),
  secondFactor: Schema.NullOr(
    Schema.Struct({
      enrolled: Schema.Boolean,
      used: Schema.Boolean,
      required: Schema.Boolean,
      recoveryCodesLeft: Schema.Int,
      wrongCodes: Schema.NullOr(
        Schema.Struct({ count: Schema.Int, lastAt: Time, lastNetwork: Schema.String }).annotate({
          identifier: "WrongCodes"
        })
      )
    })
  ),
  addresses: Schema.Struct({ rest: Schema.String, ocpp: Schema.String, ocpi: Schema.String }),
  mapTiles: Schema.NullOr(Schema.Struct({ template: Schema.String, attribution: Schema.NullOr(Schema.String) })),
  version: Schema.String
}).annotate({ identifier: "Me" })
