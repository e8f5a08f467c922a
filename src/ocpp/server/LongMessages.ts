/**
 * Limits how many messages above the usual size are being received or wait to be handled, over all chargers: only so
 * many can take memory at the same time. A charger without credentials may take only half of the places, so that someone
 * who uses its id does not keep out the others.
 */

export class LongMessages {
  private readonly most: number
  private taken = 0

  constructor(most: number) {
    this.most = most
  }

  /** Takes a place; false if none is free. */
  take(hasCredentials: boolean): boolean {
    if (this.taken >= (hasCredentials ? this.most : this.most / 2)) return false
    this.taken++
    return true
  }

  release(): void {
    this.taken--
  }
}
