/**
 * Certificates of chargers in REST v2: their signing requests, which are answered by the command CertificateSigned, and the root
 * certificates that they trust, as they answered GetInstalledCertificateIds.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ChargerId, Time } from "../../Fields.ts"
import { NotFound404 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { listOf, PageQuery } from "../requests/Paging.ts"
import { hashAlgorithms } from "../../../domain/command/ChargerCommand.ts"

export const CertificateRequest = Schema.Struct({
  id: Schema.String,
  at: Time,
  csr: Schema.String.annotate({ description: "In PEM, as the charger sent it" })
}).annotate({ identifier: "CertificateRequest" })

const Use = Schema.Literals(["CentralSystemRootCertificate", "ManufacturerRootCertificate"])

export const InstalledCertificates = Schema.Struct({
  certificateType: Use,
  askedAt: Time.annotate({ description: "When the charger reported it" }),
  changedSince: Schema.Boolean.annotate({
    description: "True: a certificate was, or may have been, installed or deleted after that; ask again"
  }),
  certificates: Schema.Array(
    Schema.Struct({
      hashAlgorithm: Schema.Literals(hashAlgorithms),
      issuerNameHash: Schema.String,
      issuerKeyHash: Schema.String,
      serialNumber: Schema.String
    })
  ).annotate({ description: "Each in the form that DeleteCertificate takes" })
}).annotate({ identifier: "InstalledCertificates" })

export class CertificatesApi extends HttpApiGroup.make("certificates").add(
  HttpApiEndpoint.get("requests", "/v2/chargers/:chargerId/certificate-requests", {
    params: { chargerId: ChargerId },
    query: PageQuery,
    success: listOf(CertificateRequest),
    error: NotFound404
  }).annotateMerge(operation("List the certificate signing requests of a charger, newest first", "chargers:read")),
  HttpApiEndpoint.get("installed", "/v2/chargers/:chargerId/certificates", {
    params: { chargerId: ChargerId },
    success: Schema.Struct({
      askedAt: Schema.NullOr(Time).annotate({
        description: "When the latest of them was reported; null if the charger was never asked"
      }),
      items: Schema.Array(InstalledCertificates).annotate({
        description: "One for each certificate type that was requested from the charger"
      })
    }),
    error: NotFound404
  }).annotateMerge(operation("Read the certificates that a charger last reported as installed", "chargers:read"))
) {}
