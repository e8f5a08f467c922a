/** The tariffs that the oldest version of OCPI supports: without restrictions on reservations or currents, and without price limits (2.1.1 §11.4). */
import type { TariffElement } from "./Tariff.ts"

/** OCPI versions that support only plain tariff elements, and no price limits. */
export const versionsWithPlainTariffs: ReadonlyArray<string> = ["2.1.1"]

/**
 * Whether all OCPI versions support an element. If a restriction on reservations or currents were dropped, the element would apply where it must not.
 */
export const isPlain = ({ restrictions = {} }: TariffElement): boolean =>
  restrictions.reservation === undefined &&
  restrictions.minCurrent === undefined &&
  restrictions.maxCurrent === undefined
