/** What chargers have asked to be signed (security whitepaper A02) and what they trust, scoped by organisation. */
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
    /** Newest first; the same request said again is one. */
    readonly requests: (
      organisationId: string,
      chargerId: string,
      page: PageRequest
    ) => Effect.Effect<Page<CertificateRequest>, InvalidInput | StorageUnavailable>
    /** What the charger last reported of each type of certificate; a type that it was never asked for is not there. */
    readonly installed: (
      organisationId: string,
      chargerId: string
    ) => Effect.Effect<ReadonlyArray<InstalledCertificates>, StorageUnavailable>
  }
>()("voltlane/Certificates") {}
