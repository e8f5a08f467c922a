/**
 * REST v2 as a value: every endpoint with its schemas, permissions and errors, and none of its implementation. Servers, the OpenAPI
 * document, typed clients and the tests that walk every route are all made from it.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { ApiKeysApi } from "./ApiKeysApi.ts"
import { AuditLogApi } from "./AuditLogApi.ts"
import { CdrsApi } from "./CdrsApi.ts"
import { CertificatesApi } from "./CertificatesApi.ts"
import { ChargerHistoryApi } from "./ChargerHistoryApi.ts"
import { ChargersApi } from "./ChargersApi.ts"
import { ChargingProfilesApi } from "./ChargingProfilesApi.ts"
import { LocalListsApi } from "./LocalListsApi.ts"
import { CommandsApi } from "./CommandsApi.ts"
import { DeliveriesApi } from "./DeliveriesApi.ts"
import { EventsApi } from "./EventsApi.ts"
import { ExpectationsApi } from "./ExpectationsApi.ts"
import { FilesApi } from "./FilesApi.ts"
import { Authorization, BoundedBody, Conditional, Face, FewLargeAnswers, Idempotent, Undeclared } from "./Middleware.ts"
import { OrganisationsApi } from "./OrganisationsApi.ts"
import { PartiesApi } from "./PartiesApi.ts"
import { PartnerRecordsApi } from "./PartnerRecordsApi.ts"
import { PartnersApi } from "./PartnersApi.ts"
import { PartnerViewApi } from "./PartnerViewApi.ts"
import { ReservationsApi } from "./ReservationsApi.ts"
import { SessionsApi } from "./SessionsApi.ts"
import { SitesApi } from "./SitesApi.ts"
import { StatisticsApi } from "./StatisticsApi.ts"
import { TariffsApi } from "./TariffsApi.ts"
import { TokenConflictsApi } from "./TokenConflictsApi.ts"
import { TokensApi } from "./TokensApi.ts"
import { UnknownChargersApi } from "./UnknownChargersApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"

const description = `Sites, chargers, sessions, drivers' tokens and keys of one organisation.

Every request carries a key in the header \`x-api-key\`. Bodies are JSON in camelCase; times are RFC 3339, written in UTC. Lists answer
\`items\` and \`nextCursor\`, take \`limit\` and \`cursor\`, and carry a \`Link\` header; a page ends where its items have 1 MiB, so go on
until \`nextCursor\` is null. Errors are problem documents (RFC 9457) with a stable
\`code\`. One object has an \`ETag\`: \`If-None-Match\` with it is 304 while it stands, \`If-Match\` with it lets a change through only while it does. HEAD and OPTIONS
are on every path. A field or query parameter that is not known is refused, with the names that are. Answers may gain fields: ignore those
that you do not know.`

export class Api extends HttpApi.make("voltlane-v2")
  .add(
    OrganisationsApi,
    SitesApi,
    ChargersApi,
    CommandsApi,
    ReservationsApi,
    CertificatesApi,
    SessionsApi,
    TokenConflictsApi,
    TokensApi,
    ApiKeysApi,
    StatisticsApi
  )
  .add(ChargingProfilesApi)
  .add(LocalListsApi)
  .add(ChargerHistoryApi)
  .add(AuditLogApi)
  .add(FilesApi)
  .add(UnknownChargersApi)
  .add(ExpectationsApi)
  .add(TariffsApi)
  .add(CdrsApi)
  .add(PartnersApi)
  .add(DeliveriesApi)
  .add(PartnerViewApi)
  .add(EventsApi)
  .add(WebhooksApi)
  .add(PartiesApi)
  .add(PartnerRecordsApi)
  // The last one named is the outermost: a request meets Face, Authorization, BoundedBody, Undeclared, Conditional, Idempotent, FewLargeAnswers and
  // then its handler.
  .middleware(FewLargeAnswers)
  .middleware(Idempotent)
  .middleware(Conditional)
  .middleware(Undeclared)
  .middleware(BoundedBody)
  .middleware(Authorization)
  .middleware(Face)
  .prefix("/cpo")
  // Nothing that is sent is dropped in silence (docs/decisions/0008): bodies, queries and paths hold what their schema names.
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  // Requests carry headers that no endpoint declares, answers hold what their schema names.
  .annotate(HttpApi.HeadersParseOptions, {})
  .annotate(HttpApi.SuccessParseOptions, {})
  .annotate(HttpApi.ErrorParseOptions, {})
  .annotateMerge(OpenApi.annotations({ title: "Voltlane REST API", version: "2.0.0", description })) {}
