/** Where a sign-in leads: always to a page of this console. */

/** Only accepts pages of this console: an address in a link must not lead elsewhere. */
export const safeNext = (next: string | undefined): string =>
  next !== undefined && /^\/(?![/\\])/.test(next) && !next.startsWith("/sign-in") ? next : "/"
