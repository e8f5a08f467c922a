/** The drivers of the town, by their cards. A card charges at one place at a time. */
import { pick, type Random } from "./Town.ts"

export class Drivers {
  private readonly uids: ReadonlyArray<string>
  private readonly charging = new Set<string>()
  private next = 0

  constructor(uids: ReadonlyArray<string>) {
    this.uids = uids
  }

  /** A card for one connector alone: its past sessions may then be sent at the same time as those of other connectors. */
  own(): string {
    return this.uids[this.next++ % this.uids.length]!
  }

  /** A card that is not charging anywhere; it is marked as charging from now on. */
  free(random: Random): string | undefined {
    const free = this.uids.filter((uid) => !this.charging.has(uid))
    if (free.length === 0) return undefined
    const uid = pick(random, free)
    this.charging.add(uid)
    return uid
  }

  begins(uid: string): void {
    this.charging.add(uid)
  }

  leaves(uid: string): void {
    this.charging.delete(uid)
  }
}
