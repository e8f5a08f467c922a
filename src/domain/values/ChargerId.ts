/**
 * The identity of a charger: what the operator registers, what the charger puts last in its websocket URL, and the user name of its
 * Basic credentials. Unique over every organisation of the service, compared exactly.
 */

/** Longest identity that OCPP 2.x can carry (identifierString 48); 1.6 has no shorter one that chargers keep. */
export const chargerIdMaxLength = 48

const allowed = /^[A-Za-z0-9\-_.~:*]{1,48}$/

/** True when a URL path can carry `id` as it is: letters, digits, `-_.~:*`, at most 48, and neither `.` nor `..`. */
export const isChargerId = (id: string): boolean => allowed.test(id) && id !== "." && id !== ".."
