/** Text that people look for: somewhere in one of several columns, whatever the case of its letters. */
import type { SqlClient, Statement } from "effect/sql"

/** The text for LIKE, every character of it meaning itself. */
export const escaped = (text: string): string => text.replace(/[\\%_]/g, "\\$&")

const anywhere = (text: string): string => `%${escaped(text)}%`

/** True of a row in which one of `columns` has `text`; a column that is NULL has none. */
export const mentions = (sql: SqlClient.SqlClient, columns: ReadonlyArray<Statement.Fragment>, text: string) =>
  sql.or(columns.map((column) => sql`${column} ILIKE ${anywhere(text)}`))
