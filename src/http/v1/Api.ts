/** The definition of REST v1: the four operations of product.md under their exact names. Groups are the sites of REST v2. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ChargerStatus, Statistics } from "../ChargerStatus.ts"
import { Name, rule } from "../Fields.ts"
import { Conflict409, NotFound404, V1Authorization, V1Face } from "./Middleware.ts"

const Group = Schema.Struct({ id: Schema.Int, name: Schema.String }).annotate({ identifier: "Group" })

/** The largest integer of PostgreSQL: no group has a larger id. */
const groupIdMax = 2_147_483_647

const GroupId = Schema.FiniteFromString.check(
  rule((n: number) => Number.isInteger(n) && n >= 0 && n <= groupIdMax, "Must be an integer")
)

/** Both query parameters are required together, which Effect's security schemes cannot express. */
const security = [{ code: [], clientId: [] }]

const summary = (text: string) => OpenApi.annotations({ summary: text, override: { security } })

/** A body of which only some fields are read: product.md allows other fields in it. */
const among = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Unknown)])

class Groups extends HttpApiGroup.make("group").add(
  HttpApiEndpoint.post("add", "/api/group/add", {
    payload: among({ name: Name }),
    success: Group
  }).annotateMerge(summary("Create a group (a site); its id is the groupId for charger/add"))
) {}

class Chargers extends HttpApiGroup.make("charger").add(
  HttpApiEndpoint.post("add", "/api/charger/add/:chargerId/:groupId", {
    params: { chargerId: Schema.String, groupId: GroupId },
    payload: among({ chargerName: Name }),
    success: Schema.Struct({ chargerId: Schema.String }),
    error: [NotFound404, Conflict409]
  }).annotateMerge(summary("Create a charger in a group; other fields of the body are ignored")),
  HttpApiEndpoint.get("get", "/api/charger/:chargerId", {
    params: { chargerId: Schema.String },
    success: ChargerStatus,
    error: NotFound404
  }).annotateMerge(summary("Read a charger with what it reported"))
) {}

class StatisticsGroup extends HttpApiGroup.make("statistics").add(
  HttpApiEndpoint.get("get", "/api/statistics", { success: Statistics }).annotateMerge(
    summary("Count chargers, connectors, sessions and energy")
  )
) {}

/** Adds the two security parameters of every operation. */
const withSecurity = (spec: Record<string, unknown>): Record<string, unknown> => {
  const parameter = (name: string) => ({ type: "apiKey", in: "query", name })
  const components = typeof spec["components"] === "object" ? spec["components"] : {}
  return {
    ...spec,
    components: { ...components, securitySchemes: { code: parameter("code"), clientId: parameter("clientId") } }
  }
}

const description = `The older interface: groups (sites in REST v2) and chargers. Every request carries the query parameters \`code\` and
\`clientId\` and is made over https. Errors are \`{ "error": { "code", "message" } }\`. New programs should use REST v2.`

export class V1Api extends HttpApi.make("voltlane-v1")
  .add(Groups, Chargers, StatisticsGroup)
  .middleware(V1Authorization)
  .middleware(V1Face)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({ title: "Voltlane REST API v1", version: "1.0.0", description, transform: withSecurity })
  ) {}
