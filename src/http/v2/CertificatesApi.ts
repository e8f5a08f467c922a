/** Certificates of chargers in REST v2: what they have asked to be signed. The signed one goes back by the command CertificateSigned. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ChargerId, Time } from "../Fields.ts"
import { NotFound404 } from "./Failures.ts"
import { operation } from "./Middleware.ts"
import { listOf, PageQuery } from "./Paging.ts"

export const CertificateRequest = Schema.Struct({
  id: Schema.String,
  at: Time,
  csr: Schema.String.annotate({ description: "PEM, as the charger sent it" })
}).annotate({ identifier: "CertificateRequest" })

export class CertificatesApi extends HttpApiGroup.make("certificates").add(
  HttpApiEndpoint.get("requests", "/v2/chargers/:chargerId/certificate-requests", {
    params: { chargerId: ChargerId },
    query: PageQuery,
    success: listOf(CertificateRequest),
    error: NotFound404
  }).annotateMerge(operation("List what a charger has asked to be signed, newest first", "chargers:read"))
) {}
