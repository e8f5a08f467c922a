/** Text search: finds text anywhere in one of several columns, ignoring upper and lower case. */
import type { SqlClient, Statement } from "effect/sql"

/** Escapes text for LIKE, so that each of its characters is matched literally. */
export const escaped = (text: string): string => text.replace(/[\\%_]/g, "\\$&")

const anywhere = (text: string): string => `%${escaped(text)}%`

/** True for a row in which one of `columns` contains `text`; a column that is NULL does not. */
export const mentions = (sql: SqlClient.SqlClient, columns: ReadonlyArray<Statement.Fragment>, text: string) =>
  sql.or(columns.map((column) => sql`${column} ILIKE ${anywhere(text)}`))
