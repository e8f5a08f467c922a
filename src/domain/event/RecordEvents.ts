/** Events about an organisation's own records: what changed, by name and id. Only the audit log has the author and the previous state. */
import { Equal, Schema } from "effect"
import { type ChargerField, chargerFields } from "./Event.ts"
import { pauseReasons, rolloutKinds, rolloutStates } from "../rollout/Rollout.ts"
import { chargerOf, type EventTranslation, translation, type NewEvent } from "./NewEvent.ts"

/** Translates the record after the change, or before it if the record was removed. */
const changing = <S extends Schema.ConstraintDecoder<unknown>>(
  record: S,
  tell: (record: S["Type"]) => NewEvent
): EventTranslation =>
  translation(Schema.Struct({ after: Schema.optional(record), before: Schema.optional(record) }), (body) => {
    const { after, before }: { readonly after?: S["Type"]; readonly before?: S["Type"] } = body
    const shown = after ?? before
    return shown === undefined ? [] : [tell(shown)]
  })

const token = (change: "Created" | "Changed" | "Removed"): EventTranslation =>
  changing(Schema.Struct({ uid: Schema.String, status: Schema.optionalKey(Schema.String) }), ({ status, uid }) => ({
    type: "token.changed",
    subject: `token:${uid}`,
    data: { uid, change, status: status ?? null }
  }))

/** A partner's token. One that the partner has withdrawn is published as Blocked. */
const roamingToken: EventTranslation = translation(
  Schema.Struct({
    after: Schema.Struct({ uid: Schema.String, valid: Schema.Boolean }),
    before: Schema.optional(Schema.Unknown)
  }),
  ({ after: { uid, valid }, before }) => [
    {
      type: "token.changed",
      subject: `token:${uid}`,
      data: { uid, change: before === undefined ? "Created" : "Changed", status: valid ? "Accepted" : "Blocked" }
    }
  ]
)

const tariff = (change: "Created" | "Changed" | "Removed"): EventTranslation =>
  changing(Schema.Struct({ id: Schema.String, version: Schema.Int }), ({ id, version }) => ({
    type: "tariff.changed",
    subject: `tariff:${id}`,
    data: { tariffId: id, change, version }
  }))

const assignment = (change: "Assigned" | "Unassigned"): EventTranslation =>
  changing(Schema.Struct({ tariffId: Schema.String }), ({ tariffId }) => ({
    type: "tariff.changed",
    subject: `tariff:${tariffId}`,
    data: { tariffId, change, version: null }
  }))

const site = (change: "Created" | "Changed" | "Removed"): EventTranslation =>
  changing(Schema.Struct({ id: Schema.String, name: Schema.String }), ({ id, name }) => ({
    type: "site.changed",
    subject: `site:${id}`,
    data: { siteId: id, change, name }
  }))

const ChargerRecord = Schema.Struct({
  name: Schema.String,
  siteId: Schema.optionalKey(Schema.Unknown),
  securityProfile: Schema.optionalKey(Schema.Unknown),
  registration: Schema.optionalKey(Schema.Unknown),
  registeredSerialNumber: Schema.optionalKey(Schema.Unknown),
  passwordChanged: Schema.optionalKey(Schema.Unknown),
  equipment: Schema.optionalKey(Schema.Unknown),
  evses: Schema.optionalKey(Schema.Unknown)
})

/** The field of the record for each field in REST, in the order of REST. */
const chargerFieldsOf: Readonly<Record<ChargerField, keyof typeof ChargerRecord.Type>> = {
  name: "name",
  siteId: "siteId",
  securityProfile: "securityProfile",
  password: "passwordChanged",
  registeredSerialNumber: "registeredSerialNumber",
  registration: "registration",
  connectors: "equipment",
  evses: "evses"
}

/** Publishes only the names of changed fields, since some values are secret. */
const charger = (change: "Created" | "Changed" | "Removed"): EventTranslation =>
  translation(
    Schema.Struct({ after: Schema.optional(ChargerRecord), before: Schema.optional(ChargerRecord) }),
    ({ after, before }, fact) => {
      const shown = after ?? before
      if (shown === undefined) return []
      const fields =
        after === undefined || before === undefined
          ? []
          : chargerFields.filter((field) => {
              const key = chargerFieldsOf[field]
              return !Equal.equals(before[key], after[key])
            })
      const data = { ...chargerOf(fact), change, name: shown.name, fields }
      return [{ type: "charger.changed", subject: fact.subject, data }]
    }
  )

const partner = (
  change: "Created" | "Changed" | "Removed" | "Invited" | "Registered" | "Unregistered"
): EventTranslation =>
  changing(
    Schema.Struct({ id: Schema.String, name: Schema.String, status: Schema.String }),
    ({ id, name, status }) => ({
      type: "partner.changed",
      subject: `partner:${id}`,
      data: { partnerId: id, change, name, status }
    })
  )

/** Without the progress of the rollout, which has its own event (`rollout.progress`). */
const rollout: EventTranslation = changing(
  Schema.Struct({
    id: Schema.String,
    kind: Schema.Literals(rolloutKinds),
    name: Schema.String,
    state: Schema.Literals(rolloutStates),
    pauseReason: Schema.optionalKey(Schema.Literals(pauseReasons)),
    targets: Schema.Int
  }),
  ({ id, kind, name, pauseReason, state, targets }) => ({
    type: "rollout.changed",
    subject: `rollout:${id}`,
    data: { rolloutId: id, kind, name, state, pauseReason: pauseReason ?? null, targets }
  })
)

export const recordTranslations: Readonly<Record<string, EventTranslation>> = {
  RolloutChanged: rollout,
  TokenCreated: token("Created"),
  TokenChanged: token("Changed"),
  TokenRemoved: token("Removed"),
  RoamingTokenChanged: roamingToken,
  TariffCreated: tariff("Created"),
  TariffChanged: tariff("Changed"),
  TariffRemoved: tariff("Removed"),
  TariffAssigned: assignment("Assigned"),
  TariffUnassigned: assignment("Unassigned"),
  ChargerRegistered: charger("Created"),
  ChargerChanged: charger("Changed"),
  ChargerRemoved: charger("Removed"),
  SiteCreated: site("Created"),
  SiteChanged: site("Changed"),
  SiteRemoved: site("Removed"),
  PartnerCreated: partner("Created"),
  PartnerChanged: partner("Changed"),
  PartnerRemoved: partner("Removed"),
  PartnerInvited: partner("Invited"),
  PartnerRegistered: partner("Registered"),
  PartnerUnregistered: partner("Unregistered")
}
