/**
 * Every advisory lock of PostgreSQL that is taken, in one table: two parts that share a number wait for each other without a reason. The numbers are
 * arbitrary and never change, since processes of two versions may run at once. The schema's files write them out.
 */
export const locks = {
  /**
   * Positions of the journal are given out under it. A writer of facts takes it first in its transaction, so that positions become visible in their
   * order and a reader's cursor is one number.
   */
  journal: 7_016_996_765,
  /** Day partitions are made and dropped under it. */
  partitions: 7_016_996_766,
  /** The second half of the key under which a node holds its name. */
  nodes: 7_016_996_767,
  /** What partners see of locations is made under it. */
  locations: 7_016_996_768,
  /** Local lists that are due are claimed under it, by one process at a time. */
  localLists: 7_016_996_769,
  /** Migrations: "volt" in ASCII. */
  migrations: 0x766f6c74
} as const
