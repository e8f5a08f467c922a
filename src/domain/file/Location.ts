/** Locations of files as they may be kept and shown: what lets whoever reads them in belongs to the charger alone. */

const hidden = "***"

/** The user's name before a password, and that password: `ftp://name:password@host`. */
const password = /^([a-z][a-z0-9+.-]{1,15}:\/\/[^/:@]*:)[^/]*@/i

/** The token of a file of our own. */
const token = /(\/files\/(?:up|down)\/)[^/?#]+/

/** The location without its password, and without the token of a file of our own. */
export const shownLocation = (location: string): string =>
  location.replace(password, `$1${hidden}@`).replace(token, `$1${hidden}`)
