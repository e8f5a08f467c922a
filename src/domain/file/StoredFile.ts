/** Files that chargers send us: diagnostics and logs. Each is expected before it comes, at a URL that is good for one of them. */

export interface StoredFile {
  readonly id: string
  readonly organisationId: string
  readonly chargerId: string
  readonly kind: "Diagnostics" | "Log"
  /** As the charger named it; empty until it came. */
  readonly name: string
  /** `Waiting` for the charger, or `Stored` whole. */
  readonly state: "Waiting" | "Stored"
  readonly size: number
  /** Hex; undefined until it is stored. */
  readonly sha256: string | undefined
  readonly createdAt: number
  readonly completedAt: number | undefined
}

/** Largest file that is taken: chargers' logs are a few MB, some send all they have. */
export const maxFileBytes = 256 * 1024 * 1024

/** How long a URL waits for its upload: chargers gather their logs for minutes, and retry for hours. */
export const uploadWaitsMillis = 24 * 60 * 60 * 1000
