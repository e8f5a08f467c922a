/**
 * The identity of a charger. The operator registers it, and the charger uses it as the last part of its websocket URL and as the user name of its
 * Basic credentials. It is unique over all organisations of the service and compared exactly.
 */

/** The longest identity that OCPP 2.x can carry (identifierString 48). OCPP 1.6 has no shorter limit that chargers respect. */
export const chargerIdMaxLength = 48

const allowed = /^[A-Za-z0-9\-_.~:*]{1,48}$/

/** True when a URL path can contain `id` unchanged: letters, digits, `-_.~:*`, at most 48 characters, and neither `.` nor `..`. */
export const isChargerId = (id: string): boolean => allowed.test(id) && id !== "." && id !== ".."
