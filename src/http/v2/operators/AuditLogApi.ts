/** The audit log in REST v2: who changed which record, and which commands were sent to chargers. It can only be read. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { text, Time } from "../../Fields.ts"
import { operation } from "../requests/Middleware.ts"
import { listOf, PageQuery } from "../requests/Paging.ts"

/** Longest subject: the name of a kind, followed by a token's uid. */
const subjectMaxLength = 300

/** Longest author: a kind, followed by an id or a user's name. */
const actorMaxLength = 200

/** Longer than the name of any fact. */
const actionMaxLength = 64

const Document = Schema.Record(Schema.String, Schema.Unknown)

export const AuditEntry = Schema.Struct({
  id: Schema.String,
  at: Time,
  actor: Schema.String.annotate({
    description:
      "Who did it, such as `operator:<id>`, `key:<id>`, `partner:<id>` or `command-line:<user>`; `platform` for the service itself"
  }),
  action: Schema.String.annotate({ description: "What was done, such as SiteChanged or CommandIssued" }),
  subject: Schema.String.annotate({ description: "The object it was done to, such as `charger:CP-1`" }),
  before: Schema.optionalKey(Document),
  after: Schema.optionalKey(Document)
}).annotate({ identifier: "AuditEntry" })

export class AuditLogApi extends HttpApiGroup.make("audit-log").add(
  HttpApiEndpoint.get("list", "/v2/audit-log", {
    query: {
      ...PageQuery,
      subject: Schema.optionalKey(text(subjectMaxLength)),
      actor: Schema.optionalKey(text(actorMaxLength)),
      action: Schema.optionalKey(text(actionMaxLength)),
      from: Schema.optionalKey(Time.annotate({ description: "Done at or after" })),
      to: Schema.optionalKey(Time.annotate({ description: "Done before" }))
    },
    success: listOf(AuditEntry)
  }).annotateMerge(operation("List changes and who made them, newest first", "audit:read"))
) {}
