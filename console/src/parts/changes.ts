/**
 * The fields whose values differ from those that a form showed when it was opened. A PATCH has only these: every other field keeps what the form shows
 * in part only, and what another operator or a program wrote meanwhile.
 */
export const changedFields = <A extends object>(shown: A, typed: A): Partial<A> =>
  Object.fromEntries(
    Object.entries(typed).filter(([key, value]) => value !== (shown as Readonly<Record<string, unknown>>)[key])
  ) as Partial<A>
