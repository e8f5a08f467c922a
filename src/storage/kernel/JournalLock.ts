/**
 * The one advisory lock under which positions of the journal are given out. A writer of facts takes it first in its transaction, so
 * that positions become visible in their order and a reader's cursor is one number. The value is arbitrary and must never change.
 */
export const journalLock = 7_016_996_765
