/**
 * Column arrays as statement parameters. `INSERT … SELECT … FROM unnest(${textArray(keys)}, ${timestamptzArray(times)})` passes a whole
 * batch in as many parameters as there are columns. The statement's text is the same for any batch size, so it stays prepared. The driver
 * would guess the type of a bare JavaScript array element by element, which fails for mixed types and for arrays of nulls only.
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import type { SqlClient } from "effect/sql"

/** The same objects as `PgTypes.array` makes, without its lookup and its `Result` on every call. */
const arrayOf =
  <A>(oid: number) =>
  (value: ReadonlyArray<A | null>): PgTypes.Parameter => ({
    [PgTypes.ParameterTypeId]: PgTypes.ParameterTypeId,
    oid,
    value
  })

/** PostgreSQL refuses U+0000 (22021), and a lone surrogate becomes U+FFFD. Remove both where the text enters the service. */
export const textArray = arrayOf<string>(PgTypes.OID.textArray)

/** Text that is not a UUID fails before the statement is sent; `SqlErrors.isDataError` recognises that failure. */
export const uuidArray = arrayOf<string>(PgTypes.OID.uuidArray)

/** Whole numbers of 32 bits. */
export const int4Array = arrayOf<number>(PgTypes.OID.int4Array)

/** Whole numbers of 64 bits. Where they are below 2^53, `float8Array` with a cast in SQL (`x.wh::bigint`) costs less. */
export const int8Array = arrayOf<bigint>(PgTypes.OID.int8Array)

export const float8Array = arrayOf<number>(PgTypes.OID.float8Array)

export const boolArray = arrayOf<boolean>(PgTypes.OID.boolArray)

/** Dates, or numbers of milliseconds since 1970. */
export const timestamptzArray = arrayOf<Date | number>(PgTypes.OID.timestamptzArray)

export const byteaArray = arrayOf<Uint8Array>(PgTypes.OID.byteaArray)

/** Objects, serialised to JSON here. Pass text that is already JSON with `textArray` and a cast in SQL (`x.body::jsonb`). */
export const jsonbArray = arrayOf<unknown>(PgTypes.OID.jsonbArray)

/**
 * An array whose length the planner cannot see. It then assumes ten elements and keeps its generic plan. If it sees a shorter array, a
 * custom plan looks cheaper than the generic one. A statement with many joins is then planned at each execution, which takes ten times as
 * long as running it. Using this for one array of an `unnest` is enough.
 */
export const unsized = (sql: SqlClient.SqlClient, array: PgTypes.Parameter) =>
  sql`CASE WHEN random() >= 0 THEN ${array} END`
