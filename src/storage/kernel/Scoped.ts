/**
 * The one place that adds an organisation to a query. Statements about an organisation's records are written with the tag that `scopedTo`
 * returns. The tag refuses to build a statement that does not say whose rows it means. `test/storage/Scoped.test.ts` checks that no
 * repository uses such a table with a bare `sql`.
 */
import { type SqlClient, Statement } from "effect/sql"

export interface Scoped {
  /** A statement or fragment, like `sql`; dies if none of its values is one of the scopes below. */
  <A extends object>(strings: TemplateStringsArray, ...values: ReadonlyArray<unknown>): Statement.Statement<A>
  /** The organisation's id as a value, for inserts. */
  readonly id: Statement.Fragment
  /** `alias.organisation_id = $n`: the rows of this organisation. */
  readonly rowsOf: (alias: string) => Statement.Fragment
  /** `alias.id = $n`: the organisation's own row. */
  readonly itself: (alias: string) => Statement.Fragment
}

/** Queries within one organisation. */
export const scopedTo = (sql: SqlClient.SqlClient, organisationId: string): Scoped => {
  const scopes = new WeakSet<object>()
  const mark = (fragment: Statement.Fragment): Statement.Fragment => {
    scopes.add(fragment)
    return fragment
  }
  const tag = <A extends object>(
    strings: TemplateStringsArray,
    ...values: ReadonlyArray<unknown>
  ): Statement.Statement<A> => {
    if (!values.some((value) => typeof value === "object" && value !== null && scopes.has(value))) {
      throw new Error("A query of an organisation's records lacks its scope: use id, rowsOf or itself from scopedTo.")
    }
    return sql<A>(strings, ...values)
  }
  return Object.assign(tag, {
    id: mark(Statement.fragment([Statement.parameter(organisationId)])),
    rowsOf: (alias: string) => mark(sql`${sql(alias)}.organisation_id = ${organisationId}`),
    itself: (alias: string) => mark(sql`${sql(alias)}.id = ${organisationId}`)
  })
}
