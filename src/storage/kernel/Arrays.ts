/**
 * Column arrays as statement parameters: `INSERT … SELECT … FROM unnest(${textArray(keys)}, ${timestamptzArray(times)})` takes a
 * whole batch in as many parameters as there are columns, with one text whatever the size, so that the statement stays prepared.
 * A bare JavaScript array would have its type guessed element by element, and fails on a mixture or on nulls alone.
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import type { SqlClient } from "effect/sql"

/** The objects that `PgTypes.array` makes, without its lookup and its `Result` on every call. */
const arrayOf =
  <A>(oid: number) =>
  (value: ReadonlyArray<A | null>): PgTypes.Parameter => ({
    [PgTypes.ParameterTypeId]: PgTypes.ParameterTypeId,
    oid,
    value
  })

/** U+0000 is refused by PostgreSQL (22021), a lone surrogate becomes U+FFFD: clean both where the text comes in. */
export const textArray = arrayOf<string>(PgTypes.OID.textArray)

/** Text that is no UUID fails the statement before it is sent; `SqlErrors.isDataError` knows that failure. */
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

/** Objects, turned into JSON here. JSON that is text already goes by `textArray` and a cast in SQL (`x.body::jsonb`). */
export const jsonbArray = arrayOf<unknown>(PgTypes.OID.jsonbArray)

/**
 * An array whose length the planner does not see. It takes ten elements for granted then, and keeps its plan; where it sees fewer, a new plan seems cheaper
 * to it than the one that it keeps, and a statement of many joins is planned at each execution, which takes ten times as long as running it. One array
 * of an `unnest` is enough.
 */
export const unsized = (sql: SqlClient.SqlClient, array: PgTypes.Parameter) =>
  sql`CASE WHEN random() >= 0 THEN ${array} END`
