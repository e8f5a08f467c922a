/** File locations in the form in which they may be stored and shown: without passwords and tokens, which only the charger may have. */

const hidden = "***"

/** The user name and the password of a URL: `ftp://name:password@host`. */
const password = /^([a-z][a-z0-9+.-]{1,15}:\/\/[^/:@]*:)[^/]*@/i

/** The token in the URL of one of our own files, whatever comes before it, because the service may be behind a proxy. */
const token = /(\/files\/(?:up|down)\/)[^/?#]+/i

/** Query parameters that give access to any holder of the URL, among them those of presigned S3 URLs. */
const credentials = /signature|token|credential|password|secret|[?&](?:sig|key|auth)=/i

/** The location without its password, without a query that has credentials, and without the token of one of our own files. */
export const shownLocation = (location: string): string => {
  const shown = location.replace(password, `$1${hidden}@`).replace(token, `$1${hidden}`)
  const end = shown.search(/[?#]/)
  return end >= 0 && credentials.test(shown.slice(end)) ? `${shown.slice(0, end + 1)}${hidden}` : shown
}
