/** The certificates that chargers ask to be signed (security whitepaper A02) and those that they trust, scoped by organisation. */
import { Context, type Effect } from "effect"
import type { InstalledCertificates } from "../command/InstalledCertificates.ts"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"

export interface CertificateRequest {
  /** Position in the journal, as text. */
  readonly id: string
  /** ms epoch. */
  readonly at: number
  /** PEM, as the charger sent it. */
  readonly csr: string
}

export class Certificates extends Context.Service<
  Certificates,
  {
    /** Newest first. A repeated request appears once. */
    readonly requests: (
      organisationId: string,
      chargerId: string,
      page: PageRequest
    ) => Effect.Effect<Page<CertificateRequest>, InvalidInput | StorageUnavailable>
    /** The charger's last report of each type of certificate. A type that was never requested is missing. */
    readonly installed: (
      organisationId: string,
      chargerId: string
    ) => Effect.Effect<ReadonlyArray<InstalledCertificates>, StorageUnavailable>
  }
>()("voltlane/Certificates") {}
