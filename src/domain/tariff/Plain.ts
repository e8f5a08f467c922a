/** What the oldest version of OCPI has words for: its tariffs know neither reservations nor currents, nor the least and the most that is paid (2.1.1 §11.4). */
import type { TariffElement } from "./Tariff.ts"

/** Versions of OCPI whose tariffs have plain elements alone, and no limits. */
export const versionsWithPlainTariffs: ReadonlyArray<string> = ["2.1.1"]

/** An element that all versions have words for. Without what restricts it one about reservations or currents would count where it does not. */
export const isPlain = ({ restrictions = {} }: TariffElement): boolean =>
  restrictions.reservation === undefined &&
  restrictions.minCurrent === undefined &&
  restrictions.maxCurrent === undefined
