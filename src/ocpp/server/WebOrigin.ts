/**
 * Whether a web page may open a charger's connection. Browsers let every page open websockets to any host, and always
 * send the page's `Origin`. A page in an operator's browser could so act as a charger of the operator's network that
 * has no password. Chargers send no `Origin`, or one that their websocket library makes up.
 */

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined)

/** The host of a `Host` header, without its port. */
const namedHost = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : hostOf(`http://${header.trim()}`)

export interface AllowedOrigins {
  /** Origins whose pages may connect as chargers; `*` for all. */
  readonly origins: ReadonlyArray<string>
  /** The service's own address, which the `Host` that a proxy sends may not name. */
  readonly publicUrl: string
}

/**
 * True if a websocket with these headers may be a charger's. `file:` is what a common library of small chargers sends;
 * some others send the host that they connect to.
 */
export const isAllowedOrigin = (
  { host, origin }: { readonly host?: string | undefined; readonly origin?: string | undefined },
  { origins, publicUrl }: AllowedOrigins
): boolean => {
  if (origin === undefined || /^file:/i.test(origin)) return true
  if (origins.includes("*") || origins.includes(origin)) return true
  const page = hostOf(origin)
  return page !== undefined && page !== "" && (page === namedHost(host) || page === hostOf(publicUrl))
}
