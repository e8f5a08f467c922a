/**
 * All advisory locks of PostgreSQL that the service takes, in one table: two uses of one number would wait for each other for no reason.
 * The numbers are arbitrary and must never change, since processes of two versions may run at once. The schema's files repeat them as
 * literals.
 */
export const locks = {
  /**
   * Held while positions of the journal are assigned. A writer of facts takes it first in its transaction. Positions therefore become
   * visible in their order, and a reader's cursor is one number.
   */
  journal: 7_016_996_765,
  /** Held while partitions are created and dropped. */
  partitions: 7_016_996_766,
  /** The second half of the key of the lock that a node holds on its name. */
  nodes: 7_016_996_767,
  /** Held while the locations that partners see are refreshed. */
  locations: 7_016_996_768,
  /** Held while due local lists are claimed, by one process at a time. */
  localLists: 7_016_996_769,
  /** Migrations: "volt" in ASCII. */
  migrations: 0x766f6c74
} as const
