/**
 * The definition of REST v2: every endpoint with its schemas, permissions and errors, without any implementation. The server, the OpenAPI
 * document, typed clients and the tests that visit every route are all built from it.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { MeApi } from "./accounts/MeApi.ts"
import { InvitationsApi, OperatorsApi, RolesApi } from "./accounts/OperatorsApi.ts"
import { PasskeysApi } from "./accounts/PasskeysApi.ts"
import { SetUpApi, SignInsApi } from "./accounts/SignInsApi.ts"
import { SingleSignOnApi } from "./accounts/SingleSignOnApi.ts"
import { ApiKeysApi } from "./operators/ApiKeysApi.ts"
import { AuditLogApi } from "./operators/AuditLogApi.ts"
import { CdrsApi } from "./sessions/CdrsApi.ts"
import { CertificatesApi } from "./chargers/CertificatesApi.ts"
import { ChargerHistoryApi } from "./chargers/ChargerHistoryApi.ts"
import { ChargersApi } from "./chargers/ChargersApi.ts"
import { ChargingProfilesApi } from "./commands/ChargingProfilesApi.ts"
import { LocalListsApi } from "./chargers/LocalListsApi.ts"
import { CommandsApi } from "./commands/CommandsApi.ts"
import { DeliveriesApi } from "./events/DeliveriesApi.ts"
import { EventsApi } from "./events/EventsApi.ts"
import { ExpectationsApi } from "./chargers/ExpectationsApi.ts"
import { FilesApi } from "./files/FilesApi.ts"
import {
  Authorization,
  BoundedBody,
  Conditional,
  Face,
  FairShare,
  FewLargeAnswers,
  Idempotent,
  Undeclared
} from "./requests/Middleware.ts"
import { OrganisationsApi } from "./operators/OrganisationsApi.ts"
import { CommandBatchesApi } from "./rollouts/CommandBatchesApi.ts"
import { FirmwareCampaignsApi } from "./rollouts/FirmwareCampaignsApi.ts"
import { PartiesApi } from "./roaming/PartiesApi.ts"
import { PartnerRecordsApi } from "./roaming/PartnerRecordsApi.ts"
import { PartnersApi } from "./roaming/PartnersApi.ts"
import { PartnerViewApi } from "./roaming/PartnerViewApi.ts"
import { ReservationsApi } from "./sessions/ReservationsApi.ts"
import { SearchApi } from "./search/SearchApi.ts"
import { ViewsApi } from "./search/ViewsApi.ts"
import { SessionsApi } from "./sessions/SessionsApi.ts"
import { SitesApi } from "./sites/SitesApi.ts"
import { StatisticsApi } from "./chargers/StatisticsApi.ts"
import { TariffsApi } from "./tariffs/TariffsApi.ts"
import { TokenConflictsApi } from "./tokens/TokenConflictsApi.ts"
import { AuthorizationsApi } from "./tokens/AuthorizationsApi.ts"
import { TokensApi } from "./tokens/TokensApi.ts"
import { UnknownChargersApi } from "./chargers/UnknownChargersApi.ts"
import { WebhooksApi } from "./events/WebhooksApi.ts"
import { WorkApi } from "./work/WorkApi.ts"

const description = `Sites, chargers, sessions, drivers' tokens and keys of one organisation.

Programs send a key in the header \`x-api-key\`; people sign in (\`POST /v2/sign-ins\`) and send the cookie. If a request has both, the key applies.
Bodies are JSON in camelCase; times are RFC 3339, written in UTC. Lists answer
\`items\` and \`nextCursor\`, take \`limit\` and \`cursor\`, and carry a \`Link\` header; a page also ends when its items reach 1 MiB, so continue
until \`nextCursor\` is null. Errors are problem documents (RFC 9457) with a stable
\`code\`. A single object has an \`ETag\`: a read with \`If-None-Match\` is answered 304 while the object is unchanged, and a change with \`If-Match\` is made only
if the object is unchanged. HEAD and OPTIONS are available on every path. An unknown field or query parameter is refused, and the answer lists the known names.
Answers may gain fields: ignore those that you do not know.`

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
  .add(AuthorizationsApi)
  .add(ViewsApi)
  .add(CommandBatchesApi)
  .add(FirmwareCampaignsApi)
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
  .add(PasskeysApi)
  .add(SearchApi)
  .add(WorkApi)
  .add(SignInsApi)
  .add(SetUpApi)
  .add(MeApi)
  .add(OperatorsApi)
  .add(RolesApi)
  .add(InvitationsApi)
  .add(SingleSignOnApi)
  // The last middleware listed is the outermost. A request passes Face, Authorization, BoundedBody, FairShare, Undeclared, Conditional,
  // Idempotent and FewLargeAnswers, and then reaches its handler.
  .middleware(FewLargeAnswers)
  .middleware(Idempotent)
  .middleware(Conditional)
  .middleware(Undeclared)
  .middleware(FairShare)
  .middleware(BoundedBody)
  .middleware(Authorization)
  .middleware(Face)
  .prefix("/cpo")
  // No input is silently dropped (docs/decisions/0008): bodies, queries and paths may contain only what their schemas name.
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  // Requests have headers that no endpoint declares, so unknown ones are allowed. Answers contain only what their schemas name.
  .annotate(HttpApi.HeadersParseOptions, {})
  .annotate(HttpApi.SuccessParseOptions, {})
  .annotate(HttpApi.ErrorParseOptions, {})
  .annotateMerge(OpenApi.annotations({ title: "Voltlane REST API", version: "2.0.0", description })) {}
