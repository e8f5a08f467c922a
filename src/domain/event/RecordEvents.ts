/** Events of an organisation's own records: what changed, by name and id. The author and the state before are only in the audit log. */
import { Schema } from "effect"
import { type EventTranslation, translation, type NewEvent } from "./NewEvent.ts"

/** The record after the change, or before it if it was removed. */
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

/** A partner's token; one that the partner has withdrawn is blocked. */
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

export const recordTranslations: Readonly<Record<string, EventTranslation>> = {
  TokenCreated: token("Created"),
  TokenChanged: token("Changed"),
  TokenRemoved: token("Removed"),
  RoamingTokenChanged: roamingToken,
  TariffCreated: tariff("Created"),
  TariffChanged: tariff("Changed"),
  TariffRemoved: tariff("Removed"),
  TariffAssigned: assignment("Assigned"),
  TariffUnassigned: assignment("Unassigned"),
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
