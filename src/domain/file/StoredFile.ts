/** Files that chargers send us (diagnostics and logs), and those that they fetch from us (firmware). */

export const fileKinds = ["Diagnostics", "Log", "Firmware"] as const
export type FileKind = (typeof fileKinds)[number]

/** The status that a charger last reported for a requested file transfer (OCPP 1.6 §7.24, §7.25; security whitepaper §5). */
export interface FileProgress {
  readonly status: string
  /** ms epoch. */
  readonly at: number
}

export interface StoredFile {
  readonly id: string
  readonly organisationId: string
  /** Undefined for firmware, which belongs to the organisation. */
  readonly chargerId: string | undefined
  readonly kind: FileKind
  /** As the charger or the uploader named it; empty before the upload. */
  readonly name: string
  /** `Waiting`: the content has not arrived. `Stored`: the content is complete. */
  readonly state: "Waiting" | "Stored"
  readonly size: number
  /** Hexadecimal; undefined until the file is stored. */
  readonly sha256: string | undefined
  /** Bytes received so far. */
  readonly receivedBytes: number
  /** The command that asked for it; undefined for firmware. */
  readonly commandId: string | undefined
  readonly progress: FileProgress | undefined
  readonly createdAt: number
  readonly completedAt: number | undefined
}

/** A range of bytes of a file; both ends are included. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/** The largest file that is accepted. Logs have a few MB, though some chargers send everything that they have; firmware images have some 100 MB. */
export const maxFileBytes = 256 * 1024 * 1024

/** How long an upload URL is valid: chargers gather their logs for minutes and retry for hours. */
export const uploadWaitsMillis = 24 * 60 * 60 * 1000

/** How long after its retrieval time firmware can be fetched: chargers retry, and some wait for the night or the end of a session. */
export const downloadWaitsMillis = 7 * 24 * 60 * 60 * 1000

/** The longest time that one transfer may take: 256 MiB at 100 kbit/s. */
export const transferMillis = 6 * 60 * 60 * 1000

/** A transfer without data for this long counts as broken off. A modem that changes cells is silent for less. */
export const stalledMillis = 60 * 1000

/**
 * The time over which the speed of an upload is averaged. It is twice the longest allowed silence, so that a modem has time to catch up afterwards.
 */
export const speedWindowMillis = 2 * stalledMillis
