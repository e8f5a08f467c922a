/** Where a sign-in leads: to a page of this console, and nowhere else. */

/** Only pages of this console: an address in a link must not lead elsewhere. */
export const safeNext = (next: string | undefined): string =>
  next !== undefined && /^\/(?![/\\])/.test(next) && !next.startsWith("/sign-in") ? next : "/"
